"""Vectors as bytes: float32 little-endian, whole or as index/value pairs.

Enters: a vector. Leaves: a blob, and back. Four bytes a dimension; what cannot be a vector is
refused on the way in, and what is not the vector that was stored on the way out.
"""

from __future__ import annotations

import sys
import zlib
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from cnrag_core.errors import EmbeddingError, StorageCorruptError

DENSE, SPARSE = "dense", "sparse"
_FLOAT = np.dtype("<f4")
_PAIR = np.dtype([("index", "<i4"), ("value", "<f4")])


def encode_dense(vector: ArrayLike, owner: str) -> tuple[int, bytes]:
    """Dimension and blob of a vector.

    Raises
    ------
    EmbeddingError
        If it is empty, not one-dimensional, or holds NaN, infinity or more than float32 can; the
        message begins with `owner`.
    """
    try:
        with np.errstate(over="ignore"):
            values = np.asarray(vector, dtype="<f4")
    except (TypeError, ValueError):
        raise EmbeddingError(f"{owner}: an embedding should be a list of numbers.") from None
    if values.ndim != 1 or values.size == 0:
        raise EmbeddingError(f"{owner}: an embedding should be one vector, got an array of shape {values.shape}.")
    if not np.isfinite(values).all():
        raise EmbeddingError(f"{owner}: an embedding should hold finite numbers, found NaN or infinity.")
    return values.size, values.tobytes()


def decode_dense(blob: bytes, dimension: int, owner: str) -> NDArray[np.float32]:
    """The vector of a blob whose checksum is right, (dimension,) float32, write-protected.

    Values are not looked at: none that is not finite gets past `encode_dense` and the checksum.

    Raises
    ------
    StorageCorruptError
        If the blob has not 4 bytes a dimension.
    """
    if len(blob) != 4 * dimension or dimension < 1:
        raise StorageCorruptError(f"{owner}: {len(blob)} bytes were stored for a vector of {dimension} numbers.")
    values: NDArray[np.float32] = np.frombuffer(blob, dtype=_FLOAT)
    if sys.byteorder == "big":
        values = values.astype(np.float32)
        values.flags.writeable = False
    return values


def encode_vector(vector: Any, owner: str) -> tuple[str, int, bytes]:
    """Encoding, dimension and blob of a dense vector or of one sparse row; raises as `encode_dense`."""
    if not sp.issparse(vector):
        return DENSE, *encode_dense(vector, owner)
    if 1 not in vector.shape or len(vector.shape) != 2 or vector.shape[1] < 1:
        raise EmbeddingError(f"{owner}: an embedding should be one row, got a matrix of shape {vector.shape}.")
    row = sp.csr_matrix(vector, dtype=np.float32, copy=True)
    row.sum_duplicates()
    if row.shape[0] != 1:
        raise EmbeddingError(f"{owner}: an embedding should be one row, got a matrix of shape {vector.shape}.")
    if not np.isfinite(row.data).all():
        raise EmbeddingError(f"{owner}: an embedding should hold finite numbers, found NaN or infinity.")
    pairs = np.empty(row.nnz, dtype=_PAIR)
    pairs["index"], pairs["value"] = row.indices, row.data
    return SPARSE, int(row.shape[1]), pairs.tobytes()


def decode_vector(encoding: str, dimension: int, blob: bytes, owner: str) -> NDArray[np.float32] | sp.csr_matrix:
    """A dense (d,) vector or a sparse (1, d) row, as it was stored; raises as `decode_dense`."""
    if encoding == DENSE:
        return decode_dense(blob, dimension, owner)
    if encoding != SPARSE or len(blob) % _PAIR.itemsize or dimension < 1:
        raise StorageCorruptError(f"{owner}: {len(blob)} bytes in the unknown form {encoding!r} were stored.")
    pairs = np.frombuffer(blob, dtype=_PAIR)
    indices, values = pairs["index"].astype(np.int32), pairs["value"].astype(np.float32)
    is_ascending = bool((np.diff(indices) > 0).all())
    if not is_ascending or (indices.size and (indices[0] < 0 or indices[-1] >= dimension)):
        raise StorageCorruptError(f"{owner}: the stored row names columns outside 0 to {dimension - 1}.")
    return sp.csr_matrix((values, indices, np.array([0, len(indices)])), shape=(1, dimension))


def checksum(columns: str, blob: bytes = b"", begun: int = 0) -> int:
    """CRC-32 over the columns of a row, so that a flipped bit is noticed when it is read.

    `begun` is the checksum of columns before these.
    """
    return zlib.crc32(blob, zlib.crc32(columns.encode("utf-8", "backslashreplace"), begun))
