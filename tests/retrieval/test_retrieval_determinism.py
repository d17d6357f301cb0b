"""Rankings are the same in every process, whatever the hash seed and the order of the documents."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import sys
import numpy as np
from cnrag_core.config.spec import FieldEmbeddingComponent, MentionLinks, PipelineConfig, SharedConceptLinks
from cnrag_core.corpus.document import Document
from cnrag_core.graph.links import find_links
from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.retrieval.query import QueryScorer
from cnrag_core.retrieval.search import STRATEGIES, Search

texts = {
    "Angi Vera": "Angi Vera is a film from 1979. It was directed by Pal Gabor, who studied in Budapest.",
    "Pal Gabor": "The director grew up in Budapest and later taught Istvan Nagy.",
    "Budapest": "Budapest lies on the Danube. Istvan Nagy built a bridge there.",
    "Danube": "The Danube is a river that several countries share.",
    "Oslo": "A city in the north where many films are shown.",
}
documents = [Document(f"d{i}", {"title": title, "text": text}) for i, (title, text) in enumerate(texts.items())]
given = documents[::-1] if sys.argv[1] == "backward" else documents
links = (MentionLinks(of="title", fields=("text",)), SharedConceptLinks(fields=("text",), max_share=0.5))
config = PipelineConfig(components=[FieldEmbeddingComponent(field="text")], links=links)
left, right = np.array([0, 1, 2], np.int32), np.array([1, 2, 3], np.int32)


class Source:
    graph = SimilarityGraph(tuple(d.id for d in documents), left, right, np.array([0.5, 0.4, 0.3]))
    scorer = QueryScorer(documents, config, {})

    class communities:
        labels = np.array([0, 0, 0, 0, 1])

    class betweenness:
        values = np.array([0.0, 0.5, 0.5, 0.0, 0.0])


Source.config, Source.links = config, find_links(given, links)
for link in Source.links:
    print(link)
for question in ("Which river runs through the town where the director of Angi Vera studied?", "films of the north"):
    for strategy in STRATEGIES:
        for node in Search(question, Source).with_strategy(strategy).top(10):
            print(strategy, node)
"""


def output(hash_seed: str, order: str) -> str:
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, order], env=environment, capture_output=True, text=True, check=True
    )
    return run.stdout


def test_hash_seed_and_order_of_documents_change_no_link_and_no_ranking():
    first = output("0", "forward")
    assert "mention" in first
    assert first == output("1", "backward") == output("2", "forward")
