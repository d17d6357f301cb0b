"""Neighbourhoods and paths: known answers, networkx and brute force as oracles."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.errors import ConfigError, UnknownNameError
from cnrag_core.graph.similarity_graph import graph_of_networkx
from cnrag_core.topology import neighborhood
from cnrag_core.topology.neighborhood import Path, joining_threshold, k_hop, rings, shortest_path, widest_path

PATH = graph_of_networkx(nx.Graph(["AB", "BC", "CD"]))


def weighted(edges, isolated=()):
    graph = nx.Graph()
    graph.add_weighted_edges_from(edges)
    graph.add_nodes_from(isolated)
    return graph_of_networkx(graph)


@pytest.mark.parametrize(
    ("k", "expected"), [(0, set()), (1, {"B"}), (2, {"B", "C"}), (3, {"B", "C", "D"}), (10**9, {"B", "C", "D"})]
)
def test_neighbours_of_the_end_of_a_path(k, expected):
    assert k_hop(PATH, "A", k) == expected


def test_a_node_is_never_its_own_neighbour():
    triangle = graph_of_networkx(nx.complete_graph(3))
    assert k_hop(triangle, "0", 5) == {"1", "2"}


def test_an_isolated_document_has_no_neighbours():
    assert k_hop(weighted([("a", "b", 1.0)], ["z"]), "z", 3) == set()


def test_rings_are_disjoint_and_ordered():
    assert [ring.tolist() for ring in rings(PATH, "B", 5)] == [[1], [0, 2], [3]]


@pytest.mark.parametrize("k", [-1, 1.5, "2", None, True])
def test_hops_must_be_a_whole_number_of_at_least_zero(k):
    with pytest.raises(ConfigError, match="number of hops must be a whole number of at least 0"):
        k_hop(PATH, "A", k)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: k_hop(PATH, "Z"),
        lambda: shortest_path(PATH, "A", "Z"),
        lambda: widest_path(PATH, "Z", "A"),
        lambda: joining_threshold(PATH, "Z", "A"),
    ],
)
def test_an_unknown_document_is_refused(ask):
    with pytest.raises(UnknownNameError, match="There is no document 'Z'"):
        ask()


def test_the_shortest_path_has_the_fewest_hops_even_if_weak():
    graph = weighted([("a", "b", 0.1), ("a", "x", 0.9), ("x", "b", 0.9)])
    assert shortest_path(graph, "a", "b") == Path(("a", "b"), (0.1,))


def test_among_equally_short_paths_the_first_by_id_is_taken():
    graph = weighted([("a", "n", 0.9), ("n", "b", 0.9), ("a", "m", 0.1), ("m", "b", 0.1)])
    assert shortest_path(graph, "a", "b").node_ids == ("a", "m", "b")


def test_a_path_names_its_weakest_link():
    path = shortest_path(weighted([("a", "b", 0.8), ("b", "c", 0.4), ("c", "d", 0.4)]), "a", "d")
    assert path.n_hops == 3
    assert path.weakest == 0.4
    assert path.weakest_link == ("b", "c", 0.4)


def test_a_path_from_a_document_to_itself_has_no_edge():
    path = shortest_path(PATH, "B", "B")
    assert (path.node_ids, path.n_hops, path.weakest, path.weakest_link) == (("B",), 0, None, None)
    assert widest_path(PATH, "B", "B").node_ids == ("B",)


def test_there_is_no_path_between_pieces():
    graph = weighted([("a", "b", 0.5), ("c", "d", 0.5)])
    assert shortest_path(graph, "a", "c") is None
    assert widest_path(graph, "a", "c") is None
    assert joining_threshold(graph, "a", "c") is None


def test_the_widest_path_of_equals_is_the_shortest():
    graph = weighted([("a", "x", 0.5), ("x", "b", 0.5), ("a", "y", 0.9), ("y", "z", 0.9), ("z", "b", 0.5)])
    assert widest_path(graph, "a", "b").node_ids == ("a", "x", "b")


def test_the_joining_threshold_looks_below_the_current_one():
    candidates = weighted([("a", "b", 0.7), ("b", "c", 0.41), ("a", "c", 0.2)])
    assert shortest_path(candidates.at_threshold(0.55), "a", "c") is None
    assert joining_threshold(candidates, "a", "c") == 0.41
    assert shortest_path(candidates.at_threshold(0.41), "a", "c") is not None


@given(st.integers(0, 2**20), st.integers(2, 18), st.integers(1, 4))
@settings(max_examples=80, deadline=None)
def test_paths_of_any_graph_equal_the_oracles(seed, n, first_prefix):
    given_graph = nx.gnp_random_graph(n, 0.25, seed=seed)
    random = np.random.default_rng(seed)
    for _, _, attributes in given_graph.edges(data=True):
        attributes["weight"] = float(random.integers(1, 6)) / 10  # with ties
    graph = graph_of_networkx(given_graph)
    tree = nx.maximum_spanning_tree(given_graph)
    original = neighborhood._FIRST_PREFIX
    neighborhood._FIRST_PREFIX = first_prefix  # so that doubling and halving happen on small graphs too
    try:
        for target in range(1, n):
            a, b = "0", str(target)
            path, wide = shortest_path(graph, a, b), widest_path(graph, a, b)
            if not nx.has_path(given_graph, 0, target):
                assert path is wide is joining_threshold(graph, a, b) is None
                continue
            assert path.n_hops == nx.shortest_path_length(given_graph, 0, target)
            assert all(
                given_graph.has_edge(*map(int, edge)) for edge in zip(path.node_ids, path.node_ids[1:], strict=False)
            )
            through = nx.shortest_path(tree, 0, target)
            bottleneck = min(tree[u][v]["weight"] for u, v in pairwise(through))
            assert joining_threshold(graph, a, b) == bottleneck == wide.weakest
    finally:
        neighborhood._FIRST_PREFIX = original


@given(st.integers(0, 2**20), st.integers(1, 5))
@settings(max_examples=30, deadline=None)
def test_k_hop_of_any_graph_equals_networkx(seed, k):
    given_graph = nx.gnp_random_graph(15, 0.15, seed=seed)
    expected = {str(node) for node in nx.single_source_shortest_path_length(given_graph, 3, cutoff=k)} - {"3"}
    assert k_hop(graph_of_networkx(given_graph), "3", k) == expected
