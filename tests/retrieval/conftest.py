"""Hand-sized corpora and graphs for retrieval tests; small enough to check every number by eye."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from cnrag_core.config.spec import FieldEmbeddingComponent, PipelineConfig
from cnrag_core.corpus.document import Document
from cnrag_core.retrieval.query import QueryScorer
from cnrag_core.retrieval.strategy import RetrievalContext
from tests.retrieval.sources import Labels, Source, Values, graph_of


@pytest.fixture
def make_graph():
    return graph_of


@pytest.fixture
def make_context():
    """A context over nodes a, b, c, ... with given similarities."""

    def make(
        similarity: Sequence[float], edges: Sequence[tuple[str, str, float]] = (), **parts: Any
    ) -> RetrievalContext:
        n = len(similarity)
        graph = graph_of([chr(ord("a") + i) for i in range(n)], edges)
        given = {
            "communities": np.zeros(n, dtype=np.int64),
            "betweenness": np.zeros(n),
            "query": "a question",
        }
        given.update(
            {k: np.asarray(v) if k in ("communities", "betweenness", "allowed") else v for k, v in parts.items()}
        )
        return RetrievalContext(similarity=np.asarray(similarity, dtype=np.float64), graph=graph, **given)

    return make


def page(node_id: str, title: str, text: str, tags: Sequence[str], year: int | None) -> Document:
    return Document(node_id, {"title": title, "text": text, "tags": list(tags), "year": year})


PAGES = (
    page("ants", "Ants", "Ants live in colonies and carry leaves.", ["insects", "garden"], 2001),
    page("bees", "Bees", "Bees live in hives and make honey.", ["insects", "food"], 2005),
    page("blank", "", "", [], None),
    page("bread", "Bread", "Bread is baked from flour; honey makes it sweet.", ["food"], 2010),
    page("bread2", "Bread", "Bread is baked from flour; honey makes it sweet.", ["food"], 2011),
    page("lunar", "Moon", "The moon orbits the earth.", ["space"], 2015),
    page("ovens", "Ovens", "An oven is where flour becomes a loaf.", ["food", "tools"], 2020),
)


@pytest.fixture
def pages() -> tuple[Document, ...]:
    """Seven pages: one blank, one twice, one that nothing is linked to."""
    return PAGES


@pytest.fixture
def source(pages) -> Source:
    config = PipelineConfig(components=[FieldEmbeddingComponent(field="title"), FieldEmbeddingComponent(field="text")])
    edges = [
        ("ants", "bees", 0.5), ("bees", "bread", 0.3), ("bees", "bread2", 0.3), ("bread", "bread2", 1.0),
        ("bread", "ovens", 0.4), ("bread2", "ovens", 0.4),
    ]  # fmt: skip
    graph = graph_of([page.id for page in pages], edges)
    return Source(
        config,
        graph,
        QueryScorer(pages, config, {}),
        Labels(np.array([1, 1, 2, 0, 0, 3, 0])),
        Values(np.array([0.0, 0.4, 0.0, 0.2, 0.2, 0.0, 0.0])),
    )
