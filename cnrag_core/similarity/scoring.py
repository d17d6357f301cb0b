"""The combined similarity of listed pairs: the one place that defines the number.

Enters: columns and node numbers. Leaves: float64 scores, added up in a fixed order, so that every way of
finding the pairs (blocks, compiled loops, one row at a time) ends with the same bits. Guide 000,
"Field-Level Similarity".

A component counts as 0 where a document has nothing to compare, where the cosine is negative, and where
it stays below its own minimum; its weight stays in the denominator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.similarity.components import (
    CodeColumn,
    ComponentColumn,
    NumberColumn,
    SetColumn,
    VectorColumn,
    sorted_csr,
)
from cnrag_core.similarity.set_metrics import similarity_of_counts
from cnrag_core.types import Rows

TIE_TOLERANCE = 1e-9
"""Float noise at a threshold: a similarity this little below it still counts as meeting it exactly."""

ROUNDED_TO_ONE = 1.0 - 5e-7
"""Equal rows have this cosine at least once they are rounded to float32; it counts as 1."""

LANES = 8
"""Dense products are added up in this many interleaved partial sums, in numpy and in compiled code alike."""

PAIRS_AT_ONCE = 16_384
"""Pairs whose rows are gathered together; bounds the memory of scoring a long list."""

Dots = Callable[[Rows, NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]
"""Inner products of listed pairs of rows, as `row_dots` defines them."""


def score_pairs(
    columns: Sequence[ComponentColumn],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    *,
    dots: Dots | None = None,
) -> NDArray[np.float64]:
    """Combined similarity of each pair.

    Parameters
    ----------
    columns
        Their weights sum to 1.
    left, right
        (n_pairs,) node numbers, in any order, repeats allowed.
    dots
        Another implementation of `row_dots` with the same bits, for speed.

    Returns
    -------
    numpy.ndarray
        (n_pairs,) float64 in [0, 1]; symmetric in its two arguments to the last bit.
    """
    total = np.zeros(len(left), dtype=np.float64)
    for column in columns:
        if column.weight > 0:
            total += column.weight * counted(column, raw_similarity(column, left, right, dots=dots))
    return total


def raw_similarity(
    column: ComponentColumn, left: NDArray[np.int64], right: NDArray[np.int64], *, dots: Dots | None = None
) -> NDArray[np.float64]:
    """What one component finds, before negative values and its minimum are dropped; 0 where either is missing."""
    dots = dots or row_dots
    if isinstance(column, VectorColumn):
        raw = dots(column.rows, left, right)
    elif isinstance(column, SetColumn):
        sizes = set_sizes(column)
        raw = similarity_of_counts(column.metric, dots(column.items, left, right), sizes[left], sizes[right])
    elif isinstance(column, CodeColumn):
        raw = (column.codes[left] == column.codes[right]).astype(np.float64)
    else:
        raw = closeness(column, column.values[left], column.values[right])
    found: NDArray[np.float64] = np.where(column.missing[left] | column.missing[right], 0.0, raw)
    return found


def counted(column: ComponentColumn, raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """What of a raw value enters the combined similarity: at most 1, nothing negative, nothing below the minimum."""
    value = np.where(raw >= ROUNDED_TO_ONE, 1.0, np.maximum(raw, 0.0))
    if column.min_similarity is not None:
        value = np.where(raw >= column.min_similarity - TIE_TOLERANCE, value, 0.0)
    return value


def closeness(column: NumberColumn, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """exp(-d^2 / 2 scale^2) of two broadcast arrays of numbers; NaN where one is missing."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        difference = (a - b) / column.scale
        result: NDArray[np.float64] = np.exp(-0.5 * np.square(difference))
    return result


def set_sizes(column: SetColumn) -> NDArray[np.float64]:
    """(n,) number of items of each document."""
    sizes: NDArray[np.float64] = np.diff(column.items.indptr).astype(np.float64)
    return sizes


def row_dots(rows: Rows, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
    """Inner products of pairs of rows, exactly rounded products added up in a fixed order.

    The product of two float32 is exact in float64, so only the order of the additions matters: ascending
    column for CSR rows, `LANES` interleaved partial sums for dense ones.
    """
    dot = _sparse_dots if sp.issparse(rows) else _dense_dots
    parts = [
        dot(rows, left[start : start + PAIRS_AT_ONCE], right[start : start + PAIRS_AT_ONCE])
        for start in range(0, len(left), PAIRS_AT_ONCE)
    ]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.float64)


def _sparse_dots(rows: sp.csr_matrix, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
    rows = sorted_csr(rows)
    products = rows[left].astype(np.float64).multiply(rows[right].astype(np.float64)).tocsr()
    # A product with ones adds each row up from left to right; `sum` would do it pairwise.
    result: NDArray[np.float64] = products @ np.ones(rows.shape[1], dtype=np.float64)
    return result


def _dense_dots(rows: NDArray[np.float32], left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
    a, b = rows[left].astype(np.float64), rows[right].astype(np.float64)
    lanes = np.zeros((len(left), LANES), dtype=np.float64)
    for start in range(0, rows.shape[1], LANES):
        part = a[:, start : start + LANES] * b[:, start : start + LANES]
        lanes[:, : part.shape[1]] += part
    total = np.zeros(len(left), dtype=np.float64)
    for lane in range(LANES):
        total += lanes[:, lane]
    return total
