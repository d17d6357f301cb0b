"""The all-pairs search of large corpora: compiled bounds for all pairs, exact scores for few.

Enters: columns and a threshold. Leaves: the same pairs with the same weights as `blocks`, found tile by
tile. One tile is the work of one call and needs nothing but the plan, so tiles can run on threads or on
other machines in any order. Imported only where a corpus is large enough to be worth compiling.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.errors import check_room_for_threads
from cnrag_core.similarity.bounds import SLACK, BoundPlan, make_plan
from cnrag_core.similarity.components import CodeColumn, ComponentColumn, VectorColumn, n_rows, sorted_csr
from cnrag_core.similarity.kernels import dense_dots, index_tile, nearest_in_tile, search_tile, sparse_dots
from cnrag_core.similarity.pairs import Floor, Pairs, concat_pairs
from cnrag_core.similarity.scoring import TIE_TOLERANCE, score_pairs
from cnrag_core.types import Progress, Rows, silent

TILE = 4_096
"""Rows of a tile: their bounds and what belongs to them stay in the first-level cache."""

LARGEST_TILE = 32_768
TILES_AT_LEAST = 60
"""A large corpus has larger tiles, of which there are still so many. Every row looks each of its terms up in the
index of every tile: with a million documents that costs more than bounds that lie in the second-level cache."""

CANDIDATES_AT_ONCE = 1 << 18
"""Candidates that are scored together."""

DENSE_ROWS = 512
"""Rows of one matrix product; with a tile of columns, 8 MB."""

NEIGHBOR_CELLS = 4_000_000
"""Best looking neighbours kept in one sweep over the tiles: 32 MB."""

MAX_THREADS = 4


def stream_compiled(
    columns: Sequence[ComponentColumn],
    floor: Floor,
    *,
    n_threads: int | None = None,
    progress: Progress = silent,
) -> Generator[Pairs, None, None]:
    """The pairs at or above a floor, part by part, in no particular order; see `pairwise.stream_pairs`."""
    plan = make_plan(columns, floor.value)
    # The last tiles have the most earlier rows, so they come first and the threads end together.
    size = tile_rows(columns)
    starts = list(range(0, plan.n, size))[::-1]
    total = float(sum(cells_of_tile(plan.n, start, size) for start in starts))
    done = 0.0
    threads = default_threads(plan) if n_threads is None else n_threads
    with closing(
        _on_threads(lambda start: search_one_tile(columns, plan, start, floor, rows=size), starts, threads)
    ) as parts:
        for start, part in parts:
            if part is not None:
                yield part
            else:
                done += cells_of_tile(plan.n, start, size)
                progress("Comparing pairs", done / total)


def search_one_tile(
    columns: Sequence[ComponentColumn], plan: BoundPlan, start: int, floor: Floor, *, rows: int | None = None
) -> Iterator[Pairs]:
    """Every pair of a row of one tile with an earlier row, scored exactly, part by part.

    Parameters
    ----------
    columns
        Those that the plan was made of.
    plan
        For the floor's value or a lower one.
    start
        First row of the tile, a multiple of its size.
    floor
        Read again for every part.
    rows
        Of the tile; as `tile_rows` says unless given.
    """
    size = rows or tile_rows(columns)
    stop = min(plan.n, start + size)
    tile = index_tile(start, stop, plan.indptr, plan.indices, plan.index_values, plan.split, plan.n_terms)
    room = max(CANDIDATES_AT_ONCE, stop - start)
    left, right = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32)
    bounds = _DenseBounds(plan, size)
    for first, last in _row_blocks(plan, stop):
        dense = bounds.of(slice(first, last), start, stop)
        row = first
        while row < last:
            least = np.float32(plan.generating_threshold(floor.value))
            row, count = search_tile(
                row, last, start, stop, least,
                plan.indptr, plan.indices, plan.query_values, plan.index_values, plan.split,
                plan.heavy_norm, plan.left_out_norm, plan.n_heavy,
                *tile, dense[row - first :], plan.codes, plan.tables, left, right,
            )  # fmt: skip
            if count:
                yield _scored(columns, plan.document[left[:count]], plan.document[right[:count]], floor.value)


def nearest_compiled(
    columns: Sequence[ComponentColumn], rows: NDArray[np.int64], k: int, *, progress: Progress = silent
) -> Pairs:
    """The k most similar other documents of each of the rows; see `pairwise.top_neighbors`."""
    plan = make_plan(columns, 0.0, one_sided=False)
    found: list[Pairs] = []
    waiting, n_best, finished = rows, max(1, min(plan.n - 1, 2 * k + 16)), 0
    while len(waiting):
        again = []
        size = max(1, NEIGHBOR_CELLS // max(1, n_best))
        for start in range(0, len(waiting), size):
            part = waiting[start : start + size]
            pairs, unsure = nearest_of(columns, plan, part, k, n_best)
            found.append(pairs)
            again.append(unsure)
            finished += len(part) - len(unsure)
            progress("Finding nearest neighbours", finished / len(rows))
        # Where bounds could not tell the true neighbours apart, more of the best looking are scored.
        waiting, n_best = np.concatenate(again), min(plan.n - 1, 4 * n_best)
    return concat_pairs(found)


def compiled_scores(
    columns: Sequence[ComponentColumn], left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.float64]:
    """`score_pairs` with compiled inner products: the same bits, several times faster."""
    return score_pairs(columns, left, right, dots=_compiled_dots)


def warm_up() -> None:
    """Compile, or load, every loop of the search, so that the first large corpus does not wait for it."""
    nothing = np.zeros(4, dtype=bool)
    text = sp.csr_matrix(np.array([[1, 0], [0.8, 0.6], [0, 1], [0.6, 0.8]], dtype=np.float32))
    columns: tuple[ComponentColumn, ...] = (
        VectorColumn("text", 0.5, None, text, nothing),
        VectorColumn("dense", 0.25, None, text.toarray(), nothing),
        CodeColumn("code", 0.25, None, np.zeros(4, dtype=np.int64), ("same",), nothing),
    )
    list(stream_compiled(columns, Floor(0.2), n_threads=1))
    nearest_compiled(columns, np.arange(4), 1)


def default_threads(plan: BoundPlan) -> int:
    """As many threads as processors, a few at most; one where BLAS brings its own."""
    if plan.dense:
        return 1
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MAX_THREADS, available, -(-plan.n // TILE)))


_NO_BOUNDS = np.zeros((0, 0), dtype=np.float32)


def tile_rows(columns: Sequence[ComponentColumn]) -> int:
    """Rows of a tile of these columns.

    Examples
    --------
    >>> [tile_rows([CodeColumn("", 1.0, None, np.zeros(n, int), (), np.zeros(n, bool))]) for n in (10**4, 10**6)]
    [4096, 16384]
    """
    n, rows = n_rows(columns), TILE
    if any(isinstance(column, VectorColumn) and isinstance(column.rows, np.ndarray) for column in columns):
        return rows  # a product of dense rows fills the cache by itself
    while rows < LARGEST_TILE and n >= 2 * rows * TILES_AT_LEAST:
        rows *= 2
    return rows


def cells_of_tile(n: int, start: int, rows: int) -> float:
    """How many pairs of n rows the tile at row `start` compares, about."""
    stop = min(n, start + rows)
    return (stop - start) * (start + stop) / 2.0


def _row_blocks(plan: BoundPlan, stop: int) -> Iterator[tuple[int, int]]:
    size = DENSE_ROWS if plan.dense else stop
    for first in range(0, stop, size):
        yield first, min(stop, first + size)


class _DenseBounds:
    """Weighted cosines of the dense columns, block by block, in memory that is used again."""

    def __init__(self, plan: BoundPlan, tile_rows: int) -> None:
        self.matrices = plan.dense
        self.product = np.empty(DENSE_ROWS * tile_rows if plan.dense else 0, dtype=np.float32)
        self.total = np.empty(DENSE_ROWS * tile_rows if len(plan.dense) > 1 else 0, dtype=np.float32)

    def of(self, rows: slice | NDArray[np.int64], start: int, stop: int) -> NDArray[np.float32]:
        """(n_rows, stop - start) sums over the columns, good until the next call; without columns, no rows.

        A negative cosine of one column takes nothing from the others; where there is only one it is left
        for the reader to count as 0.
        """
        total: NDArray[np.float32] = _NO_BOUNDS
        for number, matrix in enumerate(self.matrices):
            part = matrix[rows]
            shape = (len(part), stop - start)
            out = (self.total if number else self.product)[: shape[0] * shape[1]].reshape(shape)
            np.matmul(part, matrix[start:stop].T, out=out)
            if len(self.matrices) > 1:
                np.maximum(out, 0.0, out=out)
            total = np.add(total, out, out=total) if number else out
        return total


def _scored(
    columns: Sequence[ComponentColumn], left: NDArray[np.int64], right: NDArray[np.int64], threshold: float
) -> Pairs:
    weight = compiled_scores(columns, left, right)
    keep = (weight >= threshold - TIE_TOLERANCE) & (weight > 0.0)
    left, right = left[keep].astype(np.int32), right[keep].astype(np.int32)
    return Pairs(np.minimum(left, right), np.maximum(left, right), weight[keep])


def _compiled_dots(rows: Rows, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
    if isinstance(rows, np.ndarray):
        return dense_dots(rows, left, right)
    rows = sorted_csr(rows)
    indptr, indices = rows.indptr.astype(np.int32, copy=False), rows.indices.astype(np.int32, copy=False)
    return sparse_dots(indptr, indices, rows.data, rows.shape[1], left, right)


def nearest_of(
    columns: Sequence[ComponentColumn], plan: BoundPlan, documents: NDArray[np.int64], k: int, n_best: int
) -> tuple[Pairs, NDArray[np.int64]]:
    """The neighbours of some documents, and the documents for which `n_best` bounds were not enough."""
    best = np.full((len(documents), n_best), -1, dtype=np.int32)
    best_bound = np.zeros((len(documents), n_best), dtype=np.float32)
    size = tile_rows(columns)
    bounds = _DenseBounds(plan, size)
    for start in range(0, plan.n, size):
        stop = min(plan.n, start + size)
        begin, local, value = index_tile(
            start, stop, plan.indptr, plan.indices, plan.index_values, plan.indptr, plan.n_terms
        )
        for first in range(0, len(documents), DENSE_ROWS if plan.dense else len(documents)):
            part = slice(first, first + DENSE_ROWS if plan.dense else len(documents))
            dense = bounds.of(documents[part], start, stop)
            dense += np.float32(SLACK)  # rounding must not hide a similarity just above 0
            nearest_in_tile(
                documents[part], start, stop, plan.indptr, plan.indices, plan.query_values, begin, local, value,
                dense, plan.codes, plan.tables, best[part], best_bound[part],
            )  # fmt: skip
    row, place = np.nonzero(best >= 0)
    other = best[row, place].astype(np.int64)
    weight = compiled_scores(columns, documents[row], other)
    order = np.lexsort((other, -weight, row))
    ordered = row[order]
    rank = np.arange(len(row)) - np.searchsorted(ordered, ordered, side="left")
    chosen = order[(rank < k) & (weight[order] > 0.0)]
    # The weakest chosen neighbour must beat everything that was not scored, whose bound is at most the last one.
    least = np.zeros(len(documents))
    full_rank = order[rank == min(k, n_best) - 1]
    least[row[full_rank]] = weight[full_rank]
    unseen = best_bound[:, -1].astype(np.float64) * (best[:, -1] >= 0)
    unsure = (unseen > 0.0) & (least <= unseen + max(SLACK, plan.slack)) & (n_best < plan.n - 1)
    chosen = chosen[~unsure[row[chosen]]]
    left, right = documents[row[chosen]].astype(np.int32), other[chosen].astype(np.int32)
    return Pairs(np.minimum(left, right), np.maximum(left, right), weight[chosen]), documents[unsure]


def _on_threads(
    work: Callable[[int], Iterator[Pairs]], jobs: Sequence[int], n_threads: int
) -> Generator[tuple[int, Pairs | None], None, None]:
    """The parts that each job makes, as they come, then None for a finished job.

    Few parts wait at any time: threads stop until the consumer has taken some. When the consumer goes away,
    the threads end with the part that they are at.
    """
    if n_threads <= 1:
        for job in jobs:
            for part in work(job):
                yield job, part
            yield job, None
        return
    parts: queue.Queue[tuple[int, Pairs | BaseException | None]] = queue.Queue(maxsize=2 * n_threads)
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    for job in jobs:
        todo.put(job)
    stopped = threading.Event()

    def hand_over(job: int, part: Pairs | BaseException | None) -> None:
        while not stopped.is_set():
            try:
                parts.put((job, part), timeout=0.1)
                return
            except queue.Full:
                continue

    def run() -> None:
        while not stopped.is_set():
            try:
                job = todo.get_nowait()
            except queue.Empty:
                return
            try:
                for part in work(job):
                    hand_over(job, part)
                    if stopped.is_set():
                        return
                hand_over(job, None)
            except BaseException as error:  # handed over, and raised where the parts are consumed
                hand_over(job, error)
                return

    threads = [threading.Thread(target=run, name=f"pairs-{number}", daemon=True) for number in range(n_threads)]
    check_room_for_threads(n_threads)
    for thread in threads:
        thread.start()
    try:
        finished = 0
        while finished < len(jobs):
            job, made = parts.get()
            if isinstance(made, BaseException):
                raise made
            finished += made is None
            yield job, made
    finally:
        stopped.set()
        for thread in threads:
            thread.join()
