"""One product that is never smaller than the combined similarity, for finding candidates fast.

Enters: columns and a threshold. Leaves: `BoundPlan`. A pair can only reach the threshold where its bound
does, so the search computes bounds for all pairs and exact scores for few.

The sparse part of the bound is the inner product of two rows of one concatenated matrix. Cosines enter
with the square root of their weight on both sides. The number of shared items over the geometric mean of
the two set sizes (Ochiai's coefficient) is an inner product of scaled rows as well, and jaccard <= dice <=
Ochiai. The overlap coefficient divides by the smaller set: with documents in ascending order of size that
is the earlier one, so its items carry the whole scale. Dense rows are multiplied by BLAS, shortened as
`leading` describes where that is cheaper. Numbers, and codes that many documents share, are looked up in a
small table.

References
----------
Bayardo, Ma, Srikant: Scaling up all pairs similarity search (2007); Anastasiu, Karypis: L2AP (2014), for
leaving the commonest terms of a row out of the index while their norm is small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.errors import ResourceLimitError
from cnrag_core.similarity.components import (
    CodeColumn,
    ComponentColumn,
    NumberColumn,
    SetColumn,
    VectorColumn,
    n_rows,
    sorted_csr,
)
from cnrag_core.similarity.kernels import renumber, split_rows
from cnrag_core.similarity.leading import ROTATION_NOISE, shortened
from cnrag_core.similarity.scoring import closeness, counted

SLACK = 2e-5
"""Float32 noise of a bound: candidates are generated this far below the threshold."""

ROUNDING = 1.2e-7
"""Relative error of one float32 addition; the slack grows with it for very long rows."""

TINY = 1e-30
"""The bound that tells a similarity just above 0 from none."""

PRUNED_SHARE = 0.6
"""A row's commonest terms stay out of the index while their norm is below this share of the threshold."""

HEAVY_WORK = 0.98
"""Only terms that together cause this share of all additions may stay out."""

MAX_HEAVY = 4_096
"""At most this many; their values of one row then fit the first-level cache."""

TABLE_CODES = 255
"""Distinguishable values in a table; code 0 stands for "nothing to compare"."""

COMMON_CODE = 1 / 64
"""A value that this share of the documents has is looked up in a table; rarer ones are matched by an index."""


@dataclass(frozen=True, eq=False)
class BoundPlan:
    """What the compiled search reads. Rows are in the order of `document`, terms commonest first.

    Attributes
    ----------
    document
        (n,) int64 node number of each row.
    indptr, indices
        CSR structure of the sparse part, indices ascending in each row: int32.
    query_values, index_values
        (nnz,) float32 values of a row as the earlier and as the later of a pair; often the same array.
    split
        (n,) int32 position of the first indexed term of each row; the terms before it are left out of the
        index and added only where they could matter.
    heavy_norm, left_out_norm
        (n,) float32 norms of a row's heavy terms (as the earlier) and of its left-out terms (as the later).
    n_terms, n_heavy
        Number of columns, and how many of the first of them may be left out.
    dense
        (n, d) float32 rows of each dense column, scaled by the square root of its weight, or shorter rows
        with products that are at least as large.
    codes, tables
        (n_tables, n) uint8 and (n_tables, 256, 256) float32: the bound of a component is the entry of its
        table at the two codes.
    slack
        How far below a threshold candidates must be generated.
    """

    document: NDArray[np.int64]
    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    query_values: NDArray[np.float32]
    index_values: NDArray[np.float32]
    split: NDArray[np.int32]
    heavy_norm: NDArray[np.float32]
    left_out_norm: NDArray[np.float32]
    n_terms: int
    n_heavy: int
    dense: tuple[NDArray[np.float32], ...]
    codes: NDArray[np.uint8]
    tables: NDArray[np.float32]
    slack: float

    @property
    def n(self) -> int:
        return len(self.document)

    def generating_threshold(self, threshold: float) -> float:
        """The bound that a candidate must reach so that no pair at or above the threshold is missed."""
        lowered = threshold - self.slack
        if lowered > 0:
            return lowered
        # Any similarity above 0 counts. Positive products stay positive; rounding can hide a dense one.
        return -1.0 if self.dense else TINY


def make_plan(columns: Sequence[ComponentColumn], threshold: float, *, one_sided: bool = True) -> BoundPlan:
    """Prepare the search for one threshold.

    Parameters
    ----------
    columns
        Those of weight 0 are left out.
    threshold
        The plan serves this and every higher threshold.
    one_sided
        Whether the search only asks for pairs of an earlier with a later row. Overlap coefficients then
        have a tight bound; otherwise theirs may be twice as large.
    """
    columns = [column for column in columns if column.weight > 0]
    tight = _ordering_column(columns) if one_sided else None
    document = _order(columns, tight)
    parts = _Parts()
    for column in columns:
        parts.add(column, document, tight=column is tight)
    if one_sided and len(parts.dense) == len(columns):
        parts.shorten_dense(threshold)
    return parts.plan(document, threshold)


class _Parts:
    """The parts of a plan, column by column."""

    def __init__(self) -> None:
        self.query: list[sp.csr_matrix] = []
        self.index: list[sp.csr_matrix] = []
        self.dense: list[NDArray[np.float32]] = []
        self.codes: list[NDArray[np.uint8]] = []
        self.tables: list[NDArray[np.float32]] = []
        self.noise = SLACK
        self.elsewhere = 0.0
        """About how much of a high bound comes from tables and dense rows."""

    def add(self, column: ComponentColumn, document: NDArray[np.int64], *, tight: bool) -> None:
        present = ~column.missing[document]
        scale = np.sqrt(column.weight) * present
        if isinstance(column, VectorColumn) and not sp.issparse(column.rows):
            self.dense.append(np.ascontiguousarray(column.rows[document] * scale[:, None], dtype=np.float32))
            self.elsewhere += column.weight / 2
        elif isinstance(column, VectorColumn):
            self._add_rows(_scaled(_chosen(sorted_csr(column.rows), document), scale))
        elif isinstance(column, SetColumn):
            self._add_rows(*_set_rows(column, document, scale, tight=tight))
        elif isinstance(column, CodeColumn):
            common, rare = _split_codes(column, document, present)
            self._add_rows(rare)
            if common.any():
                self._add_table(common, _equality_table(column.weight), column.weight)
        else:
            self._add_table(*_number_table(column, document), column.weight)

    def _add_rows(self, query: sp.csr_matrix, index: sp.csr_matrix | None = None) -> None:
        self.query.append(query)
        self.index.append(query if index is None else index)

    def _add_table(self, codes: NDArray[np.uint8], table: NDArray[np.float32], weight: float) -> None:
        self.codes.append(codes)
        self.tables.append(table)
        self.elsewhere += weight

    def shorten_dense(self, threshold: float) -> None:
        shorter = shortened(self.dense, threshold - SLACK - ROTATION_NOISE)
        if shorter is not None:
            self.dense = shorter
            self.noise += ROTATION_NOISE

    def plan(self, document: NDArray[np.int64], threshold: float) -> BoundPlan:
        n = len(document)
        one_array = all(a is b for a, b in zip(self.query, self.index, strict=True))
        rows = _side_by_side(self.query, n)
        if rows.nnz > np.iinfo(np.int32).max:
            raise ResourceLimitError(
                f"The documents have {rows.nnz:,} terms and items in all; one search takes up to 2,147,483,647."
            )
        index_values = rows.data if one_array else _side_by_side(self.index, n).data
        self.query, self.index = [], []  # large, and not needed any more
        indptr, indices = rows.indptr.astype(np.int32), rows.indices.astype(np.int32, copy=False)
        frequency = np.bincount(indices, minlength=rows.shape[1])
        number, frequency = _commonest_first(frequency)
        n_kept = renumber(indptr, indices, rows.data, index_values, number, one_array)
        indices, query_values = indices[:n_kept], rows.data[:n_kept]
        index_values = query_values if one_array else index_values[:n_kept]
        n_heavy = _n_heavy(frequency)
        max_norm = PRUNED_SHARE * max(0.1 * threshold, threshold - self.elsewhere)
        split, heavy_norm, left_out_norm = split_rows(indptr, indices, query_values, index_values, n_heavy, max_norm)
        lengths = np.sort(np.diff(indptr))
        longest_shared = float(lengths[-2]) if n > 1 else 0.0
        return BoundPlan(
            document, indptr, indices, query_values, index_values, split, heavy_norm, left_out_norm,
            len(frequency), n_heavy, tuple(self.dense),
            np.stack(self.codes) if self.codes else np.zeros((0, n), dtype=np.uint8),
            np.stack(self.tables) if self.tables else np.zeros((0, 256, 256), dtype=np.float32),
            max(self.noise, ROUNDING * longest_shared),
        )  # fmt: skip


def _order(columns: Sequence[ComponentColumn], tight: SetColumn | None) -> NDArray[np.int64]:
    """Node numbers in the order of the search: by set size where an overlap coefficient profits from it."""
    if tight is None:
        return np.arange(n_rows(columns), dtype=np.int64)
    order: NDArray[np.int64] = np.argsort(np.diff(tight.items.indptr), kind="stable").astype(np.int64)
    return order


def _ordering_column(columns: Sequence[ComponentColumn]) -> SetColumn | None:
    """The heaviest column with an overlap coefficient, if any."""
    overlaps = [column for column in columns if isinstance(column, SetColumn) and column.metric == "overlap"]
    return max(overlaps, key=lambda column: column.weight, default=None)


def _scaled(rows: sp.csr_matrix, factor: NDArray[Any]) -> sp.csr_matrix:
    """Absolute values times a factor for each row; products of the result bound products of the rows."""
    data = np.abs(rows.data) * np.repeat(factor.astype(np.float32), np.diff(rows.indptr))
    return sp.csr_matrix((data, rows.indices, rows.indptr), shape=rows.shape)


def _chosen(rows: sp.csr_matrix, document: NDArray[np.int64]) -> sp.csr_matrix:
    if np.array_equal(document, np.arange(len(document))):
        return rows
    return rows[document]


def _set_rows(
    column: SetColumn, document: NDArray[np.int64], scale: NDArray[Any], *, tight: bool
) -> tuple[sp.csr_matrix, sp.csr_matrix | None]:
    """Scaled items of each document as the earlier and, where it differs, as the later of a pair."""
    items = _chosen(sorted_csr(column.items), document)
    size = np.maximum(np.diff(items.indptr), 1).astype(np.float64)
    if column.metric != "overlap":
        return _scaled(items, scale / np.sqrt(size)), None
    full, shared_out = _scaled(items, scale), _scaled(items, scale / size)
    if tight:  # the earlier one of a pair has the smaller set
        return shared_out, full
    # shared / min(a, b) <= shared / a + shared / b, as two blocks of terms
    return sp.hstack([shared_out, full], format="csr"), sp.hstack([full, shared_out], format="csr")


def _split_codes(
    column: CodeColumn, document: NDArray[np.int64], present: NDArray[np.bool_]
) -> tuple[NDArray[np.uint8], sp.csr_matrix]:
    """Common values as table codes (1 to 64, 0 for any other), and the rest as one term a document."""
    values = np.where(present, column.codes[document], -1)
    size = int(values.max(initial=-1)) + 1
    frequency = np.bincount(values[values >= 0], minlength=size)
    common = np.flatnonzero(frequency >= max(2.0, COMMON_CODE * len(document)))
    code_of = np.zeros(size + 1, dtype=np.uint8)  # the last entry is for -1
    code_of[common] = np.arange(1, len(common) + 1)
    codes = code_of[values]
    rare = (values >= 0) & (codes == 0)
    indptr = np.concatenate([[0], np.cumsum(rare)]).astype(np.int32)
    data = np.full(int(rare.sum()), np.sqrt(column.weight), dtype=np.float32)
    return codes, sp.csr_matrix((data, values[rare].astype(np.int32), indptr), shape=(len(document), size))


def _equality_table(weight: float) -> NDArray[np.float32]:
    table = np.eye(256, dtype=np.float32) * np.float32(weight)
    table[0, 0] = 0.0
    return table


def _number_table(column: NumberColumn, document: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Numbers as up to 255 bins, and the closeness of the nearest ends of any two bins."""
    values = column.values[document]
    present = ~(column.missing[document] | np.isnan(values))
    table = np.zeros((256, 256), dtype=np.float32)
    codes = np.zeros(len(values), dtype=np.uint8)
    if not present.any():
        return codes, table
    known = np.unique(values[present])
    if len(known) > TABLE_CODES:
        starts = known[np.linspace(0, len(known), TABLE_CODES, endpoint=False).astype(np.int64)]
    else:
        starts = known
    bins = np.searchsorted(starts, values[present], side="right") - 1
    codes[present] = bins + 1
    last_of_bin = np.append(np.searchsorted(known, starts[1:], side="left"), len(known)) - 1
    low, high = starts, known[last_of_bin]
    gap = np.maximum(0.0, np.maximum(low[None, :] - high[:, None], low[:, None] - high[None, :]))
    found = column.weight * counted(column, closeness(column, gap, np.zeros_like(gap)))
    # What is just above 0 must not vanish in float32.
    table[1 : len(starts) + 1, 1 : len(starts) + 1] = np.where(found > 0, np.maximum(found, 2 * TINY), 0.0)
    return codes, table


def _side_by_side(parts: list[sp.csr_matrix], n: int) -> sp.csr_matrix:
    """One matrix of all parts, in memory of its own."""
    return sp.hstack([sp.csr_matrix((n, 0), dtype=np.float32), *parts], format="csr", dtype=np.float32)


def _commonest_first(frequency: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """New number of each term, by falling document frequency; -1 for a term that no two documents share."""
    order = np.argsort(-frequency, kind="stable")
    kept = order[: int(np.count_nonzero(frequency >= 2))]
    number = np.full(len(frequency), -1, dtype=np.int32)
    number[kept] = np.arange(len(kept))
    return number, frequency[kept]


def _n_heavy(frequency: NDArray[np.int64]) -> int:
    """How many of the commonest terms cause nearly all additions of an index of everything."""
    work = np.cumsum(np.square(frequency, dtype=np.float64))
    if not len(work):
        return 0
    return min(MAX_HEAVY, int(np.searchsorted(work, HEAVY_WORK * work[-1])) + 1)
