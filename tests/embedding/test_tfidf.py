"""TF-IDF rows: weights, vocabulary, freezing, saving."""

from __future__ import annotations

import random

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from cnrag_core.embedding import tfidf as tfidf_module
from cnrag_core.embedding.tfidf import NO_WORDS, TFIDFEmbedding
from cnrag_core.errors import ConfigError, EmbeddingError, ResourceLimitError

TEXTS = ["Graph of graphs", "Learning on a graph", "", "C", "R", "learning to rank, to rank", "Grüße aus Köln", "C"]


def similarity(texts: list[str], **options) -> np.ndarray:
    rows = TFIDFEmbedding(**options).fit_embed(texts)
    return (rows @ rows.T).toarray()


@pytest.mark.parametrize("sublinear_tf", [True, False])
def test_matrix_is_identical_to_the_reference_implementation(sublinear_tf: bool) -> None:
    texts = [text for text in TEXTS if text]
    tfidf = TFIDFEmbedding(analyzer="words", sublinear_tf=sublinear_tf)
    reference = TfidfVectorizer(token_pattern=r"(?u)\b\w+\b", dtype=np.float32, sublinear_tf=sublinear_tf)
    expected = reference.fit_transform(texts)
    rows = tfidf.fit_embed(texts)
    assert tfidf.terms() == list(reference.get_feature_names_out())
    assert rows.nnz == expected.nnz
    np.testing.assert_allclose(rows.toarray(), expected.toarray(), atol=2e-7)


def test_fit_then_embed_equals_fit_embed() -> None:
    np.testing.assert_array_equal(
        TFIDFEmbedding().fit(TEXTS).embed_rows(TEXTS).toarray(), TFIDFEmbedding().fit_embed(TEXTS).toarray()
    )


def test_one_letter_words_tell_texts_apart() -> None:
    np.testing.assert_allclose(similarity(["C", "R", "C"]), [[1, 0, 1], [0, 1, 0], [1, 0, 1]], atol=1e-7)


def test_chinese_texts_that_share_words_are_similar() -> None:
    assert similarity(["今天天气很好", "今天天气不好"])[0, 1] > 0.3


def test_hindi_words_are_kept_whole() -> None:
    tfidf = TFIDFEmbedding().fit(["हिन्दी में आध्यात्मिक"])
    assert tfidf.terms() == sorted(["हिन्दी", "में", "आध्यात्मिक"])


def test_english_stop_words_do_not_link_texts() -> None:
    tfidf = TFIDFEmbedding()
    rows = tfidf.fit_embed(["the structure of the graph", "the price of the fish and chips"])
    assert tfidf.get_model_config()["analyzer"] == "english_words"
    assert (rows[0] @ rows[1].T).nnz == 0


def test_order_of_the_texts_changes_nothing() -> None:
    shuffled = TEXTS.copy()
    random.Random(1).shuffle(shuffled)
    one, two = TFIDFEmbedding().fit(TEXTS), TFIDFEmbedding().fit(shuffled)
    assert one.get_model_config() == two.get_model_config()
    np.testing.assert_array_equal(one.embed_rows(TEXTS).toarray(), two.embed_rows(TEXTS).toarray())


@pytest.mark.parametrize("texts", [[], ["", "   "], ["", "the of and", "   "]])
def test_texts_without_words_give_zero_rows_and_a_warning(texts: list[str]) -> None:
    tfidf = TFIDFEmbedding(analyzer="english_words")
    rows = tfidf.fit_embed(texts)
    assert rows.shape == (len(texts), 0)
    assert tfidf.warning == NO_WORDS
    assert tfidf.is_fitted
    assert tfidf.embed(["anything"]).shape == (1, 0)


def test_warning_goes_away_with_a_better_fit() -> None:
    tfidf = TFIDFEmbedding().fit([""])
    assert tfidf.fit(["words"]).warning is None


def test_idf_is_frozen_for_later_texts() -> None:
    tfidf = TFIDFEmbedding().fit(["red apple", "green apple"])
    before = tfidf.embed_rows(["red apple"]).toarray()
    tfidf.embed_rows(["red red red", "purple"])
    np.testing.assert_array_equal(tfidf.embed_rows(["red apple"]).toarray(), before)
    assert tfidf.embed_rows(["purple"]).nnz == 0


def test_a_text_embeds_alike_alone_and_in_company() -> None:
    tfidf = TFIDFEmbedding().fit(TEXTS)
    together = tfidf.embed_rows(TEXTS).toarray()
    for number, text in enumerate(TEXTS):
        np.testing.assert_array_equal(tfidf.embed_rows([text]).toarray()[0], together[number])


def test_a_provider_without_fit_learns_from_its_first_texts() -> None:
    tfidf = TFIDFEmbedding()
    assert tfidf.get_dimension() == 0
    assert tfidf.embed(["red apple", "green pear"]).shape == (2, 4)
    assert tfidf.get_dimension() == 4


def test_blank_texts_do_not_count_in_the_idf() -> None:
    assert TFIDFEmbedding().fit(["a b", "", "  "]).get_model_config()["n_fitted"] == 1


def test_max_features_keeps_the_most_frequent_ties_alphabetical() -> None:
    assert TFIDFEmbedding(2).fit(["b x", "a x", "c x"]).terms() == ["a", "x"]


def test_unknown_share_measures_drift() -> None:
    tfidf = TFIDFEmbedding().fit(["red apple"])
    assert tfidf.unknown_share(["red pear", "pear"]) == pytest.approx(2 / 3)
    assert tfidf.unknown_share(["", "apple"]) == 0.0
    assert tfidf.unknown_share([]) == 0.0


def test_saved_state_restores_the_same_rows() -> None:
    tfidf = TFIDFEmbedding(sublinear_tf=False).fit(TEXTS)
    restored = TFIDFEmbedding.from_state(tfidf.to_state())
    assert restored.get_model_config() == tfidf.get_model_config()
    np.testing.assert_array_equal(restored.embed_rows(TEXTS).toarray(), tfidf.embed_rows(TEXTS).toarray())


def test_a_damaged_state_is_refused() -> None:
    state = TFIDFEmbedding().fit(["a b"]).to_state()
    with pytest.raises(EmbeddingError, match="2 terms needs as many finite idf"):
        TFIDFEmbedding.from_state({**state, "idf": np.array([1.0, np.nan])})
    with pytest.raises(EmbeddingError, match="never fitted"):
        TFIDFEmbedding().to_state()


def test_a_dense_array_that_would_fill_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tfidf_module, "MAX_DENSE_BYTES", 10)
    with pytest.raises(ResourceLimitError, match="use embed_rows"):
        TFIDFEmbedding().embed(["red apple", "green pear"])


def test_wrong_options_are_refused() -> None:
    with pytest.raises(ConfigError, match="'stems' is not known"):
        TFIDFEmbedding(analyzer="stems")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="at least 1, got 0"):
        TFIDFEmbedding(0)
