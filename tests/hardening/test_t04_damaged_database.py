"""A damaged database answers right or says that it is damaged; it never answers with something else."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cnrag_core.embedding.provider import EmbeddingProvider
from cnrag_core.errors import CNRagError, StorageCorruptError, StorageError
from cnrag_core.rag import NetworkRAG
from cnrag_core.storage.check import check_database
from cnrag_core.storage.sqlite_embedding_store import SQLiteEmbeddingStore
from cnrag_core.storage.sqlite_storage import SQLiteStorage
from tests.hardening.campaign import count, random_of, report

N_NODES, N_CHUNKS, DIMENSION, PAGE = 80, 3, 24, 4096


class Letters(EmbeddingProvider):
    """How often each letter occurs: small, and the same everywhere."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = [[text.count(chr(97 + place)) for place in range(DIMENSION)] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), DIMENSION)

    def get_dimension(self) -> int:
        return DIMENSION

    def get_model_name(self) -> str:
        return "letters"

    def get_model_config(self) -> dict[str, Any]:
        return {}


def text(number: int) -> str:
    return f"{'abcdefghijklmnop'[number % 16] * 9} document {number} tells of the sea " * 6


def chunks(number: int) -> NDArray[np.float32]:
    return np.random.default_rng(number).normal(size=(N_CHUNKS, DIMENSION)).astype(np.float32)


def network_of(path: Path) -> NetworkRAG:
    rag = NetworkRAG(path, Letters(), min_similarity=0.5, embedding_store=SQLiteEmbeddingStore(path))
    rag.build_network()
    return rag


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("t4") / "sound.db"
    with SQLiteStorage(path) as storage, SQLiteEmbeddingStore(path) as store:
        storage.save_nodes((f"n{number:02d}", text(number), {"number": number}) for number in range(N_NODES))
        for number in range(N_NODES):
            storage.save_embedding(f"n{number:02d}", chunks(number)[0], "m", {"of": number})
            rows = chunks(number)
            store.save_chunked_embeddings(f"n{number:02d}", "body", "m", rows, rows.mean(axis=0), {"number": number})
    rag = network_of(path)
    rag.storage.close()
    rag.embedding_store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


# Ways to damage a file.


def bit(data: bytearray, rng: random.Random) -> None:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def bits(data: bytearray, rng: random.Random) -> None:
    for _ in range(50):
        bit(data, rng)


def truncated(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def zero_page(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data) // PAGE) * PAGE
    data[start : start + PAGE] = bytes(PAGE)


def header(data: bytearray, rng: random.Random) -> None:
    data[rng.randrange(100)] = rng.randrange(256)


def swapped_pages(data: bytearray, rng: random.Random) -> None:
    a, b = (rng.randrange(len(data) // PAGE) * PAGE for _ in range(2))
    data[a : a + PAGE], data[b : b + PAGE] = data[b : b + PAGE], data[a : a + PAGE]


def garbage(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data) - 512)
    data[start : start + 512] = rng.randbytes(512)


STATEMENTS = {
    "foreign schema": "DROP TABLE {table}; CREATE TABLE {table} (theirs TEXT)",
    "a column is missing": "ALTER TABLE {table} DROP COLUMN checksum",
    "a table is missing": "DROP TABLE {table}",
    "the aggregate is missing": "DELETE FROM field_embeddings WHERE chunk_index = -1 AND node_id = '{node}'",
    "a chunk is missing": "DELETE FROM field_embeddings WHERE chunk_index = {chunk} AND node_id = '{node}'",
    "a blob is too short": "UPDATE {vectors} SET embedding = substr(embedding, 1, {length}) WHERE node_id = '{node}'",
    "a blob is too long": "UPDATE {vectors} SET embedding = embedding || x'00000000' WHERE node_id = '{node}'",
    "a blob is NaN": "UPDATE {vectors} SET embedding = zeroblob(92) || x'0000c07f' WHERE node_id = '{node}'",
    "the dimension lies": "UPDATE {vectors} SET dimension = {dimension} WHERE node_id = '{node}'",
    "what is said was changed": "UPDATE field_embeddings SET metadata = '{{}}' WHERE node_id = '{node}'",
    "the configuration was changed": "UPDATE embeddings SET model_config = '{{}}' WHERE node_id = '{node}'",
    "the text was changed": "UPDATE nodes SET content_text = 'something else' WHERE id = '{node}'",
    "the metadata was changed": "UPDATE nodes SET metadata = '{{\"number\": -1}}' WHERE id = '{node}'",
    "a node was renamed": "UPDATE OR IGNORE nodes SET id = 'x' || id WHERE id = '{node}'",
    "of another kind": "UPDATE {vectors} SET embedding = 'text', dimension = 'many' WHERE node_id = '{node}'",
}
BYTES: tuple[Callable[[bytearray, random.Random], None], ...] = (
    *(bit, bits, truncated, zero_page, header, swapped_pages, garbage),
)
KINDS = (*BYTES, *STATEMENTS)


def damage(path: Path, kind: Callable[[bytearray, random.Random], None] | str, rng: random.Random) -> None:
    if callable(kind):
        data = bytearray(path.read_bytes())
        kind(data, rng)
        path.write_bytes(data)
        return
    statement = STATEMENTS[kind].format(
        table=rng.choice(["nodes", "embeddings", "field_embeddings"]),
        vectors=rng.choice(["embeddings", "field_embeddings"]),
        node=f"n{rng.randrange(N_NODES):02d}",
        chunk=rng.randrange(N_CHUNKS),
        length=rng.randrange(4 * DIMENSION),
        dimension=rng.choice([0, -1, 1, DIMENSION - 1, DIMENSION + 1, 2**40]),
    )
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(statement)


# What is asked of it: each returns whether the answer is right.


def nodes_are_right(path: Path) -> bool:
    with SQLiteStorage(path) as storage:
        found = {node_id: storage.get_node(node_id) for node_id in storage.node_ids()}
        filtered = storage.search_nodes({"number": 7})
    right = all(
        node is not None and (node["id"], node["content"]) == (f"n{n:02d}", text(n))
        for node in found.values()
        if node is not None
        for n in [node["metadata"]["number"]]
    )
    return right and all(node["content"] == text(7) for node in filtered)


def embeddings_are_right(path: Path) -> bool:
    with SQLiteStorage(path) as storage:
        return all(np.array_equal(row, chunks(int(id_[1:]))[0]) for id_, row in storage.load_embeddings("m").items())


def chunks_are_right(path: Path) -> bool:
    with SQLiteEmbeddingStore(path) as store:
        for number in range(N_NODES):
            stored = store.load_chunk_embeddings(f"n{number:02d}", "body", "m")
            if stored and not np.array_equal(stored, chunks(number)):
                return False
    return True


def aggregates_are_right(path: Path) -> bool:
    with SQLiteEmbeddingStore(path) as store:
        found = store.load_field_embeddings([f"n{number:02d}" for number in range(N_NODES)], "body", "m")
    # one that is missing is rebuilt from its chunks as their mean, which it was
    return all(np.allclose(row, chunks(int(id_[1:])).mean(axis=0), atol=1e-6) for id_, row in found.items())


def what_is_said_of_them_is_right(path: Path) -> bool:
    with SQLiteEmbeddingStore(path) as store, SQLiteStorage(path) as storage:
        for number in range(N_NODES):
            said = store.get_metadata(f"n{number:02d}", "body", "m")
            rebuilt = {"aggregation": "mean", "num_chunks": N_CHUNKS, "rebuilt": True}
            if said not in (None, {"number": number, "num_chunks": N_CHUNKS}, rebuilt):
                return False
            if storage.get_model_config(f"n{number:02d}", "m") not in (None, {"of": number}):
                return False
    return True


def scores_are_numbers(path: Path) -> bool:
    rag = network_of(path)
    try:
        found = rag.find_similar("aaaa tells of the sea", n=10)
        weights = rag.similarity_graph.weight
        return bool(np.isfinite(weights).all()) and all(np.isfinite(result.score) for result in found)
    finally:
        rag.storage.close()
        rag.embedding_store.close()


QUESTIONS = (
    nodes_are_right,
    embeddings_are_right,
    chunks_are_right,
    aggregates_are_right,
    what_is_said_of_them_is_right,
    scores_are_numbers,
)


def test_t4_a_damaged_database_answers_right_or_says_that_it_is_damaged(sound: Path, tmp_path: Path) -> None:
    rng = random_of("T4")
    n_damaged = count(200, len(KINDS))
    outcomes: Counter[str] = Counter()
    wrong: list[str] = []
    for number in range(n_damaged):
        kind = KINDS[number % len(KINDS)]
        name = kind if isinstance(kind, str) else kind.__name__
        before = len(wrong)
        path = Path(shutil.copy(sound, tmp_path / f"{number}.db"))
        damage(path, kind, rng)
        findings = check_database(path)
        said = set()
        for question in QUESTIONS:
            try:
                is_right = question(path)
                said.add("right" if is_right else "wrong")
                if not is_right:
                    wrong.append(f"{number} ({name}): {question.__name__}: the answer is wrong")
            except StorageCorruptError:
                said.add("corrupt")
            except StorageError as error:
                said.add("refused")
                if "a newer cnrag wrote it" not in str(error):
                    wrong.append(f"{number} ({name}): {question.__name__}: {error}")
            except CNRagError as error:  # an id that is gone, a field that nobody has
                said.add("refused")
                wrong.append(f"{number} ({name}): {question.__name__}: {type(error).__name__}: {error}")
            except Exception as error:
                wrong.append(f"{number} ({name}): {question.__name__}: {error!r}")
        if "corrupt" in said and not findings:
            wrong.append(f"{number} ({name}): `cnrag check` finds nothing")
        outcomes["named" if said - {"right"} else "right"] += len(wrong) == before
        path.unlink()
    survived = outcomes.total()
    figures = f"{outcomes['named']} named as damaged, {outcomes['right']} answered right, {len(KINDS)} kinds of damage"
    report("T4", survived, n_damaged, figures, score="faults")
    assert wrong == []
