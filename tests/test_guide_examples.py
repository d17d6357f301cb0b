"""The runnable examples of the guides, with their import lines replaced by ``from cnrag_core import ...``.

Stated fixtures: the packaged MiniLM stands for every sentence-transformers model, a small server on this
machine for Ollama, the sample `papers` for the guides' own documents. The YAML blocks are in
``tests/config/test_config_guide_blocks.py``. Blocks that cannot run, and why:

- guide 000, "Traditional approach": it shows what not to do, with an `embed` that is never defined;
- guide 002, "Key Algorithms": outlines of the inside, not calls of the product;
- guide 002, "Development Commands" and guide 003, "Testing": commands of another project's layout.
"""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import cnrag_core
from cnrag_core import (
    AttributeSimilarityComponent,
    ChunkingStrategy,
    EmbeddingAggregator,
    FieldEmbeddingComponent,
    NetworkRAG,
    OllamaEmbedding,
    SentenceTransformerEmbedding,
    SQLiteEmbeddingStore,
    SQLiteStorage,
    TextChunker,
    WeightedEmbeddingConfig,
    chunk_and_aggregate,
    load_sample,
)
from cnrag_core.similarity.set_metrics import dice, exact, jaccard, overlap

LONG_TEXT = "\n\n".join(
    f"Paragraph {n} speaks of reefs and seas. It has several sentences, so that there is something to cut. "
    f"Some of them are about the year {1900 + n} and what was measured then."
    for n in range(60)
)


@pytest.fixture(scope="module")
def papers() -> NetworkRAG:
    sample = load_sample("papers")
    rag = NetworkRAG.from_config(sample.config_yaml)
    rag.add_corpus(sample.corpus)
    rag.build_network()
    return rag


@pytest.fixture(scope="module")
def minilm() -> SentenceTransformerEmbedding:
    pytest.importorskip("sentence_transformers", reason="the extra sentence-bert is not installed")
    return SentenceTransformerEmbedding(model_name="all-MiniLM-L6-v2")


@pytest.fixture
def ollama(monkeypatch) -> str:
    """Address of a server that embeds a text by the letters that it has."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):  # the name that the base class calls
            texts = json.loads(self.rfile.read(int(self.headers["content-length"])))["input"]
            rows = [[float(text.lower().count(letter)) + 0.01 for letter in "aeiourst"] for text in texts]
            data = json.dumps({"embeddings": rows}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    monkeypatch.setenv("OLLAMA_ALLOWED_HOSTS", address)
    yield address
    server.shutdown()
    server.server_close()
    thread.join()


# Guide 000.


def test_000_field_level_similarity_adds_up_to_0537():
    parts = [0.75 * 0.3, 0.68 * 0.4, jaccard(set("abc"), set("cde")) * 0.2, 0.0 * 0.1]
    assert [round(part, 3) for part in parts] == [0.225, 0.272, 0.040, 0.000]
    assert round(sum(parts), 3) == 0.537


def test_000_ratios_are_normalised():
    config = cnrag_core.PipelineConfig(
        components=[
            FieldEmbeddingComponent(field="title", weight=3),
            FieldEmbeddingComponent(field="abstract", weight=5),
            AttributeSimilarityComponent(field="tags", weight=2),
        ]
    )
    assert config.normalized_weights == {"title": 0.3, "abstract": 0.5, "tags": 0.2}


def test_000_set_metrics():
    a, b = {"ml", "nlp", "transformers"}, {"nlp", "transformers", "bert"}
    assert jaccard(a, b) == 0.5
    assert round(dice(a, b), 2) == 0.67
    assert round(overlap(a, b), 2) == 0.67
    assert exact("electronics", "electronics") == 1.0
    assert exact("electronics", "books") == 0.0


def test_000_aggregation_of_three_chunks():
    chunks = np.array([[0.5, 0.2, 0.8], [0.6, 0.1, 0.7], [0.4, 0.3, 0.6]])
    aggregator = EmbeddingAggregator()
    assert aggregator.aggregate(chunks, "weighted_avg") == pytest.approx([0.50, 0.20, 0.70])
    assert aggregator.aggregate(chunks, "max_pool") == pytest.approx([0.60, 0.30, 0.80])


def test_000_an_edge_needs_the_threshold():
    """The matrix of "From Embeddings to Graphs": A-B 0.7 and B-C 0.5 reach 0.4, A-C 0.3 does not."""
    a = np.array([1.0, 0.0, 0.0])
    b = np.array([0.7, np.sqrt(1 - 0.49), 0.0])
    c1 = (0.5 - 0.7 * 0.3) / b[1]
    c = np.array([0.3, c1, np.sqrt(1 - 0.09 - c1**2)])
    graph = cnrag_core.NetworkBuilder(min_similarity=0.4).build_network({"A": a, "B": b, "C": c})
    assert sorted(map(sorted, graph.edges)) == [["A", "B"], ["B", "C"]]


def test_000_degree_communities_and_tags(papers):
    node_id = papers.documents[0].id
    assert papers.graph.degree(node_id) >= 0
    communities = papers.detect_communities()
    comm_groups = defaultdict(list)
    for node, comm_id in communities.items():
        comm_groups[comm_id].append(node)
    for comm_id, nodes in list(comm_groups.items())[:5]:
        tags = papers.auto_tag_community(comm_id)
        assert len(tags) <= 5
        assert tags
        assert nodes


def test_000_betweenness_and_clustering_by_networkx(papers):
    betweenness = nx.betweenness_centrality(papers.graph)
    node_id = max(betweenness, key=betweenness.get)
    assert papers.get_bridge_nodes(top=1) == [node_id]
    assert 0.0 <= nx.clustering(papers.graph, node_id) <= 1.0


def test_000_hubs_and_bridges(papers):
    hubs = papers.get_hub_nodes(min_degree=10)
    assert hubs
    for node_id in hubs:
        assert papers.graph.degree(node_id) >= 10
        assert papers.get_community_for_node(node_id) in papers.detect_communities().values()
    for node_id in papers.get_bridge_nodes(min_betweenness=0.05):
        neighbors = papers.get_neighbors(node_id, k_hops=1)
        assert {papers.get_community_for_node(n) for n in neighbors}


@pytest.mark.parametrize("strategy", ["similarity", "community", "hub", "bridge", "hybrid"])
def test_000_fluent_search(papers, strategy):
    results = papers.search("how do neural networks learn").with_strategy(strategy).top(10)
    assert len(results) == 10


# Guide 002.


def test_002_usage_pattern(ollama, tmp_path):
    storage = SQLiteStorage(str(tmp_path / "data.db"))
    embedder = OllamaEmbedding(host=ollama)
    rag = NetworkRAG(storage, embedder, min_similarity=0.7)
    for number, text in enumerate(["content about reefs and seas", "seas and reefs in content", "xyz"]):
        rag.add_node(f"node{number}", text, {"type": "doc"})
    rag.build_network()
    communities = rag.detect_communities()
    results = rag.find_similar("reefs", n=10, strategy="hybrid")
    assert set(communities) == {"node0", "node1", "node2"}
    assert results.ids
    assert isinstance(rag.auto_tag_community(0), list)
    assert isinstance(rag.get_bridges_for_community(0), list)
    assert isinstance(rag.get_hubs_for_community(0), list)
    assert {row["id"] for row in storage.search_nodes({"type": "doc"})} == set(communities)
    storage.close()


def test_002_roles_are_weighted():
    config = WeightedEmbeddingConfig(weights={"user": 1.5, "assistant": 1.0}, aggregation="weighted_avg")
    weights = [config.weight_of(role) for role in ("user", "assistant")]
    assert EmbeddingAggregator().aggregate(np.eye(2), config.aggregation, weights) == pytest.approx([0.6, 0.4])


# Guide 003.


def test_003_chunking_strategy_and_chunker():
    strategy = ChunkingStrategy(method="sentences", max_tokens=512, overlap=50)
    chunks = TextChunker(strategy).chunk(LONG_TEXT)
    assert len(chunks) > 1
    assert all(cnrag_core.count_tokens(chunk) <= 512 for chunk in chunks)


def test_003_example_1_chunk_and_aggregate(minilm):
    strategy = ChunkingStrategy(method="sentences", max_tokens=128, overlap=30)
    aggregated_emb, chunk_embs = chunk_and_aggregate(
        text=LONG_TEXT, embedder=minilm, strategy=strategy, aggregation_method="mean"
    )
    assert aggregated_emb.shape == (384,)
    assert len(chunk_embs) > 1


def test_003_example_2_field_specific_configuration():
    components = [
        FieldEmbeddingComponent(field="title", model="sentence_bert", weight=0.3),
        FieldEmbeddingComponent(
            field="abstract",
            model="sentence_bert",
            weight=0.3,
            chunking_strategy=ChunkingStrategy(method="sentences", max_tokens=512, overlap=50),
            aggregation_method="mean",
        ),
        FieldEmbeddingComponent(
            field="body",
            model="sentence_bert",
            weight=0.4,
            chunking_strategy=ChunkingStrategy(method="paragraphs", max_tokens=256, overlap=30),
            aggregation_method="weighted_mean",
        ),
    ]
    assert sum(component.weight for component in components) == pytest.approx(1.0)


@pytest.fixture
def store(tmp_path):
    with SQLiteEmbeddingStore(str(tmp_path / "embeddings.db")) as store:
        chunks = [np.array(row, np.float32) for row in ([1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0])]
        store.save_chunked_embeddings(
            node_id="doc1",
            field="body",
            model="sentence_bert",
            chunk_embeddings=chunks,
            aggregated_embedding=EmbeddingAggregator().aggregate(chunks, "mean"),
            metadata={"aggregation": "mean", "num_chunks": 4},
        )
        yield store


def test_003_example_3_re_aggregation(store):
    original = store.load_field_embedding("doc1", "body", "sentence_bert")
    assert original == pytest.approx([0.5, 0.5, 0.25])
    max_pooled = store.re_aggregate("doc1", "body", "sentence_bert", "max_pool")
    assert max_pooled == pytest.approx([1.0, 1.0, 1.0])
    custom = store.re_aggregate(
        "doc1", "body", "sentence_bert", aggregation_method="weighted_mean", weights=[1.0, 0.8, 0.6, 0.4]
    )
    assert custom == pytest.approx([0.5, 3 / 7, 3 / 14])
    assert store.load_field_embedding("doc1", "body", "sentence_bert") == pytest.approx(custom)


def test_003_example_4_complete_integration(minilm, tmp_path):
    storage = SQLiteStorage(str(tmp_path / "docs.db"))
    emb_store = SQLiteEmbeddingStore(str(tmp_path / "embeddings.db"))
    similarity_spec = [
        FieldEmbeddingComponent(
            field="content",
            model="sentence_bert",
            weight=1.0,
            chunking_strategy=ChunkingStrategy(method="sentences", max_tokens=512),
            aggregation_method="mean",
        )
    ]
    rag = NetworkRAG(
        storage=storage, embedding_store=emb_store, embedding_provider=minilm, similarity_spec=similarity_spec
    )
    rag.add({"id": "doc1", "content": LONG_TEXT})
    results = rag.find_similar("search query about reefs", n=10)
    assert results.ids == ["doc1"]
    assert emb_store.get_node_fields("doc1") == ["content"]
    storage.close()
    emb_store.close()


def test_003_custom_weights():
    rows = np.eye(4)
    for weights in (
        [0.9**i for i in range(4)],
        [1.0 - (i / 4) for i in range(4)],
        [1.0, 0.5, 0.3, 0.1],
    ):
        expected = np.array(weights) / sum(weights)
        assert EmbeddingAggregator().aggregate(rows, "weighted_mean", weights) == pytest.approx(expected)


def test_003_metadata_and_introspection(store):
    assert store.get_metadata("doc1", "body", "sentence_bert")["num_chunks"] == 4
    assert store.get_node_fields("doc1") == ["body"]
    assert len(store.load_chunk_embeddings("doc1", "body", "sentence_bert")) == 4
    assert store.has_embedding("doc1", "body", "sentence_bert")
    assert not store.has_embedding("doc2", "body", "sentence_bert")


# The table of the README.

ROW = r"^\| `([^`|]+)` \| `([^`|]+)` \|"


def test_every_row_of_the_readmes_table_of_guide_names_exists():
    import re
    from importlib import import_module

    text = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
    table = text.split("<!-- guide-names:begin -->")[1].split("<!-- guide-names:end -->")[0]
    rows = re.findall(ROW, table, flags=re.MULTILINE)
    assert len(rows) > 60
    for name, home in rows:
        module, _, path = home.partition(":")
        found = import_module(module)
        for part in path.split(".") if path else []:
            found = getattr(found, "model_fields", {}).get(part) or getattr(found, part)
        assert found is not None, name
