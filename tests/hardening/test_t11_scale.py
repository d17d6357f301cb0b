"""How fast the core builds, and that a request for everything is refused before it costs anything."""

from __future__ import annotations

import time

import pytest

from cnrag_core.config.spec import (
    AttributeSimilarityComponent,
    EdgeRule,
    FieldEmbeddingComponent,
    PipelineConfig,
)
from cnrag_core.corpus.document import Document
from cnrag_core.errors import ResourceLimitError
from cnrag_core.network import build_network
from tests.hardening import campaign
from tests.hardening.watched import Memory, watched

TARGETS = {1_000: 1.0, 10_000: 20.0}


def corpus(n: int) -> list[Document]:
    """Abstracts of 60 words from a vocabulary with a long tail, by topic."""
    chosen = campaign.random_of(f"T11 {n}")
    topics = [[f"topic{t}word{w}" for w in range(300)] for t in range(max(5, n // 100))]
    common = [f"word{w}" for w in range(3_000)]
    documents = []
    for i in range(n):
        topic = chosen.choice(topics)
        words = [
            chosen.choice(topic) if chosen.random() < 0.4 else common[int(3_000 * chosen.random() ** 3)]
            for _ in range(60)
        ]
        fields = {"title": " ".join(words[:8]), "abstract": " ".join(words), "tags": chosen.sample(topic[:20], 3)}
        documents.append(Document(f"d{i:05d}", fields))
    return documents


CONFIG = PipelineConfig(
    components=[
        FieldEmbeddingComponent(field="title", weight=0.3),
        FieldEmbeddingComponent(field="abstract", weight=0.5),
        AttributeSimilarityComponent(field="tags", weight=0.2),
    ]
)


@pytest.mark.parametrize("n", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_t11_a_corpus_is_built(n: int) -> None:
    if n > 1_000 and not campaign.IS_FULL:
        n = 2_500
    documents = corpus(n)
    build_network(documents[:100], CONFIG)  # what is loaded and compiled once is not the corpus's cost
    memory = Memory()
    wall = time.perf_counter()
    with watched(hang=600) as watch:
        network = build_network(documents, CONFIG)
    wall = time.perf_counter() - wall
    assert len(network.documents) == n
    assert network.graph.n_edges > 0
    target = TARGETS.get(n)
    aim = f", aim {target:.0f} s" if target else ""
    figures = f"{n:,} documents, {network.graph.n_edges:,} edges, {watch.cpu:.2f} CPU s, {wall:.2f} s{aim}, {memory}"
    campaign.report("T11 build", 1, 1, figures)


def test_t11_a_complete_graph_is_refused_with_its_estimate() -> None:
    chosen = campaign.random_of("T11")
    documents = [Document(f"d{i:04d}", {"tags": ["common", f"t{chosen.randrange(2_000)}"]}) for i in range(2_000)]
    config = PipelineConfig(components=[AttributeSimilarityComponent(field="tags")], edges=EdgeRule(min=0.0))
    with watched() as watch, pytest.raises(ResourceLimitError) as caught:
        build_network(documents, config)
    message = str(caught.value)
    assert "would give about 2,000,000 edges; the limit is 1,000,000" in message  # 1,999,000
    assert "The lowest threshold that fits here is 0.34" in message
    campaign.report("T11 complete graph", 1, 1, f"refused in {watch.cpu:.2f} CPU s: {message}", score="inputs")
