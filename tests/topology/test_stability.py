"""Stability: certain where the graph is, ambiguous where a document lies between two groups."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from cnrag_core.errors import ConfigError
from cnrag_core.graph.similarity_graph import graph_of_networkx
from cnrag_core.topology.communities import find_communities
from cnrag_core.topology.stability import stability


def cliques_with_a_node_between():
    graph = nx.disjoint_union(nx.complete_graph(6), nx.complete_graph(6))
    graph.add_edges_from([(12, 0), (12, 1), (12, 6), (12, 7)])
    return graph_of_networkx(graph)


def test_separate_cliques_are_certain():
    result = stability(graph_of_networkx(nx.disjoint_union(nx.complete_graph(5), nx.complete_graph(5))), n_runs=4)
    assert result.adjusted_rand == 1.0
    assert result.mutual_information == pytest.approx(1.0)
    assert not result.edge_ambiguity.any()
    assert (result.node_agreement == 1).all()
    assert result.n_communities == (2, 2, 2, 2)


def test_only_the_edges_of_the_node_between_are_ambiguous():
    graph = cliques_with_a_node_between()
    result = stability(graph, n_runs=12)
    between = graph.index("12")
    touches = (graph.left == between) | (graph.right == between)
    assert result.edge_ambiguity[touches].max() > 0
    assert not result.edge_ambiguity[~touches].any()
    assert int(np.argmax(result.node_ambiguity)) == between
    assert result.node_agreement[between] < 1
    assert result.adjusted_rand < 1


def test_shares_follow_from_the_runs_themselves():
    graph = cliques_with_a_node_between()
    result = stability(graph, n_runs=5, random_state=3)
    runs = [find_communities(graph, random_state=3 + run) for run in range(5)]
    together = np.mean([run.labels[graph.left] == run.labels[graph.right] for run in runs], axis=0)
    assert np.array_equal(result.edge_together, together)


def test_isolated_documents_are_never_ambiguous():
    graph = nx.path_graph(4)
    graph.add_node(9)
    result = stability(graph_of_networkx(graph), n_runs=3)
    assert result.node_ambiguity[-1] == 0.0
    assert result.node_agreement[-1] == 1.0


def test_a_graph_without_edges_is_certain():
    result = stability(graph_of_networkx(nx.empty_graph(3)), n_runs=2)
    assert result.adjusted_rand == 1.0
    assert result.n_communities == (0, 0)


def test_progress_reaches_the_end():
    shares = []
    stability(cliques_with_a_node_between(), n_runs=3, progress=lambda _, share: shares.append(share))
    assert shares == pytest.approx([1 / 3, 2 / 3, 1.0])


def test_one_run_compares_with_nothing():
    with pytest.raises(ConfigError, match="n_runs must be at least 2, got 1"):
        stability(cliques_with_a_node_between(), n_runs=1)
