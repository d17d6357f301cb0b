"""From chunks to the concept graph that a walk follows.

Enters: chunks, what they are compared by, their concepts, typed links. Leaves: a `ConceptGraph`. Two modes:

- ``seed``: the rule of guide 001: an edge where the cosine is strictly above the threshold, weighted
  0.7 cosine + 0.3 shared-concept fraction; concepts only re-weight;
- ``typed``: these edges, and those that real texts need, because at the seed's threshold most chunks of
  real corpora are alone: titles that a text mentions (directed), rare concepts in common, references,
  neighbours in a conversation, and the chunk before and after.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from cnrag_core.config.spec import (
    AdjacentLinks,
    LinkSpec,
    MentionLinks,
    ReferenceLinks,
    SharedConceptLinks,
    TraversalSpec,
)
from cnrag_core.corpus.document import Document
from cnrag_core.corpus.wording import count
from cnrag_core.graph.chunk_nodes import ChunkedCorpus
from cnrag_core.graph.concept_graph import ChunkNode, ConceptEdge, ConceptGraph, graph_of_pairs
from cnrag_core.graph.concept_sets import ConceptSets, concept_sets, strongest_pairs
from cnrag_core.graph.concepts import Concepts
from cnrag_core.graph.links import MAX_EVIDENCE_WORDS, TypedLinks, find_links
from cnrag_core.similarity.components import ComponentColumn
from cnrag_core.similarity.pairwise import pairs_above
from cnrag_core.types import Progress, silent

MAX_COSINE_PAIRS = 500_000
"""Pairs above the cosine threshold; more would make a graph that nobody can walk or draw."""

RARE_SHARE = 0.005
"""A concept in at most this share of the chunks may join them, where the configuration does not say how rare."""

RARE_CHUNKS = 4
"""... or in this many, in a small corpus."""

MOST_SHARED = 20
"""Chunks that each chunk is joined to by rare concepts at most, those with most in common."""

LEAST_SHARED = 0.05
"""Cosine of two sets of rare concepts below which they join nothing: one of many in common."""

NAMED_KINDS = ("reference", "mention")
"""Links that somebody wrote down; where a pair has several, one of these is followed."""


def build_concept_graph(
    corpus: ChunkedCorpus,
    concepts: Concepts,
    columns: Sequence[ComponentColumn],
    spec: TraversalSpec,
    *,
    links: Sequence[LinkSpec] = (),
    stop_words: Collection[str] = (),
    progress: Progress = silent,
) -> ConceptGraph:
    """Link chunks by the rule of `spec`.

    Parameters
    ----------
    concepts
        Of every chunk.
    columns
        What chunks are compared by, row i for chunk i; without any, no cosine creates an edge.
    links
        Typed links that the configuration asks for. Titles that texts mention and rare concepts in common
        are linked in any case, by `default_links` where the configuration does not say how.
    stop_words
        Of the language of the texts: no concepts, however rare they are in a small corpus.

    Raises
    ------
    ResourceLimitError
        If more than 500,000 pairs are above the threshold.
    ConfigError
        For a link over a field that no document has.
    """
    chunks = [replace(chunk, concepts=found) for chunk, found in zip(corpus.chunks, concepts.of, strict=True)]
    progress("Linking chunks", 0.0)
    pairs = _similar_pairs(chunks, columns, spec.min_cosine)
    progress("Linking chunks", 0.5)
    edges: Mapping[tuple[str, str], ConceptEdge] = {}
    notes = [*_cut_notes(corpus), concepts.note]
    if spec.links == "typed":
        found = _TypedEdges(corpus, chunks, stop_words)
        notes += found.add_links([*links, *default_links(corpus, spec, beside=links)])
        edges = found.edges
    graph = graph_of_pairs(
        chunks,
        pairs,
        min_cosine=spec.min_cosine,
        cosine_weight=spec.cosine_weight,
        concept_weight=spec.concept_weight,
        typed=[(source, edge) for (source, _), edge in edges.items()],
    )
    progress("Linking chunks", 1.0)
    return replace(graph, notes=(*notes, *_isolation_notes(graph, spec)))


def default_links(corpus: ChunkedCorpus, spec: TraversalSpec, *, beside: Sequence[LinkSpec] = ()) -> list[LinkSpec]:
    """Titles that texts mention, and rare concepts in common: from the concept field where one is given.

    Parameters
    ----------
    beside
        Links that are asked for; a type that is among them is not added.
    """
    fields = corpus.fields
    held = {name for document in corpus.documents for name in document.fields}
    body = tuple(name for name in fields.body if name in held)
    present = {link.type for link in beside}
    found: list[LinkSpec] = []
    if "mention" not in present and fields.title is not None and fields.title in held and body:
        found.append(MentionLinks(of=fields.title, fields=body))
    from_field = spec.concept_field if spec.concepts in ("auto", "field") and spec.concept_field in held else None
    sources = (from_field,) if from_field else body
    if "shared_concepts" not in present and sources:
        share = min(max(RARE_SHARE, RARE_CHUNKS / len(corpus.chunks)), 1.0)
        found.append(SharedConceptLinks(fields=sources, max_share=share))
    return found


def _similar_pairs(
    chunks: Sequence[ChunkNode], columns: Sequence[ComponentColumn], min_cosine: float
) -> Iterator[tuple[str, str, float]]:
    """Pairs at or above the threshold; whether an edge needs more is the graph's rule."""
    if not columns or len(chunks) < 2:
        return
    found = pairs_above(columns, min_cosine, max_pairs=MAX_COSINE_PAIRS)
    for left, right, cosine in zip(found.left.tolist(), found.right.tolist(), found.weight.tolist(), strict=True):
        yield chunks[left].id, chunks[right].id, cosine


class _TypedEdges:
    """Typed edges while they are gathered: one for each ordered pair of chunks that some link joins."""

    def __init__(self, corpus: ChunkedCorpus, chunks: Sequence[ChunkNode], stop_words: Collection[str]) -> None:
        self.corpus = corpus
        self.stop_words = stop_words
        self.edges: dict[tuple[str, str], ConceptEdge] = {}
        self._concepts = {chunk.id: set(chunk.concepts) for chunk in chunks}
        self._document_of = {chunk.id: chunk.document_id for chunk in chunks}

    def add_links(self, specs: Sequence[LinkSpec]) -> list[str]:
        """Add the links of all specifications and the neighbours within documents; return what could not be linked."""
        of_documents = [spec for spec in specs if isinstance(spec, (ReferenceLinks, AdjacentLinks))]
        notes = self._add_document_links(find_links(self.corpus.documents, of_documents))
        texts = self.corpus.as_documents(name_all=False)
        self._add_mentions(find_links(texts, [spec for spec in specs if isinstance(spec, MentionLinks)]))
        for document_id, ids in self.corpus.of_document.items():
            for before, after in pairwise(ids):
                self._add_both(before, after, "adjacent", 1.0, (document_id,))
        for spec in specs:
            if isinstance(spec, SharedConceptLinks):
                for a, b, weight, evidence in _shared_concepts(texts, spec, self.stop_words):
                    self._add_both(a, b, "shared_concepts", weight, evidence)
        return notes

    def _add_document_links(self, links: TypedLinks) -> list[str]:
        """Links between whole documents lead to their beginnings."""
        for number in range(len(links)):
            link = links[number]
            source, target = (self.corpus.of_document[end][0] for end in (link.source, link.target))
            self._add(source, target, link.kind, link.weight, link.evidence)
            if not link.directed:
                self._add(target, source, link.kind, link.weight, link.evidence)
        return list(links.notes)

    def _add_mentions(self, links: TypedLinks) -> None:
        for number in range(len(links)):
            source = links.node_ids[int(links.source[number])]
            target = links.node_ids[int(links.target[number])]
            if self._document_of[source] != self._document_of[target]:
                self._add(source, target, "mention", float(links.weight[number]), links.evidence(number))

    def _add_both(self, a: str, b: str, kind: str, weight: float, evidence: tuple[str, ...]) -> None:
        self._add(a, b, kind, weight, evidence)
        self._add(b, a, kind, weight, evidence)

    def _add(self, source: str, target: str, kind: str, weight: float, evidence: tuple[str, ...]) -> None:
        shared = tuple(sorted(self._concepts[source] & self._concepts[target]))
        edge = ConceptEdge(target, weight, kind, None, shared, evidence)
        present = self.edges.get((source, target))
        if present is None or _precedes(edge, present):
            self.edges[source, target] = edge


def _precedes(edge: ConceptEdge, other: ConceptEdge) -> bool:
    """Whether of two edges of one pair the first is the one to follow: written down before found, then heavier."""
    ranks = [(candidate.kind not in NAMED_KINDS, -candidate.weight) for candidate in (edge, other)]
    return ranks[0] < ranks[1]


def _shared_concepts(
    chunk_texts: Sequence[Document], spec: SharedConceptLinks, stop_words: Collection[str]
) -> Iterator[tuple[str, str, float, tuple[str, ...]]]:
    """(chunk id, chunk id, weight, the rarest concepts in common)."""
    ordered = sorted(chunk_texts, key=lambda document: document.id)
    sets = concept_sets(ordered, spec.fields, max_share=spec.max_share, skip=stop_words)
    left, right, weights = strongest_pairs(sets, per_document=MOST_SHARED, min_weight=LEAST_SHARED)
    shared = _SharedWords(sets)
    for a, b, weight in zip(left.tolist(), right.tolist(), weights.tolist(), strict=True):
        yield ordered[a].id, ordered[b].id, weight, shared.of(a, b)


class _SharedWords:
    """Concepts that two chunks share, rarest first, looked up in sets: there are tens of thousands of pairs."""

    def __init__(self, sets: ConceptSets) -> None:
        held = sets.held
        self.names = sets.concepts
        self.rows = [frozenset(held.indices[start:end].tolist()) for start, end in pairwise(held.indptr.tolist())]
        frequency = np.bincount(held.indices, minlength=len(sets.concepts)).tolist()
        self.order = {number: (count, sets.concepts[number]) for number, count in enumerate(frequency)}

    def of(self, a: int, b: int) -> tuple[str, ...]:
        common = sorted(self.rows[a] & self.rows[b], key=self.order.__getitem__)
        return tuple(self.names[number] for number in common[:MAX_EVIDENCE_WORDS])


def _cut_notes(corpus: ChunkedCorpus) -> Iterator[str]:
    if corpus.n_cut:
        yield (
            f"{count(len(corpus.documents), 'document makes', 'documents make')} {count(len(corpus.chunks), 'chunk')}; "
            f"{corpus.n_cut:,} {'was' if corpus.n_cut == 1 else 'were'} cut."
        )


def _isolation_notes(graph: ConceptGraph, spec: TraversalSpec) -> Iterator[str]:
    """How many chunks the seed's rule leaves alone, and how many the typed links do."""
    n, alone = len(graph.chunks), graph.n_isolated_by_cosine
    yield f"A cosine above {spec.min_cosine:g} alone leaves {alone:,} of {count(n, 'chunk')} without an edge."
    if spec.links == "typed":
        yield f"With typed links {graph.n_isolated:,} {'is' if graph.n_isolated == 1 else 'are'} without one."
