"""What a colour means: communities, measures or any field of the corpus, with the legend that says so.

Enters: a network and what to colour by. Leaves: a `Coloring`, one legend entry a document. Communities
keep their colour when the threshold moves: each is shown in the colour of its forerunner in the network
as built. Colours are never alone: an entry has a name, and beyond ten colours a shape of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cnrag_core.config.spec import FieldKind
from cnrag_core.corpus.document import Document
from cnrag_core.topology.partitions import match_labels
from cnrag_core.views.community_names import ISOLATED, community_names
from cnrag_core.views.network_classes import classes_of, date_number, date_words, number_words
from cnrag_core.views.network_measures import MEASURES
from cnrag_core.views.palette import CATEGORIES, REST, category_color, sequential_colors
from cnrag_core.views.palette import ISOLATED as ISOLATED_COLOR

if TYPE_CHECKING:
    from cnrag_core.network import Network

COMMUNITY = "community"
FIELD = "field:"
"""What a field's name follows in the key of a colour choice and in links."""

SHAPES = ("dot", "square", "diamond")
"""Of the first ten categories, the second ten, and everything beyond."""

DISTINCT = 2 * len(CATEGORIES)
"""Categories that colour and shape together tell apart."""

MOST_ENTRIES = 16
"""Entries of a legend; what is smaller is folded into one."""

MOST_TEXT_VALUES = 40
"""A text field with more different values than this is prose, and no colour."""


@dataclass(frozen=True)
class LegendEntry:
    """One line of a legend: `key` names it in filters, `n` is how many documents of the corpus it has."""

    key: str
    label: str
    n: int
    color: str
    shape: str = "dot"


@dataclass(frozen=True, eq=False)
class Coloring:
    """Colour and legend entry of every document.

    Attributes
    ----------
    key, title
        What the colours stand for, as a key and as people read it.
    entries
        In the order of the legend.
    entry_of
        (n,) int64 place of each document's entry.
    colors
        One a document; a folded entry may hold documents of several colours.
    shapes
        One a document.
    values
        The value of each document as text.
    """

    key: str
    title: str
    entries: tuple[LegendEntry, ...]
    entry_of: NDArray[np.int64]
    colors: tuple[str, ...]
    shapes: tuple[str, ...]
    values: tuple[str, ...]

    def matches(self, keys: Sequence[str]) -> NDArray[np.bool_]:
        """(n,) whether each document belongs to one of these entries; all do where none is known."""
        wanted = [place for place, entry in enumerate(self.entries) if entry.key in keys]
        if not wanted:
            return np.ones(len(self.entry_of), dtype=np.bool_)
        return np.isin(self.entry_of, wanted)


def color_choices(network: Network, kinds: Mapping[str, FieldKind]) -> dict[str, str]:
    """What can be coloured by, by key: communities, the field that the configuration shows, measures, other fields."""
    preferred = network.config.display.color
    names = [name for name in kinds if _can_color(network.documents, name, kinds[name])]
    fields = {FIELD + name: name for name in names}
    first = {FIELD + preferred: preferred} if preferred in names else {}
    return {COMMUNITY: COMMUNITY, **first, **{name: measure.name for name, measure in MEASURES.items()}, **fields}


def color_nodes(network: Network, key: str, kinds: Mapping[str, FieldKind]) -> Coloring:
    """The colours of all documents; by community where there is no such choice."""
    if key in MEASURES:
        return _by_measure(network, key)
    if key.startswith(FIELD):
        return _by_field(network.documents, key, kinds.get(key.removeprefix(FIELD)))
    return _by_community(network)


def community_slots(network: Network) -> NDArray[np.int64]:
    """Place in the palette of each community of two or more: that of its forerunner in the network as built."""
    communities = network.communities
    n_grouped = communities.n_grouped
    if network.base is None or not n_grouped:
        return np.arange(n_grouped, dtype=np.int64)
    before = network.base.communities
    both = (communities.labels < n_grouped) & (before.labels < before.n_grouped)
    return match_labels(before.labels[both], communities.labels[both], n_current=n_grouped)


def community_colors(network: Network) -> tuple[str, ...]:
    """Colour of each community of two or more."""
    return tuple(_slot_color(int(slot)) for slot in community_slots(network))


def _by_community(network: Network) -> Coloring:
    communities, slots = network.communities, community_slots(network)
    names = community_names(network)
    n_grouped = communities.n_grouped
    named = n_grouped if n_grouped <= MOST_ENTRIES else MOST_ENTRIES - 1
    entries = [
        LegendEntry(f"c{slot}", names[number], int(communities.sizes[number]), _slot_color(slot), _slot_shape(slot))
        for number, slot in enumerate(slots[:named].tolist())
    ]
    folded, isolated = -1, -1
    if n_grouped > named:
        folded = len(entries)
        size = int(communities.sizes[named:n_grouped].sum())
        entries.append(LegendEntry("smaller", f"{n_grouped - named:,} smaller communities", size, REST, SHAPES[2]))
    if communities.n_single:
        isolated = len(entries)
        entries.append(LegendEntry("isolated", ISOLATED, communities.n_single, ISOLATED_COLOR))
    labels = communities.labels
    places = np.concatenate(
        [
            np.arange(named),
            np.full(n_grouped - named, folded),
            np.full(communities.n_single, isolated),
        ]
    ).astype(np.int64)
    colors = [*(_slot_color(int(slot)) for slot in slots), *(ISOLATED_COLOR for _ in range(communities.n_single))]
    shapes = [*(_slot_shape(int(slot)) for slot in slots), *(SHAPES[0] for _ in range(communities.n_single))]
    words = [names.get(number, ISOLATED) for number in range(communities.n_communities)]
    return Coloring(
        COMMUNITY,
        "community",
        tuple(entries),
        places[labels] if len(labels) else np.empty(0, dtype=np.int64),
        tuple(colors[label] for label in labels),
        tuple(shapes[label] for label in labels),
        tuple(words[label] for label in labels),
    )


def _by_measure(network: Network, key: str) -> Coloring:
    measure = MEASURES[key]
    values = measure.of(network)
    return _by_number(key, measure.name, values, [measure.in_words(float(value)) for value in values], measure.in_words)


def _by_field(documents: Sequence[Document], key: str, kind: FieldKind | None) -> Coloring:
    name = key.removeprefix(FIELD)
    if kind == "number":
        values = np.array([_nan(document.number(name)) for document in documents])
        return _by_number(key, name, values, [document.text(name) for document in documents], number_words)
    if kind == "date":
        values = np.array([_nan(date_number(document.text(name))) for document in documents])
        return _by_number(key, name, values, [document.text(name) for document in documents], date_words)
    return _by_category(key, name, _main_items(documents, name))


def _by_number(
    key: str, title: str, values: NDArray[np.float64], words: Sequence[str], in_words: Callable[[float], str]
) -> Coloring:
    classes = classes_of(values, in_words)
    # one shade more than there are classes: the darkest would vanish on a dark ground
    shades = sequential_colors(np.arange(len(classes.labels) + 1, dtype=np.float64))[1:]
    counts = np.bincount(classes.class_of[classes.class_of >= 0], minlength=len(classes.labels))
    entries = [
        LegendEntry(f"q{place}", label, int(counts[place]), shades[place]) for place, label in enumerate(classes.labels)
    ]
    n_missing = int(np.count_nonzero(classes.class_of < 0))
    if n_missing:
        entries.append(LegendEntry("missing", "no value", n_missing, REST, SHAPES[1]))
    entry_of = np.where(classes.class_of < 0, len(classes.labels), classes.class_of)
    return _of_entries(key, title, entries, entry_of, words)


def _by_category(key: str, title: str, values: Sequence[str]) -> Coloring:
    counts = Counter(value for value in values if value)
    ranked = sorted(counts, key=lambda value: (-counts[value], value))
    named = ranked if len(ranked) <= MOST_ENTRIES else ranked[: MOST_ENTRIES - 1]
    place = {value: rank for rank, value in enumerate(named)}
    entries = [
        LegendEntry(f"v{rank}", value, counts[value], _slot_color(rank), _slot_shape(rank))
        for rank, value in enumerate(named)
    ]
    others, missing = len(entries), len(entries)
    if len(ranked) > len(named):
        n_others = sum(counts[value] for value in ranked[len(named) :])
        entries.append(LegendEntry("others", f"{len(ranked) - len(named):,} other values", n_others, REST, SHAPES[2]))
        missing += 1
    n_missing = sum(not value for value in values)
    if n_missing:
        entries.append(LegendEntry("missing", "no value", n_missing, ISOLATED_COLOR))
    entry_of = np.array([place.get(value, others) if value else missing for value in values], dtype=np.int64)
    return _of_entries(key, title, entries, entry_of, values)


def _of_entries(
    key: str, title: str, entries: Sequence[LegendEntry], entry_of: NDArray[np.int64], values: Sequence[str]
) -> Coloring:
    """A colouring in which every document looks like its entry."""
    return Coloring(
        key,
        title,
        tuple(entries),
        entry_of.astype(np.int64),
        tuple(entries[place].color for place in entry_of),
        tuple(entries[place].shape for place in entry_of),
        tuple(value or "no value" for value in values),
    )


def _main_items(documents: Sequence[Document], name: str) -> list[str]:
    """One value a document: of several items the one that most documents have."""
    items = [document.items(name) for document in documents]
    counts = Counter(item for of_document in items for item in of_document)
    return [max(of_document, key=lambda item: (counts[item], item), default="") for of_document in items]


def _can_color(documents: Sequence[Document], name: str, kind: FieldKind | None) -> bool:
    """Whether a field says something by its colours: numbers, dates, and values that repeat."""
    if kind in ("number", "date"):
        return any(not document.is_missing(name) for document in documents)
    values = [value for document in documents for value in document.items(name)]
    different = len(set(values))
    if kind in ("category", "boolean", "list"):
        return 1 < different < max(len(values), 2) or different == 1
    return 1 < different <= min(MOST_TEXT_VALUES, len(values) // 2) and all(len(value) <= 60 for value in values)


def _slot_color(slot: int) -> str:
    return category_color(slot % len(CATEGORIES)) if slot < DISTINCT else REST


def _slot_shape(slot: int) -> str:
    return SHAPES[min(slot // len(CATEGORIES), len(SHAPES) - 1)]


def _nan(value: float | None) -> float:
    return float("nan") if value is None else value
