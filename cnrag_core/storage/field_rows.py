"""Rows of the table of field embeddings: from a record to its rows, from rows back to vectors.

Enters: a `FieldEmbedding`, or rows as SQLite returns them. Leaves: rows with their checksums, or vectors
that are the ones that were stored. The loops are written for hundreds of thousands of rows at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cnrag_core.embedding.store import AGGREGATE_INDEX, FieldEmbedding
from cnrag_core.errors import EmbeddingError, StorageCorruptError
from cnrag_core.storage.json_text import from_json, to_json
from cnrag_core.storage.lookup import storable
from cnrag_core.storage.vector_codec import checksum, decode_dense, encode_dense

FieldKey: TypeAlias = tuple[str, str, str]
"""(node_id, field, model)"""

FIELD_COLUMNS = "node_id, field, model, chunk_index, dimension, embedding, text_key, metadata, checksum"
AGGREGATE_COLUMNS = "node_id, dimension, embedding, text_key, metadata, checksum"
"""What `decoded_aggregates` and `checked_metadata` need of rows chosen by field, model and ``chunk_index = -1``."""

N_CHUNKS = "num_chunks"
"""Key in an aggregate's metadata that tells how many chunks belong to it: one that is missing is noticed."""


def rows_of_record(record: FieldEmbedding) -> list[tuple[Any, ...]]:
    """Table rows of a record: its chunks, then the aggregate.

    Raises
    ------
    EmbeddingError
        If a part of the key is empty or not a text, a row is not finite, or the text hashes are not one a chunk.
    """
    key = (record.node_id, record.field, record.model)
    if not all(isinstance(part, str) and part and storable(part) == part for part in key):
        raise EmbeddingError(f"{owner_of(*key)}: node, field and model should be texts that are not empty.")
    chunks = np.asarray(record.chunks, dtype="<f4")
    if chunks.ndim != 2 or not np.isfinite(chunks).all():
        raise EmbeddingError(
            f"{owner_of(*key)}: chunk embeddings should be rows of finite numbers, without NaN or infinity."
        )
    if record.text_hashes and len(record.text_hashes) != len(chunks):
        raise EmbeddingError(f"{owner_of(*key)}: {len(record.text_hashes)} text hashes for {len(chunks)} chunks.")
    text_keys: Sequence[bytes | None] = [
        text_key(record.model, record.config_hash, text_hash) for text_hash in record.text_hashes
    ] or [None] * len(chunks)
    size, begun, data = chunks.shape[1], _key_checksum(key), chunks.tobytes()
    width = 4 * size
    rows = [
        _row(key, begun, index, size, data[index * width : (index + 1) * width], text_keys[index], None)
        for index in range(len(chunks))
    ]
    rows.append(aggregate_row(key, record.aggregate, {**record.metadata, N_CHUNKS: len(chunks)}, begun))
    return rows


def aggregate_row(
    key: FieldKey, aggregate: NDArray[np.float32], metadata: Mapping[str, Any], begun: int | None = None
) -> tuple[Any, ...]:
    """The table row of an aggregate; `begun` is the checksum of the key where it is known already."""
    owner = owner_of(*key)
    dimension, blob = encode_dense(aggregate, owner)
    begun = _key_checksum(key) if begun is None else begun
    return _row(key, begun, AGGREGATE_INDEX, dimension, blob, None, to_json(metadata, owner))


def decoded_field_row(row: tuple[Any, ...]) -> NDArray[np.float32]:
    """The vector of a row of `FIELD_COLUMNS`, (d,) float32, write-protected.

    Raises
    ------
    StorageCorruptError
        If it is not the one that was stored.
    """
    node_id, field, model, index, dimension, blob, text_key, metadata, check = row
    intact = isinstance(blob, bytes) and isinstance(dimension, int)
    begun = _key_checksum((node_id, field, model))
    if not intact or _checksum(begun, index, dimension, blob, text_key, metadata) != check:
        raise StorageCorruptError(f"{owner_of(node_id, field, model)}: the stored embedding number {index} is damaged.")
    return decode_dense(blob, dimension, node_id)


def decoded_aggregates(rows: Iterable[tuple[Any, ...]], field: str, model: str) -> dict[str, NDArray[np.float32]]:
    """The vectors of rows of `AGGREGATE_COLUMNS` by node id, each (d,) float32, write-protected.

    Raises
    ------
    StorageCorruptError
        If one of them is not the one that was stored.
    """
    found = {}
    for row in rows:
        _check_aggregate(row, field, model)
        found[row[0]] = decode_dense(row[2], row[1], row[0])
    return found


def checked_metadata(rows: Iterable[tuple[Any, ...]], field: str, model: str) -> dict[str, dict[str, Any]]:
    """The metadata of rows of `AGGREGATE_COLUMNS` by node id; raises as `decoded_aggregates`."""
    found = {}
    for row in rows:
        _check_aggregate(row, field, model)
        found[row[0]] = from_json(row[4], owner_of(row[0], field, model))
    return found


def check_chunks(key: FieldKey, indices: Sequence[int], metadata: Mapping[str, Any]) -> None:
    """Refuse chunk rows that are not 0, 1, ..., as many as the aggregate's metadata says; none at all were purged.

    Raises
    ------
    StorageCorruptError
        If one is missing.
    """
    wanted = metadata.get(N_CHUNKS, len(indices)) if indices else 0
    if wanted != len(indices) or list(indices) != list(range(len(indices))):
        raise StorageCorruptError(f"{owner_of(*key)}: a chunk embedding is missing.")


def _check_aggregate(row: tuple[Any, ...], field: str, model: str) -> None:
    node_id, dimension, blob, text_key, metadata, check = row
    columns = f"{node_id}\0{field}\0{model}\0-1\0{dimension}\0{text_key!r}\0{metadata}"
    if type(blob) is not bytes or type(dimension) is not int or checksum(columns, blob) != check:
        raise StorageCorruptError(f"{owner_of(node_id, field, model)}: the stored aggregate is damaged.")


def text_key(model: str, config_hash: str, text_hash: str) -> bytes:
    """SHA-256 under which a chunk's text is known."""
    return hashlib.sha256("\0".join((model, config_hash, text_hash)).encode("utf-8", "replace")).digest()


def owner_of(node_id: str, field: str, model: str) -> str:
    """How messages name an embedding."""
    return f"Node {node_id!r}, field {field!r}, model {model!r}"


def _row(
    key: FieldKey, begun: int, index: int, dimension: int, blob: bytes, text_key: bytes | None, metadata: str | None
) -> tuple[Any, ...]:
    check = _checksum(begun, index, dimension, blob, text_key, metadata)
    return (*key, index, dimension, blob, text_key, metadata, check)


def _key_checksum(key: FieldKey) -> int:
    """The checksum of the first columns, which all rows of a field share."""
    return checksum("\0".join(map(str, key)))


def _checksum(begun: int, index: int, dimension: int, blob: bytes, text_key: bytes | None, metadata: str | None) -> int:
    return checksum(f"\0{index}\0{dimension}\0{text_key!r}\0{metadata}", blob, begun)
