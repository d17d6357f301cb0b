"""Chunk embeddings and their aggregates in SQLite.

Enters: the rows of a field's chunks and their aggregate. Leaves: either, any time, and other
aggregates of the same chunks without embedding again. Guide 003, "SQLiteEmbeddingStore".

Rows 0, 1, ... of a field are its chunks in order; row -1 is the aggregate, the one that is compared.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cnrag_core.embedding.aggregation import EmbeddingAggregator, check_method
from cnrag_core.embedding.store import AGGREGATE_INDEX, FieldEmbedding
from cnrag_core.embedding.weighting import DecayFrom
from cnrag_core.errors import EmbeddingError, UnknownNameError
from cnrag_core.storage.connection import Database
from cnrag_core.storage.field_rows import (
    AGGREGATE_COLUMNS,
    FIELD_COLUMNS,
    FieldKey,
    aggregate_row,
    check_chunks,
    checked_metadata,
    decoded_aggregates,
    decoded_field_row,
    owner_of,
    rows_of_record,
    text_key,
)
from cnrag_core.storage.json_text import from_json
from cnrag_core.storage.lookup import BATCH, lookup_key, matching_rows
from cnrag_core.storage.lru import CacheInfo, LRUCache

CACHE_SIZE = 1000
_INSERT = f"INSERT INTO field_embeddings ({FIELD_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_REPLACE = _INSERT.replace("INSERT", "INSERT OR REPLACE", 1)
_OF_FIELD = "node_id = ? AND field = ? AND model = ?"


class SQLiteEmbeddingStore:
    """Embeddings by node, field and model; chunks and aggregate together.

    Every write is a transaction: all rows of it are kept, or none. Usable from any number of threads
    and processes. The last used aggregates stay in memory.

    Parameters
    ----------
    path
        Database file, created if absent, and which may be the one of a `SQLiteStorage`;
        ``:memory:`` keeps everything in memory.
    cache_size
        Aggregates to keep in memory.

    Raises
    ------
    StorageCorruptError
        If the file is damaged or was not written by cnrag.

    Examples
    --------
    >>> store = SQLiteEmbeddingStore()
    >>> chunks = [[0.5, 0.2, 0.8], [0.6, 0.1, 0.7], [0.4, 0.3, 0.6]]
    >>> store.save_chunked_embeddings("doc1", "body", "toy", chunks, [0.5, 0.2, 0.7], {"aggregation": "mean"})
    >>> store.re_aggregate("doc1", "body", "toy", aggregation_method="max_pool").round(1).tolist()
    [0.6000000238418579, 0.30000001192092896, 0.800000011920929]
    >>> store.get_metadata("doc1", "body", "toy")["aggregation"]
    'max_pool'
    """

    def __init__(self, path: str | Path = ":memory:", *, cache_size: int = CACHE_SIZE) -> None:
        self.database = Database(path)
        self._cache: LRUCache[FieldKey, NDArray[np.float32]] = LRUCache(cache_size)
        self._seen = threading.local()

    def __enter__(self) -> SQLiteEmbeddingStore:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; the store cannot be used afterwards."""
        self.database.close()

    # Writing.

    def save_chunked_embeddings(
        self,
        node_id: str,
        field: str,
        model: str,
        chunk_embeddings: Sequence[ArrayLike] | NDArray[Any],
        aggregated_embedding: ArrayLike,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        """Keep the chunks of a field and their aggregate, replacing what was there.

        Raises
        ------
        EmbeddingError
            If a vector is not finite, or the chunks differ in length; the message names node, field
            and model, and nothing is stored.
        """
        chunks = [np.asarray(chunk, dtype=np.float32) for chunk in chunk_embeddings]
        aggregate = np.asarray(aggregated_embedding, dtype=np.float32)
        if len({chunk.shape for chunk in chunks}) > 1 or any(chunk.ndim != 1 for chunk in chunks):
            raise EmbeddingError(
                f"{owner_of(node_id, field, model)}: chunk embeddings should be vectors of one length."
            )
        stacked = np.vstack(chunks) if chunks else np.empty((0, aggregate.size), dtype=np.float32)
        self.save_many([FieldEmbedding(node_id, field, model, stacked, aggregate, dict(metadata or {}))])

    def save_many(self, records: Iterable[FieldEmbedding]) -> None:
        """Keep many fields in one transaction: all of them, or none; raises as `save_chunked_embeddings`."""
        with self.database.transaction() as connection:
            for some in _batches(records, BATCH):
                rows = {(record.node_id, record.field, record.model): rows_of_record(record) for record in some}
                connection.executemany(f"DELETE FROM field_embeddings WHERE {_OF_FIELD}", rows)
                connection.executemany(_INSERT, chain.from_iterable(rows.values()))
        self._cache.discard()

    def re_aggregate(
        self,
        node_id: str,
        field: str,
        model: str,
        aggregation_method: str = "mean",
        weights: Sequence[float] | None = None,
        *,
        decay_from: DecayFrom = "first",
    ) -> NDArray[np.float32]:
        """Combine the stored chunks anew; the result replaces the aggregate and its metadata.

        Raises
        ------
        UnknownNameError
            If there are no chunks: nothing was stored, or they were purged.
        ConfigError
            If the method is unknown or the weights do not fit; the old aggregate stays.
        """
        key = (node_id, field, model)
        method = check_method(aggregation_method)
        with self.database.transaction() as connection:
            chunks = self.load_chunk_embeddings(*key)
            if not chunks:
                raise UnknownNameError(f"{owner_of(*key)}: there are no chunk embeddings to aggregate again.")
            aggregate = EmbeddingAggregator().aggregate(chunks, method, weights, decay_from=decay_from)
            metadata = {**(self.get_metadata(*key) or {}), "aggregation": method, "num_chunks": len(chunks)}
            metadata.pop("weights", None)
            metadata["decay_from"] = decay_from
            if weights is not None:
                metadata["weights"] = [float(weight) for weight in weights]
            connection.execute(f"DELETE FROM field_embeddings WHERE {_OF_FIELD} AND chunk_index = -1", key)
            connection.execute(_INSERT, aggregate_row(key, aggregate, metadata))
        self._cache.discard()
        aggregate.flags.writeable = False
        return aggregate

    def purge_chunks(self, node_id: str | None = None, field: str | None = None, model: str | None = None) -> int:
        """Drop chunk rows where there is an aggregate, and return how many; all, or of a node, field or model.

        Re-aggregation needs chunks, and a text whose chunks were dropped is embedded again when needed.
        """
        wanted = {"node_id": node_id, "field": field, "model": model}
        given = {name: value for name, value in wanted.items() if value is not None}
        conditions = "".join(f" AND chunks.{name} = ?" for name in given)
        statement = (
            "DELETE FROM field_embeddings AS chunks WHERE chunk_index >= 0 AND EXISTS (SELECT 1 FROM field_embeddings "
            "AS whole WHERE whole.node_id = chunks.node_id AND whole.field = chunks.field "
            f"AND whole.model = chunks.model AND whole.chunk_index = -1){conditions}"
        )
        with self.database.transaction() as connection:
            return connection.execute(statement, list(given.values())).rowcount

    def delete_node(self, node_id: str) -> bool:
        """Remove all embeddings of a node; whether there were any."""
        with self.database.transaction() as connection:
            n_rows = connection.execute(
                "DELETE FROM field_embeddings WHERE node_id = ?", (lookup_key(node_id),)
            ).rowcount
        self._cache.discard()
        return n_rows > 0

    # Reading.

    def load_field_embedding(self, node_id: str, field: str, model: str) -> NDArray[np.float32] | None:
        """The aggregate of a field, (d,) float32, write-protected; None where nothing is stored.

        From memory where it was used lately. A missing aggregate is rebuilt as the mean of the chunks.
        """
        return self.load_field_embeddings([node_id], field, model).get(node_id)

    def load_field_embeddings(self, node_ids: Sequence[str], field: str, model: str) -> dict[str, NDArray[np.float32]]:
        """Aggregates of many nodes in few statements, in the order of the ids; nodes without one are left out."""
        self._forget_what_others_changed()
        cached = self._cache.get_many([(node_id, field, model) for node_id in dict.fromkeys(node_ids)])
        found = {key[0]: vector for key, vector in cached.items() if vector is not None}
        absent = [key[0] for key, vector in cached.items() if vector is None]
        if absent:
            generation = self._cache.generation
            read = self._read_aggregates(absent, field, model)
            self._cache.put_many({(node_id, field, model): vector for node_id, vector in read.items()}, generation)
            found.update(read)
        return {node_id: found[node_id] for node_id in node_ids if node_id in found}

    def load_chunk_embeddings(self, node_id: str, field: str, model: str) -> list[NDArray[np.float32]]:
        """The chunks of a field in order, each (d,) float32, write-protected; empty where there are none.

        Raises
        ------
        StorageCorruptError
            If a chunk is missing or damaged.
        """
        key = (node_id, field, model)
        statement = f"SELECT {FIELD_COLUMNS} FROM field_embeddings WHERE {_OF_FIELD} ORDER BY chunk_index"
        with self.database.snapshot() as connection:
            rows = connection.execute(statement, _parameters(key)).fetchall()
        vectors = [decoded_field_row(row) for row in rows]
        n_aggregates = int(bool(rows) and rows[0][3] == AGGREGATE_INDEX)
        metadata = from_json(rows[0][7], owner_of(*key)) if n_aggregates else {}
        check_chunks(key, [row[3] for row in rows[n_aggregates:]], metadata)
        return vectors[n_aggregates:]

    def load_text_embeddings(
        self, model: str, config_hash: str, text_hashes: Sequence[str]
    ) -> dict[str, NDArray[np.float32]]:
        """Rows of chunk texts known under this model and configuration, by text hash, whichever node had them."""
        hash_of = {text_key(model, config_hash, text_hash): text_hash for text_hash in text_hashes}
        statement = f"SELECT {FIELD_COLUMNS} FROM field_embeddings WHERE text_key IN"
        found: dict[str, NDArray[np.float32]] = {}
        with self.database.snapshot() as connection:
            for row in matching_rows(connection, statement, list(hash_of)):
                text_hash = hash_of[row[6]]
                if text_hash not in found:
                    found[text_hash] = decoded_field_row(row)
        return found

    def get_metadata(self, node_id: str, field: str, model: str) -> dict[str, Any] | None:
        """What was said of a field's embedding when it was saved: aggregation, chunking, num_chunks; or None."""
        return self.load_metadata([node_id], field, model).get(node_id)

    def load_metadata(self, node_ids: Sequence[str], field: str, model: str) -> dict[str, dict[str, Any]]:
        """Metadata of many nodes, by node id; nodes without an embedding are left out."""
        return checked_metadata(self._aggregate_rows(node_ids, field, model), field, model)

    def get_node_fields(self, node_id: str, model: str | None = None) -> list[str]:
        """Fields of a node that have an embedding, by any model or by one, sorted."""
        with self.database.snapshot() as connection:
            rows = connection.execute(
                "SELECT DISTINCT field FROM field_embeddings WHERE node_id = ? AND (? IS NULL OR model = ?) ORDER BY 1",
                (lookup_key(node_id), model, model),
            )
            return [row[0] for row in rows]

    def has_embedding(self, node_id: str, field: str, model: str) -> bool:
        """Whether a field has an embedding by a model."""
        statement = f"SELECT 1 FROM field_embeddings WHERE {_OF_FIELD} LIMIT 1"
        with self.database.snapshot() as connection:
            return connection.execute(statement, _parameters((node_id, field, model))).fetchone() is not None

    def cache_info(self) -> CacheInfo:
        """Entries in memory, and how often they helped."""
        return self._cache.info()

    def _read_aggregates(self, node_ids: Sequence[str], field: str, model: str) -> dict[str, NDArray[np.float32]]:
        """Aggregates from the database; those that are missing are rebuilt and stored."""
        found = decoded_aggregates(self._aggregate_rows(node_ids, field, model), field, model)
        for node_id in node_ids:
            if node_id not in found and (vector := self._rebuilt(node_id, field, model)) is not None:
                found[node_id] = vector
        return found

    def _aggregate_rows(self, node_ids: Sequence[str], field: str, model: str) -> list[tuple[Any, ...]]:
        """Rows of `AGGREGATE_COLUMNS`."""
        statement = (
            f"SELECT {AGGREGATE_COLUMNS} FROM field_embeddings "
            "WHERE field = ? AND model = ? AND chunk_index = -1 AND node_id IN"
        )
        with self.database.snapshot() as connection:
            return list(matching_rows(connection, statement, node_ids, field, model))

    def _rebuilt(self, node_id: str, field: str, model: str) -> NDArray[np.float32] | None:
        """The mean of the chunks, stored as the aggregate that is missing; None without chunks."""
        key = (node_id, field, model)
        if not self.has_embedding(*key):
            return None
        with self.database.transaction() as connection:
            chunks = self.load_chunk_embeddings(*key)
            if not chunks:
                return None
            aggregate = EmbeddingAggregator().aggregate(chunks, "mean")
            metadata = {"aggregation": "mean", "num_chunks": len(chunks), "rebuilt": True}
            connection.execute(_REPLACE, aggregate_row(key, aggregate, metadata))
        aggregate.flags.writeable = False
        return aggregate

    def _forget_what_others_changed(self) -> None:
        """Empty the cache when another connection has written since this thread last looked.

        SQLite counts for each connection what others have written; a connection that looks for the
        first time cannot know, so it begins with an empty cache.
        """
        with self.database.snapshot() as connection:
            version = (id(connection), connection.execute("PRAGMA data_version").fetchone()[0])
        if version != getattr(self._seen, "version", None):
            self._seen.version = version
            self._cache.discard()


def _batches(records: Iterable[FieldEmbedding], size: int) -> Iterator[list[FieldEmbedding]]:
    remaining = iter(records)
    while some := list(islice(remaining, size)):
        yield some


def _parameters(key: FieldKey) -> tuple[Any, ...]:
    return tuple(map(lookup_key, key))
