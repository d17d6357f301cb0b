"""The life of a database: an ingest that is interrupted, a restart, two programs on one file, damage that is named."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cnrag_core.cli import app
from cnrag_core.corpus.samples import load_sample
from cnrag_core.errors import CorpusError, EmbeddingError, StorageCorruptError
from cnrag_core.rag import NetworkRAG
from cnrag_core.storage.check import check_database
from cnrag_core.storage.sqlite_embedding_store import SQLiteEmbeddingStore
from cnrag_core.storage.sqlite_storage import SQLiteStorage
from tests.embedding.conftest import FakeModel

ROOT = Path(__file__).resolve().parents[2]


class EnoughError(Exception):
    """What a watcher raises who has seen enough."""


def interrupted(step: str, share: float) -> None:
    if share >= 0.5:
        raise EnoughError


def test_lifecycle_an_ingest_that_is_interrupted_leaves_nothing_and_is_repeated(tmp_path: Path) -> None:
    corpus = load_sample("papers").corpus
    rag = NetworkRAG(tmp_path / "a.db")
    with pytest.raises(EnoughError):
        rag.add_corpus(corpus, progress=interrupted)
    assert (len(rag), rag.storage.count()) == (0, 0)
    assert rag.add_corpus(corpus) == [document.id for document in corpus]
    assert rag.storage.count() == len(corpus)
    rag.storage.close()
    assert check_database(tmp_path / "a.db") == []


def test_lifecycle_a_restart_finds_everything_and_embeds_nothing_again(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    digests, ids = [], []
    for start in range(2):
        model = FakeModel()
        with SQLiteEmbeddingStore(path) as store:
            rag = NetworkRAG(path, model, min_similarity=0.3, embedding_store=store)
            if start == 0:
                for number in range(30):
                    rag.add({"id": f"d{number}", "content": f"text {number % 7} of {number % 3} and {number}"})
            rag.build_network()
            assert len(model.texts) == (30 if start == 0 else 0)
            digests.append(rag.similarity_graph.digest)
            ids.append([document.id for document in rag.documents])
            rag.storage.close()
    assert digests[0] == digests[1]
    assert ids[0] == ids[1]


def test_lifecycle_a_document_whose_embedding_failed_is_in_the_next_build(tmp_path: Path) -> None:
    class Failing(FakeModel):
        fails = False

        def embed(self, texts):
            if self.fails:
                raise EmbeddingError("the server is away")
            return super().embed(texts)

    model = Failing()
    rag = NetworkRAG(tmp_path / "a.db", model, min_similarity=0.1)
    for number in range(30):
        rag.add({"id": f"d{number}", "content": f"text {number % 7} of {number % 3}"})
    rag.build_network()
    model.fails = True
    with pytest.raises(EmbeddingError, match="away"):
        rag.add({"id": "late", "content": "text 1 of 2"})
    model.fails = False
    assert "late" in rag.network.node_ids
    assert rag.storage.count() == len(rag.network.node_ids) == 31
    rag.storage.close()


def test_lifecycle_two_programs_on_one_database_never_overwrite_each_other(tmp_path: Path) -> None:
    first, second = NetworkRAG(tmp_path / "a.db"), NetworkRAG(tmp_path / "a.db")
    second.add({"id": "x", "content": "of the second"})
    with pytest.raises(CorpusError, match="'x', which another program has stored meanwhile; open the database again"):
        first.add({"id": "x", "content": "of the first"})
    with pytest.raises(CorpusError, match="meanwhile"):
        first.add_corpus([*load_sample("papers").corpus, *second.documents])
    assert len(first) == 0
    assert first.storage.node_ids() == ["x"]
    assert first.storage.get_node("x")["content"] == "of the second"
    first.add({"id": "y", "content": "of the first"})
    third = NetworkRAG(tmp_path / "a.db")
    assert [document.id for document in third.documents] == ["x", "y"]
    for rag in (first, second, third):
        rag.storage.close()


ADDER = """
import sys
from cnrag_core.errors import CorpusError
from cnrag_core.rag import NetworkRAG
rag = NetworkRAG(sys.argv[1])
added = 0
for number in range(40):
    try:
        rag.add({"id": f"d{number}", "content": f"of {sys.argv[2]}"})
        added += 1
    except CorpusError:
        pass
print(added)
"""


def test_lifecycle_two_processes_add_the_same_ids_and_each_is_acknowledged_once(tmp_path: Path) -> None:
    SQLiteStorage(tmp_path / "a.db").close()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", ADDER, str(tmp_path / "a.db"), name], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        for name in ("one", "two")
    ]
    added = [int(process.communicate(timeout=120)[0]) for process in processes]
    with SQLiteStorage(tmp_path / "a.db") as storage:
        by = [node["content"].removeprefix("of ") for node in storage.search_nodes()]
    assert sum(added) == len(by) == 40
    assert [by.count("one"), by.count("two")] == added


def test_lifecycle_a_second_tab_sees_what_the_first_has_stored(tmp_path: Path) -> None:
    with SQLiteEmbeddingStore(tmp_path / "a.db") as first, SQLiteEmbeddingStore(tmp_path / "a.db") as second:
        first.save_chunked_embeddings("a", "body", "m", [[1.0, 0.0]], [1.0, 0.0])
        assert second.load_field_embedding("a", "body", "m").tolist() == [1.0, 0.0]
        first.save_chunked_embeddings("a", "body", "m", [[0.0, 1.0]], [0.0, 1.0])
        assert second.load_field_embedding("a", "body", "m").tolist() == [0.0, 1.0], "an old row came from memory"
        seen: list[np.ndarray | None] = []
        thread = threading.Thread(target=lambda: seen.append(second.load_field_embedding("a", "body", "m")))
        thread.start()
        thread.join()
        assert seen[0].tolist() == [0.0, 1.0]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lifecycle") / "sound.db"
    with SQLiteStorage(path) as storage, SQLiteEmbeddingStore(path) as store:
        storage.save_nodes((f"n{number:02d}", f"text {number}", {}) for number in range(20))
        for number in range(20):
            store.save_chunked_embeddings(f"n{number:02d}", "body", "m", [[1.0, number], [0.0, number]], [0.5, number])
    return path


def test_lifecycle_cnrag_check_finds_nothing_in_a_sound_database(sound: Path) -> None:
    said = CliRunner().invoke(app, ["check", str(sound)])
    assert (said.exit_code, said.output) == (0, f"{sound}: no damage found.\n")


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("UPDATE nodes SET content_text = 'x' WHERE id = 'n07'", "Node 'n07' was changed by something else than cnrag"),
        ("DELETE FROM field_embeddings WHERE chunk_index = 0 AND node_id = 'n07'", "a chunk embedding is missing"),
        ("UPDATE field_embeddings SET dimension = 9 WHERE node_id = 'n07'", "Node 'n07', field 'body', model 'm'"),
        ("DROP TABLE nodes", "lacks the tables nodes"),
    ],
)
def test_lifecycle_cnrag_check_names_damage_of_a_database(
    sound: Path, tmp_path: Path, statement: str, finding: str
) -> None:
    path = Path(shutil.copy(sound, tmp_path / "a.db"))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()
    said = CliRunner().invoke(app, ["check", str(path)])
    assert said.exit_code == 1
    assert finding in said.output
    assert all(line.startswith("damage: ") for line in said.output.splitlines())


def test_lifecycle_a_damaged_database_is_left_as_it_is(sound: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(sound, tmp_path / "a.db"))
    data = bytearray(path.read_bytes())
    data[: len(data) // 2] = bytes(len(data) // 2)
    path.write_bytes(data)
    with pytest.raises(StorageCorruptError, match=r"'a\.db' is damaged, or is not a database"):
        NetworkRAG(path)
    assert CliRunner().invoke(app, ["check", str(path)]).exit_code == 1
    assert path.read_bytes() == data
