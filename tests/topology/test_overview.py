"""The overview: one disc a community without overlap, and outlines that hold their nodes."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from cnrag_core.errors import ConfigError
from cnrag_core.graph.similarity_graph import graph_of_networkx
from cnrag_core.topology.communities import find_communities
from cnrag_core.topology.layout import Layout, compute_layout
from cnrag_core.topology.overview import community_hulls, community_layout

GRAPH = graph_of_networkx(
    nx.disjoint_union(nx.random_partition_graph([40, 25, 15, 8], 0.5, 0.02, seed=4), nx.empty_graph(5))
)
FOUND = find_communities(GRAPH)
LAYOUT = compute_layout(GRAPH)


def inside(polygon, point):
    """Whether a point lies in a convex polygon given counter-clockwise."""
    edge = np.roll(polygon, -1, axis=0) - polygon
    to_point = point - polygon
    return (edge[:, 0] * to_point[:, 1] - edge[:, 1] * to_point[:, 0] >= -1e-3).all()


def test_one_disc_a_community_and_none_for_isolated_documents():
    overview = community_layout(LAYOUT, GRAPH, FOUND.labels)
    assert overview.communities.tolist() == list(range(FOUND.n_grouped))
    assert overview.sizes.tolist() == FOUND.sizes[: FOUND.n_grouped].tolist()


def test_discs_do_not_overlap_and_lie_in_the_frame():
    overview = community_layout(LAYOUT, GRAPH, FOUND.labels)
    distance = squareform(pdist(overview.positions))
    needed = overview.radii[:, None] + overview.radii[None, :]
    off_diagonal = ~np.eye(len(needed), dtype=bool)
    assert (distance >= needed)[off_diagonal].all()
    assert (np.abs(overview.positions) + overview.radii[:, None]).max() <= 1000.5


def test_areas_grow_with_the_number_of_documents():
    overview = community_layout(LAYOUT, GRAPH, FOUND.labels)
    ratio = overview.radii.astype(float) ** 2 / overview.sizes
    assert ratio == pytest.approx(np.full(len(ratio), ratio[0]), rel=1e-4)


def test_edges_between_communities_are_counted():
    overview = community_layout(LAYOUT, GRAPH, FOUND.labels)
    crossing = FOUND.labels[GRAPH.left] != FOUND.labels[GRAPH.right]
    assert overview.n_edges.sum() == crossing.sum()
    assert overview.weight.sum() == pytest.approx(GRAPH.weight[crossing].sum())
    assert (overview.left < overview.right).all()


def test_a_graph_without_groups_has_an_empty_overview():
    graph = graph_of_networkx(nx.empty_graph(3))
    overview = community_layout(compute_layout(graph), graph, np.arange(3))
    assert (len(overview.communities), len(overview.left)) == (0, 0)


def test_communities_at_one_place_are_moved_apart():
    graph = graph_of_networkx(nx.disjoint_union(nx.complete_graph(3), nx.complete_graph(3)))
    flat = Layout(
        graph.node_ids, np.zeros((6, 2), dtype=np.float32), np.zeros(6, dtype=bool), np.zeros(6, dtype=int), 1.0
    )
    overview = community_layout(flat, graph, np.array([0, 0, 0, 1, 1, 1]))
    assert pdist(overview.positions)[0] >= overview.radii.sum()


def test_outlines_hold_most_of_their_documents():
    hulls = community_hulls(LAYOUT, FOUND.labels)
    assert {hull.community for hull in hulls} == set(range(FOUND.n_grouped))
    for hull in hulls:
        members = LAYOUT.positions[FOUND.labels == hull.community]
        assert sum(inside(hull.polygon, point) for point in members) >= hull.n_nodes


def test_outlines_keep_their_distance():
    near, far = (community_hulls(LAYOUT, FOUND.labels, padding=padding)[0].polygon for padding in (1.0, 50.0))
    assert np.ptp(far, axis=0) - np.ptp(near, axis=0) == pytest.approx(np.array([98.0, 98.0]), abs=2.0)


def test_a_stray_document_does_not_stretch_an_outline():
    positions = np.random.default_rng(0).random((21, 2)).astype(np.float32) * 100
    positions[20] = (900, 900)
    layout = Layout(tuple(map(str, range(21))), positions, np.zeros(21, bool), np.zeros(21, int), 30.0)
    (hull,) = community_hulls(layout, np.zeros(21, dtype=np.int64))
    assert hull.n_nodes == 20
    assert hull.polygon.max() < 200


def test_a_community_in_two_places_gets_two_outlines():
    positions = np.random.default_rng(0).random((30, 2)).astype(np.float32) * 100
    positions[18:] += 700
    layout = Layout(tuple(map(str, range(30))), positions, np.zeros(30, bool), np.zeros(30, int), 30.0)
    assert [hull.n_nodes for hull in community_hulls(layout, np.zeros(30, dtype=np.int64))] == [18, 12]


def test_documents_on_one_line_have_an_outline():
    positions = np.stack([np.arange(5) * 10, np.zeros(5)], axis=1).astype(np.float32)
    layout = Layout(tuple("abcde"), positions, np.zeros(5, bool), np.zeros(5, int), 10.0)
    (hull,) = community_hulls(layout, np.zeros(5, dtype=np.int64))
    assert np.ptp(hull.polygon, axis=0).tolist() == pytest.approx([60.0, 20.0])


def test_small_communities_have_no_outline():
    assert {hull.community for hull in community_hulls(LAYOUT, FOUND.labels, min_size=20)} == {
        c for c, size in enumerate(FOUND.sizes) if size >= 20
    }


def test_labels_of_other_documents_are_refused():
    with pytest.raises(ConfigError, match="2 community labels were given for 93 documents"):
        community_hulls(LAYOUT, np.array([0, 1]))
    with pytest.raises(ConfigError, match="2 community labels were given for 93 documents"):
        community_layout(LAYOUT, GRAPH, np.array([0, 1]))
