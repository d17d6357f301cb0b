"""Scores of a few rows against all others, with scipy and numpy alone.

Enters: columns and row numbers. Leaves: a dense block of combined similarities. It is the plain
definition written as matrix products: what small corpora use, so that nobody waits for a compiler, and
what the compiled search is tested against.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.similarity.components import (
    CodeColumn,
    ComponentColumn,
    SetColumn,
    VectorColumn,
    n_rows,
    sorted_csr,
)
from cnrag_core.similarity.scoring import closeness, counted, set_sizes
from cnrag_core.similarity.set_metrics import similarity_of_counts
from cnrag_core.types import Rows

DENSE_NOISE = 2e-5
"""Above any difference between a float32 matrix product of unit rows and the sum in the fixed order."""


class BlockScorer:
    """Combined similarities of chosen rows against all rows.

    Scores carry the same bits as `score_pairs`, except with dense rows: there they are the fast matrix
    product, raised by `DENSE_NOISE`, and only tell which pairs to score again (`is_exact` is False).
    """

    def __init__(self, columns: Sequence[ComponentColumn]) -> None:
        self.columns = tuple(column for column in columns if column.weight > 0)
        self.n = n_rows(columns)

    @property
    def is_exact(self) -> bool:
        """Whether no column has dense rows."""
        return not any(isinstance(c, VectorColumn) and not sp.issparse(c.rows) for c in self.columns)

    @cached_property
    def _transposed(self) -> dict[str, sp.csr_matrix]:
        """(d, n) float64 transposes of the sparse columns, for many rows at once."""
        return {name: sorted_csr(rows.astype(np.float64).T.tocsr()) for name, rows in self._sparse_rows.items()}

    @cached_property
    def _sparse_rows(self) -> dict[str, sp.csr_matrix]:
        found = {}
        for column in self.columns:
            if isinstance(column, SetColumn):
                found[column.name] = sorted_csr(column.items)
            elif isinstance(column, VectorColumn) and sp.issparse(column.rows):
                found[column.name] = sorted_csr(column.rows)
        return found

    def scores(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """(len(rows), n) float64 combined similarities; of a row with itself too."""
        total = np.zeros((len(rows), self.n), dtype=np.float64)
        for column in self.columns:
            total += column.weight * self._counted(column, rows)
        return total

    def _counted(self, column: ComponentColumn, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        if isinstance(column, VectorColumn):
            if sp.issparse(column.rows):
                raw = self._products(column.name, rows)
            else:
                raw = _dense_products(column.rows, rows) + DENSE_NOISE
        elif isinstance(column, SetColumn):
            sizes = set_sizes(column)
            raw = similarity_of_counts(
                column.metric, self._products(column.name, rows), sizes[rows, None], sizes[None, :]
            )
        elif isinstance(column, CodeColumn):
            raw = (column.codes[rows, None] == column.codes[None, :]).astype(np.float64)
        else:
            raw = closeness(column, column.values[rows, None], column.values[None, :])
        return counted(column, np.where(column.missing[rows, None] | column.missing[None, :], 0.0, raw))

    def _products(self, name: str, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Inner products of sparse rows with all rows, each added up in ascending column order."""
        matrix = self._sparse_rows[name]
        if len(rows) > 4:
            result: NDArray[np.float64] = (matrix[rows].astype(np.float64) @ self._transposed[name]).toarray()
            return result
        # A few rows: one pass over the matrix each is cheaper than transposing it.
        return np.stack([matrix @ matrix[row].toarray().astype(np.float64).reshape(-1) for row in rows])


def _dense_products(matrix: Rows, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    dense: NDArray[np.float32] = matrix[rows] @ matrix.T
    return dense.astype(np.float64)
