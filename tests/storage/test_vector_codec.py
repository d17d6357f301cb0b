"""Vectors survive the way into a blob and back; damage does not."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cnrag_core.errors import EmbeddingError, StorageCorruptError
from cnrag_core.storage.vector_codec import checksum, decode_dense, decode_vector, encode_dense, encode_vector

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(arrays(np.float32, st.integers(1, 20), elements=FLOATS))
def test_dense_vectors_round_trip_exactly(vector: np.ndarray) -> None:
    dimension, blob = encode_dense(vector, "x")
    assert len(blob) == 4 * dimension
    np.testing.assert_array_equal(decode_dense(blob, dimension, "x"), vector)


@given(arrays(np.float32, st.tuples(st.just(1), st.integers(1, 20)), elements=FLOATS))
def test_sparse_rows_round_trip_exactly(row: np.ndarray) -> None:
    encoding, dimension, blob = encode_vector(sp.csr_matrix(row), "x")
    decoded = decode_vector(encoding, dimension, blob, "x")
    assert decoded.shape == row.shape
    np.testing.assert_array_equal(decoded.toarray(), row)


def test_blobs_are_little_endian_float32() -> None:
    assert encode_dense([1.0], "x") == (1, b"\x00\x00\x80\x3f")


def test_decoded_vectors_are_write_protected() -> None:
    with pytest.raises(ValueError, match="read-only"):
        decode_dense(b"\0" * 8, 2, "x")[0] = 1


@pytest.mark.parametrize("bad", [[np.nan, 1], [np.inf], [1e300], [], [[1.0]], "text", [[1.0], [1.0, 2.0]]])
def test_what_is_no_vector_is_refused_with_its_owner(bad) -> None:
    with pytest.raises(EmbeddingError, match=r"^Node 'a'"):
        encode_dense(bad, "Node 'a'")


@pytest.mark.parametrize("bad", [sp.csr_matrix((2, 3)), sp.csr_matrix([[np.nan]]), sp.csr_matrix((1, 0))])
def test_what_is_no_sparse_row_is_refused(bad) -> None:
    with pytest.raises(EmbeddingError, match=r"^Node 'a'"):
        encode_vector(bad, "Node 'a'")


@pytest.mark.parametrize(
    ("encoding", "dimension", "blob"),
    [
        ("dense", 2, b"\0" * 4),
        ("dense", 0, b""),
        ("dense", -1, b""),
        ("sparse", 4, b"\0" * 7),
        ("sparse", 1, b"\x05\0\0\0" + b"\0" * 4),
        ("sparse", 4, b"\xff\xff\xff\xff" + b"\0" * 4),
        ("sparse", 4, (b"\x01\0\0\0" + b"\0" * 4) * 2),
        ("strange", 1, b"\0" * 4),
    ],
)
def test_damaged_blobs_are_refused(encoding: str, dimension: int, blob: bytes) -> None:
    with pytest.raises(StorageCorruptError, match=r"^Node 'a'"):
        decode_vector(encoding, dimension, blob, "Node 'a'")


def test_checksum_tells_columns_and_blobs_apart() -> None:
    sums = [checksum("a"), checksum("b"), checksum("a", b"x"), checksum("a", b"y"), checksum("\ud800")]
    assert len(set(sums)) == len(sums)
