"""Rows of one vector space: normalising, joining and protecting them, dense or sparse.

Enters: vectors as a provider or a store gives them. Leaves: `Rows`, L2-normalised once and for all,
so that a dot product is a cosine everywhere downstream.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from cnrag_core.errors import EmbeddingError
from cnrag_core.types import Rows

AnyRows: TypeAlias = "ArrayLike | sp.spmatrix | sp.sparray"
_UNIT_TOLERANCE = 1e-6
"""A row this near to length 1 is left as it is, so that normalising twice is normalising once."""

_BLOCK = 8192  # rows squared at once in float64, so that a large matrix is not doubled in memory


def normalize_rows(rows: AnyRows) -> Rows:
    """Rows of length 1 in float32; a zero row stays zero.

    Parameters
    ----------
    rows
        (n, d) dense or sparse, any real dtype. Not modified.

    Returns
    -------
    Rows
        (n, d) float32; dense stays dense, sparse becomes CSR with sorted indices.

    Raises
    ------
    EmbeddingError
        If a value is NaN or infinite, or if `rows` is not two-dimensional.

    Notes
    -----
    Norms are taken in float64: the squares of large float32 values would overflow, and a row must
    not depend on the order in which a library adds.

    Examples
    --------
    >>> normalize_rows([[3.0, 4.0], [0.0, 0.0]]).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    if sp.issparse(rows):
        return _normalize_sparse(rows)
    dense = np.asarray(rows)
    if dense.ndim != 2:
        raise EmbeddingError(f"Embeddings should be a table of rows, got an array of shape {dense.shape}.")
    normalized = np.empty(dense.shape, dtype=np.float32)
    for start in range(0, len(dense), _BLOCK):
        block = dense[start : start + _BLOCK].astype(np.float64)
        check_finite(block, first_row=start)
        largest = np.abs(block).max(axis=1, keepdims=True, initial=0.0)
        block /= np.where(largest > 0, largest, 1.0)  # neither overflow nor underflow in the squares
        norms = np.sqrt(np.einsum("ij,ij->i", block, block))[:, None]
        is_unit = np.abs(norms * largest - 1.0) < _UNIT_TOLERANCE
        normalized[start : start + _BLOCK] = np.where(
            is_unit, dense[start : start + _BLOCK], block / np.where(norms > 0, norms, 1.0)
        )
    return normalized


def _normalize_sparse(rows: Any) -> sp.csr_matrix:
    csr = sp.csr_matrix(rows, dtype=np.float64, copy=True)
    csr.sum_duplicates()
    csr.eliminate_zeros()
    owner = row_numbers(csr)
    finite = np.isfinite(csr.data)
    if not finite.all():
        raise EmbeddingError(f"Row {owner[~finite][0]} holds NaN or infinity; an embedding should hold finite numbers.")
    squares = np.bincount(owner, weights=csr.data**2, minlength=csr.shape[0])
    norms = np.sqrt(squares)
    csr.data /= np.where(np.abs(norms - 1.0) < _UNIT_TOLERANCE, 1.0, norms)[owner]
    return sp.csr_matrix((csr.data.astype(np.float32), csr.indices, csr.indptr), shape=csr.shape)


def check_finite(rows: NDArray[Any], *, first_row: int = 0) -> None:
    """Refuse NaN and infinity, naming the first row that holds one.

    Raises
    ------
    EmbeddingError
        If a value of `rows`, (n, d), is not finite.
    """
    if not np.isfinite(rows).all():
        bad = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0]) + first_row
        raise EmbeddingError(f"Row {bad} holds NaN or infinity; an embedding should hold finite numbers.")


def row_numbers(csr: sp.csr_matrix) -> NDArray[np.int64]:
    """Row of every stored value, (nnz,) int64."""
    return np.repeat(np.arange(csr.shape[0], dtype=np.int64), np.diff(csr.indptr))


def zero_rows(rows: Rows) -> NDArray[np.bool_]:
    """Which rows hold nothing, (n,) bool: texts without content, similar to nothing."""
    if isinstance(rows, np.ndarray):
        return np.asarray(~np.any(rows, axis=1))
    return np.asarray(np.diff(rows.indptr) == 0)


def stack_rows(parts: Sequence[Rows]) -> Rows:
    """The parts below one another, (sum of n, d); CSR if any part is."""
    if len(parts) == 1:
        return parts[0]
    if any(sp.issparse(part) for part in parts):
        return sp.csr_matrix(sp.vstack([sp.csr_matrix(part) for part in parts], format="csr"))
    return np.vstack(parts)


def join_columns(parts: Sequence[Rows]) -> Rows:
    """The parts side by side, (n, sum of d); CSR if any part is."""
    if len(parts) == 1:
        return parts[0]
    if any(sp.issparse(part) for part in parts):
        joined = sp.csr_matrix(sp.hstack([sp.csr_matrix(part) for part in parts], format="csr"))
        joined.sort_indices()
        return joined
    return np.hstack(parts)


def freeze_rows(rows: Rows) -> Rows:
    """The same rows, write-protected, because results share them."""
    if isinstance(rows, np.ndarray):
        rows.flags.writeable = False
        return rows
    rows.sort_indices()
    for array in (rows.data, rows.indices, rows.indptr):
        array.flags.writeable = False
    return rows
