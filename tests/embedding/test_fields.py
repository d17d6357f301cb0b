"""From documents to the rows of a component."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cnrag_core.config.spec import CompositeEmbeddingComponent, FieldEmbeddingComponent
from cnrag_core.corpus.document import Document
from cnrag_core.embedding import model_rows as model_rows_module
from cnrag_core.embedding.aggregation import METHODS
from cnrag_core.embedding.fields import embed_component, make_provider
from cnrag_core.embedding.parts import role_notes
from cnrag_core.embedding.rows import normalize_rows
from cnrag_core.embedding.store import FieldEmbedding
from cnrag_core.embedding.tfidf import TFIDFEmbedding
from cnrag_core.errors import EmbeddingError, ResourceLimitError


def documents(**fields: list[Any]) -> list[Document]:
    rows = zip(*fields.values(), strict=True)
    return [Document(f"d{number}", dict(zip(fields, row, strict=True))) for number, row in enumerate(rows)]


TITLES = documents(title=["red apple", "green apple", "", "red apple", None, "the of and to for"])


def cosines(rows: Any) -> np.ndarray:
    product = rows @ rows.T
    return product if isinstance(product, np.ndarray) else product.toarray()


class MemoryStore:
    """The least that a store must do, and a count of what was written."""

    def __init__(self) -> None:
        self.records: dict[tuple[str, str, str], FieldEmbedding] = {}
        self.n_saved = 0

    def save_many(self, records) -> None:
        for record in list(records):
            self.records[record.node_id, record.field, record.model] = record
            self.n_saved += 1

    def load_metadata(self, node_ids, field, model):
        return {
            node_id: dict(self.records[node_id, field, model].metadata)
            for node_id in node_ids
            if (node_id, field, model) in self.records
        }

    def load_text_embeddings(self, model, config_hash, text_hashes):
        wanted = set(text_hashes)
        return {
            key: row
            for record in self.records.values()
            if record.model == model and record.config_hash == config_hash
            for key, row in zip(record.text_hashes, record.chunks, strict=True)
            if key in wanted
        }


def test_tfidf_field_gives_normalised_rows_in_document_order() -> None:
    embedded = embed_component(TITLES, FieldEmbeddingComponent(field="title"))
    assert embedded.rows.shape == (6, embedded.provider.get_dimension())
    similar = cosines(embedded.rows)
    assert similar[0, 3] == pytest.approx(1.0)
    assert 0 < similar[0, 1] < 1
    assert embedded.name == "title"


def test_documents_without_words_are_missing_and_named() -> None:
    embedded = embed_component(documents(title=["", "the of and", "   "]), FieldEmbeddingComponent(field="title"))
    assert embedded.missing.tolist() == [True, True, True]
    assert any("3 of 3 documents have no usable words (d0, d1, d2)" in note for note in embedded.notes)
    assert any("no vocabulary" in note for note in embedded.notes)


def test_no_documents_give_no_rows() -> None:
    embedded = embed_component([], FieldEmbeddingComponent(field="title"))
    assert embedded.rows.shape == (0, 0)
    assert embedded.notes == ()


def test_rows_are_write_protected() -> None:
    embedded = embed_component(TITLES, FieldEmbeddingComponent(field="title"))
    with pytest.raises(ValueError, match="read-only"):
        embedded.rows.data[0] = 1


def test_query_lives_in_the_same_space() -> None:
    embedded = embed_component(TITLES, FieldEmbeddingComponent(field="title"))
    scores = (embedded.rows @ embedded.embed_query("apple red").T).toarray().ravel()
    assert scores[0] == pytest.approx(1.0)
    assert scores[2] == 0.0
    assert embedded.embed_query("  ").shape == (1, embedded.rows.shape[1])
    assert embedded.embed_query("unknown").nnz == 0


def test_later_documents_use_the_frozen_vocabulary() -> None:
    embedded = embed_component(TITLES, FieldEmbeddingComponent(field="title"))
    rows, missing = embedded.embed_documents(TITLES)
    np.testing.assert_array_equal(rows.toarray(), embedded.rows.toarray())
    np.testing.assert_array_equal(missing, embedded.missing)
    rows, missing = embedded.embed_documents([Document("new", {"title": "zebra red"})])
    assert not missing[0]
    assert rows.nnz == 1


def test_a_fitted_provider_keeps_its_vocabulary() -> None:
    provider = TFIDFEmbedding().fit(["red", "blue"])
    embedded = embed_component(TITLES, FieldEmbeddingComponent(field="title"), provider=provider)
    assert embedded.terms() == ["blue", "red"]


def test_spaceless_script_is_named() -> None:
    embedded = embed_component(
        documents(title=["今天天气很好", "今天天气不好"]), FieldEmbeddingComponent(field="title")
    )
    assert cosines(embedded.rows)[0, 1] > 0.3
    assert any("script without spaces" in note for note in embedded.notes)


PAIRS = documents(
    title=["red apple", "green pear", "red apple", ""],
    body=["sweet fruit", "sweet fruit", "sour taste", "sour taste"],
)


def composite(method: str, first: float = 0.4, second: float = 0.6) -> CompositeEmbeddingComponent:
    fields = [{"field": "title", "weight": first}, {"field": "body", "weight": second}]
    return CompositeEmbeddingComponent(fields=fields, aggregation=method)


def test_composite_has_one_vocabulary() -> None:
    embedded = embed_component(PAIRS, composite("weighted_avg"))
    assert embedded.terms() == ["apple", "fruit", "green", "pear", "red", "sour", "sweet", "taste"]
    assert embedded.name == "title+body"


def test_weighted_average_of_fields_is_their_weighted_sum_renormalised() -> None:
    embedded = embed_component(PAIRS, composite("weighted_avg"))
    title = embedded.provider.embed_rows(["red apple"]).toarray()
    body = embedded.provider.embed_rows(["sweet fruit"]).toarray()
    np.testing.assert_allclose(embedded.rows[0].toarray(), normalize_rows(0.4 * title + 0.6 * body), atol=1e-6)


def test_mean_of_fields_follows_their_weights_as_the_aggregator_does() -> None:
    one, other = composite("mean"), composite("weighted_avg")
    np.testing.assert_array_equal(
        embed_component(PAIRS, one).rows.toarray(), embed_component(PAIRS, other).rows.toarray()
    )


def test_a_missing_field_leaves_the_other_field() -> None:
    embedded = embed_component(PAIRS, composite("weighted_avg"))
    np.testing.assert_allclose(
        embedded.rows[3].toarray(), embedded.provider.embed_rows(["sour taste"]).toarray(), atol=1e-6
    )
    assert not embedded.missing.any()


def test_cosine_of_concatenated_fields_is_the_weighted_sum_of_their_cosines() -> None:
    embedded = embed_component(PAIRS[:3], composite("concat"))
    similar = cosines(embedded.rows)
    assert similar[0, 1] == pytest.approx(0.6, abs=1e-6)
    assert similar[0, 2] == pytest.approx(0.4, abs=1e-6)
    assert len(embedded.terms()) == embedded.rows.shape[1]


def test_query_matches_every_stretch_of_a_concatenated_row() -> None:
    embedded = embed_component(PAIRS[:3], composite("concat"))
    scores = (embedded.rows @ embedded.embed_query("red apple").T).toarray().ravel()
    np.testing.assert_allclose(scores, [0.4, 0.0, 0.4], atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["tfidf", "model"])
def test_every_aggregation_combines_fields_and_chunks(method: str, kind: str, fake_model) -> None:
    provider = fake_model() if kind == "model" else None
    for component in (
        composite(method),
        FieldEmbeddingComponent(field="body", aggregation=method, chunking={"method": "fixed_tokens", "max_tokens": 2}),
    ):
        embedded = embed_component(PAIRS, component, provider=provider)
        rows = embedded.rows if kind == "model" else embedded.rows.toarray()
        assert rows.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
        assert embedded.embed_query("sweet").shape == (1, rows.shape[1])
        again, _ = embedded.embed_documents(PAIRS)
        np.testing.assert_allclose(again if kind == "model" else again.toarray(), rows, atol=1e-6)


def test_a_field_of_weight_zero_takes_no_part() -> None:
    for method in ("weighted_avg", "max_pool", "first", "mean"):
        embedded = embed_component(PAIRS, composite(method, 0.0, 1.0))
        np.testing.assert_allclose(
            embedded.rows.toarray(), embedded.provider.embed_rows([d.text("body") for d in PAIRS]).toarray(), atol=1e-6
        )


CHATS = documents(
    messages=[
        [{"role": "user", "content": "red apple"}, {"role": "assistant", "content": "green pear"}],
        [{"role": "user", "content": "red apple"}, {"role": "system", "content": "blue plum"}],
        "red apple",
        [],
    ]
)


def test_roles_weigh_differently() -> None:
    component = FieldEmbeddingComponent(field="messages", role_weights={"user": 1.5, "assistant": 1.0})
    embedded = embed_component(CHATS, component)
    scores = (embedded.rows @ embedded.embed_query("red apple").T).toarray().ravel()
    assert scores[0] == pytest.approx(1.5 / np.hypot(1.5, 1.0), abs=1e-6)
    assert scores[1] == pytest.approx(1.5 / np.hypot(1.5, 1.0), abs=1e-6)
    assert scores[2] == pytest.approx(1.0)
    assert embedded.missing.tolist() == [False, False, False, True]


def test_roles_can_be_kept_apart() -> None:
    component = FieldEmbeddingComponent(
        field="messages", role_weights={"user": 1.5, "assistant": 1.0}, aggregation="concat"
    )
    embedded = embed_component(CHATS, component)
    assert embedded.rows.shape[1] == 3 * embedded.provider.get_dimension()


def test_recent_turns_count_more_when_the_decay_begins_at_the_last() -> None:
    talk = [[{"role": "user", "content": word} for word in ("alpha", "beta", "gamma")]]
    component = FieldEmbeddingComponent(field="messages", aggregation="weighted_mean", decay_from="last")
    embedded = embed_component(documents(messages=talk), component)
    alpha, beta, gamma = embedded.rows.toarray()[0]
    assert (beta / gamma, alpha / gamma) == (pytest.approx(0.9), pytest.approx(0.81))


def test_equal_texts_are_embedded_once_and_blank_ones_never(fake_model) -> None:
    model = fake_model()
    embedded = embed_component(TITLES, FieldEmbeddingComponent(field="title"), provider=model)
    assert sorted(model.texts) == ["green apple", "red apple", "the of and to for"]
    assert embedded.rows[0].tolist() == embedded.rows[3].tolist()
    assert embedded.missing.tolist() == [False, False, True, False, True, False]
    assert (embedded.n_embedded, embedded.n_reused) == (3, 1)
    assert embedded.terms() is None


def test_a_text_beyond_the_limit_of_the_model_is_cut_and_its_end_counts(fake_model) -> None:
    model = fake_model(max_tokens=8)
    text = "one two three four five. six seven eight nine ten."
    embedded = embed_component(
        documents(title=[text, text.replace("ten", "zebra")]), FieldEmbeddingComponent(field="title"), provider=model
    )
    assert all(model.count_tokens(chunk) <= 8 for chunk in model.texts)
    assert cosines(embedded.rows)[0, 1] < 0.99


def test_chunks_beyond_the_limit_of_the_model_are_made_smaller_with_a_note(fake_model) -> None:
    component = FieldEmbeddingComponent(field="title", chunking={"method": "sentences", "max_tokens": 512})
    model = fake_model(max_tokens=8)
    embedded = embed_component(documents(title=["one two three. " * 10]), component, provider=model)
    assert all(model.count_tokens(chunk) <= 8 for chunk in model.texts)
    assert any("512 tokens" in note and "reads 8" in note for note in embedded.notes)


def test_texts_that_stay_too_long_are_named(fake_model) -> None:
    component = FieldEmbeddingComponent(field="title", chunking={"method": "none"})
    embedded = embed_component(documents(title=["a b c d e"]), component, provider=fake_model(max_tokens=3))
    assert any("1 texts are longer than the 3 tokens" in note for note in embedded.notes)


def test_too_many_chunks_name_the_document_before_anything_is_embedded(fake_model) -> None:
    component = FieldEmbeddingComponent(field="title", chunking={"method": "fixed_tokens", "max_tokens": 2})
    model = fake_model()
    with pytest.raises(ResourceLimitError, match="Document 'd1', field 'title'"):
        embed_component(documents(title=["short", "word " * 3000]), component, provider=model)
    assert model.calls == []


def test_concatenated_chunks_that_would_fill_the_memory_are_refused(fake_model, monkeypatch) -> None:
    monkeypatch.setattr(model_rows_module, "MAX_ROWS_BYTES", 300)
    component = FieldEmbeddingComponent(
        field="title", aggregation="concat", chunking={"method": "fixed_tokens", "max_tokens": 2}
    )
    with pytest.raises(ResourceLimitError, match="rows of"):
        embed_component(documents(title=["a b c d e f"]), component, provider=fake_model())


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


def test_unchanged_texts_are_never_embedded_twice(fake_model, store: MemoryStore) -> None:
    component = FieldEmbeddingComponent(field="title")
    first = embed_component(TITLES, component, provider=fake_model(), store=store)
    n_saved = store.n_saved
    model = fake_model()
    second = embed_component(TITLES, component, provider=model, store=store)
    assert model.calls == []
    assert store.n_saved == n_saved
    assert second.n_embedded == 0
    np.testing.assert_array_equal(first.rows, second.rows)


def test_only_a_changed_text_is_embedded_again(fake_model, store: MemoryStore) -> None:
    component = FieldEmbeddingComponent(field="title")
    embed_component(TITLES, component, provider=fake_model(), store=store)
    model = fake_model()
    embed_component([*TITLES[1:], Document("d0", {"title": "blue plum"})], component, provider=model, store=store)
    assert model.texts == ["blue plum"]


def test_another_configuration_of_the_model_is_not_mistaken_for_the_stored_one(fake_model, store: MemoryStore) -> None:
    component = FieldEmbeddingComponent(field="title")
    embed_component(TITLES, component, provider=fake_model(), store=store)
    model = fake_model(max_tokens=100)
    embed_component(TITLES, component, provider=model, store=store)
    assert len(model.texts) == 3


def test_another_aggregation_reuses_the_chunks(fake_model, store: MemoryStore) -> None:
    cut = {"method": "fixed_tokens", "max_tokens": 2}
    embed_component(TITLES, FieldEmbeddingComponent(field="title", chunking=cut), provider=fake_model(), store=store)
    model = fake_model()
    component = FieldEmbeddingComponent(field="title", chunking=cut, aggregation="max_pool")
    embed_component(TITLES, component, provider=model, store=store)
    assert model.calls == []
    assert store.records["d0", "title", "fake"].metadata["aggregation"] == "max_pool"


def test_an_interruption_keeps_whole_documents_and_resumes_with_the_rest(fake_model, store, monkeypatch) -> None:
    monkeypatch.setattr(model_rows_module, "GROUP_SIZE", 2)
    many = documents(title=[f"text {number}" for number in range(6)])
    component = FieldEmbeddingComponent(field="title")

    class Breaking(fake_model):
        def embed(self, texts):
            if len(self.calls) == 2:
                raise EmbeddingError("the server went away")
            return super().embed(texts)

    with pytest.raises(EmbeddingError, match="went away"):
        embed_component(many, component, provider=Breaking(), store=store)
    assert len(store.records) == 4
    model = fake_model()
    embed_component(many, component, provider=model, store=store)
    assert sorted(model.texts) == ["text 4", "text 5"]


def test_stored_metadata_says_how_the_row_was_made(fake_model, store: MemoryStore) -> None:
    component = FieldEmbeddingComponent(field="title", chunking={"method": "fixed_tokens", "max_tokens": 2})
    embed_component(TITLES, component, provider=fake_model(), store=store)
    record = store.records["d0", "title", "fake"]
    assert record.chunks.shape == (2, 16)
    assert record.metadata["num_chunks"] == 2
    assert record.metadata["chunking"]["method"] == "fixed_tokens"


def test_a_model_that_changed_its_dimension_is_refused(fake_model, store: MemoryStore) -> None:
    class Changed(fake_model):
        def get_model_config(self):
            return {"dimension": 16, "max_tokens": None}

    component = FieldEmbeddingComponent(field="title")
    embed_component(TITLES, component, provider=fake_model(), store=store)
    with pytest.raises(EmbeddingError, match="8 numbers, but earlier ones have 16"):
        embed_component([*TITLES, Document("x", {"title": "new"})], component, provider=Changed(8), store=store)


def test_progress_rises_to_one(fake_model) -> None:
    seen: list[tuple[str, float]] = []
    embed_component(
        TITLES, FieldEmbeddingComponent(field="title"), provider=fake_model(), progress=lambda *at: seen.append(at)
    )
    assert seen[0] == ("embed title", 0.0)
    assert seen[-1] == ("embed title", 1.0)
    assert [share for _, share in seen] == sorted(share for _, share in seen)


def test_rows_do_not_depend_on_the_order_of_the_documents(fake_model) -> None:
    provider: Callable[..., Any]
    for provider in (fake_model, TFIDFEmbedding):
        forward = embed_component(TITLES, FieldEmbeddingComponent(field="title"), provider=provider()).rows
        backward = embed_component(TITLES[::-1], FieldEmbeddingComponent(field="title"), provider=provider()).rows
        forward, backward = (rows if isinstance(rows, np.ndarray) else rows.toarray() for rows in (forward, backward))
        np.testing.assert_array_equal(forward, backward[::-1])


def test_default_provider_is_tfidf() -> None:
    assert isinstance(make_provider(FieldEmbeddingComponent(field="title")), TFIDFEmbedding)


@pytest.mark.parametrize("aggregation", ["mean", "concat", "max_pool"])
@pytest.mark.parametrize("kind", ["tfidf", "model"])
def test_a_document_of_one_chunk_has_the_same_row_in_any_company(kind: str, aggregation: str, fake_model) -> None:
    texts = ["red apple pie", "", "green pear tree in the garden of the house by the river", "blue plum jam"]
    component = FieldEmbeddingComponent(
        field="title", aggregation=aggregation, chunking={"method": "fixed_tokens", "max_tokens": 4}
    )
    company = documents(title=texts)
    embedded = embed_component(company, component, provider=fake_model() if kind == "model" else None)
    for number in (0, 3):
        alone, _ = embedded.embed_documents([company[number]])
        together = embedded.rows[[number]]
        if kind == "tfidf":
            alone, together = alone.toarray(), together.toarray()
        np.testing.assert_array_equal(alone, together)


def test_a_weight_of_a_role_that_never_speaks_is_told() -> None:
    turns = [{"role": "user", "content": "apples"}, {"role": "assistant", "content": "pears"}]
    documents = [Document("c", {"messages": turns})]
    known = FieldEmbeddingComponent(field="messages", role_weights={"user": 2.0})
    misspelt = FieldEmbeddingComponent(field="messages", role_weights={"users": 2.0, "assistant": 1.0})
    assert role_notes([known], documents) == []
    assert role_notes([misspelt], documents) == [
        "messages: `role_weights` names 'users', who never speaks in field 'messages'; "
        "it is spoken by 'assistant' and 'user'."
    ]
