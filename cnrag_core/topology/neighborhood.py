"""Around a document and between two: neighbours within k hops, shortest and widest paths, joining threshold.

Enters: a `SimilarityGraph` or the candidate edges behind it, and node ids. Leaves: sets of ids and `Path`s.
Neither path treats 1 - similarity as a length: the shortest has the fewest hops, the widest the
strongest weakest link.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from cnrag_core.errors import ConfigError
from cnrag_core.graph.similarity_graph import SimilarityGraph, WeightedEdges

_FIRST_PREFIX = 1024  # strongest edges tried first when two nodes are to be joined


@dataclass(frozen=True)
class Path:
    """A path between two nodes.

    Attributes
    ----------
    node_ids
        From one end to the other, both included; one id where both ends are the same.
    weights
        Weight of each edge along it, one fewer than nodes.
    """

    node_ids: tuple[str, ...]
    weights: tuple[float, ...]

    @property
    def n_hops(self) -> int:
        """Number of edges."""
        return len(self.weights)

    @property
    def weakest(self) -> float | None:
        """Smallest weight along the path; None where it has no edge."""
        return min(self.weights, default=None)

    @property
    def weakest_link(self) -> tuple[str, str, float] | None:
        """Ends and weight of the weakest edge, the first of equals; None where there is no edge."""
        if not self.weights:
            return None
        at = self.weights.index(min(self.weights))
        return self.node_ids[at], self.node_ids[at + 1], self.weights[at]


def k_hop(graph: SimilarityGraph, node_id: str, k: int = 1) -> set[str]:
    """Ids of the nodes within `k` edges of a node, without the node itself; empty for k = 0.

    Raises
    ------
    UnknownNameError
        If there is no such node.
    ConfigError
        If `k` is negative or no whole number.

    Examples
    --------
    >>> import networkx as nx
    >>> from cnrag_core.graph.similarity_graph import graph_of_networkx
    >>> sorted(k_hop(graph_of_networkx(nx.Graph(["AB", "BC", "CD"])), "A", 2))
    ['B', 'C']
    """
    return {graph.node_ids[node] for ring in rings(graph, node_id, k)[1:] for node in ring.tolist()}


def rings(graph: SimilarityGraph, node_id: str, k: int) -> list[NDArray[np.int64]]:
    """Node numbers at 0, 1, ... `k` hops, ascending in each ring; fewer rings where the graph ends earlier."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 0:
        raise ConfigError(f"The number of hops must be a whole number of at least 0, got {k!r}.")
    start = np.array([graph.index(node_id)], dtype=np.int64)
    seen = np.zeros(graph.n_nodes, dtype=np.bool_)
    found = [start]
    while len(found) <= k:
        seen[found[-1]] = True
        reached = np.unique(graph.adjacency[found[-1]].indices).astype(np.int64)
        ring = reached[~seen[reached]]
        if not len(ring):
            break
        found.append(ring)
    return found


def shortest_path(graph: SimilarityGraph, a: str, b: str) -> Path | None:
    """The path of fewest hops; among equals the one whose ids come first, read from `a`. None where there is none.

    Raises
    ------
    UnknownNameError
        If there is no such node.
    """
    start, end = graph.index(a), graph.index(b)
    nearer = rings(graph, b, graph.n_nodes)  # rings around the end, so that the walk from the start can choose
    hops = np.full(graph.n_nodes, -1, dtype=np.int64)
    for distance, ring in enumerate(nearer):
        hops[ring] = distance
    if hops[start] < 0:
        return None
    nodes, weights = [start], []
    while nodes[-1] != end:
        here = graph.adjacency[[nodes[-1]]]
        at = int(np.flatnonzero(hops[here.indices] == hops[nodes[-1]] - 1)[0])  # indices ascend: the smallest id
        nodes.append(int(here.indices[at]))
        weights.append(float(here.data[at]))
    return Path(tuple(graph.node_ids[node] for node in nodes), tuple(weights))


def widest_path(graph: SimilarityGraph, a: str, b: str) -> Path | None:
    """The path whose weakest edge is as strong as possible; among equals the shortest. None where there is none.

    Examples
    --------
    The direct edge is weak, so the detour is wider:

    >>> import networkx as nx
    >>> from cnrag_core.graph.similarity_graph import graph_of_networkx
    >>> g = nx.Graph()
    >>> g.add_weighted_edges_from([("a", "b", 0.3), ("a", "x", 0.7), ("x", "b", 0.6)])
    >>> widest_path(graph_of_networkx(g), "a", "b")
    Path(node_ids=('a', 'x', 'b'), weights=(0.7, 0.6))
    """
    threshold = joining_threshold(graph, a, b)
    return None if threshold is None else shortest_path(graph.at_threshold(threshold), a, b)


def joining_threshold(candidates: WeightedEdges, a: str, b: str) -> float | None:
    """The largest threshold at which a path joins two nodes; None where no edge at all would join them.

    It is the weakest link of the path between them in the maximum spanning tree. 1 where `a` is `b`.

    Parameters
    ----------
    candidates
        Edges by descending weight: the candidates, to look below the current threshold, or a graph.

    Notes
    -----
    Prefixes of the sorted edges are doubled until one joins the nodes, then halved towards the joining
    edge; what a prefix is known to join is contracted, so that every edge is read about once.
    """
    start, end = candidates.index(a), candidates.index(b)
    if start == end:
        return 1.0
    group = np.arange(candidates.n_nodes, dtype=np.int64)
    joined, apart, size = 0, 0, _FIRST_PREFIX  # the first `apart` edges leave the nodes apart
    while True:
        reach = min(apart + size, candidates.n_edges)
        trial = _merged(candidates, group, apart, reach)
        if trial[start] == trial[end]:
            joined = reach
            break
        if reach == candidates.n_edges:
            return None
        group, apart, size = trial, reach, 2 * size
    while joined - apart > 1:
        middle = (apart + joined) // 2
        trial = _merged(candidates, group, apart, middle)
        if trial[start] == trial[end]:
            joined = middle
        else:
            group, apart = trial, middle
    return float(candidates.weight[joined - 1])


def _merged(edges: WeightedEdges, group: NDArray[np.int64], start: int, end: int) -> NDArray[np.int64]:
    """The groups of nodes after joining them along the edges from `start` to `end`."""
    left, right = group[edges.left[start:end]], group[edges.right[start:end]]
    n = int(group.max()) + 1
    links = sp.csr_matrix((np.ones(len(left), dtype=np.bool_), (left, right)), shape=(n, n))
    _, merged = connected_components(links, directed=False)
    groups: NDArray[np.int64] = merged[group].astype(np.int64)
    return groups
