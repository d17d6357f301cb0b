"""The compiled union-find pass behind `connectivity`; imported only where it is needed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cnrag_core.similarity.compiling import compiled


def union_find_pass(
    n_nodes: int, left: NDArray[np.int32], right: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Positions of the joining edges, and after each the largest component and the isolated nodes."""
    most = max(0, n_nodes - 1)
    join = np.empty(most, dtype=np.int64)
    giant, isolates = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    n = _pass(n_nodes, left, right, join, giant, isolates)
    return join[:n], giant[:n], isolates[:n]


@compiled
def _pass(
    n_nodes: int,
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    join: NDArray[np.int64],
    giant: NDArray[np.int64],
    isolates: NDArray[np.int64],
) -> int:
    parent = np.arange(n_nodes).astype(np.int32)
    size = np.ones(n_nodes, dtype=np.int32)
    largest, isolated, n_joins = 1, n_nodes, 0
    for edge in range(len(left)):
        a, b = parent[left[edge]], parent[right[edge]]
        if a == b:  # so it is for almost all edges, once the large components have grown
            continue
        a, b = _root(parent, a), _root(parent, b)
        if a == b:
            parent[left[edge]] = parent[right[edge]] = a
            continue
        isolated -= (size[a] == 1) + (size[b] == 1)
        if size[a] < size[b]:
            a, b = b, a
        parent[b] = parent[left[edge]] = parent[right[edge]] = a
        size[a] += size[b]
        largest = max(largest, size[a])
        join[n_joins], giant[n_joins], isolates[n_joins] = edge, largest, isolated
        n_joins += 1
        if n_joins == n_nodes - 1:
            break
    return n_joins


@compiled
def _root(parent: NDArray[np.int32], node: int) -> int:
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node
