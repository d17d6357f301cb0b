"""Hand-sized corpora to measure on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cnrag_core.config.spec import FieldEmbeddingComponent, PipelineConfig
from cnrag_core.corpus.document import Document
from cnrag_core.evaluation.judgements import JudgedQuery
from cnrag_core.retrieval.query import QueryScorer
from cnrag_core.retrieval.search import Search
from tests.retrieval.sources import Labels, Source, Values, graph_of


def source_of(texts: dict[str, str], edges: list[tuple[str, str, float]]) -> Source:
    graph = graph_of(list(texts), edges)
    config = PipelineConfig(components=[FieldEmbeddingComponent(field="text")])
    documents = [Document(node_id, {"text": texts[node_id]}) for node_id in graph.node_ids]
    n = len(documents)
    return Source(config, graph, QueryScorer(documents, config, {}), Labels(np.zeros(n, np.int64)), Values(np.zeros(n)))


@pytest.fixture
def ask() -> Callable[[str], Search]:
    """Searches in six pages about animals, food and the sky."""
    source = source_of(
        {
            "ants": "Ants carry leaves.",
            "bees": "Bees make honey and live on honey.",
            "blank": "",
            "bread": "Bread is baked from flour; some is sweet from honey.",
            "lunar": "The moon orbits the earth.",
            "ovens": "An oven is where flour becomes a loaf.",
        },
        [("ants", "bees", 0.5), ("bees", "bread", 0.3), ("bread", "ovens", 0.4)],
    )
    return lambda query: Search(query, source)


@pytest.fixture
def hub_questions() -> tuple[Callable[[str], Search], tuple[JudgedQuery, ...]]:
    """Questions that two documents match, of which the well-connected one is right but slightly longer."""
    texts, edges, queries = {}, [], []
    for i in range(12):
        texts[f"plain{i:02d}"] = f"topic{i:02d}" + " note" * 10
        texts[f"survey{i:02d}"] = f"topic{i:02d}" + " note" * 12
        edges += [(f"leaf{i:02d}{j}", f"survey{i:02d}", 0.5) for j in range(4)]
        texts |= {f"leaf{i:02d}{j}": f"other{i:02d}{j}" for j in range(4)}
        queries.append(JudgedQuery(f"q{i:02d}", f"topic{i:02d}", {f"survey{i:02d}": 1.0}))
    source = source_of(texts, edges)
    return lambda query: Search(query, source), tuple(queries)
