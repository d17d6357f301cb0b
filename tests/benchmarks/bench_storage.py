"""The embedding store beside a plain loop of blobs in SQLite: ratios of one run.

    python tests/benchmarks/bench_storage.py [n_documents]

Both write four chunks of 384 numbers and their aggregate for each document in one transaction, and
then read all aggregates. The store also checks what it writes and reads.
"""

from __future__ import annotations

import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cnrag_core.embedding.store import FieldEmbedding
from cnrag_core.storage.sqlite_embedding_store import SQLiteEmbeddingStore

N_CHUNKS, DIMENSION, MODEL = 4, 384, "all-MiniLM-L6-v2"
METADATA = {"aggregation": "mean", "num_chunks": N_CHUNKS}


def embeddings(n_documents: int) -> Iterator[tuple[str, NDArray[np.float32], NDArray[np.float32]]]:
    """Id, chunk rows and aggregate of each document; the rows repeat so that making them costs nothing."""
    pool = np.random.default_rng(0).normal(size=(500, N_CHUNKS, DIMENSION)).astype(np.float32)
    means = pool.mean(axis=1)
    for number in range(n_documents):
        yield f"doc{number:06d}", pool[number % 500], means[number % 500]


def plain(path: Path, n_documents: int) -> tuple[float, float]:
    """Seconds of CPU to write and to read with nothing but SQLite."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute(
        "CREATE TABLE rows (node_id TEXT, field TEXT, model TEXT, chunk_index INTEGER, embedding BLOB, "
        "PRIMARY KEY (node_id, field, model, chunk_index))"
    )

    def rows() -> Iterator[tuple[str, str, str, int, bytes]]:
        for node_id, chunks, aggregate in embeddings(n_documents):
            for index, chunk in enumerate(chunks):
                yield node_id, "body", MODEL, index, chunk.tobytes()
            yield node_id, "body", MODEL, -1, aggregate.tobytes()

    def write() -> None:
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?)", rows())
        connection.execute("COMMIT")

    def read() -> None:
        found = connection.execute("SELECT node_id, embedding FROM rows WHERE chunk_index = -1")
        assert len({node_id: np.frombuffer(blob, np.float32) for node_id, blob in found}) == n_documents

    seconds = cpu(write), cpu(read)
    connection.close()
    return seconds


def store(path: Path, n_documents: int) -> tuple[float, float]:
    """Seconds of CPU to write and to read with the store."""
    node_ids = [f"doc{number:06d}" for number in range(n_documents)]
    with SQLiteEmbeddingStore(path) as opened:
        records = (FieldEmbedding(name, "body", MODEL, *rows, METADATA) for name, *rows in embeddings(n_documents))
        written = cpu(lambda: opened.save_many(records))
        after_writing = peak_mb()
        read = cpu(lambda: opened.load_field_embeddings(node_ids, "body", MODEL))
    print(f"peak memory after writing {after_writing:.0f} MB, after reading {peak_mb():.0f} MB")
    return written, read


def peak_mb() -> float:
    """Largest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    n_documents = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    print(f"memory before: {peak_mb():.0f} MB")
    with tempfile.TemporaryDirectory() as folder:
        plain(Path(folder, "warm.db"), n_documents)  # whoever reads first pays for the memory that both use
    ratios = []
    for run in range(4):
        with tempfile.TemporaryDirectory() as folder:
            if run % 2:
                theirs, ours = plain(Path(folder, "plain.db"), n_documents), store(Path(folder, "ours.db"), n_documents)
            else:
                ours, theirs = store(Path(folder, "ours.db"), n_documents), plain(Path(folder, "plain.db"), n_documents)
        ratios.append((ours[0] / theirs[0], ours[1] / theirs[1]))
        print(
            f"run {run}: {n_documents} documents, write {ours[0]:.2f} s / {theirs[0]:.2f} s = "
            f"{ratios[-1][0]:.2f} x, read {ours[1]:.2f} s / {theirs[1]:.2f} s = {ratios[-1][1]:.2f} x"
        )
    write, read = np.median(np.array(ratios), axis=0)
    print(f"median: write {write:.2f} x, read {read:.2f} x")


if __name__ == "__main__":
    main()
