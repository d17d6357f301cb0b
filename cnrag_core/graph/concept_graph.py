"""The concept graph: chunks as nodes, joined by cosine, shared concepts and typed links.

Enters: chunks with their concepts, and the cosines of their embeddings. Leaves: `ConceptGraph`, whose
edges keep the raw parts of their weight. Guide 001, "The build runs in four stages". An edge is a
lead, not evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from cnrag_core.errors import ConfigError, UnknownNameError
from cnrag_core.graph.similarity_graph import TIE_TOLERANCE

MIN_COSINE = 0.8
COSINE_WEIGHT = 0.7
CONCEPT_WEIGHT = 0.3

DIRECTED_KINDS = frozenset({"mention", "reference"})
"""Edges that lead one way only: from the text that says something to what it speaks of."""


@dataclass(frozen=True)
class ChunkNode:
    """A chunk with the id that it keeps from splitting to citation.

    `start` and `end` are character offsets in the field of the document; `page` is 1-based.
    """

    id: str
    document_id: str
    text: str
    concepts: tuple[str, ...] = ()
    title: str = ""
    field: str = ""
    start: int = 0
    end: int = 0
    page: int | None = None


@dataclass(frozen=True)
class ConceptEdge:
    """An edge as seen from one of its ends.

    `kind` is ``cosine``, ``shared_concepts``, ``mention``, ``reference`` or ``adjacent``; `cosine` and
    `shared` are the raw parts behind `weight`; `evidence` are the words that made a typed edge.
    """

    target: str
    weight: float
    kind: str = "cosine"
    cosine: float | None = None
    shared: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ConceptGraph:
    """Chunks and, for each, its outgoing edges in the order in which they were made.

    Attributes
    ----------
    notes
        Sentences for people: where concepts came from, what was cut, what the seed's rule would leave.
    n_pairs
        Pairs of chunks, n (n - 1) / 2: what a comparison costs.
    n_isolated_by_cosine
        Chunks that have no cosine above the threshold: what the rule of guide 001 leaves alone.
    """

    chunks: Mapping[str, ChunkNode]
    edges: Mapping[str, tuple[ConceptEdge, ...]]
    notes: tuple[str, ...] = ()
    n_pairs: int = field(default=0)
    n_isolated_by_cosine: int = field(default=0)

    def neighbors(self, chunk_id: str) -> tuple[ConceptEdge, ...]:
        """Edges that lead from a chunk."""
        return self.edges.get(chunk_id, ())

    def chunk(self, chunk_id: str) -> ChunkNode:
        """The chunk of an id; `UnknownNameError` where there is none."""
        try:
            return self.chunks[chunk_id]
        except KeyError:
            raise UnknownNameError(f"There is no chunk {chunk_id!r} in the concept graph.") from None

    @cached_property
    def chunks_of(self) -> Mapping[str, tuple[str, ...]]:
        """Ids of the chunks of every document, in order, by document id."""
        found: dict[str, list[str]] = {}
        for chunk in self.chunks.values():
            found.setdefault(chunk.document_id, []).append(chunk.id)
        return {document_id: tuple(ids) for document_id, ids in found.items()}

    def chunk_ids_of(self, name: str) -> tuple[str, ...]:
        """A chunk id as it is, the chunks of a document id, nothing for any other name."""
        return (name,) if name in self.chunks else self.chunks_of.get(name, ())

    @cached_property
    def edges_once(self) -> tuple[tuple[str, ConceptEdge], ...]:
        """(source, edge) of every edge: an undirected one from one of its ends, a directed one from its source."""
        seen: set[tuple[str, str, str]] = set()
        found = []
        for source, edges in self.edges.items():
            for edge in edges:
                if edge.kind in DIRECTED_KINDS or (edge.target, source, edge.kind) not in seen:
                    seen.add((source, edge.target, edge.kind))
                    found.append((source, edge))
        return tuple(found)

    @cached_property
    def kinds(self) -> dict[str, int]:
        """Edges of each kind, the most frequent first."""
        counts = Counter(edge.kind for _, edge in self.edges_once)
        return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))

    @property
    def n_edges(self) -> int:
        """Edges, each undirected one counted once and each directed one once."""
        return len(self.edges_once)

    @cached_property
    def n_isolated(self) -> int:
        """Chunks that no edge touches."""
        touched = {edge.target for edges in self.edges.values() for edge in edges}
        touched.update(chunk_id for chunk_id, edges in self.edges.items() if edges)
        return len(self.chunks) - len(touched)

    def reachable(self, sources: Iterable[str]) -> set[str]:
        """Everything that some path leads to from any of the sources, themselves included."""
        seen = {source for source in sources if source in self.chunks}
        stack = sorted(seen)
        while stack:
            for edge in self.neighbors(stack.pop()):
                if edge.target not in seen:
                    seen.add(edge.target)
                    stack.append(edge.target)
        return seen


def shared_fraction(concepts_a: Iterable[str], concepts_b: Iterable[str]) -> float:
    """Shared concepts divided by the size of the smaller set; 0 when the smaller set is empty."""
    a, b = set(concepts_a), set(concepts_b)
    smaller = min(len(a), len(b))
    return len(a & b) / smaller if smaller else 0.0


def edge_weight(
    cosine: float,
    concepts_a: Iterable[str],
    concepts_b: Iterable[str],
    *,
    cosine_weight: float = COSINE_WEIGHT,
    concept_weight: float = CONCEPT_WEIGHT,
) -> float:
    """Weight of an edge: 0.7 cosine + 0.3 shared-concept fraction. A lead, not a probability.

    Raises
    ------
    ConfigError
        If `cosine` lies outside [-1, 1].

    Notes
    -----
    Source: guide 001, Table 2.

    Examples
    --------
    >>> round(edge_weight(0.86, {"cancel", "plan", "date"}, {"cancel", "csv", "api"}), 3)
    0.702
    """
    if not -1.0 - TIE_TOLERANCE <= cosine <= 1.0 + TIE_TOLERANCE:
        raise ConfigError(f"A cosine lies in [-1, 1]; {cosine} does not.")
    return cosine_weight * cosine + concept_weight * shared_fraction(concepts_a, concepts_b)


def graph_of_pairs(
    chunks: Sequence[ChunkNode],
    pairs: Iterable[tuple[str, str, float]],
    *,
    min_cosine: float = MIN_COSINE,
    cosine_weight: float = COSINE_WEIGHT,
    concept_weight: float = CONCEPT_WEIGHT,
    typed: Iterable[tuple[str, ConceptEdge]] = (),
    notes: tuple[str, ...] = (),
) -> ConceptGraph:
    """A concept graph from cosines given pair by pair: an edge strictly above `min_cosine`.

    Parameters
    ----------
    pairs
        (chunk id, chunk id, cosine) in the order in which edges are to be made.
    typed
        (source id, edge) of links that exist whatever the cosine. Where a pair has several edges the
        heaviest is walked.
    """
    by_id = {chunk.id: chunk for chunk in chunks}
    edges: dict[str, dict[str, ConceptEdge]] = {chunk.id: {} for chunk in chunks}
    similar: set[str] = set()
    for a, b, cosine in pairs:
        if cosine <= min_cosine + TIE_TOLERANCE:
            continue
        similar.update((a, b))
        first, second = by_id[a].concepts, by_id[b].concepts
        weight = edge_weight(
            min(cosine, 1.0), first, second, cosine_weight=cosine_weight, concept_weight=concept_weight
        )
        shared = tuple(sorted(set(first) & set(second)))
        edges[a][b] = ConceptEdge(b, weight, "cosine", cosine, shared)
        edges[b][a] = ConceptEdge(a, weight, "cosine", cosine, shared)
    for source, edge in typed:
        present = edges[source].get(edge.target)
        if present is None or edge.weight > present.weight:
            edges[source][edge.target] = edge
    n = len(chunks)
    outgoing = {a: tuple(out.values()) for a, out in edges.items()}
    return ConceptGraph(by_id, outgoing, notes, n * (n - 1) // 2, n - len(similar))
