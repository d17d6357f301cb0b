"""The compiled loops of the all-pairs search.

Enters: the arrays of a `BoundPlan`, in tiles small enough for the cache. Leaves: candidate pairs, and
float64 inner products of listed pairs. Imported only where a corpus is large enough to be worth it.

Traps that these loops step around: an output array that grows inside a hot loop costs more than the work
(so buffers are given, and a full one ends the call); comparisons inside a large function are not
vectorised (so scanning a block is a small function of its own); a signed index costs a test for counting
from the end (so the innermost loops count in unsigned numbers).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cnrag_core.similarity.compiling import compiled, compiled_fast
from cnrag_core.similarity.scoring import LANES

BLOCK = 128
"""Bounds that are tested together."""


@compiled
def renumber(
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    query_values: NDArray[np.float32],
    index_values: NDArray[np.float32],
    number: NDArray[np.int32],
    one_array: bool,
) -> int:
    """Give terms new numbers, in place: rows sorted by them, without zeros and without terms of number -1.

    Returns
    -------
    int
        How many entries are left, at the beginning of the arrays.
    """
    longest = 0
    for row in range(len(indptr) - 1):
        longest = max(longest, indptr[row + 1] - indptr[row])
    keys = np.empty(longest, dtype=np.int64)
    old_query, old_index = np.empty(longest, dtype=np.float32), np.empty(longest, dtype=np.float32)
    free, start = 0, indptr[0]
    for row in range(len(indptr) - 1):
        stop = indptr[row + 1]
        count = 0
        for position in range(start, stop):
            offset = position - start
            old_query[offset], old_index[offset] = query_values[position], index_values[position]
            if number[indices[position]] >= 0 and query_values[position] != 0.0:
                keys[count] = (np.int64(number[indices[position]]) << 32) | offset
                count += 1
        keys[:count].sort()
        for key in keys[:count]:
            indices[free] = key >> 32
            query_values[free] = old_query[key & 0xFFFFFFFF]
            if not one_array:
                index_values[free] = old_index[key & 0xFFFFFFFF]
            free += 1
        start = stop
        indptr[row + 1] = free
    return free


@compiled
def split_rows(
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    query_values: NDArray[np.float32],
    index_values: NDArray[np.float32],
    n_heavy: int,
    max_norm: float,
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]:
    """Where the indexed part of each row begins, and the norms that bound what is left out."""
    n = len(indptr) - 1
    split = np.empty(n, dtype=np.int32)
    heavy_norm = np.zeros(n, dtype=np.float32)
    left_out_norm = np.zeros(n, dtype=np.float32)
    for row in range(n):
        heavy, left_out, end = 0.0, 0.0, indptr[row]
        growing = True
        for position in range(indptr[row], indptr[row + 1]):
            if indices[position] >= n_heavy:
                break
            heavy += np.float64(query_values[position]) ** 2
            square = np.float64(index_values[position]) ** 2
            if growing and left_out + square < max_norm * max_norm:
                left_out += square
                end = position + 1
            else:
                growing = False
        split[row] = end
        # Rounded up, so that the bound stays one.
        heavy_norm[row] = np.float32(np.sqrt(heavy) * 1.000001)
        left_out_norm[row] = np.float32(np.sqrt(left_out) * 1.000001)
    return split, heavy_norm, left_out_norm


@compiled
def index_tile(
    start: int,
    stop: int,
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    values: NDArray[np.float32],
    split: NDArray[np.int32],
    n_terms: int,
) -> tuple[NDArray[np.int32], NDArray[np.uint16], NDArray[np.float32]]:
    """Inverted index of the rows of one tile: where each term's postings begin, local rows, values."""
    begin = np.zeros(n_terms + 1, dtype=np.int32)
    for row in range(start, stop):
        for position in range(split[row], indptr[row + 1]):
            begin[indices[position] + 1] += 1
    for term in range(n_terms):
        begin[term + 1] += begin[term]
    local = np.empty(begin[n_terms], dtype=np.uint16)
    value = np.empty(begin[n_terms], dtype=np.float32)
    free = begin[:n_terms].copy()
    for row in range(start, stop):
        for position in range(split[row], indptr[row + 1]):
            place = free[indices[position]]
            local[place] = row - start
            value[place] = values[position]
            free[indices[position]] = place + 1
    return begin, local, value


@compiled_fast
def _reaches(
    bound: NDArray[np.float32], lift: NDArray[np.float32], scale: np.float32, least: np.float32, start: int, stop: int
) -> bool:
    """Whether any bound of a block, lifted by what its row left out, exceeds the least one."""
    excess = np.float32(0.0)
    for k in range(np.uint64(start), np.uint64(stop)):
        above = bound[k] + scale * lift[k] - least
        excess += above if above > np.float32(0.0) else np.float32(0.0)
    return bool(excess > np.float32(0.0))


@compiled
def _add_products(
    bound: NDArray[np.float32],
    weight: np.float32,
    local: NDArray[np.uint16],
    value: NDArray[np.float32],
    begin: np.uint64,
    end: np.uint64,
) -> None:
    for k in range(begin, end):
        bound[local[k]] += weight * value[k]


@compiled_fast
def _copy_positive(bound: NDArray[np.float32], dense: NDArray[np.float32]) -> None:
    for k in range(np.uint64(len(dense))):
        bound[k] = dense[k] if dense[k] > np.float32(0.0) else np.float32(0.0)


@compiled_fast
def _add_table(bound: NDArray[np.float32], table_row: NDArray[np.float32], codes: NDArray[np.uint8]) -> None:
    for k in range(np.uint64(len(codes))):
        bound[k] += table_row[codes[k]]


@compiled_fast
def _exceeds(bound: NDArray[np.float32], least: np.float32) -> bool:
    """Whether any bound of a block exceeds the least one."""
    excess = np.float32(0.0)
    for k in range(np.uint64(len(bound))):
        above = bound[k] - least
        excess += above if above > np.float32(0.0) else np.float32(0.0)
    return bool(excess > np.float32(0.0))


@compiled
def _search_dense(
    first_row: int,
    last_row: int,
    start: int,
    stop: int,
    least: np.float32,
    dense: NDArray[np.float32],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
) -> tuple[int, int]:
    """`search_tile` where dense rows are all that is compared: the products are read where they are."""
    width, count = stop - start, 0
    below = np.nextafter(least, np.float32(-np.inf))  # what reaches the least bound exceeds this
    for row in range(first_row, last_row):
        if count + width > len(left):
            return row, count
        products = dense[row - first_row]
        for block in range(max(0, row + 1 - start) // BLOCK * BLOCK, width, BLOCK):
            end = min(block + BLOCK, width)
            if not _exceeds(products[block:end], below):
                continue
            for k in range(max(block, row + 1 - start), end):
                if products[k] >= least:
                    left[count] = row
                    right[count] = start + k
                    count += 1
    return last_row, count


@compiled
def search_tile(
    first_row: int,
    last_row: int,
    start: int,
    stop: int,
    least: np.float32,
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    query_values: NDArray[np.float32],
    index_values: NDArray[np.float32],
    split: NDArray[np.int32],
    heavy_norm: NDArray[np.float32],
    left_out_norm: NDArray[np.float32],
    n_heavy: int,
    begin: NDArray[np.int32],
    local: NDArray[np.uint16],
    value: NDArray[np.float32],
    dense: NDArray[np.float32],
    codes: NDArray[np.uint8],
    tables: NDArray[np.float32],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
) -> tuple[int, int]:
    """Candidates between earlier rows and the later rows of one tile.

    Parameters
    ----------
    first_row, last_row
        The earlier rows, a half-open range; each looks only at rows after itself.
    start, stop
        The rows of the tile.
    least
        The bound that makes a candidate.
    begin, local, value
        The tile's index.
    dense
        (last_row - first_row, stop - start) bounds to start from, negative ones as 0; with no rows where
        there are none.
    left, right
        Filled with candidates; must have room for at least one row's worth.

    Returns
    -------
    int, int
        The first row not done, because the next one might not fit, and the number of candidates.
    """
    if len(dense) and not len(indices) and not len(tables):
        return _search_dense(first_row, last_row, start, stop, least, dense, left, right)
    width = stop - start
    bound = np.zeros(width + BLOCK, dtype=np.float32)
    lift = np.zeros(width + BLOCK, dtype=np.float32)
    lift[:width] = left_out_norm[start:stop]
    heavy = np.zeros(n_heavy + 1, dtype=np.float32)
    bound[width:] = -np.inf
    count = 0
    for row in range(first_row, last_row):
        if count + width > len(left):
            return row, count
        if len(dense):
            _copy_positive(bound, dense[row - first_row])
        for table in range(len(tables)):
            _add_table(bound[:width], tables[table, codes[table, row]], codes[table, start:stop])
        for position in range(indptr[row], indptr[row + 1]):
            term = indices[position]
            weight = query_values[position]
            if term < n_heavy:
                heavy[term] = weight
            _add_products(bound, weight, local, value, np.uint64(begin[term]), np.uint64(begin[term + 1]))
        scale = heavy_norm[row]
        for block in range(max(0, row + 1 - start) // BLOCK * BLOCK, width, BLOCK):
            if not _reaches(bound, lift, scale, least, block, block + BLOCK):
                continue
            for k in range(max(block, row + 1 - start), min(block + BLOCK, width)):
                if bound[k] + scale * lift[k] < least:
                    continue
                other = start + k
                total = bound[k]
                for position in range(indptr[other], split[other]):
                    total += heavy[indices[position]] * index_values[position]
                if total >= least:
                    left[count] = row
                    right[count] = other
                    count += 1
        bound[:width] = 0.0
        for position in range(indptr[row], indptr[row + 1]):
            if indices[position] >= n_heavy:
                break
            heavy[indices[position]] = 0.0
    return last_row, count


@compiled
def nearest_in_tile(
    rows: NDArray[np.int64],
    start: int,
    stop: int,
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    query_values: NDArray[np.float32],
    begin: NDArray[np.int32],
    local: NDArray[np.uint16],
    value: NDArray[np.float32],
    dense: NDArray[np.float32],
    codes: NDArray[np.uint8],
    tables: NDArray[np.float32],
    best: NDArray[np.int32],
    best_bound: NDArray[np.float32],
) -> None:
    """Merge the rows of one tile into the best looking neighbours of some rows.

    Parameters
    ----------
    rows
        Whose neighbours are looked for, a row is never its own.
    begin, local, value
        The tile's index of whole rows, nothing left out.
    dense
        (len(rows), stop - start) bounds to start from, negative ones as 0; with no rows where there are none.
    best, best_bound
        (len(rows), n_best) neighbours by falling bound, changed in place; unused places hold -1 and 0.
    """
    width = stop - start
    n_best = best.shape[1]
    bound = np.zeros(width + BLOCK, dtype=np.float32)
    bound[width:] = -np.inf
    lift = np.zeros(width + BLOCK, dtype=np.float32)
    for number in range(len(rows)):
        row = rows[number]
        if len(dense):
            _copy_positive(bound, dense[number])
        for table in range(len(tables)):
            _add_table(bound[:width], tables[table, codes[table, row]], codes[table, start:stop])
        for position in range(indptr[row], indptr[row + 1]):
            term = indices[position]
            _add_products(
                bound, query_values[position], local, value, np.uint64(begin[term]), np.uint64(begin[term + 1])
            )
        if start <= row < stop:
            bound[row - start] = 0.0
        for block in range(0, width, BLOCK):
            if not _reaches(bound, lift, np.float32(0.0), best_bound[number, n_best - 1], block, block + BLOCK):
                continue
            for k in range(block, min(block + BLOCK, width)):
                if bound[k] <= best_bound[number, n_best - 1]:
                    continue
                place = n_best - 1
                while place > 0 and best_bound[number, place - 1] < bound[k]:
                    best_bound[number, place] = best_bound[number, place - 1]
                    best[number, place] = best[number, place - 1]
                    place -= 1
                best_bound[number, place] = bound[k]
                best[number, place] = start + k
        bound[:width] = 0.0


@compiled
def sparse_dots(
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    data: NDArray[np.float32],
    dimension: int,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Inner products of pairs of CSR rows with sorted indices, added up in ascending column order.

    The left row is spread out once for all pairs in a row that share it; the zeros that are added in between
    change nothing.
    """
    out = np.empty(len(left), dtype=np.float64)
    spread = np.zeros(dimension, dtype=np.float64)
    current = np.int64(-1)
    for pair in range(len(left)):
        if left[pair] != current:
            if current >= 0:
                for k in range(np.uint64(indptr[current]), np.uint64(indptr[current + 1])):
                    spread[np.uint64(indices[k])] = 0.0
            current = left[pair]
            for k in range(np.uint64(indptr[current]), np.uint64(indptr[current + 1])):
                spread[np.uint64(indices[k])] = data[k]
        total = 0.0
        other = right[pair]
        for k in range(np.uint64(indptr[other]), np.uint64(indptr[other + 1])):
            total += spread[np.uint64(indices[k])] * np.float64(data[k])
        out[pair] = total
    return out


@compiled
def dense_dots(rows: NDArray[np.float32], left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
    """Inner products of pairs of dense rows, in `LANES` interleaved partial sums added up in order."""
    out = np.empty(len(left), dtype=np.float64)
    lanes = np.empty(LANES, dtype=np.float64)
    dimension = rows.shape[1]
    for pair in range(len(left)):
        a, b = left[pair], right[pair]
        lanes[:] = 0.0
        whole = dimension // LANES * LANES
        for start in range(0, whole, LANES):
            for lane in range(LANES):
                lanes[lane] += np.float64(rows[a, start + lane]) * np.float64(rows[b, start + lane])
        for lane in range(dimension - whole):
            lanes[lane] += np.float64(rows[a, whole + lane]) * np.float64(rows[b, whole + lane])
        total = 0.0
        for lane in range(LANES):
            total += lanes[lane]
        out[pair] = total
    return out


def are_compiled() -> bool:
    """Whether the loops are in memory or in the cache, so that using them costs a moment and no compiling."""
    statistics = search_tile.stats  # type: ignore[attr-defined]
    cached = Path(statistics.cache_path or "").glob("kernels.search_tile-*.nbi") if statistics.cache_path else ()
    return bool(search_tile.signatures) or any(cached)  # type: ignore[attr-defined]
