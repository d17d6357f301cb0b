"""Typed links between documents, found without a language model.

Enters: documents and the `links:` of a configuration. Leaves: `TypedLinks`, arrays of edges that know
their type and the words that made them:

- ``mention``: a document's title occurs in another's text (longest match over words, a capital required,
  a qualifier in brackets dropped); directed. The weight falls with the number of documents that the
  title occurs in, from 1 for a title that one other document names;
- ``shared_concepts``: rare words or names in common; undirected. The weight is the cosine of the two
  sets, each concept weighted by its rarity; the ten strongest of each document are kept;
- ``reference``: a field of one document holds the id (or another field) of a second; directed, weight 1;
- ``adjacent``: neighbours in a conversation or a document; undirected, weight 1.

Design: section 5, "graph".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.chunking.sentences import sentence_spans
from cnrag_core.config.spec import AdjacentLinks, LinkSpec, MentionLinks, ReferenceLinks, SharedConceptLinks
from cnrag_core.corpus.document import Document, as_number
from cnrag_core.errors import ConfigError, UnknownNameError
from cnrag_core.graph.concept_sets import ConceptSets, concept_sets, strongest_pairs
from cnrag_core.graph.name_index import NameIndex, index_names
from cnrag_core.types import Progress, silent

KINDS = ("mention", "shared_concepts", "reference", "adjacent")
DIRECTED = frozenset({"mention", "reference"})
MAX_EVIDENCE_WORDS = 5
_LISTED_MISSING = 3

Evidence: TypeAlias = "NameIndex | ConceptSets | Mapping[tuple[int, int], str]"


@dataclass(frozen=True)
class TypedLink:
    """One edge as people see it: between whom, of which type, and the words that made it.

    `sentence` is the first sentence of the source that holds the evidence; empty where a whole field does.
    """

    source: str
    target: str
    kind: str
    weight: float
    directed: bool
    evidence: tuple[str, ...]
    sentence: str = ""


@dataclass(frozen=True, eq=False)
class TypedLinks:
    """Typed edges over the documents, as arrays.

    Attributes
    ----------
    node_ids
        Sorted ids; node i of the arrays is ``node_ids[i]``.
    source, target
        (n_links,) int32 node numbers. Undirected links stand once, with ``source < target``.
    kind
        (n_links,) int8 places in `KINDS`.
    weight
        (n_links,) float64 in (0, 1].
    notes
        Sentences about what could not be linked.

    Links are sorted by kind, source and target.
    """

    node_ids: tuple[str, ...]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    kind: NDArray[np.int8]
    weight: NDArray[np.float64]
    notes: tuple[str, ...] = ()
    documents: tuple[Document, ...] = field(default=(), repr=False)
    _origin: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32), repr=False)
    _item: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64), repr=False)
    _evidence: tuple[Evidence, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        for array in (self.source, self.target, self.kind, self.weight):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.source)

    def __iter__(self) -> Iterator[TypedLink]:
        return (self[link] for link in range(len(self)))

    def __getitem__(self, link: int) -> TypedLink:
        """One link with its evidence."""
        source, target = int(self.source[link]), int(self.target[link])
        kind = KINDS[int(self.kind[link])]
        evidence = self.evidence(link)
        return TypedLink(
            self.node_ids[source], self.node_ids[target], kind, float(self.weight[link]), kind in DIRECTED,
            evidence, self.sentence(link),
        )  # fmt: skip

    @property
    def name_index(self) -> NameIndex | None:
        """The index behind the first specification of mention links, where there is one."""
        return next((origin for origin in self._evidence if isinstance(origin, NameIndex)), None)

    @property
    def directed(self) -> NDArray[np.bool_]:
        """(n_links,) whether each link leads only from source to target."""
        return np.isin(self.kind, [KINDS.index(kind) for kind in DIRECTED])

    @property
    def counts(self) -> dict[str, int]:
        """Number of links of each kind that occurs."""
        found = np.bincount(self.kind, minlength=len(KINDS))
        return {kind: int(count) for kind, count in zip(KINDS, found, strict=True) if count}

    def evidence(self, link: int) -> tuple[str, ...]:
        """The words that made a link: the title as the text writes it, the shared concepts, the value in common."""
        origin = self._evidence[int(self._origin[link])]
        source, target = int(self.source[link]), int(self.target[link])
        if isinstance(origin, NameIndex):
            start, end, text = self._mention(origin, link)
            return (text[start:end],)
        if isinstance(origin, ConceptSets):
            return origin.shared(source, target)[:MAX_EVIDENCE_WORDS]
        return (origin[source, target],)

    def sentence(self, link: int) -> str:
        """The sentence of the source document that mentions the target; empty for other kinds."""
        origin = self._evidence[int(self._origin[link])]
        if not isinstance(origin, NameIndex):
            return ""
        start, _, text = self._mention(origin, link)
        return next((text[begin:end] for begin, end in sentence_spans(text) if begin <= start < end), "")

    def _mention(self, index: NameIndex, link: int) -> tuple[int, int, str]:
        place = int(self._item[link])
        text = self.documents[int(self.source[link])].text(index.fields[int(index.field[place])])
        return int(index.start[place]), int(index.end[place]), text

    def of_kind(self, *kinds: str) -> TypedLinks:
        """The links of these kinds only."""
        for kind in kinds:
            if kind not in KINDS:
                raise UnknownNameError(f"There is no kind of link {kind!r}; the kinds are {', '.join(KINDS)}.")
        return self.where(np.isin(self.kind, [KINDS.index(kind) for kind in kinds]))

    def where(self, keep: NDArray[np.bool_]) -> TypedLinks:
        """The links that `keep`, (n_links,) bool, marks."""
        return TypedLinks(
            self.node_ids, self.source[keep], self.target[keep], self.kind[keep], self.weight[keep],
            self.notes, self.documents, self._origin[keep], self._item[keep], self._evidence,
        )  # fmt: skip

    def around(self, node: int) -> list[int]:
        """Numbers of the links that lead from or to a node, in order."""
        order, starts = self._by_node
        return [int(link) for link in order[starts[node] : starts[node + 1]]]

    @cached_property
    def _by_node(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        ends = np.concatenate([self.source, self.target])
        links = np.concatenate([np.arange(len(self)), np.arange(len(self))])
        order = np.lexsort((links, ends))
        return links[order], np.searchsorted(ends[order], np.arange(len(self.node_ids) + 1))

    @cached_property
    def adjacency(self) -> sp.csr_matrix:
        """(n, n) CSR float64 of summed weights; undirected links in both directions, directed ones in theirs."""
        both = ~self.directed
        rows = np.concatenate([self.source, self.target[both]])
        columns = np.concatenate([self.target, self.source[both]])
        values = np.concatenate([self.weight, self.weight[both]])
        n = len(self.node_ids)
        matrix = sp.csr_matrix((values, (rows, columns)), shape=(n, n))
        matrix.sum_duplicates()
        return matrix


def find_links(
    documents: Sequence[Document],
    specs: Sequence[LinkSpec],
    *,
    function_words: Collection[str] = (),
    progress: Progress = silent,
) -> TypedLinks:
    """All links that a configuration asks for.

    Parameters
    ----------
    documents
        In any order; the result does not depend on it.
    specs
        What to look for; links of several specifications of one type that join the same two documents
        all stay.
    function_words
        Of the language of the documents: no rare concepts, however few documents hold them.

    Raises
    ------
    ConfigError
        For a field that no document has, naming those that exist.
    """
    ordered = tuple(sorted(documents, key=lambda document: document.id))
    _check_fields(ordered, specs)
    found: list[_Found] = []
    for place, spec in enumerate(specs):
        progress("links", place / len(specs))
        if isinstance(spec, MentionLinks):
            found.append(_mentions(ordered, spec))
        elif isinstance(spec, SharedConceptLinks):
            found.append(_shared(ordered, spec, function_words))
        elif isinstance(spec, ReferenceLinks):
            found.append(_references(ordered, spec))
        else:
            found.append(_adjacent(ordered, spec))
    progress("links", 1.0)
    return _joined(ordered, found)


@dataclass(frozen=True, eq=False)
class _Found:
    """Links of one specification, before they are joined."""

    kind: str
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    weight: NDArray[np.float64]
    evidence: Evidence
    item: NDArray[np.int64]
    notes: tuple[str, ...] = ()


def _joined(documents: tuple[Document, ...], found: Sequence[_Found]) -> TypedLinks:
    sizes = [len(part.source) for part in found]
    kind = np.repeat(np.array([KINDS.index(part.kind) for part in found], dtype=np.int8), sizes)
    origin = np.repeat(np.arange(len(found), dtype=np.int32), sizes)
    empty: list[NDArray[np.int32]] = [np.empty(0, dtype=np.int32)]
    source = np.concatenate([part.source for part in found] or empty).astype(np.int32)
    target = np.concatenate([part.target for part in found] or empty).astype(np.int32)
    weight = np.concatenate([part.weight for part in found] or empty).astype(np.float64)
    item = np.concatenate([part.item for part in found] or empty).astype(np.int64)
    order = np.lexsort((origin, target, source, kind))
    return TypedLinks(
        tuple(document.id for document in documents),
        source[order], target[order], kind[order], weight[order],
        tuple(note for part in found for note in part.notes),
        documents, origin[order], item[order], tuple(part.evidence for part in found),
    )  # fmt: skip


def _mentions(documents: Sequence[Document], spec: MentionLinks) -> _Found:
    index = index_names(documents, title_field=spec.of, text_fields=spec.fields)
    source, target, place = index.mentions
    names = index.name[place]
    # documents that name the title, over all documents: 1 for a title named once
    named_in = np.maximum(index.in_texts.counts[names], 1) if len(place) else np.ones(0)
    n = max(len(documents), 1)
    weight = np.log1p(n / named_in) / np.log1p(n)
    return _Found("mention", source, target, weight, index, place)


def _shared(documents: Sequence[Document], spec: SharedConceptLinks, function_words: Collection[str]) -> _Found:
    sets = concept_sets(documents, spec.fields, max_share=spec.max_share, skip=function_words)
    left, right, weight = strongest_pairs(sets)
    return _Found("shared_concepts", left, right, weight, sets, np.zeros(len(left), dtype=np.int64))


def _references(documents: Sequence[Document], spec: ReferenceLinks) -> _Found:
    holders: dict[str, list[int]] = defaultdict(list)
    for node, document in enumerate(documents):
        for value in (document.id,) if spec.target == "id" else document.items(spec.target):
            holders[value].append(node)
    pairs: dict[tuple[int, int], str] = {}
    unknown: list[str] = []
    for node, document in enumerate(documents):
        for value in document.items(spec.source):
            if value not in holders:
                unknown.append(value)
            for other in holders.get(value, ()):
                if other != node:
                    pairs.setdefault((node, other), value)
    notes: tuple[str, ...] = ()
    if unknown:
        shown = ", ".join(map(repr, unknown[:_LISTED_MISSING]))
        more = f" and {len(unknown) - _LISTED_MISSING} more" if len(unknown) > _LISTED_MISSING else ""
        notes = (f"Field {spec.source!r} refers to {shown}{more}, which no document has as {spec.target!r}.",)
    return _of_pairs("reference", pairs, notes)


def _adjacent(documents: Sequence[Document], spec: AdjacentLinks) -> _Found:
    groups: dict[str, list[int]] = defaultdict(list)
    for node, document in enumerate(documents):
        if not document.is_missing(spec.within):
            groups[document.text(spec.within).strip()].append(node)
    pairs: dict[tuple[int, int], str] = {}
    for group, nodes in groups.items():
        ordered = sorted(nodes, key=lambda node: (*_place(documents[node], spec.order), node))
        for first, second in pairwise(ordered):
            pairs[min(first, second), max(first, second)] = group
    return _of_pairs("adjacent", pairs)


def _place(document: Document, order: str) -> tuple[bool, float, str]:
    """Where a document stands in its group: by number where the field holds one, else by text, unplaced last."""
    text = document.text(order).strip()
    number = as_number(text)
    return (not text, number if number is not None else np.inf, text)


def _of_pairs(kind: str, pairs: Mapping[tuple[int, int], str], notes: tuple[str, ...] = ()) -> _Found:
    array = np.array(sorted(pairs), dtype=np.int32).reshape(-1, 2)
    n = len(array)
    return _Found(kind, array[:, 0], array[:, 1], np.ones(n), pairs, np.zeros(n, dtype=np.int64), notes)


def _check_fields(documents: Sequence[Document], specs: Sequence[LinkSpec]) -> None:
    known = {name for document in documents for name in document.fields} | {"id"}
    if len(known) == 1:
        return
    for place, spec in enumerate(specs):
        if isinstance(spec, MentionLinks):
            asked: tuple[str, ...] = (spec.of, *spec.fields)
        elif isinstance(spec, SharedConceptLinks):
            asked = spec.fields
        elif isinstance(spec, ReferenceLinks):
            asked = (spec.source, spec.target)
        else:
            asked = (spec.within, spec.order)
        for name in asked:
            if name not in known:
                raise ConfigError(
                    f"links[{place}] ({spec.type}): no document has a field {name!r}; "
                    f"the fields are {', '.join(sorted(known))}."
                )
