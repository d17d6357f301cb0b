"""A sensible configuration for an unknown corpus, with the reasons in words.

Enters: documents with the kinds of their fields. Leaves: a `PipelineConfig` to start from: one composite text, in which
titles count 0.2 and bodies 0.8, beside a few attributes that documents share; no threshold, because none is right for
every corpus. Of the ways measured, a composite text plus attributes predicted citations best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cnrag_core.config.dialect import DEFAULT_EDGES_NOTE
from cnrag_core.config.infer_links import propose_links
from cnrag_core.config.infer_uses import FieldUses, can_be_named, label_merit, title_merit
from cnrag_core.config.problems import number_text, shortened, shown
from cnrag_core.config.profile import CorpusLike, FieldProfile
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

TITLE_SHARE = 0.2
"""Share of the titles in the composite text; the rest belongs to the bodies.

Measured on six corpora, how well the ten nearest documents by tfidf agree in label, genre or citation: best between 0.1
and 0.3 everywhere, and up to 0.07 worse at 0.4, because the few words of a title match by chance.
"""

MAX_ATTRIBUTE_SHARE = 0.3
"""Attributes together never count more: documents that lack one would otherwise drift apart."""

_MOST_NUMBERS = 6


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
    if not hasattr(corpus, "documents"):
        raise ConfigError(
            f"A configuration is guessed from a Corpus, as `read_corpus` gives it; found {shown(corpus)}."
        )
    if not corpus.documents:
        raise ConfigError("There are no documents, so there is nothing to propose a configuration for.")
    fields = FieldUses.of(corpus)
    links, link_notes, used_by_links = propose_links(
        corpus, titles=fields.titles, bodies=fields.bodies, profiles=fields.usable_for_links
    )
    fields = fields.without(used_by_links, "used for links instead")
    components, notes = _components(fields)
    if not components:
        raise ConfigError(_nothing_to_compare(fields))
    display = _display(fields)
    notes += [_display_note(display), *link_notes]
    notes += [f"Not compared: {_quoted(names)} ({reason})." for reason, names in fields.reasons.items()]
    notes.append(DEFAULT_EDGES_NOTE)
    return PipelineConfig(
        name=_name_of(corpus),
        fields=_schema(corpus, fields),
        components=components,
        links=links,
        display=display,
        notes=tuple(filter(None, notes)),
    )


def _schema(corpus: CorpusLike, fields: FieldUses) -> dict[str, FieldSpec]:
    """The kinds of all fields that hold something, such that reading the corpus again with them refuses nothing."""
    schema = {}
    for name, profile in fields.profiles.items():
        if not profile.n_filled or not can_be_named(name):
            continue
        kind = profile.kind
        if kind not in ("text", "list") and any(
            isinstance(document.fields.get(name), (list, tuple)) for document in corpus.documents
        ):
            kind = "text"  # a list where a single value is usual; as text it is joined
        schema[name] = FieldSpec(kind=kind)
    return schema


def _components(fields: FieldUses) -> tuple[list[Component], list[str]]:
    """The components with their weights, and the notes about them."""
    texts = _text_weights(fields)
    attributes = {
        **{name: 0.2 if fields.profiles[name].repeated >= 0.5 else 0.1 for name in fields.lists},
        **dict.fromkeys(fields.labels, 0.1),
        **dict.fromkeys(fields.years, 0.05),
    }
    compares_measures = not texts and not attributes  # a corpus of numbers only
    if compares_measures:
        attributes = dict.fromkeys(fields.measures[:_MOST_NUMBERS], 1.0)
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


def _text_weights(fields: FieldUses) -> dict[str, float]:
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
        scale = max(round(profile.spread / 2), 1) if profile.is_year else float(f"{profile.spread / 2:.2g}")
        return AttributeSimilarityComponent(metric="numeric", scale=min(scale, 1e15) or 1.0, **options)
    return AttributeSimilarityComponent(metric="exact", **options)


def _display(fields: FieldUses) -> DisplaySpec:
    """The fields that people see."""
    titles = sorted(fields.titles, key=lambda name: -title_merit(fields.profiles[name]))
    bodies = sorted(fields.bodies, key=lambda name: -fields.profiles[name].words * fields.profiles[name].filled)
    colors = [name for name in fields.labels if _is_color(fields.profiles[name])]
    colors.sort(key=lambda name: (-label_merit(fields.profiles[name]), fields.profiles[name].n_distinct))
    return DisplaySpec(
        title=next(iter([*titles, *bodies]), None),
        text=next(iter([*bodies, *sorted(titles, key=lambda name: -fields.profiles[name].words)]), None),
        color=next(iter(colors), None),
    )


def _is_color(profile: FieldProfile) -> bool:
    return 2 <= profile.n_distinct <= 20 and profile.filled >= 0.5


def _text_note(texts: Mapping[str, float], fields: FieldUses) -> str:
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


def _nothing_to_compare(fields: FieldUses) -> str:
    reasons = "; ".join(f"{_quoted(names)}: {reason}" for reason, names in fields.reasons.items())
    found = f" ({reasons})" if reasons else ""
    return (
        f"Nothing in this corpus can be compared{found}. "
        "Documents need a field with text, a list, a label that several share, or a number."
    )


def _quoted(names: Sequence[str] | Mapping[str, Any]) -> str:
    listed = [f"'{shortened(name, 40)}'" for name in names]
    return ", ".join(listed[:6]) + (f" and {len(listed) - 6} more" if len(listed) > 6 else "")


def _name_of(corpus: CorpusLike) -> str | None:
    name = getattr(corpus, "name", None)
    return name[:500] if isinstance(name, str) and name.strip() else None
