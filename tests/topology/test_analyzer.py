"""`NetworkAnalyzer`: the methods of guide 002, on networkx graphs and on arrays."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from cnrag_core.corpus.document import Document
from cnrag_core.errors import ConfigError, UnknownNameError
from cnrag_core.graph.similarity_graph import graph_of_networkx
from cnrag_core.topology.analyzer import NetworkAnalyzer
from cnrag_core.topology.communities import find_communities

TRIANGLES = nx.Graph(["ab", "bc", "ac", "cd", "de", "ef", "df"])
TRIANGLES.add_node("iso")
TEXTS = {
    "a": "The telescope shows a planet.",
    "b": "A planet seen through the telescope.",
    "c": "The planet and the telescope.",
    "d": "The bread is in the oven.",
    "e": "An oven for the bread.",
    "f": "The oven bakes bread.",
    "iso": "",
}


@pytest.fixture(params=[TRIANGLES, graph_of_networkx(TRIANGLES)], ids=["networkx", "arrays"])
def analyzer(request):
    return NetworkAnalyzer(request.param, TEXTS)


def test_communities_by_id(analyzer):
    assert analyzer.detect_communities() == {"a": 0, "b": 0, "c": 0, "d": 1, "e": 1, "f": 1, "iso": 2}
    assert analyzer.get_community_for_node("e") == 1
    assert analyzer.get_community_nodes(1) == ["d", "e", "f"]
    assert analyzer.modularity == pytest.approx(5 / 14)


def test_hubs_and_bridges_by_id(analyzer):
    assert analyzer.get_hub_nodes(min_degree=3) == ["c", "d"]
    assert analyzer.get_hub_nodes(top=1) == ["c"]
    assert analyzer.get_hub_nodes() == []
    assert analyzer.get_bridge_nodes(min_betweenness=0.1) == ["c", "d"]
    assert analyzer.get_bridge_nodes(top=1) == ["c"]


def test_hubs_and_bridges_of_a_community(analyzer):
    assert analyzer.get_hubs_for_community(1, min_degree=2) == ["d", "e", "f"]
    assert analyzer.get_hubs_for_community(0) == []
    assert analyzer.get_bridges_for_community(1) == ["d"]
    assert analyzer.get_bridges_for_community(2) == []


def test_rows_with_figures(analyzer):
    assert [(hub.node_id, hub.community) for hub in analyzer.hubs(min_degree=3)] == [("c", 0), ("d", 1)]
    assert analyzer.bridges()[0].communities == (0, 1)


def test_neighbours_by_id(analyzer):
    assert analyzer.get_neighbors("a") == {"b", "c"}
    assert analyzer.get_neighbors("a", k_hops=2) == {"b", "c", "d"}
    assert analyzer.get_neighbors("iso", k_hops=5) == set()
    assert analyzer.get_degree("c") == 3


def test_samples_come_from_the_community_and_repeat(analyzer):
    assert analyzer.sample_community_nodes(0, 20) == ["a", "b", "c"]
    sample = analyzer.sample_community_nodes(0, 2)
    assert len(sample) == 2
    assert set(sample) <= {"a", "b", "c"}
    assert analyzer.sample_community_nodes(0, 2) == sample


def test_tags_of_communities(analyzer):
    assert set(analyzer.auto_tag_community(0)) >= {"planet", "telescope"}
    assert set(analyzer.auto_tag_community(1, n_samples=2)) <= {"oven", "bread", "bakes"}
    assert analyzer.auto_tag_community(2) == []
    assert len(analyzer.auto_tag_community(1, n_tags=1)) == 1


def test_documents_may_come_in_any_form():
    forms = [
        TEXTS,
        {node_id: {"title": text} for node_id, text in TEXTS.items()},
        [Document(node_id, {"body": text}) for node_id, text in reversed(TEXTS.items())],
        {node_id: Document(node_id, {"x": text}) for node_id, text in TEXTS.items()},
    ]
    tags = [NetworkAnalyzer(TRIANGLES, form).auto_tag_community(1) for form in forms]
    assert tags == [tags[0]] * 4


def test_texts_may_be_attributes_of_the_nodes():
    graph = TRIANGLES.copy()
    nx.set_node_attributes(graph, TEXTS, "content")
    assert "oven" in NetworkAnalyzer(graph).auto_tag_community(1)


def test_without_texts_there_are_no_tags():
    assert NetworkAnalyzer(TRIANGLES).auto_tag_community(0) == []


def test_only_the_named_fields_are_read():
    documents = {node_id: {"text": text, "secret": "classified"} for node_id, text in TEXTS.items()}
    analyzer = NetworkAnalyzer(TRIANGLES, documents, fields=["secret"])
    assert analyzer.auto_tag_community(1) in (["classified"], [])


def test_measures_are_computed_once(analyzer):
    for name in ("communities", "betweenness", "clustering", "pagerank", "participation", "term_table", "documents"):
        assert getattr(analyzer, name) is getattr(analyzer, name)


def test_measures_are_in_the_order_of_the_ids(analyzer):
    assert np.argmax(analyzer.participation) in (2, 3)
    assert analyzer.clustering[0] == 1.0
    assert analyzer.pagerank.sum() == pytest.approx(1.0)


def test_known_communities_are_used():
    graph = graph_of_networkx(TRIANGLES)
    found = find_communities(graph, resolution=3.0)
    assert NetworkAnalyzer(graph, found=found).communities is found


def test_numbers_as_ids_are_texts():
    analyzer = NetworkAnalyzer(nx.path_graph(3))
    assert analyzer.get_neighbors(1) == {"0", "2"}
    assert analyzer.get_community_for_node(1) == analyzer.get_community_for_node("1")


def test_directions_and_parallel_edges_are_ignored():
    directed = nx.DiGraph([("a", "b"), ("b", "a"), ("b", "c")])
    parallel = nx.MultiGraph([("a", "b"), ("a", "b"), ("b", "c")])
    for graph in (directed, parallel):
        assert NetworkAnalyzer(graph).graph.n_edges == 2


@pytest.mark.parametrize("weight", [0, -0.3, float("nan"), float("inf"), "0.5", None])
def test_weights_must_be_positive_numbers(weight):
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=weight)
    with pytest.raises(ConfigError, match="The edge from 'a' to 'b' has the weight"):
        NetworkAnalyzer(graph)


def test_ids_that_are_the_same_text_are_refused():
    graph = nx.Graph([(1, "2"), ("1", 3)])
    with pytest.raises(ConfigError, match="Two nodes of the graph are called '1'"):
        NetworkAnalyzer(graph)


def test_an_empty_graph_answers_everything():
    analyzer = NetworkAnalyzer(nx.Graph())
    assert analyzer.detect_communities() == {}
    assert analyzer.get_hub_nodes(top=3) == analyzer.get_bridge_nodes(top=3) == []
    assert analyzer.modularity is None


def test_unknown_names_are_refused(analyzer):
    with pytest.raises(UnknownNameError, match="There is no document 'zz'"):
        analyzer.get_neighbors("zz")
    with pytest.raises(UnknownNameError, match="Community 7 does not exist"):
        analyzer.sample_community_nodes(7)
    with pytest.raises(UnknownNameError, match="Community 7 does not exist"):
        analyzer.auto_tag_community(7)
    with pytest.raises(UnknownNameError, match="Community 7 does not exist"):
        analyzer.get_hubs_for_community(7)
