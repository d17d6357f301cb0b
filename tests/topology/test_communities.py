"""Communities: known answers, structural truths on any graph, and the same answer for every library and order."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.errors import ConfigError, UnknownNameError
from cnrag_core.graph.similarity_graph import graph_of_networkx
from cnrag_core.topology.communities import (
    MAX_EDGES_IN_PYTHON,
    communities_of_spec,
    find_communities,
    modularity,
    numbered_by_size,
)

TWO_TRIANGLES = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("d", "e"), ("e", "f"), ("d", "f")]


def graph_of(edges, isolated=()):
    graph = nx.Graph(edges)
    graph.add_nodes_from(isolated)
    return graph_of_networkx(graph)


def weighted_graph(seed, n=60, m=200):
    graph = nx.gnm_random_graph(n, m, seed=seed)
    weights = np.random.default_rng(seed).random(m) * 0.8 + 0.1
    for (a, b), weight in zip(graph.edges, weights, strict=True):
        graph[a][b]["weight"] = float(weight)
    return graph


def groups(found):
    return [set(found.member_ids(community)) for community in range(len(found))]


def test_two_triangles_and_an_isolated_document_are_three_communities():
    found = find_communities(graph_of(TWO_TRIANGLES, ["iso"]))
    assert groups(found) == [{"a", "b", "c"}, {"d", "e", "f"}, {"iso"}]
    assert found.sizes.tolist() == [3, 3, 1]
    assert found.sizes.sum() == 7


def test_modularity_of_two_triangles_is_five_fourteenths():
    assert find_communities(graph_of(TWO_TRIANGLES, ["iso"])).modularity == pytest.approx(5 / 14, abs=1e-12)


def test_without_edges_every_document_is_alone_and_modularity_is_undefined():
    found = find_communities(graph_of([], ["c", "a", "b"]))
    assert found.as_dict() == {"a": 0, "b": 1, "c": 2}
    assert found.modularity is None
    assert found.library == "none"


def test_without_documents_there_are_no_communities():
    found = find_communities(graph_of([]))
    assert found.as_dict() == {}
    assert len(found) == 0
    assert found.modularity is None


def test_one_document_is_one_community():
    assert find_communities(graph_of([], ["only"])).as_dict() == {"only": 0}


def test_a_clique_is_one_community():
    assert len(find_communities(graph_of_networkx(nx.complete_graph(5)))) == 1


def test_communities_are_numbered_by_size_then_by_smallest_id():
    triangle_and_pairs = [("x", "y"), ("m", "n"), ("q", "r"), ("r", "s"), ("q", "s")]
    found = find_communities(graph_of(triangle_and_pairs))
    assert groups(found) == [{"q", "r", "s"}, {"m", "n"}, {"x", "y"}]


def test_stronger_edges_decide_where_a_document_belongs():
    graph = nx.Graph()
    graph.add_weighted_edges_from([("a", "b", 0.9), ("b", "m", 0.3), ("m", "c", 0.9), ("c", "d", 0.9), ("a", "e", 0.9)])
    found = find_communities(graph_of_networkx(graph))
    assert found.of("m") == found.of("c")


def test_modularity_equals_networkx_on_weighted_graphs():
    for seed in range(5):
        given_graph = weighted_graph(seed)
        graph = graph_of_networkx(given_graph)
        found = find_communities(graph, random_state=seed)
        partition = [{int(node_id) for node_id in group} for group in groups(found)]
        assert found.modularity == pytest.approx(nx.community.modularity(given_graph, partition), abs=1e-12)


def test_modularity_with_a_resolution_equals_networkx():
    given_graph = weighted_graph(1)
    graph = graph_of_networkx(given_graph)
    found = find_communities(graph)
    partition = [{int(node_id) for node_id in group} for group in groups(found)]
    expected = nx.community.modularity(given_graph, partition, resolution=2.5)
    assert modularity(graph, found.labels, resolution=2.5) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("algorithm", "library"),
    [
        ("louvain", "python-louvain"),
        ("louvain", "networkx"),
        ("louvain", "cnrag"),
        ("louvain", "networkit"),
        ("leiden", "networkit"),
    ],
)
def test_every_library_finds_planted_groups(algorithm, library):
    planted = nx.planted_partition_graph(6, 25, 0.5, 0.01, seed=3)
    found = find_communities(graph_of_networkx(planted), algorithm=algorithm, library=library)
    assert sorted(map(sorted, groups(found))) == sorted(
        sorted(map(str, range(25 * group, 25 * group + 25))) for group in range(6)
    )
    assert found.library == library


@pytest.mark.parametrize("library", ["python-louvain", "networkx", "cnrag", "networkit"])
def test_the_same_random_state_gives_the_same_partition(library):
    graph = graph_of_networkx(weighted_graph(4, n=150, m=500))
    options = {"library": library, "random_state": 7}
    first, second = find_communities(graph, **options), find_communities(graph, **options)
    assert np.array_equal(first.labels, second.labels)


def test_modularity_is_close_to_leiden_of_igraph():
    igraph = pytest.importorskip("igraph", reason="python-igraph, an oracle of the test extra, is not installed")
    given_graph = nx.planted_partition_graph(8, 40, 0.2, 0.01, seed=5)
    graph = graph_of_networkx(given_graph)
    other = igraph.Graph(n=320, edges=list(given_graph.edges))
    best = other.community_leiden(objective_function="modularity", n_iterations=10).modularity
    assert find_communities(graph).modularity >= best - 0.01
    assert find_communities(graph, algorithm="leiden").modularity >= best - 0.01


def test_the_compiled_search_is_as_good_as_networkit_s_on_graphs_without_clear_groups():
    for seed in range(4):
        graph = graph_of_networkx(weighted_graph(seed, n=800, m=4000))
        ours, theirs = (find_communities(graph, library=name).modularity for name in ("cnrag", "networkit"))
        assert ours >= theirs - 0.006


def test_no_single_document_can_change_its_community_and_raise_modularity():
    graph = graph_of_networkx(weighted_graph(2, n=120, m=500))
    found = find_communities(graph, library="cnrag")
    for node in range(graph.n_nodes):
        neighbors = graph.adjacency[[node]].indices
        for community in set(found.labels[neighbors].tolist()) - {int(found.labels[node])}:
            labels = found.labels.copy()
            labels[node] = community
            assert modularity(graph, labels) <= found.modularity + 1e-9


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.floats(0.3, 3.0))
def test_the_compiled_search_never_ends_worse_than_everybody_alone(seed, resolution):
    graph = graph_of_networkx(weighted_graph(seed, n=40, m=60))
    found = find_communities(graph, library="cnrag", resolution=resolution, random_state=seed)
    alone = modularity(graph, np.arange(graph.n_nodes), resolution=resolution)
    assert modularity(graph, found.labels, resolution=resolution) >= alone - 1e-12


@pytest.mark.parametrize("library", ["networkx", "cnrag", "networkit"])
def test_a_higher_resolution_gives_more_communities(library):
    graph = graph_of_networkx(nx.planted_partition_graph(6, 25, 0.4, 0.03, seed=2))
    counts = [len(find_communities(graph, resolution=r, library=library)) for r in (0.05, 1.0, 8.0)]
    assert counts == sorted(counts)
    assert counts[0] < counts[1] < counts[2]


def test_the_library_follows_the_number_of_edges_and_the_resolution():
    small = graph_of(TWO_TRIANGLES)
    assert find_communities(small).library == "python-louvain"
    assert find_communities(small, resolution=2.0).library == "networkx"
    assert find_communities(small, algorithm="leiden").library == "networkit"
    large = graph_of_networkx(nx.gnm_random_graph(600, MAX_EDGES_IN_PYTHON + 1, seed=0))
    assert find_communities(large).library == "cnrag"


def test_documents_in_another_order_change_nothing():
    edges = list(weighted_graph(9).edges(data="weight"))
    forward, backward = nx.Graph(), nx.Graph()
    forward.add_weighted_edges_from(edges)
    backward.add_weighted_edges_from([(b, a, w) for a, b, w in reversed(edges)])
    first, second = (find_communities(graph_of_networkx(g)).as_dict() for g in (forward, backward))
    assert first == second


def test_float_noise_in_the_weights_changes_nothing():
    exact, noisy = weighted_graph(3), weighted_graph(3)
    for _, _, attributes in noisy.edges(data=True):
        attributes["weight"] += 1e-13
    first, second = (find_communities(graph_of_networkx(g)).as_dict() for g in (exact, noisy))
    assert first == second


@given(
    st.integers(1, 25).flatmap(
        lambda n: st.tuples(
            st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.floats(1e-6, 1.0)))
        )
    )
)
@settings(max_examples=60, deadline=None)
def test_communities_partition_the_nodes_of_any_graph_into_connected_groups(case):
    n, edges = case
    given_graph = nx.Graph()
    given_graph.add_nodes_from(range(n))
    given_graph.add_weighted_edges_from((a, b, w) for a, b, w in edges if a != b)
    found = find_communities(graph_of_networkx(given_graph))
    members = [found.member_ids(community) for community in range(len(found))]
    assert sorted(node_id for group in members for node_id in group) == sorted(map(str, range(n)))
    assert found.sizes.tolist() == sorted(map(len, members), reverse=True)
    for group in members:
        assert nx.is_connected(given_graph.subgraph(map(int, group)))
    for node in nx.isolates(given_graph):
        assert found.sizes[found.of(str(node))] == 1


def test_numbering_keeps_the_partition():
    labels = np.array([4, 4, 9, 9, 9, 2])
    assert numbered_by_size(labels).tolist() == [1, 1, 0, 0, 0, 2]


def test_the_options_of_a_configuration_are_used():
    from cnrag_core.config.spec import CommunitySpec

    found = communities_of_spec(
        graph_of(TWO_TRIANGLES), CommunitySpec(algorithm="leiden", resolution=1.5), random_state=3
    )
    assert (found.algorithm, found.resolution, found.random_state) == ("leiden", 1.5, 3)


def test_counts_of_grouped_and_single_documents():
    found = find_communities(graph_of(TWO_TRIANGLES, ["x", "y"]))
    assert (found.n_communities, found.n_grouped, found.n_single) == (4, 2, 2)


def test_an_unknown_community_is_refused_with_the_known_ones():
    found = find_communities(graph_of(TWO_TRIANGLES).at_threshold(0.6))
    with pytest.raises(
        UnknownNameError, match=r"^Community 9 does not exist at threshold 0\.60; the communities are 0 to 1\.$"
    ):
        found.members(9)
    with pytest.raises(UnknownNameError, match="Community -1 does not exist"):
        found.members(-1)
    with pytest.raises(UnknownNameError, match="Community 'x' does not exist"):
        found.members("x")


def test_an_unknown_document_is_refused():
    with pytest.raises(UnknownNameError, match="There is no document 'nobody' in the network"):
        find_communities(graph_of(TWO_TRIANGLES)).of("nobody")


def test_asking_for_a_community_of_nothing_says_that_there_are_no_documents():
    with pytest.raises(UnknownNameError, match="the network has no documents"):
        find_communities(graph_of([])).members(0)


@pytest.mark.parametrize("resolution", [0.0, -1.0, float("nan"), float("inf")])
def test_a_resolution_must_be_positive_and_finite(resolution):
    with pytest.raises(ConfigError, match="resolution must be a positive number"):
        find_communities(graph_of(TWO_TRIANGLES), resolution=resolution)


def test_unknown_algorithms_and_libraries_are_refused():
    with pytest.raises(ConfigError, match=r"'infomap' is not an algorithm\. Use 'louvain' or 'leiden'"):
        find_communities(graph_of(TWO_TRIANGLES), algorithm="infomap")
    with pytest.raises(ConfigError, match="'igraph' is not a library that finds communities by louvain"):
        find_communities(graph_of(TWO_TRIANGLES), library="igraph")


def test_labels_cannot_be_changed_by_accident():
    with pytest.raises(ValueError, match="read-only"):
        find_communities(graph_of(TWO_TRIANGLES)).labels[0] = 5
