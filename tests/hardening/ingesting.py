"""An ingest that can be killed, starved of space and resumed: what is stored, and how it is told whether it is whole.

Run as ``python -m tests.hardening.ingesting`` it forks an ingest for every line of its standard input,
``<database> <first batch>``, so that a killed one costs no start of Python. It answers ``ready <pid>``,
one line a batch that is stored, and ``ended``.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from cnrag_core.embedding.store import FieldEmbedding
from cnrag_core.storage.sqlite_embedding_store import SQLiteEmbeddingStore
from cnrag_core.storage.sqlite_storage import SQLiteStorage

BATCH = 20
N_CHUNKS = 3
DIMENSION = 32
FIELD, MODEL = "body", "model"


def batch_nodes(batch: int) -> list[tuple[str, str, dict[str, object]]]:
    """The documents of a batch, the same in every run."""
    return [
        (f"{batch:06d}-{number:02d}", f"document {number} of batch {batch} " * 12, {"batch": batch, "number": number})
        for number in range(BATCH)
    ]


def batch_records(batch: int) -> list[FieldEmbedding]:
    """Their chunks and aggregates."""
    rng = np.random.default_rng(batch)
    records = []
    for node_id, _, _ in batch_nodes(batch):
        chunks = rng.normal(size=(N_CHUNKS, DIMENSION)).astype(np.float32)
        records.append(FieldEmbedding(node_id, FIELD, MODEL, chunks, chunks.mean(axis=0), {"num_chunks": N_CHUNKS}))
    return records


def ingest(
    storage: SQLiteStorage, store: SQLiteEmbeddingStore, batches: Iterator[int] | range, stored: Callable[[int], None]
) -> None:
    """Store batches, each as two transactions, and acknowledge it when both are done."""
    for batch in batches:
        storage.save_nodes(batch_nodes(batch))
        store.save_many(batch_records(batch))
        stored(batch)


def expected_digests(n_batches: int) -> set[str]:
    """SHA-256 of every document that a whole ingest has stored."""
    nodes = [node for batch in range(n_batches) for node in batch_nodes(batch)]
    return {_digest(*node) for node in nodes}


def stored_digests(storage: SQLiteStorage) -> set[str]:
    """SHA-256 of every document that is stored."""
    return {_digest(node["id"], node["content"], node["metadata"]) for node in storage.search_nodes()}


def _digest(node_id: str, content: str, metadata: object) -> str:
    return hashlib.sha256(repr((node_id, content, metadata)).encode()).hexdigest()


class Inventory:
    """What a database holds, seen through SQLite alone.

    Attributes
    ----------
    integrity
        What ``PRAGMA integrity_check`` says.
    whole, partial
        Batches with all of their documents, and with some.
    embedded
        Batches with the embeddings of all of their documents.
    ragged
        Documents with embeddings that are not chunks 0..n-1 and exactly one aggregate.
    """

    def __init__(self, path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            self.integrity = connection.execute("PRAGMA integrity_check").fetchone()[0]
            sizes = dict(connection.execute("SELECT substr(id, 1, 6), count(*) FROM nodes GROUP BY 1"))
            fields = connection.execute(
                "SELECT node_id, group_concat(chunk_index) FROM "
                "(SELECT node_id, chunk_index FROM field_embeddings ORDER BY node_id, chunk_index) GROUP BY node_id"
            ).fetchall()
        wanted = ",".join(map(str, range(-1, N_CHUNKS)))
        self.whole = {int(batch) for batch, n in sizes.items() if n == BATCH}
        self.partial = {int(batch) for batch, n in sizes.items() if n != BATCH}
        self.ragged = {node_id for node_id, indices in fields if indices != wanted}
        counts: dict[int, int] = {}
        for node_id, _ in fields:
            counts[int(node_id[:6])] = counts.get(int(node_id[:6]), 0) + 1
        self.embedded = {batch for batch, n in counts.items() if n == BATCH}
        self.partial |= {batch for batch, n in counts.items() if n != BATCH}

    @property
    def n_documents(self) -> int:
        return BATCH * len(self.whole)


def main() -> None:
    """Fork an ingest for each line of standard input."""
    for line in sys.stdin:
        path, first = line.split()
        pid = os.fork()
        if pid == 0:
            os.write(1, f"ready {os.getpid()}\n".encode())
            with SQLiteStorage(path) as storage, SQLiteEmbeddingStore(path) as store:
                ingest(storage, store, range(int(first), 999_999), lambda batch: _say(str(batch)))
            os._exit(0)
        os.waitpid(pid, 0)
        _say("ended")


def _say(text: str) -> None:
    os.write(1, f"{text}\n".encode())  # one write: a line is there whole, or not at all


if __name__ == "__main__":
    main()
