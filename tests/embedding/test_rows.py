"""Normalising, joining and protecting rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cnrag_core.embedding.rows import freeze_rows, join_columns, normalize_rows, stack_rows, zero_rows
from cnrag_core.errors import EmbeddingError


@given(arrays(np.float32, (4, 3), elements=st.floats(width=32, allow_nan=False, allow_infinity=False)))
def test_rows_have_length_one_or_zero(rows: np.ndarray) -> None:
    lengths = np.linalg.norm(normalize_rows(rows).astype(np.float64), axis=1)
    expected = np.any(rows, axis=1).astype(float)
    np.testing.assert_allclose(lengths, expected, atol=1e-6)


@given(arrays(np.float32, (4, 3), elements=st.floats(-100, 100, width=32).map(lambda x: np.float32(round(x, 2)))))
def test_sparse_rows_equal_dense_rows(rows: np.ndarray) -> None:
    sparse = normalize_rows(sp.csr_matrix(rows))
    assert sparse.dtype == np.float32
    np.testing.assert_allclose(sparse.toarray(), normalize_rows(rows), atol=1e-7)


def test_normalizing_does_not_change_its_input() -> None:
    dense, sparse = np.array([[3.0, 4.0]]), sp.csr_matrix([[3.0, 4.0]])
    normalize_rows(dense)
    normalize_rows(sparse)
    assert dense.tolist() == [[3.0, 4.0]]
    assert sparse.toarray().tolist() == [[3.0, 4.0]]


def test_values_beyond_float32_are_normalised_before_they_are_cast() -> None:
    assert normalize_rows(np.array([[1e200, 0.0], [1e-200, 0.0]])).tolist() == [[1.0, 0.0], [1.0, 0.0]]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("container", [np.array, sp.csr_matrix])
def test_nan_and_infinity_are_refused_with_their_row(container, bad: float) -> None:
    with pytest.raises(EmbeddingError, match=r"Row 1 holds NaN or infinity"):
        normalize_rows(container([[1.0, 0.0], [bad, 1.0]]))


def test_a_flat_vector_is_refused() -> None:
    with pytest.raises(EmbeddingError, match="table of rows"):
        normalize_rows(np.ones(3))


@pytest.mark.parametrize("container", [lambda x: np.array(x, np.float32), sp.csr_matrix])
def test_zero_rows_are_found(container) -> None:
    assert zero_rows(container([[0.0, 0.0], [0.0, 1.0]])).tolist() == [True, False]


def test_dense_and_sparse_parts_stack_and_join() -> None:
    dense, sparse = np.array([[1.0, 2.0]], np.float32), sp.csr_matrix(np.array([[3.0, 0.0]], np.float32))
    assert stack_rows([dense, sparse]).toarray().tolist() == [[1, 2], [3, 0]]
    assert join_columns([dense, sparse]).toarray().tolist() == [[1, 2, 3, 0]]
    assert stack_rows([dense, dense]).tolist() == [[1, 2], [1, 2]]
    assert join_columns([dense, dense]).tolist() == [[1, 2, 1, 2]]


def test_frozen_rows_refuse_writes_and_still_multiply() -> None:
    rows = freeze_rows(normalize_rows(sp.csr_matrix([[3.0, 4.0], [0.0, 1.0]])))
    with pytest.raises(ValueError, match="read-only"):
        rows.data[0] = 2.0
    np.testing.assert_allclose((rows @ rows.T).toarray(), [[1, 0.8], [0.8, 1]], atol=1e-6)
    with pytest.raises(ValueError, match="read-only"):
        freeze_rows(np.ones((1, 2), np.float32))[0, 0] = 2.0
