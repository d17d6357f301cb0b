"""Where to cut: what every threshold would leave, and one that makes a useful network.

Enters: candidate edges. Leaves: `ThresholdCurve` (counts at every threshold from one pass over the edges),
`ThresholdSuggestion` with its reason in numbers, what the next step would gain and lose, and the documents
that a threshold leaves alone. Every number comes from the corpus at hand; no rule of thumb does. Guide
000, "Choosing a Threshold".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cnrag_core.errors import ConfigError
from cnrag_core.graph.connectivity import Connectivity, connectivity
from cnrag_core.graph.similarity_graph import CandidateEdges, SimilarityGraph
from cnrag_core.similarity.pairwise import check_threshold
from cnrag_core.similarity.scoring import TIE_TOLERANCE

GRID_STEP = 0.005
"""Distance of the thresholds of a curve."""

FALL_WITHIN = 0.02
"""The rise of the threshold within which the largest component must fall to count as falling apart."""

N_COMMUNITY_POINTS = 12
"""Thresholds at which a curve finds communities: each costs a run of the community algorithm."""

CommunitiesOf: TypeAlias = Callable[[SimilarityGraph], tuple[int, float | None]]
"""Number of communities of two or more in a graph, and their modularity (None where undefined)."""


@dataclass(frozen=True)
class ThresholdPoint:
    """The network at one threshold."""

    threshold: float
    n_edges: int
    density: float
    mean_degree: float
    n_components: int
    giant_size: int
    giant_share: float
    n_isolates: int


@dataclass(frozen=True, eq=False)
class ThresholdCurve:
    """The network at every threshold.

    `at` answers for any threshold exactly; the arrays hold the answers on a grid, ready to draw. All
    arrays ascend with the threshold.

    Attributes
    ----------
    candidates
        The edges; nothing is known below their floor.
    connectivity
        How they grow together.
    thresholds
        (n_points,) float64, from the floor to 1 in steps of 0.005.
    n_edges, n_components, giant_size, n_isolates
        (n_points,) int64.
    density, mean_degree, giant_share
        (n_points,) float64.
    community_thresholds, n_communities, modularity
        (n_community_points,) on a coarser grid; empty where communities were not asked for, modularity NaN
        where it is undefined.
    """

    candidates: CandidateEdges
    connectivity: Connectivity
    thresholds: NDArray[np.float64]
    community_thresholds: NDArray[np.float64]
    n_communities: NDArray[np.int64]
    modularity: NDArray[np.float64]

    @property
    def floor(self) -> float:
        """The lowest threshold that the candidates can answer for."""
        return self.candidates.floor

    @cached_property
    def n_edges(self) -> NDArray[np.int64]:
        return edges_at(self.candidates, self.thresholds)

    @cached_property
    def _components(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        return self.connectivity.after(self.n_edges)

    @property
    def n_components(self) -> NDArray[np.int64]:
        return self._components[0]

    @property
    def giant_size(self) -> NDArray[np.int64]:
        return self._components[1]

    @property
    def n_isolates(self) -> NDArray[np.int64]:
        return self._components[2]

    @cached_property
    def giant_share(self) -> NDArray[np.float64]:
        return self.giant_size / max(1, self.candidates.n_nodes)

    @cached_property
    def mean_degree(self) -> NDArray[np.float64]:
        return 2.0 * self.n_edges / max(1, self.candidates.n_nodes)

    @cached_property
    def density(self) -> NDArray[np.float64]:
        return self.n_edges / max(1, self.candidates.n_pairs)

    def at(self, threshold: float) -> ThresholdPoint:
        """The network at any threshold at or above the floor.

        Raises
        ------
        ConfigError
            If the threshold is not a number in [0, 1], or lies below the floor.
        """
        check_threshold(threshold)
        if threshold < self.floor - TIE_TOLERANCE:
            raise ConfigError(
                f"Pairs below a similarity of {self.floor:.2f} were not kept, so the network at {threshold:.2f} "
                "is unknown."
            )
        n, edges = self.candidates.n_nodes, self.candidates.n_edges_at(threshold)
        components, giant, isolates = (int(part[0]) for part in self.connectivity.after(np.array([edges])))
        return ThresholdPoint(
            threshold, edges, edges / max(1, self.candidates.n_pairs), 2 * edges / max(1, n),
            components, giant, giant / max(1, n), isolates,
        )  # fmt: skip


@dataclass(frozen=True)
class ThresholdSuggestion:
    """A threshold to start from, and why.

    `percolation` is where the largest component falls apart as the threshold rises; None where there is
    nothing to fall apart. `point` is the network at the suggested threshold.
    """

    threshold: float
    percolation: float | None
    reason: str
    point: ThresholdPoint


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


@dataclass(frozen=True, eq=False)
class SimilarityHistogram:
    """Candidate pairs by similarity: `counts` (n_bins,) int64 between `edges` (n_bins + 1,) float64.

    `n_below` pairs lie below the floor and were not kept.
    """

    edges: NDArray[np.float64]
    counts: NDArray[np.int64]
    n_below: int


def threshold_curve(
    candidates: CandidateEdges,
    *,
    communities: CommunitiesOf | None = None,
    n_community_points: int = N_COMMUNITY_POINTS,
) -> ThresholdCurve:
    """The network at every threshold, from one pass over the sorted edges.

    Parameters
    ----------
    candidates
        Every pair at or above a floor.
    communities
        Finds communities in a graph; called at a few thresholds only. Without it the curve has none.
    n_community_points
        At how many thresholds: spread so that each has a constant factor fewer edges than the one before.
    """
    grid = np.round(np.arange(np.ceil(candidates.floor / GRID_STEP - 1e-6), round(1 / GRID_STEP) + 1) * GRID_STEP, 4)
    at, counts, quality = _community_points(candidates, communities, n_community_points)
    return ThresholdCurve(candidates, connectivity(candidates), grid, at, counts, quality)


def suggest_threshold(source: CandidateEdges | ThresholdCurve) -> ThresholdSuggestion:
    """A threshold at which the network hangs together without being a hairball.

    The highest threshold that keeps most documents linked and most of them in one component; where that
    would need more neighbours a document than a person can follow, less is asked, step by step. Half of the
    documents are never isolated where a lower threshold avoids it.
    """
    curve = source if isinstance(source, ThresholdCurve) else threshold_curve(source)
    split = percolation_point(curve)
    if not curve.candidates.n_edges:
        point = curve.at(curve.floor)
        return ThresholdSuggestion(curve.floor, None, _reason_without_edges(curve), point)
    options = [curve.at(threshold) for threshold in _grid_of_suggestions(curve)]
    point, goal = _best_option(options, curve.candidates.n_nodes)
    return ThresholdSuggestion(point.threshold, split, _reason(curve, point, goal, split), point)


def percolation_point(curve: ThresholdCurve) -> float | None:
    """The similarity above which the largest component falls apart; None without edges.

    Where it loses most within a small rise of the threshold (0.02, less where all edges lie close
    together). Measured at every similarity that joins components, not on the grid.
    """
    growth, weights = curve.connectivity, curve.candidates.weight
    if not len(growth.join_edge):
        return None
    at = weights[growth.join_edge]
    rise = min(FALL_WITHIN, float(at[0] - at[-1]) / 10 + 1e-6)
    # Equal weights join at once: only what they leave together counts, and the last join has it.
    _, giant, _ = growth.after(edges_at(curve.candidates, at))
    _, above, _ = growth.after(edges_at(curve.candidates, at + rise))
    return float(at[int(np.argmax(giant - above))])


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


def similarity_histogram(candidates: CandidateEdges, n_bins: int = 50) -> SimilarityHistogram:
    """How many candidate pairs have which similarity, in equal bins from the floor to 1."""
    bounds = np.linspace(min(candidates.floor, 1.0 - 1e-3), 1.0, n_bins + 1)
    counts, _ = np.histogram(np.clip(candidates.weight, bounds[0], 1.0), bounds)
    return SimilarityHistogram(bounds, counts.astype(np.int64), candidates.n_pairs - candidates.n_edges)


def fixed_partition_modularity(
    candidates: CandidateEdges, labels: NDArray[np.int64], thresholds: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Modularity of one partition at many thresholds, from one pass over the edges.

    Shows at once how clearly given communities stand out at every threshold, without finding them again.

    Parameters
    ----------
    labels
        (n_nodes,) community of each document.
    thresholds
        In any order, at or above the floor.

    Returns
    -------
    numpy.ndarray
        (n_thresholds,) float64, weighted by similarity; NaN where there are no edges.

    Notes
    -----
    Q = sum over communities of (weight inside / m) - (strength / 2m)^2, with m the total weight.
    """
    n_labels = int(labels.max(initial=-1)) + 1
    ends = edges_at(candidates, thresholds)
    order = np.argsort(ends)
    result = np.full(len(thresholds), np.nan)
    strength = np.zeros(n_labels)
    total = inside = 0.0
    start = 0
    of_left, of_right = labels[candidates.left], labels[candidates.right]
    for index in order.tolist():
        part = slice(start, int(ends[index]))
        weight = candidates.weight[part]
        strength += np.bincount(of_left[part], weight, n_labels) + np.bincount(of_right[part], weight, n_labels)
        total += float(weight.sum())
        inside += float(weight[of_left[part] == of_right[part]].sum())
        start = part.stop
        if total > 0:
            result[index] = inside / total - float(np.sum((strength / (2.0 * total)) ** 2))
    return result


def edges_at(candidates: CandidateEdges, thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
    """(n_thresholds,) number of edges at or above each threshold."""
    found: NDArray[np.int64] = np.searchsorted(-candidates.weight, -(thresholds - TIE_TOLERANCE), side="right")
    return found


@dataclass(frozen=True)
class _Goal:
    """What is asked of a threshold: shares of isolated documents and of the largest component, mean neighbours."""

    max_isolated: float
    min_giant: float = 0.0
    min_degree: float = 0.0

    def is_met(self, point: ThresholdPoint, n_nodes: int) -> bool:
        return (
            point.n_isolates <= self.max_isolated * n_nodes
            and point.giant_share >= self.min_giant
            and point.mean_degree >= self.min_degree
        )


# Most wanted first. One component of most documents; else separate groups that hang together well; else
# groups at all. A document without an edge helps nobody.
_GOALS = (
    _Goal(0.15, min_giant=0.60),
    _Goal(0.25, min_giant=0.50),
    _Goal(0.05, min_degree=4.0),
    _Goal(0.15, min_degree=3.0),
    _Goal(0.30),
    _Goal(0.50),
)


def _best_option(options: list[ThresholdPoint], n_nodes: int) -> tuple[ThresholdPoint, _Goal | None]:
    """The suggested point and the goal that it meets; None where half of the documents stay isolated."""
    # More neighbours than this, and no community can be seen any more.
    most = max(8.0, min(0.15 * (n_nodes - 1), 40.0))
    meeting = {goal: [point for point in options if goal.is_met(point, n_nodes)] for goal in _GOALS}
    for goal in _GOALS:
        readable = [point for point in meeting[goal] if point.mean_degree <= most]
        if readable:
            return readable[-1], goal
    for goal in reversed(_GOALS):
        if meeting[goal]:
            return meeting[goal][-1], goal
    return options[0], None


def _grid_of_suggestions(curve: ThresholdCurve) -> list[float]:
    """Thresholds to choose from, ascending: steps of 0.01, finer where all edges lie within a few steps."""
    top = float(curve.candidates.weight[0])
    for step in (0.01, 0.001):
        first = int(np.ceil(curve.floor / step - 1e-6))
        grid = [round(i * step, 3) for i in range(first, int(np.floor(top / step + 1e-6)) + 1)]
        if len(grid) >= 10:
            break
    return grid or [curve.floor]


def _reason(curve: ThresholdCurve, point: ThresholdPoint, goal: _Goal | None, split: float | None) -> str:
    n = curve.candidates.n_nodes
    text = (
        f"At {_decimals(point.threshold)} the largest component holds {_percent(point.giant_share)} of the {n:,} "
        f"documents, {_percent(point.n_isolates / n)} are linked to nothing, and a document has "
        f"{point.mean_degree:.1f} neighbours on average."
    )
    if split is not None:
        above = curve.at(min(1.0, split + FALL_WITHIN))
        text += (
            f" The largest component falls apart above {split:.2f}: at {above.threshold:.2f} it holds "
            f"{_percent(above.giant_share)} and {_percent(above.n_isolates / n)} are linked to nothing."
        )
    quality = _modularity_near(curve, point.n_edges)
    if quality is not None:
        text += f" Near it, communities stand out with a modularity of {quality:.2f}."
    if goal is None:
        text += (
            f" More than half stay unlinked even at {_decimals(point.threshold)}, the lowest similarity that was kept; "
            "compare other fields, or use the best neighbours of every document."
        )
    elif point.giant_share < 0.5:
        text += " The documents form separate groups; a lower threshold would join them only by weak links."
    return text


def _modularity_near(curve: ThresholdCurve, n_edges: int) -> float | None:
    """Modularity where communities were found with about as many edges; None where that is far, or undefined."""
    if not len(curve.community_thresholds) or not n_edges:
        return None
    counts = np.maximum(1, edges_at(curve.candidates, curve.community_thresholds))
    distance = np.abs(np.log(counts / n_edges))
    nearest = int(np.argmin(distance))
    quality = float(curve.modularity[nearest])
    return quality if distance[nearest] <= np.log(1.5) and np.isfinite(quality) else None


def _reason_without_edges(curve: ThresholdCurve) -> str:
    n = curve.candidates.n_nodes
    if n < 2:
        return "There are fewer than two documents, so there is nothing to link."
    return f"No two of the {n:,} documents have any similarity at or above {curve.floor:.2f}."


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


def _community_points(
    candidates: CandidateEdges, communities: CommunitiesOf | None, n_points: int
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    thresholds = _spread(candidates, n_points) if communities is not None else []
    counts, quality = [], []
    for threshold in thresholds:
        assert communities is not None
        n = candidates.n_edges_at(threshold)
        graph = SimilarityGraph(
            candidates.node_ids, candidates.left[:n], candidates.right[:n], candidates.weight[:n], threshold=threshold
        )
        count, modularity = communities(graph)
        counts.append(count)
        quality.append(np.nan if modularity is None else modularity)
    return np.array(thresholds), np.array(counts, dtype=np.int64), np.array(quality, dtype=np.float64)


def _spread(candidates: CandidateEdges, n_points: int) -> list[float]:
    """Thresholds, ascending, at which the number of edges grows by a constant factor."""
    m = candidates.n_edges
    if m == 0 or n_points < 1:
        return []
    positions = np.unique(np.geomspace(max(1, min(m, candidates.n_nodes // 10)), m, n_points).astype(np.int64)) - 1
    found = np.unique(np.floor(candidates.weight[positions] * 1000 + 1e-6) / 1000)
    return [max(candidates.floor, float(value)) for value in found]


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _decimals(threshold: float) -> str:
    return f"{threshold:.3f}".rstrip("0").ljust(4, "0")
