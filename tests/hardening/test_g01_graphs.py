"""Graphs that others fell over: without edges, in pieces, with odd ids, asked for too much."""

from __future__ import annotations

import json

import networkx as nx
import numpy as np
import pytest

from cnrag_core.config.spec import EdgeRule, FieldEmbeddingComponent, PipelineConfig
from cnrag_core.corpus.document import Document
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.errors import ConfigError, CorpusError, NotBuiltError
from cnrag_core.graph.builder import NetworkBuilder
from cnrag_core.graph.similarity_graph import graph_of_networkx
from cnrag_core.network import build_network
from cnrag_core.rag import NetworkRAG
from cnrag_core.topology.analyzer import NetworkAnalyzer
from cnrag_core.topology.centrality import betweenness
from cnrag_core.topology.communities import find_communities

CONFIG = PipelineConfig(components=[FieldEmbeddingComponent(field="text")], edges=EdgeRule(min=0.9))


def test_g1_documents_without_edges_are_communities_of_one_and_modularity_is_undefined() -> None:
    texts = ("coral reefs", "bond yields", "steam engines")
    network = build_network([Document(str(i), {"text": text}) for i, text in enumerate(texts)], CONFIG)
    assert network.communities.as_dict() == {"0": 0, "1": 1, "2": 2}
    assert network.communities.sizes.tolist() == [1, 1, 1]
    assert network.communities.modularity is None


def test_g1_no_and_one_document() -> None:
    assert find_communities(graph_of_networkx(nx.Graph())).as_dict() == {}
    with pytest.raises(NotBuiltError, match="There are no documents yet"):
        NetworkRAG().build_network()
    one = build_network([Document("a", {"text": "coral"})], CONFIG)
    assert (one.communities.as_dict(), one.communities.modularity) == ({"a": 0}, None)


@pytest.mark.parametrize("weight", [0.0, -0.3, float("nan")])
def test_g1_g2_edges_without_a_positive_weight_are_refused(weight: float) -> None:
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=weight)
    with pytest.raises(ConfigError, match="it must be a positive number"):
        NetworkAnalyzer(graph)


def test_g2_a_negative_cosine_is_no_edge_and_a_negative_threshold_no_threshold() -> None:
    vectors = {"a": np.array([1.0, 0.0], np.float32), "b": np.array([-0.3, 0.954], np.float32)}
    with pytest.raises(ConfigError, match="must be from 0 to 1, found -1"):
        NetworkBuilder().build_network(vectors, min_similarity=-1)
    graph = NetworkBuilder().build_network(vectors, min_similarity=0)
    assert graph.number_of_edges() == 0


def two_triangles() -> nx.Graph:
    graph = nx.Graph(["ab", "bc", "ac", "de", "ef", "df", "cd"])
    graph.add_node("iso")
    return graph


def test_g3_an_isolated_document_is_a_community_and_nobody_is_lost() -> None:
    analyzer = NetworkAnalyzer(two_triangles())
    groups = [set(analyzer.get_community_nodes(number)) for number in range(len(analyzer.communities))]
    assert sorted(map(sorted, groups)) == [["a", "b", "c"], ["d", "e", "f"], ["iso"]]
    assert sum(analyzer.communities.sizes.tolist()) == 7
    assert analyzer.modularity == pytest.approx(5 / 14, abs=1e-9)
    assert analyzer.auto_tag_community(analyzer.get_community_for_node("iso")) == []


def test_g4_ids_of_any_kind_become_texts_and_nothing_is_merged() -> None:
    ids = [1, True, 1.0, None, float("nan"), "x"]
    corpus = read_bytes("\n".join(json.dumps({"id": i, "t": "w"}) for i in ids).encode(), "a.jsonl")
    assert [document.id for document in corpus] == ["1", "true", "1.0", "doc-00004", "doc-00005", "x"]
    assert "2 records have no id and got a generated one" in " ".join(corpus.warnings)
    with pytest.raises(CorpusError, match=r"a\.jsonl: id '1' is used by line 1 and line 2"):
        read_bytes(b'{"id":1,"t":"w"}\n{"id":"1","t":"v"}', "a.jsonl")
    with pytest.raises(ConfigError, match="Two nodes of the graph are called '1'"):
        NetworkAnalyzer(nx.Graph([(1, "1")]))


def test_g5_neighbourhoods_end_at_their_number_of_hops() -> None:
    analyzer = NetworkAnalyzer(nx.Graph(["AB", "BC", "CD"]))
    assert analyzer.get_neighbors("A", k_hops=2) == {"B", "C"}
    assert analyzer.get_neighbors("A", k_hops=3) == {"B", "C", "D"}
    assert analyzer.get_neighbors("A", k_hops=0) == set()


def test_g6_more_sources_than_nodes_and_pieces_that_are_not_joined() -> None:
    graph = graph_of_networkx(nx.Graph([("a", "b"), ("c", "d"), ("d", "e")]))
    sampled = betweenness(graph, n_sources=200, random_state=1)
    assert sampled.exact
    assert sampled.values.tolist() == [0.0, 0.0, 0.0, pytest.approx(1 / 6), 0.0]
    assert betweenness(graph, n_sources=3, random_state=1).values.tolist() == (
        betweenness(graph, n_sources=3, random_state=1).values.tolist()
    )
