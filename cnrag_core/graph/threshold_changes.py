"""What moving the threshold changes: edges and documents that come or go, and those that are left alone.

Enters: candidate edges or their curve. Leaves: `GainsAndLosses` of one step in either direction, and the
`Orphan`s of a threshold with what would attach them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cnrag_core.graph.similarity_graph import CandidateEdges
from cnrag_core.graph.thresholds import ThresholdCurve, ThresholdPoint, threshold_curve
from cnrag_core.similarity.pairwise import check_threshold


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
    source: CandidateEdges | ThresholdCurve, threshold: float, step: float = 0.05, *, n_examples: int = 5
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

    Raises
    ------
    ConfigError
        If the threshold is not a number in [0, 1], or lies below the floor.
    """
    curve = source if isinstance(source, ThresholdCurve) else threshold_curve(source)
    here = curve.at(threshold)
    low, high = max(curve.floor, threshold - step), min(1.0, threshold + step)
    return GainsAndLosses(
        here,
        _change(curve, here, curve.at(low), n_examples) if low < threshold else None,
        _change(curve, here, curve.at(high), n_examples) if high > threshold else None,
    )


def orphans(candidates: CandidateEdges, threshold: float) -> list[Orphan]:
    """The documents that a threshold leaves without an edge, the nearest to being attached first."""
    check_threshold(threshold)
    first = _first_edge(candidates)
    cut = candidates.n_edges_at(threshold)
    alone = np.flatnonzero(first >= cut)
    found = []
    for node in alone[np.lexsort((alone, first[alone]))].tolist():
        edge, node_id = int(first[node]), candidates.node_ids[node]
        if edge == candidates.n_edges:
            found.append(Orphan(node_id, None, None))
        else:
            other = int(candidates.left[edge]) + int(candidates.right[edge]) - node
            found.append(Orphan(node_id, float(candidates.weight[edge]), candidates.node_ids[other]))
    return found


def _change(curve: ThresholdCurve, here: ThresholdPoint, there: ThresholdPoint, n_examples: int) -> ThresholdChange:
    candidates = curve.candidates
    first, last = sorted((here.n_edges, there.n_edges))
    shown = slice(first, min(last, first + n_examples))
    ids = candidates.node_ids
    edges = tuple(
        (ids[a], ids[b], weight)
        for a, b, weight in zip(
            candidates.left[shown].tolist(), candidates.right[shown].tolist(), candidates.weight[shown].tolist(),
            strict=True,
        )
    )  # fmt: skip
    attached = _first_edge(candidates)
    changed = np.flatnonzero((attached >= first) & (attached < last))
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


def _first_edge(candidates: CandidateEdges) -> NDArray[np.int64]:
    """(n_nodes,) position of each document's strongest edge; the number of edges where it has none."""
    first = np.full(candidates.n_nodes, candidates.n_edges, dtype=np.int64)
    position = np.arange(candidates.n_edges, dtype=np.int64)
    for ends in (candidates.left, candidates.right):
        np.minimum.at(first, ends, position)
    return first
