"""Hubs and bridges: who qualifies, in which order, and what each joins."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from cnrag_core.errors import ConfigError
from cnrag_core.graph.similarity_graph import graph_of_networkx
from cnrag_core.topology.centrality import betweenness
from cnrag_core.topology.communities import find_communities
from cnrag_core.topology.roles import find_bridges, find_hubs


def two_cliques_joined_by_a_node(size=5):
    graph = nx.disjoint_union(nx.complete_graph(size), nx.complete_graph(size))
    graph = nx.relabel_nodes(graph, {node: f"{'ab'[node >= size]}{node % size}" for node in graph})
    graph.add_edges_from([("between", "a0"), ("between", "b0")])
    return graph_of_networkx(graph)


def bridges_of(graph, **options):
    return find_bridges(graph, betweenness(graph), find_communities(graph).labels, **options)


def test_the_bridge_between_two_cliques_is_found_first():
    graph = two_cliques_joined_by_a_node()
    first = bridges_of(graph)[0]
    assert first.node_id == "between"
    assert len(first.communities) == 2
    assert dict(first.joins) == {0: 1, 1: 1}


def test_a_bridge_of_few_links_is_pure():
    assert bridges_of(two_cliques_joined_by_a_node())[0].kind == "pure"


def test_a_hub_that_two_cliques_share_is_an_evolutionary_bridge():
    graph = nx.Graph([*nx.complete_graph(6).edges, *((a + 5, b + 5) for a, b in nx.complete_graph(6).edges)])
    (shared,) = bridges_of(graph_of_networkx(graph))
    assert (shared.node_id, shared.degree, shared.kind) == ("5", 10, "evolutionary")


def test_a_bridge_of_middling_degree_is_integrative():
    graph = nx.disjoint_union(nx.complete_graph(5), nx.complete_graph(5))
    graph.add_edges_from([(10, node) for node in (0, 1, 2, 5, 6)])
    graph.add_edges_from((11, node) for node in range(10))
    kinds = {bridge.node_id: bridge.kind for bridge in bridges_of(graph_of_networkx(graph), min_betweenness=0.0)}
    assert kinds["11"] == "evolutionary"
    assert kinds["10"] in {"pure", "integrative"}
    assert {bridge.kind for bridge in bridges_of(graph_of_networkx(nx.barbell_graph(5, 1)), top=3)} >= {"pure"}


def test_participation_and_error_come_with_a_bridge():
    first = bridges_of(two_cliques_joined_by_a_node())[0]
    assert first.participation == pytest.approx(0.5)
    assert first.standard_error == 0.0


def test_the_minimum_is_met_exactly_and_values_descend():
    graph = graph_of_networkx(nx.path_graph(4))
    rows = bridges_of(graph, min_betweenness=2 / 3)
    assert [row.node_id for row in rows] == ["1", "2"]


def test_top_ranks_whatever_the_minimum():
    graph = graph_of_networkx(nx.path_graph(6))
    assert [row.node_id for row in bridges_of(graph, min_betweenness=0.99, top=3)] == ["2", "3", "1"]


def test_a_node_on_no_shortest_path_is_no_bridge_even_at_minimum_zero():
    assert bridges_of(graph_of_networkx(nx.complete_graph(4)), min_betweenness=0.0) == ()
    assert bridges_of(graph_of_networkx(nx.complete_graph(4)), top=5) == ()


def test_equal_bridges_are_ordered_by_id():
    graph = graph_of_networkx(nx.cycle_graph(7))
    assert [row.node_id for row in bridges_of(graph, top=7)] == list("0123456")


def test_hubs_by_degree_then_strength_then_id():
    graph = nx.Graph()
    graph.add_weighted_edges_from([("a", "x", 0.2), ("a", "y", 0.2), ("b", "x", 0.9), ("b", "y", 0.9), ("c", "x", 0.2)])
    hubs = find_hubs(graph_of_networkx(graph), min_degree=2)
    assert [(hub.node_id, hub.degree) for hub in hubs] == [("x", 3), ("b", 2), ("y", 2), ("a", 2)]
    assert hubs[0].weighted_degree == pytest.approx(1.3)
    assert hubs[0].share == pytest.approx(3 / 4)
    assert hubs[0].community is None


def test_hubs_know_their_community():
    graph = graph_of_networkx(nx.star_graph(11))
    (hub,) = find_hubs(graph, labels=np.arange(12))
    assert (hub.node_id, hub.degree, hub.community) == ("0", 11, 0)


def test_the_top_hubs_ignore_the_minimum_but_not_isolation():
    graph = nx.path_graph(3)
    graph.add_node(9)
    assert [hub.node_id for hub in find_hubs(graph_of_networkx(graph), top=10)] == ["1", "0", "2"]


def test_without_documents_there_are_neither_hubs_nor_bridges():
    graph = graph_of_networkx(nx.Graph())
    assert find_hubs(graph, min_degree=0) == ()
    assert find_bridges(graph, betweenness(graph), np.array([], dtype=np.int64), top=3) == ()


@pytest.mark.parametrize("minimum", [-0.1, 1.1])
def test_a_minimum_betweenness_outside_its_range_is_refused(minimum):
    with pytest.raises(ConfigError, match=r"min_betweenness must lie in \[0, 1\]"):
        bridges_of(graph_of_networkx(nx.path_graph(3)), min_betweenness=minimum)


def test_negative_counts_are_refused():
    graph = graph_of_networkx(nx.path_graph(3))
    with pytest.raises(ConfigError, match="min_degree must be at least 0, got -1"):
        find_hubs(graph, min_degree=-1)
    with pytest.raises(ConfigError, match="top must be at least 0, got -2"):
        find_hubs(graph, top=-2)
