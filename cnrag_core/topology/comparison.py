"""Two graphs over the same documents: edges gained and lost, communities that merge, split or stay.

Enters: two `SimilarityGraph`s and their communities. Leaves: `GraphComparison`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cnrag_core.errors import ConfigError
from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.topology.communities import Communities
from cnrag_core.topology.partitions import adjusted_rand, normalized_mutual_information


@dataclass(frozen=True)
class EdgeChange:
    """A pair that is linked in one graph only; `weight` is its weight there."""

    a: str
    b: str
    weight: float


@dataclass(frozen=True, eq=False)
class GraphComparison:
    """What changes from a first graph to a second.

    Attributes
    ----------
    n_common, n_gained, n_lost
        Edges in both, only in the second, only in the first.
    gained, lost
        The strongest of them, strongest first.
    adjusted_rand, mutual_information
        Agreement of the communities, 1 = the same; isolated documents count as their own communities.
    flows
        (k, 3) int64: community before, community after, documents that moved so; by both numbers.
    """

    n_common: int
    n_gained: int
    n_lost: int
    gained: tuple[EdgeChange, ...]
    lost: tuple[EdgeChange, ...]
    adjusted_rand: float
    mutual_information: float
    flows: NDArray[np.int64]


def compare_graphs(
    first: SimilarityGraph,
    second: SimilarityGraph,
    first_communities: Communities,
    second_communities: Communities,
    *,
    n_examples: int = 20,
) -> GraphComparison:
    """Compare two graphs of the same documents.

    Raises
    ------
    ConfigError
        If they are not graphs of the same documents.
    """
    if first.node_ids != second.node_ids:
        raise ConfigError("Only two networks of the same documents can be compared.")
    before, after = _keys(first), _keys(second)
    in_both = np.intersect1d(before, after, assume_unique=True)
    lost, gained = ~np.isin(before, in_both), ~np.isin(after, in_both)
    labels = first_communities.labels, second_communities.labels
    moves = np.stack(labels, axis=1)
    flows, counts = np.unique(moves, axis=0, return_counts=True)
    return GraphComparison(
        len(in_both),
        int(gained.sum()),
        int(lost.sum()),
        _strongest(second, gained, n_examples),
        _strongest(first, lost, n_examples),
        adjusted_rand(*labels),
        normalized_mutual_information(*labels),
        np.column_stack([flows, counts]).astype(np.int64),
    )


def _keys(graph: SimilarityGraph) -> NDArray[np.int64]:
    return graph.left.astype(np.int64) * graph.n_nodes + graph.right


def _strongest(graph: SimilarityGraph, chosen: NDArray[np.bool_], n: int) -> tuple[EdgeChange, ...]:
    at = np.flatnonzero(chosen)[:n]  # edges are sorted by descending weight
    ids = graph.node_ids
    return tuple(
        EdgeChange(ids[a], ids[b], w)
        for a, b, w in zip(graph.left[at].tolist(), graph.right[at].tolist(), graph.weight[at].tolist(), strict=True)
    )
