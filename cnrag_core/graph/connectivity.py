"""How the network grows together as its edges are added, strongest first.

Enters: sorted candidate edges. Leaves: `Connectivity`, from which the number of components, the largest
component and the isolated documents at any threshold are looked up. Only the edges that join two
components change these numbers, and there are fewer of them than documents: they are the maximum
spanning forest, found in one union-find pass (Kruskal's algorithm).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import minimum_spanning_tree

from cnrag_core.graph.similarity_graph import WeightedEdges


@dataclass(frozen=True, eq=False)
class Connectivity:
    """What every joining edge changed; joins are in the order of the edges, strongest first.

    Attributes
    ----------
    n_nodes
        Number of documents.
    join_edge
        (n_joins,) int64 position of each joining edge among the sorted edges.
    giant_size
        (n_joins,) int64 documents in the largest component after the join.
    n_isolates
        (n_joins,) int64 documents without any edge after the join.
    """

    n_nodes: int
    join_edge: NDArray[np.int64]
    giant_size: NDArray[np.int64]
    n_isolates: NDArray[np.int64]

    def joins_within(self, n_edges: int | NDArray[np.int64]) -> NDArray[np.int64]:
        """How many of the first `n_edges` edges joined two components."""
        found: NDArray[np.int64] = np.searchsorted(self.join_edge, n_edges, side="left")
        return found

    def after(self, n_edges: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Components, largest component and isolated documents with the first `n_edges` edges."""
        joins = self.joins_within(n_edges)
        giant = np.concatenate([[min(1, self.n_nodes)], self.giant_size])[joins]
        isolates = np.concatenate([[self.n_nodes], self.n_isolates])[joins]
        return self.n_nodes - joins, giant, isolates


def connectivity(edges: WeightedEdges) -> Connectivity:
    """One pass over edges sorted by descending weight.

    Large inputs go through a compiled loop, small ones through scipy's spanning tree; the result is the same.
    """
    from cnrag_core.similarity.pairwise import use_compiled

    if use_compiled(edges.n_nodes):
        from cnrag_core.graph.sweep import union_find_pass

        return Connectivity(edges.n_nodes, *union_find_pass(edges.n_nodes, edges.left, edges.right))
    join = spanning_forest(edges.n_nodes, edges.left, edges.right)
    return Connectivity(edges.n_nodes, join, *_grow(edges.n_nodes, edges.left[join], edges.right[join]))


def spanning_forest(n_nodes: int, left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.int64]:
    """Positions, ascending, of the edges of the spanning forest that prefers earlier edges."""
    if not len(left):
        return np.zeros(0, dtype=np.int64)
    order = np.arange(1, len(left) + 1, dtype=np.float64)  # all different, so that the tree is unique
    tree = minimum_spanning_tree(sp.csr_matrix((order, (left, right)), shape=(n_nodes, n_nodes)))
    positions: NDArray[np.int64] = np.sort(tree.data.astype(np.int64)) - 1
    return positions


def _grow(
    n_nodes: int, left: NDArray[np.int32], right: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Largest component and isolated documents after each join, given the joining edges alone."""
    parent, size = list(range(n_nodes)), [1] * n_nodes
    largest, isolated = 1, n_nodes
    giant, isolates = [], []
    for a, b in zip(left.tolist(), right.tolist(), strict=True):
        root_a, root_b = _root(parent, a), _root(parent, b)
        isolated -= (size[root_a] == 1) + (size[root_b] == 1)
        if size[root_a] < size[root_b]:
            root_a, root_b = root_b, root_a
        parent[root_b] = root_a
        size[root_a] += size[root_b]
        largest = max(largest, size[root_a])
        giant.append(largest)
        isolates.append(isolated)
    return np.array(giant, dtype=np.int64), np.array(isolates, dtype=np.int64)


def _root(parent: list[int], node: int) -> int:
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node
