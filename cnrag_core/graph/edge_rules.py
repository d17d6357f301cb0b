"""Which of the scored pairs an edge rule keeps, as masks over sorted edges.

Enters: pairs in canonical order (descending weight, ties ascending by node numbers). Leaves: masks, and
the rule in words. In that order the neighbours of any node come strongest first and, at equal weight,
smallest number first, so that ranks within a node are counted in one pass.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cnrag_core.config.spec import DEFAULT_EDGE_RULE, EdgeRule

DEFAULT_MEAN_DEGREE = 120
"""The default rule keeps no more edges than give the documents this many neighbours on average: 5 % of the
pairs up to 2,400 documents, which is where topics of labelled corpora come out as communities."""

DEFAULT_MOST_EDGES = 2_000_000
"""And no more than this in all."""


def effective_rule(rule: EdgeRule, n_nodes: int) -> EdgeRule:
    """The rule as given; the default one, or one that asks nothing, fitted to the size of the corpus.

    5 % of all pairs suits a few thousand documents and is 250 million edges at 100,000, so the share of
    the default rule falls with size to keep the mean number of neighbours at `DEFAULT_MEAN_DEGREE`, and
    the edges at `DEFAULT_MOST_EDGES`. Any other density is kept as asked.

    Examples
    --------
    >>> effective_rule(EdgeRule(), 200).density, effective_rule(EdgeRule(), 10_001).density
    (0.05, 0.012)
    >>> effective_rule(EdgeRule(min=0.4), 10_001)
    EdgeRule(min_similarity=0.4, max_per_node=None, density=None, min_neighbors=None, strong_similarity=0.8)
    """
    default = DEFAULT_EDGE_RULE.model_copy(update={"strong_similarity": rule.strong_similarity})
    if not rule.is_empty and rule != default:
        return rule
    pairs = max(1, n_nodes * (n_nodes - 1) // 2)
    density = min(
        DEFAULT_EDGE_RULE.density or 1.0, DEFAULT_MEAN_DEGREE / max(1, n_nodes - 1), DEFAULT_MOST_EDGES / pairs
    )
    return default.model_copy(update={"density": density})


def edges_of_density(density: float, n_nodes: int) -> int:
    """The number of edges that makes up a share of all pairs, rounded to the nearest (halves up)."""
    return int(density * (n_nodes * (n_nodes - 1) // 2) + 0.5)


def ranks(
    left: NDArray[np.int32], right: NDArray[np.int32], n_nodes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rank of each edge among the edges of its left and of its right node, 0 for the strongest.

    Parameters
    ----------
    left, right
        (n_edges,) nodes, in canonical order.
    """
    n = len(left)
    # Edge e contributes its two ends as 2e and 2e + 1, so that a stable sort by node keeps canonical order.
    ends = np.stack([left, right], axis=1).reshape(-1)
    order = np.argsort(ends, kind="stable")
    starts = np.cumsum(np.bincount(ends, minlength=n_nodes)) - np.bincount(ends, minlength=n_nodes)
    rank = np.empty(2 * n, dtype=np.int64)
    rank[order] = np.arange(2 * n) - starts[ends[order]]
    return rank[0::2], rank[1::2]


def among_strongest_of_both(
    left: NDArray[np.int32], right: NDArray[np.int32], n_nodes: int, k: int
) -> NDArray[np.bool_]:
    """Mask of the edges that are among the k strongest of both their ends: no node keeps more than k."""
    rank_left, rank_right = ranks(left, right, n_nodes)
    return (rank_left < k) & (rank_right < k)


def among_strongest_of_either(
    left: NDArray[np.int32], right: NDArray[np.int32], n_nodes: int, m: int
) -> NDArray[np.bool_]:
    """Mask of the edges that are among the m strongest of one of their ends: every node keeps its best m."""
    rank_left, rank_right = ranks(left, right, n_nodes)
    return (rank_left < m) | (rank_right < m)


def in_words(rule: EdgeRule) -> str:
    """The rule as a person would say it.

    Examples
    --------
    >>> in_words(EdgeRule(min=0.4, max_per_node=10))
    'similarity at least 0.40; at most the 10 strongest edges of each document'
    >>> in_words(EdgeRule(density=0.05, min_neighbors=3))
    'the 5 % most similar pairs, and the 3 best neighbours of every document'
    """
    chosen = []
    if rule.density is not None:
        chosen.append(f"the {100 * rule.density:.3g} % most similar pairs")
    if rule.min_neighbors:
        best = "best neighbour" if rule.min_neighbors == 1 else f"{rule.min_neighbors} best neighbours"
        chosen.append(f"the {best} of every document")
    parts = [", and ".join(chosen)] if chosen else []
    if rule.min_similarity is not None:
        parts.append(f"similarity at least {rule.min_similarity:.2f}")
    if rule.max_per_node is not None:
        edges = "strongest edge" if rule.max_per_node == 1 else f"{rule.max_per_node} strongest edges"
        parts.append(f"at most the {edges} of each document")
    return "; ".join(parts) or "every pair with any similarity"
