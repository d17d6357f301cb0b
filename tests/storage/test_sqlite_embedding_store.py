"""Chunks and their aggregates."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from cnrag_core.config.spec import FieldEmbeddingComponent
from cnrag_core.corpus.document import Document
from cnrag_core.embedding.fields import embed_component
from cnrag_core.embedding.provider import EmbeddingProvider
from cnrag_core.embedding.store import FieldEmbedding
from cnrag_core.errors import ConfigError, EmbeddingError, StorageCorruptError, UnknownNameError
from cnrag_core.storage.sqlite_embedding_store import SQLiteEmbeddingStore

CHUNKS = [[0.5, 0.2, 0.8], [0.6, 0.1, 0.7], [0.4, 0.3, 0.6]]
MEAN = [0.5, 0.2, 0.7]
KEY = ("doc1", "body", "m")


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path):
    with SQLiteEmbeddingStore(tmp_path / "e.db" if request.param == "file" else ":memory:") as store:
        yield store


def save(store: SQLiteEmbeddingStore, *key: str) -> None:
    store.save_chunked_embeddings(*(key or KEY), CHUNKS, MEAN, {"aggregation": "mean", "num_chunks": 3})


def test_chunks_and_aggregate_come_back(store: SQLiteEmbeddingStore) -> None:
    save(store)
    np.testing.assert_allclose(store.load_field_embedding(*KEY), MEAN, atol=1e-7)
    np.testing.assert_allclose(store.load_chunk_embeddings(*KEY), CHUNKS, atol=1e-7)
    assert store.get_metadata(*KEY) == {"aggregation": "mean", "num_chunks": 3}


def test_the_aggregate_is_row_minus_one(store: SQLiteEmbeddingStore) -> None:
    save(store)
    rows = store.database.connection.execute(
        "SELECT chunk_index, dimension FROM field_embeddings ORDER BY 1"
    ).fetchall()
    assert rows == [(-1, 3), (0, 3), (1, 3), (2, 3)]


def test_what_was_never_stored_is_none(store: SQLiteEmbeddingStore) -> None:
    assert store.load_field_embedding(*KEY) is None
    assert store.load_chunk_embeddings(*KEY) == []
    assert store.get_metadata(*KEY) is None
    assert not store.has_embedding(*KEY)
    assert store.get_node_fields("doc1") == []
    assert not store.delete_node("doc1")
    assert not store.has_embedding("\ud800", "body", "m")


def test_fields_and_models_are_kept_apart(store: SQLiteEmbeddingStore) -> None:
    save(store)
    save(store, "doc1", "title", "m")
    save(store, "doc1", "body", "other")
    save(store, "doc2", "notes", "m")
    assert store.get_node_fields("doc1") == ["body", "title"]
    assert store.get_node_fields("doc1", "other") == ["body"]
    assert store.has_embedding("doc1", "body", "other")
    assert not store.has_embedding("doc2", "body", "m")


def test_saving_again_replaces_all_rows(store: SQLiteEmbeddingStore) -> None:
    save(store)
    store.load_field_embedding(*KEY)
    store.save_chunked_embeddings(*KEY, [[1.0, 2.0]], [1.0, 2.0])
    assert store.load_field_embedding(*KEY).tolist() == [1.0, 2.0]
    assert len(store.load_chunk_embeddings(*KEY)) == 1


def test_re_aggregation_replaces_the_aggregate_and_its_metadata(store: SQLiteEmbeddingStore) -> None:
    save(store)
    store.load_field_embedding(*KEY)
    pooled = store.re_aggregate(*KEY, "max_pool")
    np.testing.assert_allclose(pooled, [0.6, 0.3, 0.8], atol=1e-7)
    np.testing.assert_array_equal(store.load_field_embedding(*KEY), pooled)
    assert store.get_metadata(*KEY)["aggregation"] == "max_pool"
    assert len(store.load_chunk_embeddings(*KEY)) == 3


def test_re_aggregation_with_weights_records_them(store: SQLiteEmbeddingStore) -> None:
    save(store)
    weighted = store.re_aggregate(*KEY, aggregation_method="weighted_mean", weights=[1.0, 0.8, 0.6])
    np.testing.assert_allclose(weighted, np.average(CHUNKS, axis=0, weights=[1.0, 0.8, 0.6]), atol=1e-6)
    assert store.get_metadata(*KEY)["weights"] == [1.0, 0.8, 0.6]
    store.re_aggregate(*KEY, "mean")
    assert "weights" not in store.get_metadata(*KEY)


def test_a_refused_re_aggregation_keeps_the_old_aggregate(store: SQLiteEmbeddingStore) -> None:
    save(store)
    with pytest.raises(ConfigError, match="2 weights were given for 3"):
        store.re_aggregate(*KEY, "weighted_mean", [1.0, 2.0])
    with pytest.raises(ConfigError, match="'median' is not known"):
        store.re_aggregate(*KEY, "median")
    np.testing.assert_allclose(store.load_field_embedding(*KEY), MEAN, atol=1e-7)


def test_re_aggregation_needs_chunks(store: SQLiteEmbeddingStore) -> None:
    with pytest.raises(UnknownNameError, match="no chunk embeddings"):
        store.re_aggregate(*KEY, "mean")


def test_a_missing_aggregate_is_rebuilt_from_the_chunks_and_stored(store: SQLiteEmbeddingStore) -> None:
    save(store)
    store.database.connection.execute("DELETE FROM field_embeddings WHERE chunk_index = -1")
    np.testing.assert_allclose(store.load_field_embedding(*KEY), MEAN, atol=1e-6)
    assert store.get_metadata(*KEY) == {"aggregation": "mean", "num_chunks": 3, "rebuilt": True}


def test_purging_keeps_the_aggregates_only(store: SQLiteEmbeddingStore) -> None:
    save(store)
    save(store, "doc2", "body", "m")
    assert store.purge_chunks("doc1") == 3
    assert store.load_chunk_embeddings(*KEY) == []
    np.testing.assert_allclose(store.load_field_embedding(*KEY), MEAN, atol=1e-7)
    assert store.purge_chunks(field="title") == 0
    assert store.purge_chunks() == 3


def test_purging_spares_chunks_without_an_aggregate(store: SQLiteEmbeddingStore) -> None:
    save(store)
    store.database.connection.execute("DELETE FROM field_embeddings WHERE chunk_index = -1")
    assert store.purge_chunks() == 0


def test_deleting_a_node_forgets_it_everywhere(store: SQLiteEmbeddingStore) -> None:
    save(store)
    store.load_field_embedding(*KEY)
    assert store.delete_node("doc1")
    assert store.load_field_embedding(*KEY) is None


def test_loaded_vectors_are_write_protected(store: SQLiteEmbeddingStore) -> None:
    save(store)
    for vector in (store.load_field_embedding(*KEY), store.re_aggregate(*KEY), store.load_chunk_embeddings(*KEY)[0]):
        with pytest.raises(ValueError, match="read-only"):
            vector[0] = 9.0


@pytest.mark.parametrize(
    ("chunks", "aggregate"),
    [
        ([[1.0, float("nan")]], [1.0, 1.0]),
        ([[1.0, 1.0]], [1.0, float("inf")]),
        ([[1.0], [1.0, 2.0]], [1.0]),
        ([[1.0]], []),
        ([[[1.0]]], [1.0]),
    ],
)
def test_what_is_no_embedding_is_never_stored(store: SQLiteEmbeddingStore, chunks, aggregate) -> None:
    with pytest.raises(EmbeddingError, match="Node 'doc1', field 'body', model 'm'"):
        store.save_chunked_embeddings(*KEY, chunks, aggregate)
    assert not store.has_embedding(*KEY)


def test_an_aggregate_may_be_longer_than_its_chunks(store: SQLiteEmbeddingStore) -> None:
    store.save_chunked_embeddings(*KEY, [[1.0], [2.0]], [1.0, 2.0], {"aggregation": "concat"})
    assert store.load_field_embedding(*KEY).tolist() == [1.0, 2.0]
    assert store.re_aggregate(*KEY, "concat").tolist() == [1.0, 2.0]


def test_names_that_are_no_texts_are_refused(store: SQLiteEmbeddingStore) -> None:
    for key in (("", "body", "m"), ("a", "\ud800", "m")):
        with pytest.raises(EmbeddingError, match="should be texts that are not empty"):
            save(store, *key)


def record(node_id: str, value: float, text_hash: str = "") -> FieldEmbedding:
    rows = np.full((1, 2), value, dtype=np.float32)
    return FieldEmbedding(node_id, "body", "m", rows, rows[0], {}, "cfg", (text_hash,) if text_hash else ())


def test_many_fields_are_saved_all_or_none(store: SQLiteEmbeddingStore) -> None:
    store.save_many([record("a", 1.0), record("b", 2.0)])
    with pytest.raises(EmbeddingError):
        store.save_many([record("c", 3.0), record("d", float("nan"))])
    assert list(store.load_field_embeddings(["d", "c", "b", "a"], "body", "m")) == ["b", "a"]


def test_of_two_records_of_one_field_the_last_stays(store: SQLiteEmbeddingStore) -> None:
    store.save_many([record("a", 1.0), record("a", 2.0)])
    assert store.load_field_embedding("a", "body", "m").tolist() == [2.0, 2.0]


def test_rows_are_found_by_their_text_whichever_node_had_it(store: SQLiteEmbeddingStore) -> None:
    store.save_many([record("a", 1.0, "hash1"), record("b", 1.0, "hash1"), record("c", 2.0, "hash2")])
    found = store.load_text_embeddings("m", "cfg", ["hash1", "hash2", "hash3"])
    assert {key: row.tolist() for key, row in found.items()} == {"hash1": [1.0, 1.0], "hash2": [2.0, 2.0]}
    assert store.load_text_embeddings("other", "cfg", ["hash1"]) == {}
    assert store.load_text_embeddings("m", "other", ["hash1"]) == {}


def test_text_hashes_have_to_fit_the_chunks(store: SQLiteEmbeddingStore) -> None:
    rows = np.ones((2, 2), dtype=np.float32)
    with pytest.raises(EmbeddingError, match="1 text hashes for 2 chunks"):
        store.save_many([FieldEmbedding("a", "body", "m", rows, rows[0], {}, "cfg", ("one",))])


def test_a_batch_is_one_statement_for_five_hundred_nodes(store: SQLiteEmbeddingStore) -> None:
    ids = [f"n{number:04d}" for number in range(1200)]
    store.save_many(record(node_id, 1.0) for node_id in ids)
    statements: list[str] = []
    store.database.connection.set_trace_callback(statements.append)
    assert len(store.load_field_embeddings(ids, "body", "m")) == 1200
    store.database.connection.set_trace_callback(None)
    assert sum(statement.startswith("SELECT") for statement in statements) == 3


def test_a_cached_aggregate_costs_no_select(store: SQLiteEmbeddingStore) -> None:
    save(store)
    store.load_field_embedding(*KEY)
    statements: list[str] = []
    store.database.connection.set_trace_callback(statements.append)
    store.load_field_embedding(*KEY)
    store.database.connection.set_trace_callback(None)
    assert not any(statement.startswith("SELECT") for statement in statements)
    assert store.cache_info()[:3] == (1, 1000, 1)


def test_the_cache_keeps_the_thousand_used_last(store: SQLiteEmbeddingStore) -> None:
    ids = [f"n{number:04d}" for number in range(1100)]
    store.save_many(record(node_id, 1.0) for node_id in ids)
    store.load_field_embeddings(ids, "body", "m")
    assert store.cache_info().size == 1000
    store.load_field_embeddings(ids[-1000:], "body", "m")
    assert store.cache_info().hits == 1000


def test_what_another_process_wrote_is_seen_in_spite_of_the_cache(tmp_path: Path) -> None:
    with SQLiteEmbeddingStore(tmp_path / "e.db") as one, SQLiteEmbeddingStore(tmp_path / "e.db") as two:
        one.save_many([record("a", 1.0)])
        assert one.load_field_embedding("a", "body", "m").tolist() == [1.0, 1.0]
        two.save_many([record("a", 2.0)])
        assert one.load_field_embedding("a", "body", "m").tolist() == [2.0, 2.0]


def test_threads_share_a_store(store: SQLiteEmbeddingStore) -> None:
    failures: list[BaseException] = []

    def work(name: int) -> None:
        try:
            for number in range(20):
                store.save_many([record(f"{name}-{number}", number), record(f"{name}-{number}-twin", number)])
                found = store.load_field_embeddings([f"{name}-{number}", f"{name}-{number}-twin"], "body", "m")
                assert [row[0] for row in found.values()] == [number, number]
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_last_chunk_that_is_missing_is_noticed(store: SQLiteEmbeddingStore) -> None:
    save(store)
    store.database.connection.execute("DELETE FROM field_embeddings WHERE chunk_index = 2")
    with pytest.raises(StorageCorruptError, match="a chunk embedding is missing"):
        store.load_chunk_embeddings(*KEY)


def test_the_number_of_chunks_is_kept_without_being_asked_for(store: SQLiteEmbeddingStore) -> None:
    store.save_chunked_embeddings(*KEY, CHUNKS, MEAN)
    assert store.get_metadata(*KEY) == {"num_chunks": 3}


def test_metadata_that_something_else_changed_are_refused(store: SQLiteEmbeddingStore) -> None:
    save(store)
    store.database.connection.execute("UPDATE field_embeddings SET metadata = '{}' WHERE chunk_index = -1")
    with pytest.raises(StorageCorruptError, match="aggregate is damaged"):
        store.get_metadata(*KEY)


@pytest.mark.parametrize(
    "change",
    ["dimension = 4", "embedding = zeroblob(12)", "embedding = x'00'", "embedding = 'text'", "chunk_index = 7"],
)
def test_damaged_rows_are_refused(store: SQLiteEmbeddingStore, change: str) -> None:
    save(store)
    store.database.connection.execute(f"UPDATE field_embeddings SET {change} WHERE chunk_index = 1")
    with pytest.raises(StorageCorruptError, match="Node 'doc1'"):
        store.load_chunk_embeddings(*KEY)


class Counting(EmbeddingProvider):
    """A model of two dimensions that counts its texts."""

    n_texts = 0

    def embed(self, texts):
        self.n_texts += len(texts)
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)

    def get_dimension(self):
        return 2

    def get_model_name(self):
        return "counting"

    def get_model_config(self):
        return {}


def test_components_use_the_store_so_that_no_text_is_embedded_twice(store: SQLiteEmbeddingStore) -> None:
    documents = [Document("a", {"body": "one"}), Document("b", {"body": "three"}), Document("c", {"body": "one"})]
    component = FieldEmbeddingComponent(field="body")
    first = Counting()
    rows = embed_component(documents, component, provider=first, store=store).rows
    assert first.n_texts == 2
    second = Counting()
    changed = [*documents[:2], Document("c", {"body": "three"}), Document("d", {"body": "one"})]
    again = embed_component(changed, component, provider=second, store=store).rows
    assert second.n_texts == 0
    np.testing.assert_array_equal(again[:2], rows[:2])
    assert store.get_metadata("d", "body", "counting")["num_chunks"] == 1
