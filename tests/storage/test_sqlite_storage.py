"""Nodes, metadata, embeddings."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from cnrag_core.corpus.document import Document, Provenance
from cnrag_core.errors import CorpusError, EmbeddingError, StorageCorruptError, UnknownNameError
from cnrag_core.storage.sqlite_embedding_store import SQLiteEmbeddingStore
from cnrag_core.storage.sqlite_storage import SQLiteStorage


@pytest.fixture
def storage():
    with SQLiteStorage() as storage:
        yield storage


def test_a_node_comes_back_as_it_was(storage: SQLiteStorage) -> None:
    storage.save_node("007", "Coral reefs bleach.", {"year": 2020, "tags": ["sea"]})
    assert storage.get_node("007") == {
        "id": "007",
        "source_id": "",
        "node_type": "document",
        "content_hash": hashlib.sha256(b"Coral reefs bleach.").hexdigest(),
        "content": "Coral reefs bleach.",
        "metadata": {"year": 2020, "tags": ["sea"]},
    }
    assert storage.get_node("7") is None


def test_saving_again_replaces(storage: SQLiteStorage) -> None:
    storage.save_node("a", "old", {"x": 1})
    storage.save_node("a", "new", {})
    assert storage.count() == 1
    assert storage.get_node("a")["content"] == "new"
    assert storage.get_node("a")["metadata"] == {}


def test_equal_texts_are_two_nodes_and_deleting_one_keeps_the_other(storage: SQLiteStorage) -> None:
    storage.save_node("doc_a", "same text", {"tags": ["a"]})
    storage.save_node("doc_b", "same text", {"tags": ["b"]})
    assert storage.get_node("doc_a")["content_hash"] == storage.get_node("doc_b")["content_hash"]
    assert storage.delete_node("doc_a")
    assert not storage.delete_node("doc_a")
    assert storage.node_ids() == ["doc_b"]
    assert storage.get_node("doc_b")["metadata"] == {"tags": ["b"]}


def test_whole_numbers_beyond_64_bits_stay_exact(storage: SQLiteStorage) -> None:
    storage.save_node("a", "", {"big": 2**70, "small": -(2**70)})
    assert storage.get_node("a")["metadata"] == {"big": 2**70, "small": -(2**70)}
    assert storage.search_nodes({"big": 2**70})[0]["id"] == "a"
    assert storage.search_nodes({"big": 2**70 + 1}) == []


def test_values_that_json_lacks_are_stored_as_their_nearest(storage: SQLiteStorage) -> None:
    import datetime

    metadata = {"nan": float("nan"), "set": {"b", "a"}, "date": datetime.date(2020, 1, 2), "array": np.arange(2), 3: 1}
    storage.save_node("a", "", metadata)
    assert storage.get_node("a")["metadata"] == {
        "nan": None,
        "set": ["a", "b"],
        "date": "2020-01-02",
        "array": [0, 1],
        "3": 1,
    }


def test_halves_of_surrogate_pairs_are_replaced_in_texts_and_refused_in_ids(storage: SQLiteStorage) -> None:
    storage.save_node("a", "x\ud800y", {"k": "\ud800"})
    assert storage.get_node("a")["content"] == "x?y"
    assert storage.get_node("a")["metadata"] == {"k": "\ud800"}
    with pytest.raises(CorpusError, match="id should be a text"):
        storage.save_node("\ud800", "", {})
    assert storage.get_node("\ud800") is None
    assert not storage.delete_node("\ud800")
    assert storage.search_nodes({"k": "\ud800"})[0]["id"] == "a"


@pytest.mark.parametrize("node_id", ["", None, 7])
def test_an_id_that_is_no_text_is_refused(storage: SQLiteStorage, node_id: Any) -> None:
    with pytest.raises(CorpusError, match="id should be a text that is not empty"):
        storage.save_node(node_id, "text", {})


def test_content_that_is_no_text_is_refused(storage: SQLiteStorage) -> None:
    with pytest.raises(CorpusError, match="content should be a text, got int"):
        storage.save_node("a", 3, {})  # type: ignore[arg-type]
    with pytest.raises(CorpusError, match=r"should be \(node_id, content, metadata\)"):
        storage.save_nodes([("a", "b")])  # type: ignore[list-item]


def test_many_nodes_are_saved_all_or_none(storage: SQLiteStorage) -> None:
    assert storage.save_nodes([("a", "x", None), ("b", "y", {"k": 1})]) == 2
    with pytest.raises(CorpusError):
        storage.save_nodes([("c", "z", None), ("", "z", None)])
    assert storage.node_ids() == ["a", "b"]


def test_metadata_that_is_nested_without_end_is_refused(storage: SQLiteStorage) -> None:
    endless: dict[str, Any] = {}
    endless["self"] = endless
    with pytest.raises(CorpusError, match="nested too deeply"):
        storage.save_node("a", "", endless)


SEARCHED = [
    ("a", {"year": 2020, "tags": ["nlp", "ml"], "open": True, "author": {"name": "Ada"}}),
    ("b", {"year": 2021, "tags": "nlp", "open": 1, "a.b": "dotted"}),
    ("c", {"year": 2020.0, "title": "50% off_now"}),
    ("d", {"year": "2020", "note": "x\0y"}),
]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, "abcd"),
        (None, "abcd"),
        ({"year": 2020}, "ac"),
        ({"year": "2020"}, "d"),
        ({"year": [2020, 2021]}, "abc"),
        ({"tags": "nlp"}, "ab"),
        ({"tags": "ml", "year": 2020}, "a"),
        ({"open": True}, "a"),
        ({"open": 1}, "b"),
        ({"author.name": "Ada"}, "a"),
        ({"a.b": "dotted"}, "b"),
        ({"open": None}, "cd"),
        ({"title": "50%"}, ""),
        ({"title": "50% off_now"}, "c"),
        ({"note": "x\0y"}, "d"),
        ({"absent": "x"}, ""),
        ({"year) OR 1=1 --": 1}, ""),
        ({'year" OR 1=1': "x"}, ""),
        ({"year": "' OR '1'='1"}, ""),
        ({f"k{number}": "x" for number in range(10_000)}, ""),
    ],
)
def test_search_compares_exactly_and_runs_nothing(storage: SQLiteStorage, filters: Any, expected: str) -> None:
    storage.save_nodes((node_id, "", metadata) for node_id, metadata in SEARCHED)
    assert "".join(node["id"] for node in storage.search_nodes(filters)) == expected
    assert storage.count() == 4


def test_documents_come_back_as_they_were(storage: SQLiteStorage) -> None:
    documents = [
        Document("b", {"title": "Reefs", "tags": ["sea"], "year": 2020}, Provenance("papers.jsonl", 3, None, "ab")),
        Document("a", {"content": "text", "turns": [{"role": "user", "content": "hi"}]}),
        Document("c", {"content": None}),
    ]
    assert storage.save_documents(documents) == 3
    assert storage.load_documents() == sorted(documents, key=lambda document: document.id)
    assert storage.get_node("b")["source_id"] == "papers.jsonl"


def test_progress_of_saving_rises_to_one_and_can_cancel_everything(storage: SQLiteStorage) -> None:
    documents = [Document(f"d{number:04d}", {"n": number}) for number in range(1200)]
    seen: list[float] = []
    storage.save_documents(documents, progress=lambda step, share: seen.append(share))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0

    def cancel(step: str, share: float) -> None:
        raise KeyboardInterrupt

    with SQLiteStorage() as other, pytest.raises(KeyboardInterrupt):
        other.save_documents(documents, progress=cancel)
    with SQLiteStorage() as other:
        assert other.count() == 0


def test_embeddings_of_several_models_live_side_by_side(storage: SQLiteStorage) -> None:
    storage.save_nodes([("a", "x", None), ("b", "y", None)])
    storage.save_embedding("a", np.array([1.0, 2.0]), "one", {"size": 2})
    storage.save_embedding("a", [1.0, 2.0, 3.0], "two", {"size": 3})
    storage.save_embedding("b", sp.csr_matrix([[0, 5.0, 0]]), "one", {})
    assert {name: list(storage.load_embeddings(name)) for name in storage.model_names()} == {
        "one": ["a", "b"],
        "two": ["a"],
    }
    loaded = storage.load_embeddings("one")
    assert loaded["a"].tolist() == [1.0, 2.0]
    assert loaded["b"].toarray().tolist() == [[0.0, 5.0, 0.0]]
    assert storage.get_model_config("a", "two") == {"size": 3}
    assert storage.get_model_config("b", "two") is None
    assert storage.load_embeddings("three") == {}


def test_asked_nodes_come_in_the_order_asked(storage: SQLiteStorage) -> None:
    storage.save_nodes([("a", "x", None), ("b", "y", None)])
    storage.save_embeddings({"a": [1.0], "b": [2.0]}, "m")
    assert list(storage.load_embeddings("m", ["b", "nobody", "a"])) == ["b", "a"]
    assert storage.load_embeddings("m", []) == {}


def test_more_ids_than_a_statement_takes_are_all_found(storage: SQLiteStorage) -> None:
    import sqlite3

    storage.database.connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)
    ids = [f"n{number:05d}" for number in range(5000)]
    storage.save_nodes((node_id, "", None) for node_id in ids)
    storage.save_embeddings({node_id: [1.0] for node_id in ids}, "m")
    assert list(storage.load_embeddings("m", ids)) == ids


def test_an_embedding_needs_its_node(storage: SQLiteStorage) -> None:
    with pytest.raises(UnknownNameError, match="There is no node 'ghost'; save it before"):
        storage.save_embedding("ghost", [1.0], "m")


def test_an_embedding_with_nan_is_refused_and_nothing_of_its_batch_is_kept(storage: SQLiteStorage) -> None:
    storage.save_nodes([("a", "x", None), ("b", "y", None)])
    with pytest.raises(EmbeddingError, match="Node 'b', model 'm'"):
        storage.save_embeddings({"a": [1.0], "b": [float("nan")]}, "m")
    assert storage.load_embeddings("m") == {}


def test_deleting_a_node_deletes_its_embeddings(storage: SQLiteStorage) -> None:
    storage.save_node("a", "x", {})
    storage.save_embedding("a", [1.0], "m")
    storage.delete_node("a")
    storage.save_node("a", "x", {})
    assert storage.load_embeddings("m") == {}


def test_a_new_text_drops_the_embedding_of_the_old_one(storage: SQLiteStorage) -> None:
    storage.save_node("a", "x", {})
    storage.save_embedding("a", [1.0], "m")
    storage.save_node("a", "x", {"new": "metadata"})
    assert list(storage.load_embeddings("m")) == ["a"]
    storage.save_node("a", "another text", {})
    assert storage.load_embeddings("m") == {}


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE nodes SET content_text = 'changed'",
        "UPDATE nodes SET metadata = '{broken'",
        "UPDATE nodes SET content_hash = 'x'",
    ],
)
def test_a_node_that_something_else_changed_is_refused(storage: SQLiteStorage, change: str) -> None:
    storage.save_node("a", "x", {})
    storage.database.connection.execute(change)
    with pytest.raises(StorageCorruptError, match="'a'"):
        storage.get_node("a")
    with pytest.raises(StorageCorruptError, match="'a'"):
        storage.search_nodes({})


@pytest.mark.parametrize(
    "change", ["dimension = 3", "embedding = zeroblob(8)", "embedding = 'x'", "encoding = 'sparse'"]
)
def test_an_embedding_that_something_else_changed_is_refused(storage: SQLiteStorage, change: str) -> None:
    storage.save_node("a", "x", {})
    storage.save_embedding("a", [1.0, 2.0], "m")
    storage.database.connection.execute(f"UPDATE embeddings SET {change}")
    with pytest.raises(StorageCorruptError, match="Node 'a', model 'm'"):
        storage.load_embeddings("m")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(
    node_id=st.text(min_size=1, max_size=10),
    content=st.text(max_size=30),
    metadata=st.dictionaries(st.text(max_size=10), JSON_VALUES, max_size=4),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_any_node_round_trips(storage: SQLiteStorage, node_id: str, content: str, metadata: dict[str, Any]) -> None:
    storage.save_node(node_id, content, metadata)
    node = storage.get_node(node_id)
    assert node is not None
    assert (node["content"], node["metadata"]) == (content, metadata)
    assert node_id in {found["id"] for found in storage.search_nodes(metadata)} or any(
        isinstance(value, (list, dict)) for value in metadata.values()
    )


NODES = st.sampled_from(["a", "b", "c"])
VECTORS = st.lists(st.floats(-10, 10, width=32), min_size=2, max_size=2)


class StorageMachine(RuleBasedStateMachine):
    """A storage and an embedding store against dictionaries, with closing and opening in between."""

    @initialize(folder=st.just(None))
    def open(self, folder: None) -> None:
        import tempfile

        self.folder = tempfile.TemporaryDirectory()
        self.nodes: dict[str, tuple[str, dict[str, Any]]] = {}
        self.rows: dict[str, list[float]] = {}
        self.chunks: dict[str, tuple[list[list[float]], list[float]]] = {}
        self.connect()

    def connect(self) -> None:
        path = Path(self.folder.name) / "a.db"
        self.storage, self.store = SQLiteStorage(path), SQLiteEmbeddingStore(path)

    @rule(node_id=NODES, content=st.sampled_from(["x", "y"]), year=st.integers(0, 2))
    def save(self, node_id: str, content: str, year: int) -> None:
        self.storage.save_node(node_id, content, {"year": year})
        if self.nodes.get(node_id, (content,))[0] != content:
            self.rows.pop(node_id, None)
        self.nodes[node_id] = (content, {"year": year})

    @rule(node_id=NODES)
    def delete(self, node_id: str) -> None:
        assert self.storage.delete_node(node_id) == (self.nodes.pop(node_id, None) is not None)
        self.rows.pop(node_id, None)

    @rule(node_id=NODES, vector=VECTORS)
    def embed(self, node_id: str, vector: list[float]) -> None:
        if node_id in self.nodes:
            self.storage.save_embedding(node_id, vector, "m")
            self.rows[node_id] = vector

    @rule(node_id=NODES, chunks=st.lists(VECTORS, min_size=1, max_size=3))
    def save_chunks(self, node_id: str, chunks: list[list[float]]) -> None:
        aggregate = np.mean(chunks, axis=0).tolist()
        self.store.save_chunked_embeddings(node_id, "body", "m", chunks, aggregate)
        self.chunks[node_id] = (chunks, aggregate)

    @rule(node_id=NODES, method=st.sampled_from(["sum", "max_pool", "last"]))
    def re_aggregate(self, node_id: str, method: str) -> None:
        if node_id in self.chunks:
            chunks = self.chunks[node_id][0]
            expected = {"sum": np.sum(chunks, 0), "max_pool": np.max(chunks, 0), "last": chunks[-1]}[method]
            found = self.store.re_aggregate(node_id, "body", "m", method)
            np.testing.assert_allclose(found, expected, atol=1e-5)
            self.chunks[node_id] = (chunks, list(expected))

    @rule(node_id=NODES)
    def delete_chunks(self, node_id: str) -> None:
        assert self.store.delete_node(node_id) == (self.chunks.pop(node_id, None) is not None)

    @rule()
    def reopen(self) -> None:
        self.storage.close()
        self.store.close()
        self.connect()

    @invariant()
    def agrees(self) -> None:
        if not hasattr(self, "storage"):
            return
        assert self.storage.node_ids() == sorted(self.nodes)
        for node_id, (content, metadata) in self.nodes.items():
            node = self.storage.get_node(node_id)
            assert node is not None
            assert (node["content"], node["metadata"]) == (content, metadata)
        wanted = [node_id for node_id in sorted(self.nodes) if self.nodes[node_id][1]["year"] == 1]
        assert [node["id"] for node in self.storage.search_nodes({"year": 1})] == wanted
        loaded = self.storage.load_embeddings("m")
        assert {node_id: row.tolist() for node_id, row in loaded.items()} == self.rows
        for node_id in "abc":
            chunks, aggregate = self.chunks.get(node_id, ([], None))
            found = self.store.load_field_embedding(node_id, "body", "m")
            assert (found is None) == (aggregate is None)
            if found is not None:
                np.testing.assert_allclose(found, aggregate, atol=1e-5)
            assert [row.tolist() for row in self.store.load_chunk_embeddings(node_id, "body", "m")] == chunks

    def teardown(self) -> None:
        if hasattr(self, "storage"):
            self.storage.close()
            self.store.close()
            self.folder.cleanup()


TestStorageMachine = StorageMachine.TestCase
TestStorageMachine.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
