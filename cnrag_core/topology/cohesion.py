"""How tight each community is: inside it, and against the rest.

Enters: a `SimilarityGraph` and community labels. Leaves: one `Cohesion` a community.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cnrag_core.graph.similarity_graph import SimilarityGraph


@dataclass(frozen=True)
class Cohesion:
    """One community as a part of the graph.

    Attributes
    ----------
    community, size
        Its number, and how many nodes it has.
    n_internal_edges, n_external_edges
        Edges with both ends, and with one end, in it.
    density
        Share of its pairs that are linked, in [0, 1]; 0 for one node, which has no pair.
    mean_weight
        Mean weight of its internal edges; None where it has none.
    inside_share
        Share of the weight at its nodes that stays inside (each internal edge counted from both
        ends), in [0, 1]; None for an isolated node, which has no weight. 1 = nothing leads out.
    strongest_neighbor
        The other community to which most of the outgoing weight leads, ties to the smaller number;
        None where nothing leads out.
    """

    community: int
    size: int
    n_internal_edges: int
    n_external_edges: int
    density: float
    mean_weight: float | None
    inside_share: float | None
    strongest_neighbor: int | None


def cohesion(graph: SimilarityGraph, labels: NDArray[np.int64]) -> tuple[Cohesion, ...]:
    """The cohesion of every community, in the order of their numbers.

    Examples
    --------
    >>> import networkx as nx
    >>> from cnrag_core.graph.similarity_graph import graph_of_networkx
    >>> two_triangles = graph_of_networkx(nx.Graph(["ab", "bc", "ac", "cd", "de", "ef", "df"]))
    >>> first, second = cohesion(two_triangles, np.array([0, 0, 0, 1, 1, 1]))
    >>> first.density, round(first.inside_share, 3), first.strongest_neighbor
    (1.0, 0.857, 1)
    """
    if graph.n_nodes == 0:
        return ()
    sizes = np.bincount(labels)
    k = len(sizes)
    left, right = labels[graph.left], labels[graph.right]
    inside = left == right
    n_internal = np.bincount(left[inside], minlength=k)
    weight_inside = np.bincount(left[inside], graph.weight[inside], minlength=k)
    outward_from = np.concatenate([left[~inside], right[~inside]])
    outward_to = np.concatenate([right[~inside], left[~inside]])
    outward_weight = np.tile(graph.weight[~inside], 2)
    n_external = np.bincount(outward_from, minlength=k)
    weight_outside = np.bincount(outward_from, outward_weight, minlength=k)
    neighbor = _strongest(outward_from, outward_to, outward_weight, k)
    rows = []
    for community, size in enumerate(sizes.tolist()):
        pairs, internal = size * (size - 1) / 2, int(n_internal[community])
        strength = 2 * float(weight_inside[community]) + float(weight_outside[community])
        rows.append(
            Cohesion(
                community,
                size,
                internal,
                int(n_external[community]),
                internal / pairs if pairs else 0.0,
                float(weight_inside[community]) / internal if internal else None,
                2 * float(weight_inside[community]) / strength if strength else None,
                neighbor.get(community),
            )
        )
    return tuple(rows)


def _strongest(
    source: NDArray[np.int64], target: NDArray[np.int64], weight: NDArray[np.float64], k: int
) -> dict[int, int]:
    """For each source, the target with the greatest summed weight, ties to the smaller number."""
    pairs, where = np.unique(source * k + target, return_inverse=True)
    total = np.round(np.bincount(where, weight), 9)  # so that float noise does not decide a tie
    best: dict[int, int] = {}
    for pair in np.lexsort((pairs, -total)).tolist():
        source_of, target_of = divmod(int(pairs[pair]), k)
        best.setdefault(source_of, target_of)
    return best
