"""One product that is never smaller than the combined similarity, for finding candidates fast.

Enters: columns and a threshold. Leaves: `BoundPlan`. A pair can only reach the threshold where its bound
does, so the search computes bounds for all pairs and exact scores for few.

The sparse part of the bound is the inner product of two rows of one concatenated matrix. Cosines enter
with the square root of their weight on both sides. The number of shared items over the geometric mean of
the two set sizes (Ochiai's coefficient) is an inner product of scaled rows as well, and jaccard <= dice <=
Ochiai. The overlap coefficient divides by the smaller set: with documents in ascending order of size that
is the earlier one, so its items carry the whole scale. Dense rows are multiplied by BLAS. Numbers, and
codes that many documents share, are looked up in a small table.

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

from cnrag_core.similarity.components import (
    CodeColumn,
    ComponentColumn,
    NumberColumn,
    SetColumn,
    VectorColumn,
    n_rows,
    sorted_csr,
)
from cnrag_core.similarity.kernels import split_rows
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
        (n, d) float32 rows of each dense column, scaled by the square root of its weight.
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
    queries: list[sp.csr_matrix] = []
    indexed: list[sp.csr_matrix] = []
    dense: list[NDArray[np.float32]] = []
    codes: list[NDArray[np.uint8]] = []
    tables: list[NDArray[np.float32]] = []
    elsewhere = 0.0
    for column in columns:
        present = ~column.missing[document]
        root = np.sqrt(column.weight)
        if isinstance(column, VectorColumn) and not sp.issparse(column.rows):
            rows = np.where(present[:, None], column.rows[document], np.float32(0.0))
            dense.append(np.ascontiguousarray(rows * root, dtype=np.float32))
            elsewhere += column.weight / 2
        elif isinstance(column, VectorColumn):
            rows = _scaled(_chosen(sorted_csr(column.rows), document), root * present)
            queries.append(rows)
            indexed.append(rows)
        elif isinstance(column, SetColumn):
            one, other = _set_rows(column, document, root, present, tight=column is tight)
            queries.append(one)
            indexed.append(other)
        elif isinstance(column, CodeColumn):
            common, rows = _split_codes(column, document, root, present)
            queries.append(rows)
            indexed.append(rows)
            if common.any():
                codes.append(common)
                tables.append(_equality_table(column.weight))
                elsewhere += column.weight
        else:
            code, table = _number_table(column, document)
            codes.append(code)
            tables.append(table)
            elsewhere += column.weight
    return _assemble(document, queries, indexed, dense, codes, tables, threshold, elsewhere)


def _assemble(
    document: NDArray[np.int64],
    queries: list[sp.csr_matrix],
    indexed: list[sp.csr_matrix],
    dense: list[NDArray[np.float32]],
    codes: list[NDArray[np.uint8]],
    tables: list[NDArray[np.float32]],
    threshold: float,
    elsewhere: float,
) -> BoundPlan:
    """The plan of all parts; about `elsewhere` of a high bound comes from tables and dense rows."""
    n = len(document)
    one_array = all(a is b for a, b in zip(queries, indexed, strict=True))
    query, frequency = _commonest_first(_side_by_side(queries, n))
    index = query if one_array else _commonest_first(_side_by_side(indexed, n))[0]
    n_heavy = _n_heavy(frequency)
    split, heavy_norm, left_out_norm = split_rows(
        query.indptr, query.indices, query.data, index.data, n_heavy,
        PRUNED_SHARE * max(0.1 * threshold, threshold - elsewhere),
    )  # fmt: skip
    lengths = np.sort(np.diff(query.indptr))
    longest_shared = float(lengths[-2]) if n > 1 else 0.0
    return BoundPlan(
        document, query.indptr, query.indices, query.data, index.data, split, heavy_norm, left_out_norm,
        query.shape[1], n_heavy, tuple(dense),
        np.stack(codes) if codes else np.zeros((0, n), dtype=np.uint8),
        np.stack(tables) if tables else np.zeros((0, 256, 256), dtype=np.float32),
        max(SLACK, ROUNDING * longest_shared),
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
    data = np.abs(rows.data) * np.repeat(factor, np.diff(rows.indptr)).astype(np.float32)
    scaled = sp.csr_matrix((data, rows.indices, rows.indptr), shape=rows.shape)
    if not np.all(factor):
        scaled.eliminate_zeros()
    return scaled


def _chosen(rows: sp.csr_matrix, document: NDArray[np.int64]) -> sp.csr_matrix:
    if np.array_equal(document, np.arange(len(document))):
        return rows
    return rows[document]


def _set_rows(
    column: SetColumn, document: NDArray[np.int64], root: float, present: NDArray[np.bool_], tight: bool
) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    """Scaled items of each document as the earlier and as the later of a pair."""
    items = _chosen(sorted_csr(column.items), document)
    size = np.maximum(np.diff(items.indptr), 1).astype(np.float64)
    if column.metric != "overlap":
        rows = _scaled(items, root * present / np.sqrt(size))
        return rows, rows
    full, shared_out = _scaled(items, root * present), _scaled(items, root * present / size)
    if tight:  # the earlier one of a pair has the smaller set
        return shared_out, full
    # shared / min(a, b) <= shared / a + shared / b, as two blocks of terms
    return sp.hstack([shared_out, full], format="csr"), sp.hstack([full, shared_out], format="csr")


def _split_codes(
    column: CodeColumn, document: NDArray[np.int64], root: float, present: NDArray[np.bool_]
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
    data = np.full(int(rare.sum()), root, dtype=np.float32)
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
    if len(parts) == 1:
        return parts[0]
    return sp.hstack([sp.csr_matrix((n, 0), dtype=np.float32), *parts], format="csr", dtype=np.float32)


def _commonest_first(rows: sp.csr_matrix) -> tuple[sp.csr_matrix, NDArray[np.int64]]:
    """Columns in order of falling document frequency, without those of fewer than two documents.

    Two transpositions leave every row sorted by the new numbers, in linear time.
    """
    frequency = np.bincount(rows.indices, minlength=rows.shape[1])
    order = np.argsort(-frequency, kind="stable")
    kept = order[: int(np.count_nonzero(frequency >= 2))]
    result = rows.tocsc()[:, kept].tocsr()
    result.indices = result.indices.astype(np.int32, copy=False)
    result.indptr = result.indptr.astype(np.int32, copy=False)
    return result, frequency[kept]


def _n_heavy(frequency: NDArray[np.int64]) -> int:
    """How many of the commonest terms cause nearly all additions of an index of everything."""
    work = np.cumsum(np.square(frequency, dtype=np.float64))
    if not len(work):
        return 0
    return min(MAX_HEAVY, int(np.searchsorted(work, HEAVY_WORK * work[-1])) + 1)
