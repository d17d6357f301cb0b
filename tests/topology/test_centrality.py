"""Centralities: known answers, networkx as the oracle, and both ways of counting the same."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from cnrag_core.errors import ConfigError
from cnrag_core.graph.similarity_graph import graph_of_networkx
from cnrag_core.topology import centrality
from cnrag_core.topology.centrality import (
    betweenness,
    clustering,
    links_to_communities,
    pagerank,
    participation,
    weighted_degree,
)
from cnrag_core.topology.centrality_loops import accumulate_dependencies
from cnrag_core.types import silent


def in_order(graph, values):
    """networkx values as an array in the order of our nodes."""
    return np.array([values[int(node_id)] for node_id in graph.node_ids])


GRAPHS = {
    "random": nx.gnm_random_graph(80, 200, seed=1),
    "sparse and disconnected": nx.gnm_random_graph(80, 60, seed=2),
    "path": nx.path_graph(40),
    "star": nx.star_graph(12),
    "clique": nx.complete_graph(5),
    "grid, many equal paths": nx.convert_node_labels_to_integers(nx.grid_2d_graph(7, 6)),
    "cliques on a ring": nx.connected_caveman_graph(6, 5),
    "two pieces": nx.disjoint_union(nx.cycle_graph(7), nx.path_graph(4)),
}


@pytest.fixture(params=GRAPHS.values(), ids=GRAPHS.keys())
def pair(request):
    return request.param, graph_of_networkx(request.param)


def test_betweenness_equals_networkx(pair):
    given_graph, graph = pair
    expected = in_order(graph, nx.betweenness_centrality(given_graph))
    assert betweenness(graph).values == pytest.approx(expected, abs=1e-12)


def test_compiled_and_plain_counts_are_the_same(pair):
    _, graph = pair
    sources = np.arange(0, graph.n_nodes, 2)
    plain = centrality._count_plain(graph, sources, silent)
    compiled = centrality._count_compiled(graph, sources, silent)
    for one, other in zip(plain, compiled, strict=True):
        assert one == pytest.approx(other, rel=1e-12, abs=1e-12)


def test_searches_side_by_side_are_the_searches_one_by_one(pair):
    _, graph = pair
    step = graph.adjacency
    indptr, indices = step.indptr.astype(np.int64), step.indices.astype(np.uint32)
    component = connected_components(step, directed=False)[1]
    reach = np.bincount(component)[component]
    sources = np.arange(graph.n_nodes, dtype=np.uint32)
    together = accumulate_dependencies(indptr, indices, sources, reach)
    alone = [accumulate_dependencies(indptr, indices, sources[at : at + 1], reach) for at in range(graph.n_nodes)]
    for found, parts in zip(together, zip(*alone, strict=True), strict=True):
        assert found == pytest.approx(sum(parts), rel=1e-12, abs=1e-12)


def test_nobody_lies_between_others_in_a_clique():
    assert not betweenness(graph_of_networkx(nx.complete_graph(5))).values.any()


def test_the_inner_nodes_of_a_path_of_four():
    assert betweenness(graph_of_networkx(nx.path_graph(4))).values.tolist() == pytest.approx([0, 2 / 3, 2 / 3, 0])


def test_the_node_that_joins_two_cliques_is_on_every_path_between_them():
    graph = nx.Graph([*nx.complete_graph(4).edges, *((a + 10, b + 10) for a, b in nx.complete_graph(4).edges)])
    graph.add_edges_from([("m", 0), ("m", 10)])
    result = betweenness(graph_of_networkx(graph))
    assert result.values.max() == pytest.approx(4 * 4 / (8 * 7 / 2))
    assert result.values.argmax() == graph_of_networkx(graph).index("m")


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_betweenness_of_hardly_any_nodes_is_zero(n):
    result = betweenness(graph_of_networkx(nx.empty_graph(n)))
    assert result.values.tolist() == [0.0] * n
    assert result.exact


def test_a_sample_of_more_nodes_than_there_are_is_exact():
    graph = graph_of_networkx(nx.disjoint_union(nx.path_graph(2), nx.empty_graph(1)))
    result = betweenness(graph, n_sources=200)
    assert (result.exact, result.n_sources) == (True, 3)


def test_a_sample_says_so_and_gives_its_error():
    graph = graph_of_networkx(GRAPHS["random"])
    result = betweenness(graph, n_sources=40, random_state=5)
    assert (result.exact, result.n_sources) == (False, 40)
    assert (result.standard_error[graph.degree > 1] > 0).any()
    assert not betweenness(graph).standard_error.any()


def test_the_same_random_state_samples_the_same_sources():
    graph = graph_of_networkx(GRAPHS["random"])
    first, second, other = (betweenness(graph, n_sources=20, random_state=state).values for state in (1, 1, 2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_estimates_scatter_around_the_exact_value_as_their_errors_say():
    graph = graph_of_networkx(GRAPHS["random"])
    exact = betweenness(graph).values
    samples = [betweenness(graph, n_sources=20, random_state=state) for state in range(60)]
    mean = np.mean([sample.values for sample in samples], axis=0)
    error = np.sqrt(np.mean([sample.standard_error**2 for sample in samples], axis=0) / len(samples))
    assert np.abs(mean - exact).max() <= 5 * error.max()
    spread = np.var([sample.values for sample in samples], axis=0, ddof=1).sum()
    claimed = np.mean([sample.standard_error**2 for sample in samples], axis=0).sum()
    assert claimed == pytest.approx(spread, rel=0.2)


def test_large_graphs_are_sampled_and_small_ones_are_not(monkeypatch):
    graph = graph_of_networkx(GRAPHS["random"])
    monkeypatch.setattr(centrality, "MAX_EXACT_WORK", 80 * 200 - 1)
    monkeypatch.setattr(centrality, "N_SOURCES", 30)
    assert betweenness(graph).n_sources == 30
    monkeypatch.setattr(centrality, "MAX_EXACT_WORK", 80 * 200)
    assert betweenness(graph).exact


def test_weights_are_strengths_and_never_lengths():
    weak, strong = nx.cycle_graph(5), nx.cycle_graph(5)
    nx.set_edge_attributes(weak, 0.1, "weight")
    strong[0][1]["weight"] = 0.9
    assert np.array_equal(*(betweenness(graph_of_networkx(g)).values for g in (weak, strong)))


def test_a_number_of_sources_below_one_is_refused():
    with pytest.raises(ConfigError, match="at least one source, got n_sources 0"):
        betweenness(graph_of_networkx(nx.path_graph(3)), n_sources=0)


def test_clustering_equals_networkx(pair):
    given_graph, graph = pair
    assert clustering(graph) == pytest.approx(in_order(graph, nx.clustering(given_graph)), abs=1e-12)


def test_compiled_and_plain_triangles_are_the_same(pair):
    _, graph = pair
    assert np.array_equal(centrality._triangles_plain(graph), centrality._triangles_compiled(graph))


def test_clustering_of_a_clique_is_one_and_of_a_star_zero():
    assert clustering(graph_of_networkx(nx.complete_graph(5))).tolist() == [1.0] * 5
    assert not clustering(graph_of_networkx(nx.star_graph(4))).any()


def test_pagerank_equals_networkx_with_weights_and_isolated_nodes():
    given_graph = nx.gnm_random_graph(50, 60, seed=3)
    weights = np.random.default_rng(0).random(60)
    for (a, b), weight in zip(given_graph.edges, weights, strict=True):
        given_graph[a][b]["weight"] = float(weight) + 0.01
    graph = graph_of_networkx(given_graph)
    expected = in_order(graph, nx.pagerank(given_graph, tol=1e-12, max_iter=1000))
    assert pagerank(graph) == pytest.approx(expected, abs=1e-9)


def test_pagerank_sums_to_one_and_is_even_without_edges():
    assert pagerank(graph_of_networkx(nx.empty_graph(4))).tolist() == [0.25] * 4
    assert pagerank(graph_of_networkx(nx.Graph())).tolist() == []


def test_a_damping_of_one_is_refused():
    with pytest.raises(ConfigError, match=r"damping must lie in \[0, 1\), got 1"):
        pagerank(graph_of_networkx(nx.path_graph(2)), damping=1)


def test_weighted_degree_sums_the_edges():
    graph = nx.Graph()
    graph.add_weighted_edges_from([("a", "b", 0.5), ("b", "c", 0.25)])
    graph.add_node("d")
    assert weighted_degree(graph_of_networkx(graph)).tolist() == [0.5, 0.75, 0.25, 0.0]


def test_participation_counted_by_hand():
    graph = graph_of_networkx(nx.star_graph(4))  # 0 is the hub
    labels = np.array([0, 0, 0, 1, 2])
    assert participation(graph, labels).tolist() == pytest.approx([1 - (4 + 1 + 1) / 16, 0, 0, 0, 0])


def test_participation_by_weight():
    graph = nx.Graph()
    graph.add_weighted_edges_from([("a", "b", 0.9), ("a", "c", 0.1)])
    result = participation(graph_of_networkx(graph), np.array([0, 0, 1]), weighted=True)
    assert result[0] == pytest.approx(1 - 0.81 - 0.01)


def test_participation_of_an_isolated_node_is_zero():
    assert participation(graph_of_networkx(nx.empty_graph(2)), np.array([0, 1])).tolist() == [0.0, 0.0]


def test_participation_needs_one_label_a_document():
    with pytest.raises(ConfigError, match="2 community labels were given for 3 documents"):
        participation(graph_of_networkx(nx.path_graph(3)), np.array([0, 1]))


def test_links_to_communities_lists_each_node_and_community_once():
    nodes, communities, links = links_to_communities(graph_of_networkx(nx.star_graph(3)), np.array([0, 1, 1, 2]))
    rows = list(zip(nodes.tolist(), communities.tolist(), links.tolist(), strict=True))
    assert rows == [(0, 1, 2.0), (0, 2, 1.0), (1, 0, 1.0), (2, 0, 1.0), (3, 0, 1.0)]


@given(st.integers(0, 2**20), st.integers(3, 25))
@settings(max_examples=40, deadline=None)
def test_betweenness_of_any_graph_is_a_share_and_equals_networkx(seed, n):
    given_graph = nx.gnp_random_graph(n, 0.2, seed=seed)
    graph = graph_of_networkx(given_graph)
    values = betweenness(graph).values
    assert values == pytest.approx(in_order(graph, nx.betweenness_centrality(given_graph)), abs=1e-12)
    assert values.min() >= 0
    assert values.max() <= 1


def test_every_piece_of_the_graph_gets_its_share_of_the_sources():
    graph = graph_of_networkx(nx.disjoint_union_all([nx.complete_graph(12) for _ in range(10)]))
    for state in range(5):
        chosen = centrality._spread_sources(graph, 40, state)
        assert len(set(chosen.tolist())) == 40
        pieces = np.array([int(graph.node_ids[node]) // 12 for node in chosen])
        assert np.bincount(pieces, minlength=10).tolist() == [4] * 10
