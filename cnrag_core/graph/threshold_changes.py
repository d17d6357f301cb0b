"""What moving the threshold changes: edges and documents that come or go, and those that are left alone.

Enters: candidate edges or their curve. Leaves: `GainsAndLosses` of one step in either direction, and the
`Orphan`s of a threshold with what would attach them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cnrag_core.graph.similarity_graph import CandidateEdges, SimilarityGraph
from cnrag_core.graph.thresholds import ThresholdCurve, ThresholdPoint, threshold_curve
from cnrag_core.similarity.pairwise import check_threshold

_AT_ONCE = 65_536
"""Candidates looked up at once, until enough examples are found."""


@dataclass(frozen=True)
class ThresholdChange:
    """What moving from one threshold to another changes; differences are "there" minus "here".

    `strongest_edges` are the strongest of the edges that come or go, as (id, id, similarity); `node_ids`
    are the documents that gain their first edge (moving down) or lose their last one (moving up).
    """

    threshold: float
    edges: int
    components: int
    giant_size: int
    isolates: int
    strongest_edges: tuple[tuple[str, str, float], ...]
    node_ids: tuple[str, ...]


@dataclass(frozen=True)
class GainsAndLosses:
    """What one step down would gain and one step up would lose; None where there is no such step."""

    here: ThresholdPoint
    lower: ThresholdChange | None
    higher: ThresholdChange | None


@dataclass(frozen=True)
class Orphan:
    """A document without an edge, the threshold that would attach it, and to which document.

    Both are None where it has no candidate edge at all.
    """

    node_id: str
    attaches_at: float | None
    neighbor: str | None


def gains_and_losses(
    source: CandidateEdges | ThresholdCurve,
    threshold: float,
    step: float = 0.05,
    *,
    n_examples: int = 5,
    drawn: SimilarityGraph | None = None,
) -> GainsAndLosses:
    """What the next lower threshold would add and the next higher one would take away.

    Parameters
    ----------
    source
        Candidate edges, or the curve made from them (cheaper).
    threshold
        At or above the floor.
    step
        How far to look in both directions; cut at the floor and at 1.
    n_examples
        Most edges and documents named in each direction.
    drawn
        The graph to step away from, where a rule chose its edges: some pairs at or above the threshold may not be
        among them, and some below it may.

    Raises
    ------
    ConfigError
        If the threshold is not a number in [0, 1], or lies below the floor.
    """
    curve = source if isinstance(source, ThresholdCurve) else threshold_curve(source)
    here = curve.at(threshold) if drawn is None else _point_of(drawn, threshold)
    low, high = max(curve.floor, threshold - step), min(1.0, threshold + step)
    return GainsAndLosses(
        here,
        _change(curve, here, curve.at(low), n_examples, drawn) if low < threshold else None,
        _change(curve, here, curve.at(high), n_examples, drawn) if high > threshold else None,
    )


def orphans(candidates: CandidateEdges, threshold: float, *, drawn: SimilarityGraph | None = None) -> list[Orphan]:
    """The documents that a threshold, or the graph that a rule made, leaves without an edge.

    The nearest to being attached come first.
    """
    check_threshold(threshold)
    first = _first_edge(candidates)
    alone = np.flatnonzero(first >= candidates.n_edges_at(threshold) if drawn is None else drawn.degree == 0)
    found = []
    for node in alone[np.lexsort((alone, first[alone]))].tolist():
        edge, node_id = int(first[node]), candidates.node_ids[node]
        if edge == candidates.n_edges:
            found.append(Orphan(node_id, None, None))
        else:
            other = int(candidates.left[edge]) + int(candidates.right[edge]) - node
            found.append(Orphan(node_id, float(candidates.weight[edge]), candidates.node_ids[other]))
    return found


def _change(
    curve: ThresholdCurve,
    here: ThresholdPoint,
    there: ThresholdPoint,
    n_examples: int,
    drawn: SimilarityGraph | None,
) -> ThresholdChange:
    candidates = curve.candidates
    ids = candidates.node_ids
    more = there.n_edges > here.n_edges
    source: CandidateEdges | SimilarityGraph
    if drawn is None:
        first, last = sorted((here.n_edges, there.n_edges))
        source, shown = candidates, np.arange(first, last)
    elif more:
        source, shown = candidates, _not_in(candidates, there.n_edges, drawn, n_examples)
    else:  # all pairs at or above a threshold are candidates, so those below it go
        source, shown = drawn, np.arange(drawn.n_edges_at(there.threshold), drawn.n_edges)
    shown = shown[:n_examples]
    edges = tuple(
        (ids[a], ids[b], weight)
        for a, b, weight in zip(
            source.left[shown].tolist(), source.right[shown].tolist(), source.weight[shown].tolist(), strict=True
        )
    )
    attached = _first_edge(candidates)
    before = attached < here.n_edges if drawn is None else drawn.degree > 0
    changed = np.flatnonzero((attached < there.n_edges) & ~before if more else before & (attached >= there.n_edges))
    strongest_first = changed[np.lexsort((changed, attached[changed]))][:n_examples]
    return ThresholdChange(
        there.threshold,
        there.n_edges - here.n_edges,
        there.n_components - here.n_components,
        there.giant_size - here.giant_size,
        there.n_isolates - here.n_isolates,
        edges,
        tuple(ids[node] for node in strongest_first.tolist()),
    )


def _not_in(candidates: CandidateEdges, n: int, drawn: SimilarityGraph, at_most: int) -> NDArray[np.int64]:
    """The first of the strongest n candidates that are not edges of a graph."""
    pairs, known = _pairs(candidates)[:n], np.sort(_pairs(drawn))
    found: list[NDArray[np.int64]] = []
    for start in range(0, n, _AT_ONCE):
        some = pairs[start : start + _AT_ONCE]
        place = np.minimum(np.searchsorted(known, some), max(len(known) - 1, 0))
        new = np.flatnonzero(known[place] != some) if len(known) else np.arange(len(some))
        found.append(start + new)
        if sum(map(len, found)) >= at_most:
            break
    return np.concatenate(found)[:at_most] if found else np.empty(0, dtype=np.int64)


def _pairs(edges: CandidateEdges | SimilarityGraph) -> NDArray[np.int64]:
    """(n_edges,) one number for the two ends of each edge."""
    return edges.left.astype(np.int64) * len(edges.node_ids) + edges.right


def _point_of(graph: SimilarityGraph, threshold: float) -> ThresholdPoint:
    n, sizes = graph.n_nodes, graph.component_sizes
    largest = max(sizes, default=0)
    return ThresholdPoint(
        threshold, graph.n_edges, graph.density, 2 * graph.n_edges / max(1, n), len(sizes), largest,
        largest / max(1, n), int(np.count_nonzero(graph.degree == 0)),
    )  # fmt: skip


def _first_edge(candidates: CandidateEdges) -> NDArray[np.int64]:
    """(n_nodes,) position of each document's strongest edge; the number of edges where it has none."""
    first = np.full(candidates.n_nodes, candidates.n_edges, dtype=np.int64)
    position = np.arange(candidates.n_edges, dtype=np.int64)
    for ends in (candidates.left, candidates.right):
        np.minimum.at(first, ends, position)
    return first
