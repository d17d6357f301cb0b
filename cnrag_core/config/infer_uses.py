"""What the fields of an unknown corpus are good for: titles, bodies, lists, labels, years, measures, or nothing.

Enters: a corpus. Leaves: `FieldUses`, which gives every field one use, or the reason why it is not compared. Decisions
rest on how full, long, distinct and repeated the values are; the names of fields only decide between equals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from cnrag_core.config.profile import CorpusLike, FieldProfile, contains, profile_fields

MAX_TITLE_WORDS = 25.0
"""Texts that are shorter on average, and of one line, are titles rather than bodies."""

_TITLE_NAMES = frozenset({"title", "name", "headline", "heading", "subject", "label", "question"})
_LABEL_NAMES = frozenset(
    {"category", "label", "topic", "genre", "class", "type", "section", "field", "venue", "status"}
)
_PERSON_NAMES = frozenset({"author", "creator", "director", "editor", "actor", "cast", "artist", "by"})
_REPEATED = "the same as another field"
_MOST_TITLES, _MOST_BODIES, _MOST_LISTS, _MOST_LABELS = 3, 5, 4, 3


@dataclass(frozen=True)
class FieldUses:
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
    def of(cls, corpus: CorpusLike) -> FieldUses:
        """Decide for every field of a corpus what it is good for."""
        profiles = profile_fields(corpus)
        uses: dict[str, list[str]] = {use: [] for use in ("title", "body", "list", "label", "year", "measure")}
        left_out: dict[str, str] = {}
        seen: set[str] = set()
        for name, profile in profiles.items():
            use, reason = _use_of(profile)
            # texts that are the same, labels that put the same documents together
            content = profile.grouping if use in ("list", "label") else profile.contents
            if use and content in seen and profile.n_documents > 1:
                use, reason = "", _REPEATED
            if use:
                uses[use].append(name)
                seen.add(content)
            else:
                left_out[name] = reason
        _leave_out_parts_of_conversations(corpus, profiles, uses, left_out)
        _tell_bodies_from_titles(profiles, uses, left_out)
        if not uses["title"] and not uses["body"]:
            _promote_to_text(profiles, uses, left_out)
        return cls(
            profiles=profiles,
            titles=_best(uses["title"], _MOST_TITLES, left_out, lambda name: title_merit(profiles[name])),
            bodies=_best(uses["body"], _MOST_BODIES, left_out, lambda name: profiles[name].filled),
            lists=_best(uses["list"], _MOST_LISTS, left_out, lambda name: profiles[name].repeated),
            labels=_best(uses["label"], _MOST_LABELS, left_out, lambda name: label_merit(profiles[name])),
            years=_best(uses["year"], 1, left_out, lambda name: profiles[name].filled),
            measures=tuple(uses["measure"]),
            left_out=left_out,
        )

    def without(self, names: Sequence[str], reason: str) -> FieldUses:
        """The same without attributes that serve another purpose; a text may serve two."""

        def rest(group: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(name for name in group if name not in names)

        moved = {name: reason for name in names if name not in self.titles + self.bodies}
        return replace(
            self,
            lists=rest(self.lists),
            labels=rest(self.labels),
            years=rest(self.years),
            measures=rest(self.measures),
            left_out={**self.left_out, **moved},
        )

    @property
    def usable_for_links(self) -> dict[str, FieldProfile]:
        """The profiles of fields that can link documents: ids and codes too, but nothing twice."""
        return {
            name: profile
            for name, profile in self.profiles.items()
            if can_be_named(name) and self.left_out.get(name) != _REPEATED
        }

    @property
    def reasons(self) -> dict[str, list[str]]:
        """The fields that are left out, by the reason."""
        reasons: dict[str, list[str]] = {}
        for name, reason in self.left_out.items():
            reasons.setdefault(reason, []).append(name)
        return reasons


def title_merit(profile: FieldProfile) -> float:
    """How well a short text names its document: it is called so, always there, and never the same."""
    return _is_called(profile.name, _TITLE_NAMES) + profile.filled * profile.distinct


def label_merit(profile: FieldProfile) -> float:
    """How well a label sorts documents: it is called so, always there, and shared."""
    return _is_called(profile.name, _LABEL_NAMES) + profile.filled * profile.repeated


def can_be_named(name: str) -> bool:
    """Whether a configuration can name the field."""
    return 0 < len(name) <= 500


def _use_of(profile: FieldProfile) -> tuple[str, str]:
    """What a field is good for, or ``""`` and the reason why it is good for nothing."""
    if profile.n_filled == 0:
        return "", "empty everywhere"
    if not can_be_named(profile.name):
        return "", "its name is too long for a configuration"
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
    if profile.kind == "category" or (profile.words <= 4 and _is_called(profile.name, _PERSON_NAMES)):
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
    corpus: CorpusLike,
    profiles: Mapping[str, FieldProfile],
    uses: dict[str, list[str]],
    left_out: dict[str, str],
) -> None:
    """The messages of a conversation are one text; fields that repeat some of them would count these twice."""
    texts = uses["title"] + uses["body"]
    for whole in [name for name in texts if profiles[name].is_conversation]:
        for part in texts:
            is_title = part in uses["title"] and _is_called(part, _TITLE_NAMES)
            if not is_title and not profiles[part].is_conversation and contains(corpus, whole, part):
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
    best = max(titles, key=lambda name: title_merit(profiles[name]), default="")
    uses["title"] = [name for name in titles if name == best or profiles[name].wordy >= 0.75]
    left_out.update((name, "mostly numbers and codes") for name in titles if name not in uses["title"])


def _promote_to_text(
    profiles: Mapping[str, FieldProfile], uses: dict[str, list[str]], left_out: dict[str, str]
) -> None:
    """Where nothing else can be compared, short words serve as the text, even if they are always the same."""
    hopeless = {"empty everywhere", "addresses", "ids or codes", "its name is too long for a configuration"}
    candidates = [
        name
        for name, profile in profiles.items()
        if profile.kind in ("text", "category") and profile.wordy >= 0.5 and left_out.get(name) not in hopeless
    ]
    if candidates and not uses["label"] and not uses["list"]:
        best = max(candidates, key=lambda name: (profiles[name].distinct, profiles[name].words))
        uses["title"].append(best)
        left_out.pop(best, None)


def _best(names: Sequence[str], most: int, left_out: dict[str, str], merit: Callable[[str], float]) -> tuple[str, ...]:
    """The best few, in their order; the others are left out."""
    best = sorted(names, key=lambda name: -merit(name))[:most]
    left_out.update((name, "others say more") for name in names if name not in best)
    return tuple(name for name in names if name in best)


def _is_called(name: str, words: frozenset[str]) -> bool:
    """Whether a word of a field's name is one of these, in the singular or plural."""
    parts = name.casefold().replace("-", "_").replace(".", "_").replace(" ", "_").split("_")
    return any(part in words or part.removesuffix("s") in words for part in parts)
