from __future__ import annotations

import networkx as nx
import pytest

from cnrag_core.errors import ConfigError
from cnrag_core.graph.similarity_graph import graph_of_networkx
from cnrag_core.topology.communities import find_communities
from cnrag_core.topology.comparison import compare_graphs

TWO_TRIANGLES = [("a", "b"), ("b", "c"), ("a", "c"), ("d", "e"), ("e", "f"), ("d", "f")]


def graph_of(edges, extra=()):
    graph = nx.Graph([*edges, *extra])
    nx.set_edge_attributes(graph, 0.5, "weight")
    return graph_of_networkx(graph)


def compared(first, second):
    return compare_graphs(first, second, find_communities(first), find_communities(second))


def test_the_same_graph_changes_nothing():
    graph = graph_of(TWO_TRIANGLES)
    found = compared(graph, graph)
    assert (found.n_common, found.n_gained, found.n_lost, found.adjusted_rand) == (6, 0, 0, 1.0)
    assert found.flows.tolist() == [[0, 0, 3], [1, 1, 3]]


def test_gained_and_lost_edges_are_named():
    first, second = graph_of(TWO_TRIANGLES), graph_of(TWO_TRIANGLES[1:], [("c", "d")])
    found = compared(first, second)
    assert [(change.a, change.b) for change in found.gained] == [("c", "d")]
    assert [(change.a, change.b) for change in found.lost] == [("a", "b")]


def test_every_document_is_in_exactly_one_flow():
    found = compared(graph_of(TWO_TRIANGLES), graph_of(TWO_TRIANGLES, [("a", "d"), ("b", "e"), ("c", "f")]))
    assert found.flows[:, 2].sum() == 6


def test_graphs_of_other_documents_are_refused():
    with pytest.raises(ConfigError, match="networks of the same documents"):
        compared(graph_of(TWO_TRIANGLES), graph_of(TWO_TRIANGLES, [("a", "g")]))
