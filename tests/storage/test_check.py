"""Damage is found, and a damaged database never answers with something that was not stored."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from cnrag_core.errors import CNRagError, StorageError
from cnrag_core.storage.check import check_database
from cnrag_core.storage.sqlite_embedding_store import SQLiteEmbeddingStore
from cnrag_core.storage.sqlite_storage import SQLiteStorage

N_NODES = 60


def text(number: int) -> str:
    return f"document {number} " * 20


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("check") / "sound.db"
    with SQLiteStorage(path) as storage, SQLiteEmbeddingStore(path) as store:
        storage.save_nodes((f"n{number:02d}", text(number), {"number": number}) for number in range(N_NODES))
        storage.save_embeddings({f"n{number:02d}": [number, 1.0, 2.0] for number in range(N_NODES)}, "m")
        for number in range(N_NODES):
            chunks = np.full((2, 16), number, dtype=np.float32)
            store.save_chunked_embeddings(f"n{number:02d}", "body", "m", chunks, chunks[0], {"num_chunks": 2})
    return path


@pytest.fixture
def copy(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sound, tmp_path / "copy.db"))


def change(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


def test_a_sound_database_has_no_findings(sound: Path) -> None:
    assert check_database(sound) == []


def test_an_open_database_can_be_checked(copy: Path) -> None:
    with SQLiteStorage(copy) as storage:
        storage.save_node("new", "text", {})
        assert check_database(copy) == []


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("UPDATE nodes SET content_text = 'x' WHERE id = 'n07'", "Node 'n07' was changed"),
        ("UPDATE embeddings SET dimension = 4 WHERE node_id = 'n07'", "Node 'n07', model 'm'"),
        ("UPDATE embeddings SET embedding = x'0000c07f' WHERE node_id = 'n07'", "Node 'n07', model 'm'"),
        ("DELETE FROM nodes WHERE id = 'n07'", "'n07', model 'm': there is an embedding, but no such node"),
        ("DELETE FROM field_embeddings WHERE chunk_index = -1 AND node_id = 'n07'", "aggregate .* is missing"),
        ("DELETE FROM field_embeddings WHERE chunk_index = 0 AND node_id = 'n07'", "a chunk embedding is missing"),
        ("DELETE FROM field_embeddings WHERE chunk_index = 1 AND node_id = 'n07'", "a chunk embedding is missing"),
        (
            "UPDATE field_embeddings SET metadata = '[' WHERE chunk_index = -1 AND node_id = 'n07'",
            "number -1 is damaged",
        ),
        ("DROP TABLE embeddings", "lacks the tables embeddings"),
        ("PRAGMA application_id = 1", "another program"),
        ("PRAGMA user_version = 99", "version 99"),
    ],
)
def test_each_damage_is_named(copy: Path, statement: str, finding: str) -> None:
    import re

    change(copy, statement)
    assert any(re.search(finding, line) for line in check_database(copy)), check_database(copy)


def test_findings_are_limited(copy: Path) -> None:
    change(copy, "UPDATE field_embeddings SET dimension = 1")
    findings = check_database(copy)
    assert len(findings) == 101
    assert findings[-1] == "There is more; the first 100 findings are shown."


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="There is no database"):
        check_database(tmp_path / "nothing.db")


def test_other_files_are_findings(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("not a database " * 100, encoding="utf-8")
    assert check_database(tmp_path / "a.txt")
    (tmp_path / "empty.db").touch()
    assert "lacks the tables" in check_database(tmp_path / "empty.db")[0]


def mutate(path: Path, seed: int) -> None:
    """Damage a file in one of several ways."""
    rng = random.Random(seed)
    data = bytearray(path.read_bytes())
    kind = rng.choice(["bit", "bits", "truncate", "zero page", "header", "garbage"])
    if kind == "bit":
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == "bits":
        for _ in range(50):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == "truncate":
        del data[rng.randrange(len(data)) :]
    elif kind == "zero page":
        page = rng.randrange(len(data) // 4096)
        data[page * 4096 : (page + 1) * 4096] = bytes(4096)
    elif kind == "header":
        data[rng.randrange(100)] = rng.randrange(256)
    else:
        start = rng.randrange(len(data) - 512)
        data[start : start + 512] = rng.randbytes(512)
    path.write_bytes(data)


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_database_answers_right_or_refuses(copy: Path, seed: int) -> None:
    mutate(copy, seed)
    for read in (read_nodes, read_embeddings, read_chunks):
        with suppress(CNRagError):
            read(copy)
    assert isinstance(check_database(copy), list)


def read_nodes(path: Path) -> None:
    with SQLiteStorage(path) as storage:
        for node_id in storage.node_ids():
            node = storage.get_node(node_id)
            if node is not None:
                number = node["metadata"]["number"]
                assert (node["id"], node["content"]) == (f"n{number:02d}", text(number))


def read_embeddings(path: Path) -> None:
    with SQLiteStorage(path) as storage:
        for node_id, row in storage.load_embeddings("m").items():
            assert row.tolist() == [int(node_id[1:]), 1.0, 2.0]


def read_chunks(path: Path) -> None:
    with SQLiteEmbeddingStore(path) as store:
        for number in range(N_NODES):
            node_id = f"n{number:02d}"
            aggregate = store.load_field_embedding(node_id, "body", "m")
            assert aggregate is None or aggregate.tolist() == [number] * 16
            assert all(row.tolist() == [number] * 16 for row in store.load_chunk_embeddings(node_id, "body", "m"))
