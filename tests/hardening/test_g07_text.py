"""Texts and values that others fell over: empty, tiny, of other scripts, or nothing at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from cnrag_core.config.spec import (
    AttributeSimilarityComponent,
    ChunkingStrategy,
    EdgeRule,
    FieldEmbeddingComponent,
    PipelineConfig,
)
from cnrag_core.corpus.document import Document
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.embedding.dense import DenseEmbedding
from cnrag_core.embedding.tfidf import TFIDFEmbedding
from cnrag_core.errors import EmbeddingError
from cnrag_core.network import Network, build_network
from cnrag_core.similarity.set_metrics import dice, exact, jaccard, overlap
from cnrag_core.storage.sqlite_embedding_store import SQLiteEmbeddingStore

METRICS: dict[str, Callable[[Any, Any], float]] = {"jaccard": jaccard, "dice": dice, "overlap": overlap, "exact": exact}


def network_of(*texts: Any, threshold: float = 0.0) -> Network:
    config = PipelineConfig(components=[FieldEmbeddingComponent(field="text")], edges=EdgeRule(min=threshold))
    return build_network([Document(str(i), {"text": text}) for i, text in enumerate(texts)], config)


def test_g7_documents_without_usable_words_are_built_and_told() -> None:
    network = network_of("", "the of and", "   ", "coral reefs")
    assert (network.graph.n_nodes, network.graph.n_edges) == (4, 0)
    assert "text: 3 of 4 documents have no usable words (0, 1, 2)." in network.warnings
    assert all(tags == [] for tags in network.tags.values())


def test_g8_a_missing_title_is_nothing_and_a_number_is_its_text() -> None:
    corpus = read_bytes(b'[{"id":"a","title":3},{"id":"b","title":null},{"id":"c","title":3}]', "a.json")
    assert [document.text("title") for document in corpus] == ["3", "", "3"]
    config = PipelineConfig(components=[FieldEmbeddingComponent(field="title")], edges=EdgeRule(min=0.0))
    network = build_network(corpus, config)
    assert network.similarity.compute("a", "c") == 1.0
    assert network.similarity.compute("a", "b") == 0.0
    cells = read_bytes(b"id,title\na,One\nb,\n", "a.csv")
    assert cells["b"].text("title") == ""


def test_g9_words_of_one_letter_count() -> None:
    network = network_of("C", "R", "C")
    assert network.similarity.compute("0", "2") == 1.0
    assert network.similarity.compute("0", "1") == 0.0


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("今天天气很好", "今天天气不好"),
        ("आधुनिक नकदी", "आधुनिक नकदी व्यवस्था"),
        ("ภาษาไทยง่าย", "ภาษาไทยยาก"),
        ("서울은 크다", "서울은 작다"),
    ],
)
def test_g10_scripts_of_all_kinds_are_alike_where_people_see_it(first: str, second: str) -> None:
    assert network_of(first, second, "something else").similarity.compute("0", "1") > 0


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_g11_a_vector_that_is_no_number_is_never_stored(bad: float) -> None:
    with SQLiteEmbeddingStore(":memory:") as store:
        with pytest.raises(EmbeddingError) as caught:
            store.save_chunked_embeddings("n1", "title", "m", [[bad, 1.0]], [1.0, 0.0])
        assert all(part in str(caught.value) for part in ("n1", "title", "m"))
        with pytest.raises(EmbeddingError):
            store.save_chunked_embeddings("n1", "title", "m", [[0.0, 1.0]], [bad, 0.0])
        assert not store.has_embedding("n1", "title", "m")
        assert store.load_field_embedding("n1", "title", "m") is None


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("a", "b"), [([], []), ([], ["x"]), (None, None), (None, ["x"]), ("", ""), ([" "], [" "])])
def test_g12_nothing_to_compare_is_no_evidence(metric: str, a: Any, b: Any) -> None:
    assert METRICS[metric](a, b) == 0.0
    assert METRICS[metric](b, a) == 0.0
    config = PipelineConfig(
        components=[
            AttributeSimilarityComponent(field="tags", metric=metric),  # type: ignore[arg-type]
            FieldEmbeddingComponent(field="t"),
        ],
        edges=EdgeRule(min=0.0),
    )
    network = build_network([Document("a", {"tags": a, "t": "x"}), Document("b", {"tags": b, "t": "y"})], config)
    assert network.graph.n_edges == 0


@pytest.mark.parametrize(("metric", "value"), [("jaccard", 0.5), ("dice", 2 / 3), ("overlap", 2 / 3), ("exact", 0.0)])
def test_g12_the_metrics_of_two_sets_that_share_two_of_three(metric: str, value: float) -> None:
    a, b = ["ml", "nlp", "transformers"], ["nlp", "transformers", "bert"]
    assert METRICS[metric](a, b) == pytest.approx(value, abs=1e-9)


def test_g13_a_text_is_one_item_and_never_its_letters() -> None:
    assert {name: metric("nlp", "pln") for name, metric in METRICS.items()} == dict.fromkeys(METRICS, 0.0)
    assert {name: metric("nlp", "nlp") for name, metric in METRICS.items()} == dict.fromkeys(METRICS, 1.0)
    assert jaccard("a, b", "a") == 0.0
    assert read_bytes(b'[{"id":"a","tags":"a, b"}]', "a.json")["a"].items("tags") == ("a, b",)


def test_g14_no_texts_and_blank_texts_have_rows_of_nothing() -> None:
    provider = TFIDFEmbedding()
    provider.fit(["coral reefs", "bond yields"])
    assert provider.embed([]).shape == (0, provider.embed(["coral"]).shape[1])
    blank = provider.embed(["", " "])
    assert abs(blank).sum() == 0
    model = Recording()
    assert model.embed([]).shape == (0, 2)
    assert not model.embed(["", " "]).any()
    assert model.texts == []
    assert network_of("", " ", "coral").graph.n_edges == 0


class Recording(DenseEmbedding):
    """A dense model with a limit of 256 tokens, which remembers what it was given."""

    max_tokens = 256

    def __init__(self) -> None:
        self.texts: list[str] = []

    def get_dimension(self) -> int:
        return 2

    def get_model_name(self) -> str:
        return "recording"

    def get_model_config(self) -> dict[str, Any]:
        return {}

    def _embed_texts(self, texts: Sequence[str]) -> Any:
        self.texts += texts
        return [[1.0 + len(text), sum(map(ord, text)) % 97 + 1.0] for text in texts]


def test_g15_chunks_are_cut_to_what_the_model_reads() -> None:
    provider = Recording()
    words = [f"w{i}" for i in range(800)]
    config = PipelineConfig(
        components=[
            FieldEmbeddingComponent(
                field="t", model="sentence_bert", chunking_strategy=ChunkingStrategy(max_tokens=512)
            )
        ],
        edges=EdgeRule(min=0.0),
    )
    documents = [Document("a", {"t": " ".join(words)}), Document("b", {"t": " ".join([*words[:-1], "other"])})]
    network = build_network(documents, config, providers={"t": provider})
    assert all(len(text.split()) * 1.3 <= 256 for text in provider.texts)
    assert any("256" in warning for warning in network.warnings), network.warnings
    assert not np.array_equal(network.embedded["t"].rows[0], network.embedded["t"].rows[1])
