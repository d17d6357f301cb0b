"""From columns to the similarity graph: candidate edges above a floor, and the edges that a rule keeps.

Enters: node ids, columns and an `EdgeRule`. Leaves: `BuiltGraph`. Every pair is compared; the pairs that
are kept for the threshold slider reach down to a floor, which is chosen so that they fit a budget and is
named. What a rule needs below the floor (the nearest neighbours of an otherwise lonely document) is
searched for those documents alone. Guide 000, "From Embeddings to Graphs"; guide 002, "Network Analysis".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from cnrag_core.config.spec import EdgeRule
from cnrag_core.errors import EmbeddingError, ResourceLimitError
from cnrag_core.graph.edge_rules import (
    among_strongest_of_both,
    among_strongest_of_either,
    edges_of_density,
    effective_rule,
    in_words,
)
from cnrag_core.graph.similarity_graph import CandidateEdges, SimilarityGraph
from cnrag_core.limits import edges_of_this_machine
from cnrag_core.similarity.components import ComponentColumn, VectorColumn, n_rows, take_rows
from cnrag_core.similarity.estimate import PairEstimate, estimate_pairs
from cnrag_core.similarity.pairs import Pairs, canonical_pairs, concat_pairs, unique_pairs
from cnrag_core.similarity.pairwise import check_threshold, pairs_above, strongest_pairs, top_neighbors
from cnrag_core.similarity.tiles import LOCAL, Engine
from cnrag_core.types import Progress, silent

EDGES_PER_NODE = 500
SMALL_GRAPH = 500_000
"""A graph has at most so many edges a document, unless it is small: beyond it nobody sees anything."""

KEEP_ALL_PAIRS = 2_500_000
"""Corpora with no more pairs than this (2,236 documents) are searched without an estimate first."""

MIN_CANDIDATES = 250_000
CANDIDATES_PER_NODE = 25
CANDIDATES_PER_EDGE = 4
MOST_CANDIDATES = 5_000_000
"""Candidates wanted for the slider: the greatest of the first three, so that it can go well below the threshold,
but beyond what the rule needs no more than the last."""


@dataclass(frozen=True, eq=False)
class BuiltGraph:
    """What a build leaves: the candidate edges for every threshold, and the graph that the rule chose.

    Neighbours that the rule had to fetch from below the floor are edges of the graph, not candidates.
    """

    candidates: CandidateEdges
    graph: SimilarityGraph


def build_graph(
    node_ids: Sequence[str],
    columns: Sequence[ComponentColumn],
    rule: EdgeRule,
    *,
    max_edges: int | None = None,
    engine: Engine = LOCAL,
    progress: Progress = silent,
) -> BuiltGraph:
    """Compare all pairs and keep the edges that a rule asks for.

    Parameters
    ----------
    node_ids
        Ids of the documents, row by row of the columns. They are numbered in sorted order, whatever the
        order given.
    columns
        What is compared; the weights sum to 1.
    rule
        See `EdgeRule`. The default rule, or one that asks nothing, is fitted to the size of the
        corpus by `effective_rule`.
    max_edges
        Most edges in the graph, and most candidates kept, by default what free memory holds; `edge_limit` may
        allow fewer.
    engine
        Who compares the pairs, and where finished parts are kept; the edges do not depend on it.
    progress
        Told the share of comparisons done; may raise to cancel.

    Raises
    ------
    ResourceLimitError
        If the rule would keep more edges than that, with the estimate and what would fit.
    """
    if len(node_ids) != n_rows(columns):
        raise ValueError(f"{n_rows(columns)} rows were given for {len(node_ids)} node ids.")
    ids = tuple(node_ids)
    order = sorted(range(len(ids)), key=ids.__getitem__)
    if order != list(range(len(ids))):
        ids, columns = tuple(ids[i] for i in order), take_rows(columns, np.array(order, dtype=np.int64))
    rule, max_edges = effective_rule(rule, len(ids)), edge_limit(len(ids), max_edges)
    _refuse_density(rule, len(ids), max_edges)
    strongest, floor = _candidate_pairs(columns, rule, max_edges, engine, progress)
    graph = _choose_edges(ids, strongest, floor, columns, rule, max_edges, engine, progress)
    floor = _slider_floor(strongest, floor, rule, len(ids), max_edges)
    above = strongest.at_least(floor)
    return BuiltGraph(CandidateEdges(ids, above.left, above.right, above.weight, floor=floor), graph)


def edge_limit(n_nodes: int, max_edges: int | None = None) -> int:
    """Most edges of a graph: what memory allows, and no more than anyone could make sense of.

    Examples
    --------
    >>> edge_limit(1_000, 5_000_000), edge_limit(2_000, 5_000_000), edge_limit(100_000, 5_000_000)
    (500000, 1000000, 5000000)
    """
    most = edges_of_this_machine() if max_edges is None else max_edges
    return min(most, max(SMALL_GRAPH, EDGES_PER_NODE * n_nodes))


def graph_of_candidates(
    candidates: CandidateEdges,
    columns: Sequence[ComponentColumn],
    rule: EdgeRule,
    *,
    max_edges: int | None = None,
) -> SimilarityGraph | None:
    """The graph of a rule from candidate edges that are already known; None where they do not suffice.

    They do not where the rule asks for pairs below their floor: a lower minimum, or a greater density.
    """
    n = candidates.n_nodes
    rule, max_edges = effective_rule(rule, n), edge_limit(n, max_edges)
    short = edges_of_density(rule.density or 0.0, n) > candidates.n_edges and candidates.floor > 0
    by_value_alone = not rule.by_density and rule.max_per_node is None
    if short or (by_value_alone and (rule.min_similarity or 0.0) < candidates.floor):
        return None
    pairs = Pairs(candidates.left, candidates.right, candidates.weight)
    return _choose_edges(candidates.node_ids, pairs, candidates.floor, columns, rule, max_edges, LOCAL, silent)


class NetworkBuilder:
    """Builds a networkx graph from one embedding a node: an edge where the cosine reaches a minimum.

    Parameters
    ----------
    min_similarity
        Cosine that makes an edge, in [0, 1]; a negative cosine never does.
    strong_similarity
        Edges at or above it carry ``strong=True``.

    Raises
    ------
    ConfigError
        If a similarity is not a number in [0, 1].
    """

    def __init__(self, min_similarity: float = 0.7, strong_similarity: float = 0.8) -> None:
        check_threshold(min_similarity)
        check_threshold(strong_similarity)
        self.min_similarity = min_similarity
        self.strong_similarity = strong_similarity

    def build_network(
        self,
        embeddings: Mapping[str, NDArray[np.float32]],
        min_similarity: float | None = None,
        *,
        max_edges: int | None = None,
    ) -> nx.Graph[str]:
        """The graph of all pairs that are similar enough; nodes without a partner are kept.

        Parameters
        ----------
        embeddings
            One vector a node id, all of one dimension; they need not be normalised. A zero vector is
            similar to nothing.
        min_similarity
            Instead of the builder's own.

        Raises
        ------
        EmbeddingError
            If a vector has another dimension than the first, or a value that is not finite.
        ConfigError, ResourceLimitError
            As `pairs_above`.
        """
        least = self.min_similarity if min_similarity is None else min_similarity
        check_threshold(least)
        node_ids = tuple(sorted(embeddings))
        rows = _unit_rows([embeddings[node_id] for node_id in node_ids], node_ids)
        missing: NDArray[np.bool_] = np.logical_not(rows.any(axis=1))
        columns = (VectorColumn("embedding", 1.0, None, rows, missing),)
        pairs = pairs_above(columns, least, max_pairs=edges_of_this_machine() if max_edges is None else max_edges)
        graph = SimilarityGraph(
            node_ids, pairs.left, pairs.right, pairs.weight, threshold=least, strong_similarity=self.strong_similarity,
            rule=in_words(EdgeRule(min=least)),
        )  # fmt: skip
        return graph.to_networkx()


def _candidate_pairs(
    columns: Sequence[ComponentColumn], rule: EdgeRule, max_edges: int, engine: Engine, progress: Progress
) -> tuple[Pairs, float]:
    """The strongest pairs in canonical order, and the floor at and above which they are all pairs."""
    n = n_rows(columns)
    needed = edges_of_density(rule.density or 0.0, n)
    least = rule.min_similarity if not rule.by_density and rule.max_per_node is None else None
    start = 0.0
    if n * (n - 1) // 2 > KEEP_ALL_PAIRS:
        estimate = estimate_pairs(columns)
        _refuse_identical(estimate, max_edges)  # first: it says what helps
        if least is not None:
            _refuse_threshold(least, estimate, max_edges)
        start = _wanted_floor(estimate, rule, n, max_edges)
    while True:
        pairs, floor = strongest_pairs(columns, start, max_edges, engine=engine, progress=progress)
        if least is not None and floor > least:
            raise _too_many(least, _expected(estimate_pairs(columns), least, max_edges), floor, max_edges)
        if len(pairs) >= needed or start == 0.0:
            return pairs, floor
        start = math.floor(50 * start) / 100  # half as high: the estimate promised more pairs than there are


def _choose_edges(
    node_ids: tuple[str, ...],
    pairs: Pairs,
    floor: float,
    columns: Sequence[ComponentColumn],
    rule: EdgeRule,
    max_edges: int,
    engine: Engine,
    progress: Progress,
) -> SimilarityGraph:
    """The graph of a rule, from the strongest pairs in canonical order, complete down to a floor."""
    n, least = len(node_ids), rule.min_similarity or 0.0
    wanted = rule.min_neighbors if rule.by_density else rule.max_per_node
    if wanted and floor > least:
        pairs = _with_neighbors(pairs, floor, columns, wanted, least, engine, progress)
    if rule.by_density:
        keep = np.arange(len(pairs)) < edges_of_density(rule.density or 0.0, n)
        if rule.min_neighbors:
            keep |= among_strongest_of_either(pairs.left, pairs.right, n, rule.min_neighbors)
        pairs = _subset(pairs, keep)
    pairs = pairs.at_least(least)
    if rule.max_per_node is not None:
        pairs = _subset(pairs, among_strongest_of_both(pairs.left, pairs.right, n, rule.max_per_node))
    if len(pairs) > max_edges:
        raise ResourceLimitError(
            f"The rule ({in_words(rule)}) keeps {len(pairs):,} edges; the limit is {max_edges:,}. "
            "Raise `min`, or lower `density`, `min_neighbors` or `max_per_node`."
        )
    by_value_alone = not rule.by_density and rule.max_per_node is None
    threshold = least if by_value_alone or not len(pairs) else max(least, float(pairs.weight[-1]))
    return SimilarityGraph(
        node_ids, pairs.left, pairs.right, pairs.weight,
        threshold=threshold, strong_similarity=rule.strong_similarity, rule=in_words(rule),
    )  # fmt: skip


def _wanted_floor(estimate: PairEstimate, rule: EdgeRule, n: int, max_edges: int) -> float:
    """Where the candidates should end: well below what the rule needs, within the budget."""
    by_value = not rule.by_density and rule.min_similarity is not None
    needed = estimate.count_above(rule.min_similarity or 0.0) if by_value else edges_of_density(rule.density or 0.0, n)
    wished = max(MIN_CANDIDATES, CANDIDATES_PER_NODE * n, CANDIDATES_PER_EDGE * needed)
    wanted = min(max_edges, max(needed, min(MOST_CANDIDATES, wished)))
    floor = estimate.lowest_threshold(wanted)
    floor = 1.0 if floor is None else floor
    if by_value and rule.max_per_node is None:
        floor = min(floor, rule.min_similarity or 0.0)
    return floor


def _slider_floor(pairs: Pairs, floor: float, rule: EdgeRule, n: int, max_edges: int) -> float:
    """The floor of the candidates to keep, where more pairs are at hand than the slider needs."""
    everything = PairEstimate(len(pairs), pairs.weight[::-1])
    return max(floor, _wanted_floor(everything, rule, n, max_edges))


def _with_neighbors(
    pairs: Pairs,
    floor: float,
    columns: Sequence[ComponentColumn],
    k: int,
    least: float,
    engine: Engine,
    progress: Progress,
) -> Pairs:
    """The pairs, and the k nearest neighbours of every node that has fewer than k at or above the floor.

    What is added comes behind everything given: the given pairs are the strongest of all.
    """
    n = n_rows(columns)
    above = pairs.at_least(floor)
    degree = np.bincount(above.left, minlength=n) + np.bincount(above.right, minlength=n)
    lonely = np.flatnonzero(degree < k)
    if not len(lonely):
        return pairs
    found = top_neighbors(columns, lonely, k, engine=engine, progress=progress).at_least(least)
    return canonical_pairs(unique_pairs(concat_pairs([pairs, found])))


def _subset(pairs: Pairs, keep: NDArray[np.bool_]) -> Pairs:
    return Pairs(pairs.left[keep], pairs.right[keep], pairs.weight[keep])


def _refuse_density(rule: EdgeRule, n: int, max_edges: int) -> None:
    asked = edges_of_density(rule.density or 0.0, n)
    if asked > max_edges:
        fits = max_edges / (n * (n - 1) // 2)
        raise ResourceLimitError(
            f"A density of {rule.density:g} over {n:,} documents is {asked:,} edges; the limit is {max_edges:,}. "
            f"The highest density that fits is {np.floor(fits * 1e6) / 1e6:g}."
        )


def _refuse_threshold(threshold: float, estimate: PairEstimate, max_edges: int) -> None:
    expected = estimate.count_above(threshold)
    if expected > 1.2 * max_edges:  # closer to the limit, the exact count decides
        raise _too_many(threshold, f"about {_rounded(expected):,}", estimate.lowest_threshold(max_edges), max_edges)


def _refuse_identical(estimate: PairEstimate, max_edges: int) -> None:
    alike = estimate.count_above(1.0)
    if alike > 1.2 * max_edges:
        raise ResourceLimitError(
            f"About {_rounded(alike):,} pairs of documents are alike in everything that is compared; the limit is "
            f"{max_edges:,} edges. No threshold makes a graph that fits; remove the repeats, or compare "
            "something that tells them apart."
        )


def _too_many(threshold: float, expected: str, lowest: float | None, max_edges: int) -> ResourceLimitError:
    fits = f"The lowest threshold that fits here is {lowest:.2f}." if lowest is not None else "No threshold fits here."
    return ResourceLimitError(
        f"A threshold of {threshold:.2f} would give {expected} edges; the limit is {max_edges:,}. {fits}"
    )


def _unit_rows(vectors: Sequence[NDArray[np.float32]], node_ids: Sequence[str]) -> NDArray[np.float32]:
    """(n, d) float32 L2-normalised rows; zero rows stay zero."""
    if not vectors:
        return np.zeros((0, 0), dtype=np.float32)
    dimension = np.size(vectors[0])
    rows = np.zeros((len(vectors), dimension), dtype=np.float64)
    for row, (node_id, vector) in enumerate(zip(node_ids, vectors, strict=True)):
        values = np.asarray(vector, dtype=np.float64).reshape(-1)
        if len(values) != dimension:
            raise EmbeddingError(
                f"The vector of {node_id!r} has {len(values)} dimensions, that of {node_ids[0]!r} has {dimension}."
            )
        if not np.isfinite(values).all():
            raise EmbeddingError(f"The vector of {node_id!r} has a value that is not a finite number.")
        rows[row] = values
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: NDArray[np.float32] = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0).astype(np.float32)
    return unit


def _expected(estimate: PairEstimate, threshold: float, max_edges: int) -> str:
    """How many edges a threshold keeps that was found to keep too many."""
    count = estimate.count_above(threshold)
    return f"{count:,}" if estimate.is_exact else f"about {max(max_edges + 1, _rounded(count)):,}"


def _rounded(count: int) -> int:
    """An estimate without digits that it does not have."""
    return int(float(f"{count:.2g}"))
