"""Cohesion of communities: counted by hand."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from cnrag_core.graph.similarity_graph import graph_of_networkx
from cnrag_core.topology.cohesion import cohesion


def test_cohesion_of_two_triangles_counted_by_hand():
    graph = nx.Graph()
    graph.add_weighted_edges_from([("a", "b", 0.9), ("b", "c", 0.6), ("c", "d", 0.5), ("d", "e", 0.8)])
    graph.add_node("z")
    first, second, alone = cohesion(graph_of_networkx(graph), np.array([0, 0, 0, 1, 1, 2]))
    assert (first.size, first.n_internal_edges, first.n_external_edges) == (3, 2, 1)
    assert first.density == pytest.approx(2 / 3)
    assert first.mean_weight == pytest.approx(0.75)
    assert first.inside_share == pytest.approx(3.0 / 3.5)
    assert first.strongest_neighbor == 1
    assert second.density == 1.0
    assert second.inside_share == pytest.approx(1.6 / 2.1)
    assert (alone.density, alone.mean_weight, alone.inside_share, alone.strongest_neighbor) == (0.0, None, None, None)


def test_a_community_of_its_own_keeps_everything_inside():
    (only,) = cohesion(graph_of_networkx(nx.complete_graph(4)), np.zeros(4, dtype=np.int64))
    assert (only.density, only.inside_share, only.strongest_neighbor) == (1.0, 1.0, None)


def test_equally_strong_neighbours_are_decided_by_number():
    graph = graph_of_networkx(nx.path_graph(3))
    assert cohesion(graph, np.array([1, 2, 0]))[2].strongest_neighbor == 0


def test_no_documents_have_no_cohesion():
    assert cohesion(graph_of_networkx(nx.Graph()), np.array([], dtype=np.int64)) == ()
