"""G37 to G41: what users of comparable storages reported, with the exact input."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import numpy as np
import pytest

from cnrag_core.config.spec import FieldEmbeddingComponent
from cnrag_core.corpus.document import Document
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.embedding.fields import embed_component
from cnrag_core.errors import CorpusError
from cnrag_core.rag import NetworkRAG
from cnrag_core.storage.connection import Database
from cnrag_core.storage.sqlite_embedding_store import SQLiteEmbeddingStore
from cnrag_core.storage.sqlite_storage import SQLiteStorage
from tests.embedding.conftest import FakeModel
from tests.hardening.campaign import count, report


def test_g37_eight_threads_that_read_and_then_write_are_never_locked_out(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.db")
    n_each = count(100, 20)
    errors: list[BaseException] = []

    def work(name: int) -> None:
        try:
            for number in range(n_each):
                with database.transaction() as connection:
                    connection.execute("SELECT count(*) FROM nodes").fetchone()
                    connection.execute(
                        "INSERT INTO nodes (id, content_hash, checksum) VALUES (?, '', 0)", (f"{name}-{number}",)
                    )
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    with database.snapshot() as connection:
        stored = connection.execute("SELECT count(*) FROM nodes").fetchone()[0]
        settings = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "busy_timeout")]
    database.close()
    report("G37", stored, 8 * n_each, f"{len(errors)} errors", documents_lost=8 * n_each - stored)
    assert (stored, errors, settings) == (8 * n_each, [], ["wal", 30_000])


def test_g38_five_thousand_ids_where_sqlite_takes_999_variables() -> None:
    with SQLiteStorage() as storage, SQLiteEmbeddingStore() as store:
        ids = [f"n{number:04d}" for number in range(5000)]
        storage.save_nodes((node_id, "text", {}) for node_id in ids)
        storage.database.connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)
        store.database.connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)
        storage.save_embeddings({node_id: [1.0, 2.0] for node_id in ids}, "m")
        for node_id in ids[:1500]:
            store.save_chunked_embeddings(node_id, "body", "m", [[1.0]], [1.0])
        assert len(storage.load_embeddings("m", ids)) == 5000
        assert len(store.load_field_embeddings(ids, "body", "m")) == 1500
        assert len(store.load_metadata(ids, "body", "m")) == 1500
        assert storage.search_nodes({f"key{number}": number for number in range(2000)}) == []


def test_g39_two_documents_with_one_text_are_two_nodes_embedded_once(tmp_path: Path) -> None:
    model = FakeModel()
    with SQLiteEmbeddingStore(tmp_path / "a.db") as store:
        rag = NetworkRAG(tmp_path / "a.db", model, min_similarity=0.5, embedding_store=store)
        for node_id, tag in (("doc_a", "x"), ("doc_b", "y")):
            rag.add({"id": node_id, "content": "the same text", "tag": tag})
        assert rag.build_network().number_of_nodes() == 2
        assert model.texts == ["the same text"]
        assert rag.explain("doc_a", "doc_b").similarity == pytest.approx(1.0)
        assert set(rag.find_similar("the same text", strategy="similarity").ids) == {"doc_a", "doc_b"}
        assert [node["id"] for node in rag.storage.search_nodes({"tag": "x"})] == ["doc_a"]
        assert [node["id"] for node in rag.storage.search_nodes({"tag": "y"})] == ["doc_b"]
        rag.remove("doc_a")
        assert [document.id for document in rag.documents] == ["doc_b"]
        node = rag.storage.get_node("doc_b")
        assert node is not None
        assert (node["content"], node["metadata"]) == ("the same text", {"tag": "y"})
        assert store.has_embedding("doc_b", "content", "fake")
        rag.storage.close()


def test_g39_a_text_of_a_deleted_document_is_not_embedded_again() -> None:
    model = FakeModel()
    with SQLiteEmbeddingStore() as store:
        component = FieldEmbeddingComponent(field="t", model="ollama")
        both = [Document("doc_a", {"t": "the same text"}), Document("doc_b", {"t": "the same text"})]
        embed_component(both, component, provider=model, store=store)
        store.delete_node("doc_a")
        rows = embed_component(both[1:], component, provider=model, store=store).rows
        assert model.texts == ["the same text"]
        assert np.asarray(rows).shape == (1, model.dimension)


ROWS = b"id,text\na,one\nx,two\nb,three\nc,four\nx,five\n"


def test_g40_a_repeated_id_is_refused_with_its_rows() -> None:
    with pytest.raises(CorpusError, match=r"'x'.*(row|record|line)s? 2.*5"):
        read_bytes(ROWS, "corpus.csv")


def test_g40_a_repeated_id_is_kept_as_another_where_that_is_asked_for() -> None:
    corpus = read_bytes(ROWS, "corpus.csv", keep_duplicates=True)
    assert [document.id for document in corpus] == ["a", "x", "b", "c", "x#2"]
    assert [document.text("text") for document in corpus][1::3] == ["two", "five"]


def test_g40_a_storage_never_takes_two_documents_for_one() -> None:
    rag = NetworkRAG()
    rag.add({"id": "x", "content": "two"})
    with pytest.raises(CorpusError, match="already a document 'x'"):
        rag.add({"id": "x", "content": "five"})
    assert rag.storage.get_node("x")["content"] == "two"


@pytest.mark.parametrize("number", [2**70, -(2**70), 2**63, 2**64 + 1, 10**30])
def test_g41_a_whole_number_of_any_size_is_stored_and_returned_exactly(number: int, tmp_path: Path) -> None:
    with SQLiteStorage(tmp_path / "a.db") as storage:
        storage.save_node("a", "text", {"number": number, "inside": {"list": [number]}})
    with SQLiteStorage(tmp_path / "a.db") as storage:
        node = storage.get_node("a")
        assert node is not None
        assert node["metadata"] == {"number": number, "inside": {"list": [number]}}
        assert [found["id"] for found in storage.search_nodes({"number": number})] == ["a"]
        assert storage.search_nodes({"number": number + 1}) == []
