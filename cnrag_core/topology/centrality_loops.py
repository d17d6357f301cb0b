"""Compiled loops of betweenness and clustering over a CSR adjacency."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cnrag_core.similarity.compiling import compiled
from cnrag_core.topology.lanes import LANES, sum_rows


@compiled
def accumulate_dependencies(
    indptr: NDArray[np.int64],
    indices: NDArray[np.uint32],
    sources: NDArray[np.uint32],
    reach: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Brandes' dependencies of each node, summed over breadth-first searches from `sources`, and their squares.

    Eight searches are walked side by side, level by level, outwards for the numbers of shortest paths and back
    for the dependencies. A node has one row of eight numbers, one a search, and a byte that says which searches
    have reached it; so each edge is read once for all searches that pass it at the same level, and eight
    additions are one or two instructions. Searches from near sources pass most edges at the same level.

    A level is written only when it is complete. So, outwards, the neighbours of a node that have a number of
    paths yet are exactly those one level nearer, and on the way back those that have something to carry are
    exactly those one level farther: both sums run over all neighbours without asking for their distance.

    Parameters
    ----------
    indptr, indices
        The neighbours of each node, ascending.
    sources
        Different nodes; near ones should follow each other.
    reach
        (n,) number of nodes in the component of each node: when the searches have met so many, they stop looking
        for more.
    """
    n = len(indptr) - 1
    total, square = np.zeros(n), np.zeros(n)
    n_paths, carried = np.zeros(n * LANES), np.zeros(n * LANES)
    level_values = np.empty(n * LANES)
    seen, coming = _bytes(n), _bytes(n)
    order = np.empty(n * LANES, np.uint32)  # a node stands at each level where some search meets it,
    met_by = np.empty(n * LANES, np.uint8)  # and here stands which
    level_start = np.empty(n + 2, np.int64)
    n_bits = _bits_of_bytes()
    for first in range(0, len(sources), LANES):
        tail, missing = 0, 0
        for lane in range(min(LANES, len(sources) - first)):
            source = sources[first + lane]
            order[tail], met_by[tail] = source, 1 << lane
            seen[source] |= np.uint8(1 << lane)
            n_paths[_row(source) + np.uint64(lane)] = 1.0
            missing += reach[source] - 1
            tail += 1
        level_start[0], level_start[1] = 0, tail
        n_levels = 1
        while missing > 0:
            start, end = level_start[n_levels - 1], tail
            tail = _next_level(indptr, indices, order, met_by, start, end, seen, coming)
            for position in range(end, tail):
                node = order[position]
                sum_rows(level_values, position - end, n_paths, indices, indptr[node], indptr[node + 1])
            for position in range(end, tail):
                node = order[position]
                lanes = coming[node]
                coming[node] = 0
                seen[node] |= lanes
                met_by[position] = lanes
                missing -= n_bits[lanes]
                row, level_row = _row(node), _row(position - end)
                for lane in range(LANES):
                    at = np.uint64(lane)
                    reached = (lanes >> lane) & 1
                    n_paths[row + at] = level_values[level_row + at] if reached else n_paths[row + at]
            n_levels += 1
            level_start[n_levels] = tail
        for level in range(n_levels - 1, 0, -1):
            start, end = level_start[level], level_start[level + 1]
            if level == n_levels - 1:  # nothing lies beyond the last level
                level_values[: (end - start) * LANES] = 0.0
            else:
                for position in range(start, end):
                    node = order[position]
                    sum_rows(level_values, position - start, carried, indices, indptr[node], indptr[node + 1])
            for position in range(start, end):
                node, lanes = order[position], met_by[position]
                row, level_row = _row(node), _row(position - start)
                of_node, of_square = 0.0, 0.0
                for lane in range(LANES):
                    at = np.uint64(lane)
                    if (lanes >> lane) & 1:
                        paths = n_paths[row + at]
                        dependency = paths * level_values[level_row + at]
                        of_node += dependency
                        of_square += dependency * dependency
                        carried[row + at] = (1.0 + dependency) / paths
                total[node] += of_node
                square[node] += of_square
        for position in range(tail):  # only what these searches touched
            node = order[position]
            if seen[node]:
                seen[node] = 0
                row = _row(node)
                for lane in range(LANES):
                    n_paths[row + np.uint64(lane)], carried[row + np.uint64(lane)] = 0.0, 0.0
    return total, square


@compiled
def _next_level(
    indptr: NDArray[np.int64],
    indices: NDArray[np.uint32],
    order: NDArray[np.uint32],
    met_by: NDArray[np.uint8],
    start: int,
    end: int,
    seen: NDArray[np.uint8],
    coming: NDArray[np.uint8],
) -> int:
    """Put the nodes that some search meets next behind `end` in `order`, ascending; returns where they end.

    `coming` says which searches meet each. It is written without a question for every edge, and read eight
    nodes at a time, which is faster than asking at each edge whether its node is in the list.
    """
    lowest, highest, tail = np.int64(len(indptr)), np.int64(0), end
    for position in range(start, end):
        node, lanes = order[position], met_by[position]
        first, last = indptr[node], indptr[node + 1]
        if first == last:
            continue
        lowest = np.int64(min(lowest, np.int64(indices[first])))
        highest = np.int64(max(highest, np.int64(indices[last - 1])))
        for at in range(first, last):
            coming[indices[at]] |= lanes
    coming_words, seen_words = coming.view(np.uint64), seen.view(np.uint64)
    for word in range(lowest >> 3, (highest >> 3) + 1):
        if coming_words[word]:
            coming_words[word] &= ~seen_words[word]
            if coming_words[word]:
                for node in range(word * 8, word * 8 + 8):
                    if coming[node]:
                        order[tail] = node
                        tail += 1
    return tail


@compiled
def _row(number: int) -> np.uint64:
    """Where the row of a node begins; unsigned, which spares each look-up a test for counting from the end."""
    return np.uint64(number) * np.uint64(LANES)


@compiled
def _bytes(n: int) -> NDArray[np.uint8]:
    """A zero byte for each of `n` nodes, filled up to whole words."""
    return np.zeros((n + 7) // 8 * 8, np.uint8)


@compiled
def _bits_of_bytes() -> NDArray[np.int64]:
    """(256,) how many bits are set in each byte."""
    n_bits = np.zeros(256, np.int64)
    for byte in range(1, 256):
        n_bits[byte] = n_bits[byte >> 1] + (byte & 1)
    return n_bits


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
