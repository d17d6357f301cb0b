"""Requests that would cost too much: refused before the work, with what they would cost and what would fit."""

from __future__ import annotations

import random
from typing import Any

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray

from cnrag_core.chunking.chunker import TextChunker
from cnrag_core.chunking.sentences import paragraph_spans, sentence_spans
from cnrag_core.config.spec import (
    AttributeSimilarityComponent,
    ChunkingStrategy,
    EdgeRule,
    FieldEmbeddingComponent,
    PipelineConfig,
)
from cnrag_core.corpus.document import Document
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.embedding.tfidf import TFIDFEmbedding
from cnrag_core.errors import ConfigError, CorpusError, ResourceLimitError
from cnrag_core.graph.similarity_graph import graph_of_networkx
from cnrag_core.network import build_network
from cnrag_core.rag import NetworkRAG
from cnrag_core.topology.analyzer import NetworkAnalyzer
from cnrag_core.topology.neighborhood import k_hop
from tests.hardening import campaign
from tests.hardening.watched import watched


def alike(n: int) -> list[Document]:
    """Documents that all share one tag and differ in another: every pair is linked at threshold 0."""
    chosen = campaign.random_of("B21")
    return [Document(f"d{i:06d}", {"tags": ["common", f"t{chosen.randrange(n)}"]}) for i in range(n)]


def config_at(**rule: Any) -> PipelineConfig:
    return PipelineConfig(components=[AttributeSimilarityComponent(field="tags")], edges=EdgeRule(**rule))


def test_b21_a_threshold_that_links_everything_is_refused_with_its_estimate() -> None:
    n = campaign.count(20_000, 3_000)
    pairs = n * (n - 1) // 2
    with watched() as watch, pytest.raises(ResourceLimitError) as caught:
        build_network(alike(n), config_at(min=0.0))
    message = str(caught.value)
    estimate = int(message.split("would give about ")[1].split(" ")[0].replace(",", ""))
    assert estimate == pytest.approx(pairs, rel=0.05)
    assert "The lowest threshold that fits here is " in message
    print(f"B21: {n:,} documents, {watch.cpu:.1f} CPU s: {message}")


@pytest.mark.parametrize("threshold", [float("nan"), float("inf"), -0.1, 1.0000001, True, "0.4"])
def test_b21_a_threshold_that_is_none_is_refused(threshold: Any) -> None:
    with pytest.raises(ConfigError):
        EdgeRule(min=threshold)
    rag = NetworkRAG(min_similarity=0.1)
    rag.add_node("a", "coral reefs")
    rag.add_node("b", "coral reefs")
    if not isinstance(threshold, (bool, str)):
        with pytest.raises(ConfigError):
            rag.at_threshold(threshold)


def test_b22_an_upload_of_a_million_rows_is_refused() -> None:
    rows = campaign.count(1_000_000, 100_001)
    with watched() as watch, pytest.raises(CorpusError, match=r"a\.csv has more than 100,000 documents"):
        read_bytes(b"id,title\n" + b"".join(b"%d,x\n" % row for row in range(rows)), "a.csv")
    print(f"B22: refused in {watch.cpu:.1f} CPU s")


class Counting(TFIDFEmbedding):
    """Counts the texts that it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.n_texts = 0

    def fit(self, texts: Any) -> Any:
        self.n_texts += len(texts)
        return super().fit(texts)

    def embed(self, texts: Any) -> Any:
        self.n_texts += len(texts)
        return super().embed(texts)


@pytest.mark.parametrize("method", ["fixed_tokens", "sliding", "sentences", "paragraphs", "recursive"])
def test_b22_ten_thousand_chunks_are_refused_before_anything_is_embedded(method: str) -> None:
    text = "word " * 10_000
    strategy = ChunkingStrategy(method=method, max_tokens=1, max_chars=5, overlap_chars=0)
    component = FieldEmbeddingComponent(field="t", chunking_strategy=strategy)
    provider = Counting()
    with pytest.raises(ResourceLimitError, match="would be cut into more than 2,000 chunks"):
        build_network(
            [Document("a", {"t": text}), Document("b", {"t": "short"})],
            PipelineConfig(components=[component]),
            providers={"t": provider},
        )
    assert provider.n_texts == 0


PATH = nx.Graph([("A", "B"), ("B", "C"), ("C", "D"), ("X", "Y")])


def test_b23_hops_beyond_the_diameter_are_the_whole_component_at_once() -> None:
    graph = graph_of_networkx(PATH)
    with watched() as watch:
        assert k_hop(graph, "A", 10**9) == {"B", "C", "D"}
        assert NetworkAnalyzer(PATH).get_neighbors("X", k_hops=10**9) == {"Y"}
    assert watch.cpu < 30


def reefs() -> NetworkRAG:
    rag = NetworkRAG(min_similarity=0.1)
    for node_id, text in [("a", "coral reefs bleach"), ("b", "coral reefs recover"), ("c", "bond yields")]:
        rag.add_node(node_id, text)
    return rag


def test_b23_more_results_than_there_are_documents_are_all_of_them() -> None:
    results = reefs().search("coral").top(10**9)
    assert 2 <= len(results) <= 3


@pytest.mark.parametrize(
    "request_of",
    [
        lambda rag: rag.get_hub_nodes(min_degree=-1),
        lambda rag: rag.get_hub_nodes(top=-5),
        lambda rag: rag.get_bridge_nodes(min_betweenness=-0.1),
        lambda rag: rag.get_bridge_nodes(min_betweenness=10.0),
        lambda rag: rag.get_bridge_nodes(top=-5),
        lambda rag: rag.get_neighbors("a", k_hops=-1),
        lambda rag: rag.get_neighbors("a", k_hops=1.5),
        lambda rag: rag.sample_community_nodes(0, -3),
    ],
)
def test_b23_a_number_below_zero_is_refused(request_of: Any) -> None:
    with pytest.raises(ConfigError):
        request_of(reefs())


def test_b23_what_nobody_reaches_or_nobody_wants_gives_nobody() -> None:
    rag = reefs()
    assert rag.get_hub_nodes(min_degree=10**9) == []
    nothing = rag.search("coral").top(-5)
    assert (list(nothing), nothing.reason) == ([], "-5 results were asked for.")


MEGABYTES = campaign.count(10, 1)
LONG_TEXTS = {
    "letters": "a" * 10**6,
    "letters and dots": "a." * 5 * 10**5,
    "blanks": " " * 10**6,
    "quotes and letters": '"' * 20 + "A" * MEGABYTES * 10**6,
    "dots": "." * 10**6,
    "dots and blanks": ". " * 5 * 10**5,
    "line ends": "\n" * 10**6,
    "blank lines with blanks": "\n   \n" * 2 * 10**5,
    "initials": "J. " * 3 * 10**5,
    "abbreviations": "e.g. Dr. " * 10**5,
    "Chinese stops": "。" * 10**6,
    "closers": '.")]' * 2 * 10**5,
    "questions": "?! " * 3 * 10**5,
    "numbers": "3.14 " * 2 * 10**5,
    "blanks and a letter": " " * 10**6 + "x",
}


@pytest.mark.parametrize("name", LONG_TEXTS)
def test_b24_sentences_are_found_in_time_linear_in_the_text(name: str) -> None:
    text = LONG_TEXTS[name]
    for cut in (sentence_spans, paragraph_spans):
        half = text[: len(text) // 8]
        with watched(hang=60) as short:
            cut(half)
        with watched(hang=60) as long:
            spans = cut(text)
        # eight times the text takes eight times as long, not sixty-four times; the rest is the machine's noise
        assert long.cpu < 30 * short.cpu + 1.0, (cut.__name__, short.cpu, long.cpu)
        assert spans is not None
        print(f"B24 {name}, {cut.__name__}: {long.cpu / len(text) * 1e6:.2f} CPU s per million characters")


@pytest.mark.parametrize("method", ["fixed_tokens", "sliding", "sentences", "paragraphs", "recursive"])
def test_b24_every_way_of_cutting_is_linear(method: str) -> None:
    chosen = random.Random(campaign.SEED)
    pieces = list(LONG_TEXTS.values())
    text = "".join(chosen.choice(pieces)[:20_000] for _ in range(50))
    with watched(hang=60) as watch:
        chunks = TextChunker(ChunkingStrategy(method=method, max_tokens=5_000, max_chars=10_000)).spans(text)
    covered: NDArray[np.bool_] = np.zeros(len(text), dtype=bool)
    for chunk in chunks:
        covered[chunk.start : chunk.end] = True
    assert all(text[position].isspace() for position in np.flatnonzero(~covered))
    print(f"B24 {method}: {watch.cpu:.2f} CPU s for {len(text):,} characters")
