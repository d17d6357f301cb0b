"""The graph as arrays: prefixes, views and digests."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from cnrag_core.errors import UnknownNameError
from cnrag_core.graph.similarity_graph import SimilarityGraph, graph_of_networkx, sorted_edges


@pytest.fixture
def graph() -> SimilarityGraph:
    left, right = np.array([2, 0, 3, 1], dtype=np.int32), np.array([1, 1, 0, 3], dtype=np.int32)
    arrays = sorted_edges(left, right, np.array([0.5, 0.9, 0.5, 0.3]))
    return SimilarityGraph(("a", "b", "c", "d", "lonely"), *arrays, threshold=0.3)


def test_edges_are_sorted_by_falling_weight_then_rising_numbers(graph: SimilarityGraph) -> None:
    assert graph.weight.tolist() == [0.9, 0.5, 0.5, 0.3]
    assert list(zip(graph.left.tolist(), graph.right.tolist(), strict=True)) == [(0, 1), (0, 3), (1, 2), (1, 3)]


def test_a_threshold_is_a_prefix(graph: SimilarityGraph) -> None:
    assert [graph.n_edges_at(t) for t in (1.0, 0.9, 0.5, 0.4, 0.0)] == [0, 1, 3, 3, 4]
    cut = graph.at_threshold(0.5)
    assert (cut.n_edges, cut.threshold, cut.rule) == (3, 0.5, "threshold 0.50")
    assert np.shares_memory(cut.weight, graph.weight)


def test_float_noise_at_a_threshold_does_not_lose_an_edge(graph: SimilarityGraph) -> None:
    assert graph.n_edges_at(0.5 + 1e-10) == 3
    assert graph.n_edges_at(0.5 + 1e-8) == 1


def test_networkx_view_keeps_isolated_nodes_and_weights(graph: SimilarityGraph) -> None:
    view = graph.to_networkx()
    assert set(view) == {"a", "b", "c", "d", "lonely"}
    assert view["a"]["b"] == {"weight": 0.9, "strong": True}
    assert view["b"]["d"]["strong"] is False
    back = graph_of_networkx(view)
    assert back.digest == graph.digest


def test_degree_density_and_adjacency_agree_with_networkx(graph: SimilarityGraph) -> None:
    view = graph.to_networkx()
    assert graph.degree.tolist() == [view.degree(node) for node in graph.node_ids]
    assert graph.density == pytest.approx(nx.density(view))
    expected = nx.to_numpy_array(view, nodelist=graph.node_ids)
    assert graph.adjacency.toarray().tolist() == expected.tolist()


def test_density_without_pairs_is_zero() -> None:
    nothing = sorted_edges(*(np.zeros(0, dtype=np.int32),) * 2, np.zeros(0))
    assert SimilarityGraph(("a",), *nothing).density == 0.0


def test_arrays_cannot_be_written(graph: SimilarityGraph) -> None:
    with pytest.raises(ValueError, match="read-only"):
        graph.weight[0] = 1.0


def test_unknown_nodes_are_named(graph: SimilarityGraph) -> None:
    assert graph.index("c") == 2
    with pytest.raises(UnknownNameError, match="There is no document 'z' in the network"):
        graph.index("z")


def test_digest_tells_graphs_apart(graph: SimilarityGraph) -> None:
    assert graph.at_threshold(0.0).digest == graph.digest
    assert graph.at_threshold(0.5).digest != graph.digest
