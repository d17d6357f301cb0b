"""Typed links that the fields of an unknown corpus allow.

Enters: documents and the profiles of their fields. Leaves: link specifications, and the reasons in words. Ids are
looked for among all documents, because a sample would miss most of what a reference names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from cnrag_core.config.profile import CorpusLike, FieldProfile
from cnrag_core.config.spec import AdjacentLinks, LinkSpec, MentionLinks, ReferenceLinks

MIN_KNOWN = 0.5
"""Share of a field's values that must be ids (or titles) of documents for the field to be a reference."""

_GROUP = re.compile(
    r"conv(ersation)?|thread|session|dialog(ue)?|chat|discussion|document|doc|episode|call|source|chapter|section"
)
_ORDER = re.compile(r"turn|order|position|pos|index|idx|seq(uence)?|step|line|chunk|page|part|paragraph|number|no")
_REFERENCE = re.compile(
    r"cit(es?|ed|ations?|ing)|ref(s|erences?|erred)?|links?|linked|related|parent|repl(y|ies)|see|to"
)
_MAX_TITLE_WORDS = 12.0

_MOST_GROUPS_COMPARED = 20
"""A field that groups documents is a label to compare as well where it has so few values."""


def propose_links(
    corpus: CorpusLike,
    *,
    titles: Sequence[str],
    bodies: Sequence[str],
    profiles: Mapping[str, FieldProfile],
) -> tuple[tuple[LinkSpec, ...], list[str], list[str]]:
    """Links, notes about them, and the fields that serve links and should not be compared as well."""
    links: list[LinkSpec] = []
    notes: list[str] = []
    used: list[str] = []
    for title in titles:
        if bodies and _names_documents(profiles[title]):
            links.append(MentionLinks(of=title, fields=tuple(bodies)))
            names = ", ".join(f"'{body}'" for body in bodies)
            notes.append(f"Documents link where the '{title}' of one occurs in {names} of another.")
            break
    for reference, note in _references(corpus, profiles, titles):
        links.append(reference)
        notes.append(note)
        used.append(reference.source)
    if adjacent := _adjacent(corpus, profiles):
        links.append(adjacent)
        notes.append(f"Documents of the same '{adjacent.within}' link to their neighbours in '{adjacent.order}'.")
        used.append(adjacent.order)
        if profiles[adjacent.within].n_distinct > _MOST_GROUPS_COMPARED:
            used.append(adjacent.within)
    return tuple(links), notes, used


def _names_documents(profile: FieldProfile) -> bool:
    """Whether a title is distinct and short enough to stand for its document in another's text."""
    return (
        profile.n_filled > 1
        and profile.distinct >= 0.9
        and profile.filled >= 0.5
        and profile.words <= _MAX_TITLE_WORDS
        and profile.one_line
    )


def _references(
    corpus: CorpusLike, profiles: Mapping[str, FieldProfile], titles: Sequence[str]
) -> list[tuple[ReferenceLinks, str]]:
    """Fields whose values are mostly ids, or titles, of other documents."""
    documents = corpus.documents
    targets = {"id": {document.id for document in documents}}
    targets |= {
        title: {text for document in documents if (text := document.text(title).strip())}
        for title in titles
        if _names_documents(profiles[title])
    }
    found = []
    for name, profile in profiles.items():
        if (
            name in targets
            or profile.kind not in ("list", "category", "text")
            or profile.words / max(profile.items, 1) > 12
        ):
            continue
        values = {value for document in documents for value in document.items(name) if value != document.id}
        if not values or (
            profile.kind != "list" and profile.distinct > 0.9 and profile.filled == 1.0 and len(values) < 3
        ):
            continue
        named = _is_called(name, _REFERENCE)
        # small numbers are ids of something by chance; only a name that says so makes them references
        if not named and all(value.isdigit() for value in values):
            continue
        for target, known in targets.items():
            share = len(values & known) / len(values)
            if share >= MIN_KNOWN:
                what = "ids" if target == "id" else f"values of '{target}'"
                note = f"{share:.0%} of the values of '{name}' are {what} of documents, so it links them."
                found.append((ReferenceLinks(source=name, target=target), note))
                break
    return found


def _adjacent(corpus: CorpusLike, profiles: Mapping[str, FieldProfile]) -> AdjacentLinks | None:
    """A field that says what belongs together, and a number that orders it."""
    groups = [
        name
        for name, profile in profiles.items()
        if _is_called(name, _GROUP) and profile.kind in ("text", "category", "number") and profile.repeated >= 0.5
    ]
    orders = [name for name, profile in profiles.items() if _is_called(name, _ORDER) and len(profile.numbers) > 1]
    for within in groups:
        for order in orders:
            if within != order and _orders(corpus, within, order):
                return AdjacentLinks(within=within, order=order)
    return None


def _orders(corpus: CorpusLike, within: str, order: str) -> bool:
    """Whether hardly two documents of a group have the same place in it."""
    places: dict[str, list[float]] = defaultdict(list)
    for document in corpus.documents:
        number = document.number(order)
        if number is not None and not document.is_missing(within):
            places[document.text(within)].append(number)
    n_placed = sum(map(len, places.values()))
    n_different = sum(len(set(numbers)) for numbers in places.values())
    return n_placed > len(places) and n_different >= 0.95 * n_placed


def _is_called(name: str, words: re.Pattern[str]) -> bool:
    """Whether a word of a field's name is one of these: ``conversation_id``, ``chatId``, ``reply-to``."""
    parts = re.sub(r"([a-z])([A-Z])", r"\1_\2", name).casefold()
    return any(words.fullmatch(part) for part in re.split(r"[\W_]+", parts))
