"""Compiled loops of betweenness and clustering over a CSR adjacency."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cnrag_core.similarity.compiling import compiled


@compiled
def accumulate_dependencies(
    indptr: NDArray[np.int64],
    indices: NDArray[np.uint32],
    sources: NDArray[np.uint32],
    reach: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Brandes' dependencies of each node, summed over breadth-first searches from `sources`, and their squares.

    A search is walked level by level, outwards for the numbers of shortest paths and back for the
    dependencies. A level is written only when it is complete. So, outwards, the neighbours of a node
    that have a number of paths yet are exactly those one level nearer, and on the way back those that
    have something to carry are exactly those one level farther: both sums run over all neighbours
    without asking for their distance, which is what makes them fast. Node numbers are unsigned, which
    spares each look-up a test for counting from the end.

    Parameters
    ----------
    reach
        (n,) number of nodes in the component of each node: when a search has met so many, it stops looking
        for more.
    """
    n = len(indptr) - 1
    total, square = np.zeros(n), np.zeros(n)
    seen = np.zeros(n, np.uint8)
    n_paths, carried = np.zeros(n), np.zeros(n)
    level_values = np.empty(n)
    order = np.empty(n, np.uint32)
    level_start = np.empty(n + 2, np.int64)
    for source in sources:
        order[0] = source
        seen[source] = 1
        n_paths[source] = 1.0
        tail = 1
        for at in range(indptr[source], indptr[source + 1]):
            other = indices[at]
            seen[other] = 1
            order[tail] = other
            tail += 1
        level_start[0], level_start[1] = 0, 1
        n_levels = 1
        while level_start[n_levels] < tail:
            start, end = level_start[n_levels], tail
            for position in range(start, end):
                node = order[position]
                if tail == reach[source]:
                    level_values[position] = _summed(n_paths, indices, indptr[node], indptr[node + 1])
                    continue
                paths = 0.0
                for at in range(indptr[node], indptr[node + 1]):
                    other = indices[at]
                    paths += n_paths[other]
                    if not seen[other]:
                        seen[other] = 1
                        order[tail] = other
                        tail += 1
                level_values[position] = paths
            for position in range(start, end):
                n_paths[order[position]] = level_values[position]
            n_levels += 1
            level_start[n_levels] = end
        for position in range(level_start[n_levels - 1], level_start[n_levels]):  # nothing lies beyond the last level
            carried[order[position]] = 1.0 / n_paths[order[position]]
        for level in range(n_levels - 2, 0, -1):
            start, end = level_start[level], level_start[level + 1]
            for position in range(start, end):
                node = order[position]
                level_values[position] = n_paths[node] * _summed(carried, indices, indptr[node], indptr[node + 1])
            for position in range(start, end):
                node = order[position]
                dependency = level_values[position]
                total[node] += dependency
                square[node] += dependency * dependency
                carried[node] = (1.0 + dependency) / n_paths[node]
        for position in range(tail):  # only what this search touched
            node = order[position]
            seen[node], n_paths[node], carried[node] = 0, 0.0, 0.0
    return total, square


@compiled
def _summed(values: NDArray[np.float64], indices: NDArray[np.uint32], first: int, last: int) -> float:
    """The values of some neighbours, in four sums, so that additions need not wait for each other."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    at = first
    while at + 4 <= last:
        a += values[indices[at]]
        b += values[indices[at + 1]]
        c += values[indices[at + 2]]
        d += values[indices[at + 3]]
        at += 4
    while at < last:
        a += values[indices[at]]
        at += 1
    return (a + b) + (c + d)


@compiled
def count_triangles(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> NDArray[np.int64]:
    """Triangles through each node. Each edge is read from its end of smaller degree, which bounds the work."""
    n = len(indptr) - 1
    triangles = np.zeros(n, np.int64)
    degree = indptr[1:] - indptr[:-1]
    start = np.zeros(n + 1, np.int64)
    for node in range(n):
        count = 0
        for at in range(indptr[node], indptr[node + 1]):
            other = indices[at]
            if degree[other] > degree[node] or (degree[other] == degree[node] and other > node):
                count += 1
        start[node + 1] = start[node] + count
    upward = np.empty(start[n], np.int32)
    for node in range(n):
        put = start[node]
        for at in range(indptr[node], indptr[node + 1]):
            other = indices[at]
            if degree[other] > degree[node] or (degree[other] == degree[node] and other > node):
                upward[put] = other
                put += 1
    mark = np.full(n, -1, np.int32)
    for node in range(n):
        for at in range(start[node], start[node + 1]):
            mark[upward[at]] = node
        for at in range(start[node], start[node + 1]):
            middle = upward[at]
            for beyond in range(start[middle], start[middle + 1]):
                third = upward[beyond]
                if mark[third] == node:
                    triangles[node] += 1
                    triangles[middle] += 1
                    triangles[third] += 1
    return triangles
