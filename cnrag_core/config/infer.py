"""A sensible configuration for an unknown corpus, with the reasons in words.

Enters: documents with the kinds of their fields. Leaves: a `PipelineConfig` to start from: one composite text, in which
titles count 0.4 and bodies 0.6, beside a few attributes that documents share; no threshold, because none is right for
every corpus. Of the ways measured, a composite text plus attributes predicted citations best.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cnrag_core.config.dialect import DEFAULT_EDGES_NOTE
from cnrag_core.config.infer_links import propose_links
from cnrag_core.config.problems import number_text, shortened
from cnrag_core.config.profile import CorpusLike, DocumentLike, FieldProfile, contains, profile_fields
from cnrag_core.config.spec import (
    AttributeSimilarityComponent,
    Component,
    CompositeEmbeddingComponent,
    CompositeField,
    DisplaySpec,
    FieldEmbeddingComponent,
    FieldSpec,
    PipelineConfig,
)
from cnrag_core.errors import ConfigError

MAX_TITLE_WORDS = 25.0
"""Texts that are shorter on average, and of one line, are titles rather than bodies."""

TITLE_SHARE = 0.4
"""Share of the titles in the composite text; the rest belongs to the bodies."""

MAX_ATTRIBUTE_SHARE = 0.3
"""Attributes together never count more: documents that lack one would otherwise drift apart."""

_TITLE_NAMES = ("title", "name", "headline", "heading", "subject", "label", "question")
_COLOR_NAMES = (
    "category",
    "label",
    "topic",
    "genre",
    "class",
    "type",
    "section",
    "field",
    "subject",
    "venue",
    "status",
)
_PERSON_NAMES = ("author", "creator", "director", "editor", "actor", "cast", "artist", "by")
_MOST_TITLES, _MOST_BODIES, _MOST_LISTS, _MOST_LABELS, _MOST_NUMBERS = 3, 5, 4, 3, 6


def infer_config(corpus: CorpusLike) -> PipelineConfig:
    """A configuration to start from.

    Parameters
    ----------
    corpus
        Anything with `documents` and `kinds`. At most 2,000 documents are looked at, chosen by their ids, so that
        the order of the documents does not matter.

    Returns
    -------
    PipelineConfig
        Its `notes` say what was chosen, what was left out, and why.

    Raises
    ------
    ConfigError
        If there are no documents, or no field by which they could be compared.
    """
    if not corpus.documents:
        raise ConfigError("There are no documents, so there is nothing to propose a configuration for.")
    fields = _Fields.sorted_by_use(profile_fields(corpus), corpus.documents)
    links, link_notes, used_by_links = propose_links(
        corpus, titles=fields.titles, bodies=fields.bodies, profiles=fields.profiles
    )
    fields = fields.without(used_by_links, "used for links instead")
    components, notes = _components(fields)
    if not components:
        raise ConfigError(_nothing_to_compare(fields.left_out))
    display = _display(fields)
    notes += [_display_note(display), *link_notes]
    notes += [f"Not compared: {_quoted(names)} ({reason})." for reason, names in _by_reason(fields.left_out).items()]
    notes.append(DEFAULT_EDGES_NOTE)
    return PipelineConfig(
        name=_name_of(corpus),
        fields={
            name: FieldSpec(kind=profile.kind)
            for name, profile in fields.profiles.items()
            if profile.n_filled and _can_be_named(name)
        },
        components=components,
        links=links,
        display=display,
        notes=tuple(filter(None, notes)),
    )


@dataclass(frozen=True)
class _Fields:
    """The fields by what they are good for; `left_out` says of every other one why it is not compared."""

    profiles: Mapping[str, FieldProfile]
    titles: tuple[str, ...]
    bodies: tuple[str, ...]
    lists: tuple[str, ...]
    labels: tuple[str, ...]
    years: tuple[str, ...]
    measures: tuple[str, ...]
    left_out: Mapping[str, str]

    @classmethod
    def sorted_by_use(cls, profiles: Mapping[str, FieldProfile], documents: Sequence[DocumentLike]) -> _Fields:
        """Decide for every field what it is good for."""
        uses: dict[str, list[str]] = {use: [] for use in ("title", "body", "list", "label", "year", "measure")}
        left_out: dict[str, str] = {}
        seen: set[str] = set()
        for name, profile in profiles.items():
            use, reason = _use_of(profile)
            # texts that are the same, labels that put the same documents together
            content = profile.grouping if use in ("list", "label") else profile.contents
            if use and content in seen and profile.n_documents > 1:
                use, reason = "", "the same as another field"
            if use:
                uses[use].append(name)
                seen.add(content)
            else:
                left_out[name] = reason
        _leave_out_parts_of_conversations(profiles, documents, uses, left_out)
        _tell_bodies_from_titles(profiles, uses, left_out)
        if not uses["title"] and not uses["body"]:
            _promote_to_text(profiles, uses, left_out)
        return cls(
            profiles=profiles,
            titles=_best(uses["title"], _MOST_TITLES, left_out, lambda name: _title_merit(profiles[name])),
            bodies=_best(uses["body"], _MOST_BODIES, left_out, lambda name: profiles[name].filled),
            lists=_best(uses["list"], _MOST_LISTS, left_out, lambda name: profiles[name].repeated),
            labels=_best(uses["label"], _MOST_LABELS, left_out, lambda name: _label_merit(profiles[name])),
            years=_best(uses["year"], 1, left_out, lambda name: profiles[name].filled),
            measures=tuple(uses["measure"][:_MOST_NUMBERS]),
            left_out=left_out,
        )

    def without(self, names: Sequence[str], reason: str) -> _Fields:
        """The same without fields that serve another purpose."""

        def keep(group: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(name for name in group if name not in names)

        moved = {name: reason for name in names if name not in self.titles + self.bodies}
        return _Fields(
            profiles=self.profiles,
            titles=self.titles,
            bodies=self.bodies,
            lists=keep(self.lists),
            labels=keep(self.labels),
            years=keep(self.years),
            measures=keep(self.measures),
            left_out={**self.left_out, **moved},
        )


def _use_of(profile: FieldProfile) -> tuple[str, str]:
    """What a field is good for, or ``""`` and the reason why it is good for nothing."""
    if profile.n_filled == 0:
        return "", "empty everywhere"
    if not _can_be_named(profile.name):
        return "", "its name cannot be written in a configuration"
    if profile.n_distinct == 1 and profile.n_documents > 1 and profile.n_filled > 1:
        return "", "the same everywhere"
    if profile.kind == "date":
        return "", "dates"
    if profile.kind == "boolean":
        return "", "only true or false"
    if profile.addresses > 0.5:
        return "", "addresses"
    if profile.kind == "number":
        return _use_of_numbers(profile)
    if profile.kind == "list":
        return _use_of_list(profile)
    if profile.codes > 0.5 and profile.words < 2 and profile.distinct > 0.5:
        return "", "ids or codes"
    if profile.kind == "category" or _is_person(profile):
        return _use_of_label(profile)
    if profile.wordy < 0.5:
        return "", "mostly numbers and codes"
    if profile.filled < 0.05:
        return "", "nearly always empty"
    return ("title" if profile.one_line and profile.words <= MAX_TITLE_WORDS else "body"), ""


def _use_of_numbers(profile: FieldProfile) -> tuple[str, str]:
    if profile.counts_documents:
        return "", "only a running number"
    return ("year", "") if profile.is_year else ("measure", "")


def _use_of_list(profile: FieldProfile) -> tuple[str, str]:
    if profile.has_number_items:
        return "", "lists of numbers"
    if profile.n_documents > 1 and profile.repeated == 0.0:
        return "", "no two documents share an item"
    if profile.filled < 0.1:
        return "", "nearly always empty"
    if profile.largest > 0.95 and profile.n_documents > 1:
        return "", "nearly all documents share an item"
    return "list", ""


def _use_of_label(profile: FieldProfile) -> tuple[str, str]:
    if profile.filled < 0.2:
        return "", "nearly always empty"
    if profile.largest > 0.9 and profile.n_documents > 1:
        return "", "nearly the same everywhere"
    if profile.repeated < 0.2:
        return "", "hardly any value occurs twice"
    return "label", ""


def _leave_out_parts_of_conversations(
    profiles: Mapping[str, FieldProfile],
    documents: Sequence[DocumentLike],
    uses: dict[str, list[str]],
    left_out: dict[str, str],
) -> None:
    """The messages of a conversation are one text; fields that repeat some of them would count these twice."""
    texts = uses["title"] + uses["body"]
    for whole in [name for name in texts if profiles[name].is_conversation]:
        for part in texts:
            if part != whole and not profiles[part].is_conversation and contains(documents, whole, part):
                left_out[part] = f"part of '{whole}'"
                for use in ("title", "body"):
                    uses[use] = [name for name in uses[use] if name != part]


def _tell_bodies_from_titles(
    profiles: Mapping[str, FieldProfile], uses: dict[str, list[str]], left_out: dict[str, str]
) -> None:
    """Where all texts are short the clearly longer ones are the bodies; beside a good title no codes serve as one."""
    titles = uses["title"]
    if titles and not uses["body"]:
        shortest = min(profiles[name].words for name in titles)
        uses["body"] = [name for name in titles if profiles[name].words >= max(6.0, 2.5 * shortest)]
        titles = [name for name in titles if name not in uses["body"]]
    best = max(titles, key=lambda name: _title_merit(profiles[name]), default="")
    uses["title"] = [name for name in titles if name == best or profiles[name].wordy >= 0.75]
    left_out.update((name, "mostly numbers and codes") for name in titles if name not in uses["title"])


def _promote_to_text(
    profiles: Mapping[str, FieldProfile], uses: dict[str, list[str]], left_out: dict[str, str]
) -> None:
    """Without any text, short words serve as one: a corpus may consist of labels alone, or of one repeated text."""
    hopeless = {"empty everywhere", "addresses", "ids or codes", "its name cannot be written in a configuration"}
    candidates = [
        name
        for name, profile in profiles.items()
        if profile.kind in ("text", "category") and profile.wordy >= 0.5 and left_out.get(name) not in hopeless
    ]
    # a label that several documents share compares well as one; a text is only needed where nothing else is
    if candidates and not uses["label"] and not uses["list"]:
        best = max(candidates, key=lambda name: (profiles[name].distinct, profiles[name].words))
        uses["title"].append(best)
        left_out.pop(best, None)


def _components(fields: _Fields) -> tuple[list[Component], list[str]]:
    """The components with their weights, and the notes about them."""
    texts = _text_weights(fields)
    attributes = {
        **{name: 0.2 if fields.profiles[name].repeated >= 0.5 else 0.1 for name in fields.lists},
        **dict.fromkeys(fields.labels, 0.1),
        **dict.fromkeys(fields.years, 0.05),
    }
    compares_measures = not texts and not attributes  # a corpus of numbers only
    if compares_measures:
        attributes = dict.fromkeys(fields.measures, 1.0)
    total = sum(attributes.values())
    share = min(total, MAX_ATTRIBUTE_SHARE) if texts else 1.0
    weights = {name: weight / total * share for name, weight in attributes.items()}
    if texts:
        weights = {"": 1.0 - share, **weights}
    components: list[Component] = []
    notes: list[str] = []
    for name, weight in _in_percent(weights).items():
        if name:
            component: Component = _attribute(fields.profiles[name], weight=weight)
            note = _attribute_note(fields.profiles[name], component)
        else:
            component, note = _text_component(texts, weight=weight, taken=set(attributes)), _text_note(texts, fields)
        components.append(component)
        notes.append(note)
    if components and not texts:
        notes.append("There is no text to compare, so questions in words will find little.")
    if fields.measures and not compares_measures:
        notes.append(
            f"Numbers are shown but not compared: {_quoted(fields.measures)}. Metric `numeric` compares one when a "
            "`scale` says which difference is small."
        )
    return components, notes


def _in_percent(shares: Mapping[str, float]) -> dict[str, float]:
    """Shares in whole hundredths that add up to exactly 1, the largest remainders rounded up.

    Examples
    --------
    >>> _in_percent({"a": 2 / 3, "b": 1 / 6, "c": 1 / 6})
    {'a': 0.66, 'b': 0.17, 'c': 0.17}
    """
    floors = {name: int(share * 100 + 1e-9) for name, share in shares.items()}
    missing = 100 - sum(floors.values())
    by_remainder = sorted(shares, key=lambda name: floors[name] - shares[name] * 100)
    return {name: (floor + (name in by_remainder[:missing])) / 100 for name, floor in floors.items()}


def _text_weights(fields: _Fields) -> dict[str, float]:
    """Shares of the text fields in the composite; titles and bodies share evenly among themselves."""
    if not fields.titles or not fields.bodies:
        return dict.fromkeys((*fields.titles, *fields.bodies), 1.0)
    return {
        **dict.fromkeys(fields.titles, round(TITLE_SHARE / len(fields.titles), 3)),
        **dict.fromkeys(fields.bodies, round((1.0 - TITLE_SHARE) / len(fields.bodies), 3)),
    }


def _text_component(texts: Mapping[str, float], *, weight: float, taken: set[str]) -> Component:
    if len(texts) == 1:
        return FieldEmbeddingComponent(field=next(iter(texts)), weight=weight)
    return CompositeEmbeddingComponent(
        component_id=next(name for name in ("text", "full_text", "texts", "all_texts", "words") if name not in taken),
        fields=tuple(CompositeField(field=name, weight=share) for name, share in texts.items()),
        weight=weight,
    )


def _attribute(profile: FieldProfile, *, weight: float) -> AttributeSimilarityComponent:
    options: dict[str, Any] = {"field": profile.name, "weight": weight}
    if profile.kind == "list":
        return AttributeSimilarityComponent(metric="jaccard", **options)
    if profile.kind == "number":
        # half a standard deviation counts as near, in whole years
        scale = max(round(profile.spread / 2), 1) if profile.is_year else profile.spread / 2 or 1.0
        return AttributeSimilarityComponent(metric="numeric", scale=float(f"{scale:.2g}"), **options)
    return AttributeSimilarityComponent(metric="exact", **options)


def _display(fields: _Fields) -> DisplaySpec:
    """The fields that people see."""
    titles = sorted(fields.titles, key=lambda name: -_title_merit(fields.profiles[name]))
    bodies = sorted(fields.bodies, key=lambda name: -fields.profiles[name].words * fields.profiles[name].filled)
    colors = [name for name in fields.labels if _is_color(fields.profiles[name])]
    colors.sort(key=lambda name: (not _is_called(name, _COLOR_NAMES), fields.profiles[name].n_distinct))
    return DisplaySpec(
        title=next(iter([*titles, *bodies]), None),
        text=next(iter([*bodies, *sorted(titles, key=lambda name: -fields.profiles[name].words)]), None),
        color=next(iter(colors), None),
    )


def _is_color(profile: FieldProfile) -> bool:
    return 2 <= profile.n_distinct <= 20 and profile.filled >= 0.5


def _title_merit(profile: FieldProfile) -> float:
    """How well a short text names its document: it is called so, always there, and never the same."""
    return _is_called(profile.name, _TITLE_NAMES) + profile.filled * profile.distinct


def _label_merit(profile: FieldProfile) -> float:
    return _is_called(profile.name, _COLOR_NAMES) + profile.filled * profile.repeated


def _is_person(profile: FieldProfile) -> bool:
    return profile.words <= 4 and _is_called(profile.name, _PERSON_NAMES)


def _is_called(name: str, words: Sequence[str]) -> bool:
    parts = name.casefold().replace("-", "_").replace(".", "_").replace(" ", "_").split("_")
    return any(part in words or part.removesuffix("s") in words for part in parts)


def _can_be_named(name: str) -> bool:
    return 0 < len(name) <= 500


def _best(names: Sequence[str], most: int, left_out: dict[str, str], merit: Callable[[str], float]) -> tuple[str, ...]:
    """The best few, in their order; the others are left out."""
    best = sorted(names, key=lambda name: -merit(name))[:most]
    left_out.update((name, "others say more") for name in names if name not in best)
    return tuple(name for name in names if name in best)


def _text_note(texts: Mapping[str, float], fields: _Fields) -> str:
    if len(texts) == 1:
        return f"The text {_quoted(texts)} is compared by its words (tfidf)."
    if not fields.titles or not fields.bodies:
        return f"The texts {_quoted(texts)} are compared as one, in equal shares, by their words (tfidf)."
    return (
        f"Titles {_quoted(fields.titles)} ({TITLE_SHARE:g}) and texts {_quoted(fields.bodies)} ({1 - TITLE_SHARE:g}) "
        "are compared as one text, by their words (tfidf)."
    )


def _attribute_note(profile: FieldProfile, component: Component) -> str:
    name = _quoted([profile.name])
    if profile.kind == "list":
        return f"List {name}: {profile.repeated:.0%} of its items occur in several documents, compared with jaccard."
    if profile.kind == "number":
        scale = component.scale if isinstance(component, AttributeSimilarityComponent) else None
        return f"Number {name} is compared with numeric; a difference of {number_text(scale or 0.0)} counts as near."
    return f"Label {name}: {profile.repeated:.0%} of the documents share theirs with another, compared with exact."


def _display_note(display: DisplaySpec) -> str:
    if display.title is None:
        return ""
    color = f"colour by {_quoted([display.color])}" if display.color else "colour by community"
    return f"Shown: title {_quoted([display.title])}, text {_quoted([display.text or display.title])}, {color}."


def _nothing_to_compare(left_out: Mapping[str, str]) -> str:
    reasons = "; ".join(f"{_quoted(names)}: {reason}" for reason, names in _by_reason(left_out).items())
    found = f" ({reasons})" if reasons else ""
    return (
        f"Nothing in this corpus can be compared{found}. "
        "Documents need a field with text, a list, a label that several share, or a number."
    )


def _by_reason(left_out: Mapping[str, str]) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for name, reason in left_out.items():
        reasons.setdefault(reason, []).append(name)
    return reasons


def _quoted(names: Sequence[str] | Mapping[str, Any]) -> str:
    listed = [f"'{shortened(name, 40)}'" for name in names]
    return ", ".join(listed[:6]) + (f" and {len(listed) - 6} more" if len(listed) > 6 else "")


def _name_of(corpus: CorpusLike) -> str | None:
    name = getattr(corpus, "name", None)
    return name[:500] if isinstance(name, str) and name.strip() else None
