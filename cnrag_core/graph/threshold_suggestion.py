"""A threshold that makes a useful network, and why.

Enters: candidate edges or their curve. Leaves: `ThresholdSuggestion` with its reason in numbers. Every number
comes from the corpus at hand; no rule of thumb does. Guide 000, "Choosing a Threshold".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cnrag_core.corpus.wording import percent
from cnrag_core.graph.similarity_graph import CandidateEdges
from cnrag_core.graph.thresholds import ThresholdCurve, ThresholdPoint, edges_at, threshold_curve

FALL_WITHIN = 0.02
"""The rise of the threshold within which the largest component must fall to count as falling apart."""


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
        f"At {_decimals(point.threshold)} the largest component holds {percent(point.giant_share)} of the {n:,} "
        f"documents, {percent(point.n_isolates / n)} are linked to nothing, and a document has "
        f"{point.mean_degree:.1f} neighbours on average."
    )
    if split is not None:
        above = curve.at(min(1.0, split + FALL_WITHIN))
        text += (
            f" The largest component falls apart above {split:.2f}: at {above.threshold:.2f} it holds "
            f"{percent(above.giant_share)} and {percent(above.n_isolates / n)} are linked to nothing."
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
    if curve.floor <= 0:
        return f"No two of the {n:,} documents have any similarity."
    return f"No two of the {n:,} documents have any similarity at or above {curve.floor:.2f}."


def _decimals(threshold: float) -> str:
    return f"{threshold:.3f}".rstrip("0").ljust(4, "0")
