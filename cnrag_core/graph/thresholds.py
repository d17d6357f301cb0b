"""What every threshold would leave of the network.

Enters: candidate edges. Leaves: `ThresholdCurve` (counts at every threshold from one pass over the edges), a
histogram, and the modularity of given communities at every threshold. Which threshold makes a useful network
says `threshold_suggestion`, what a step of it would change `threshold_changes`. Guide 000, "Choosing a
Threshold".
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
    # by halving: numpy's search asks for ascending numbers, and turning millions of them takes longer than all else
    limits, weight = thresholds - TIE_TOLERANCE, candidates.weight
    first = np.zeros(len(limits), dtype=np.int64)
    last = np.full(len(limits), len(weight), dtype=np.int64)
    while (first < last).any():
        middle = np.minimum((first + last) // 2, len(weight) - 1)
        above = (weight[middle] >= limits) & (first < last)
        first, last = np.where(above, middle + 1, first), np.where(above, last, np.minimum(last, middle))
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
