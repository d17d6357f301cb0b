"""Layouts: readable by numbers (islands apart, nodes apart, pieces apart), and the same bits every time."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree
from scipy.spatial.distance import pdist

from cnrag_core.errors import ConfigError
from cnrag_core.graph.similarity_graph import SimilarityGraph, graph_of_networkx
from cnrag_core.topology import layout as layout_module
from cnrag_core.topology import layout_loops
from cnrag_core.topology.layout import compute_layout, restored_layout

ISLANDS = nx.random_partition_graph([30] * 6, 0.4, 0.01, seed=1)


@pytest.fixture(params=["plain", "compiled"])
def way(request, monkeypatch):
    """Both ways of computing the forces, whatever the size of the graph."""
    monkeypatch.setattr(layout_module, "MAX_PLAIN_WORK", 0 if request.param == "compiled" else 10**9)
    return request.param


def groups_of(graph, given_graph):
    return np.array([given_graph.nodes[int(node_id)]["block"] for node_id in graph.node_ids])


def test_communities_stand_as_islands(way):
    graph = graph_of_networkx(ISLANDS)
    positions = compute_layout(graph).positions.astype(float)
    groups = groups_of(graph, ISLANDS)
    _, nearest = cKDTree(positions).query(positions, 6)
    assert (groups[nearest[:, 1:]] == groups[:, None]).mean() > 0.95
    centers = np.array([positions[groups == group].mean(axis=0) for group in range(6)])
    radius = max(np.median(np.linalg.norm(positions[groups == g] - centers[g], axis=1)) for g in range(6))
    assert pdist(centers).min() > 2.5 * radius


def test_linked_nodes_keep_the_stated_spacing(way):
    layout = compute_layout(graph_of_networkx(ISLANDS))
    positions = layout.positions.astype(float)
    nearest = cKDTree(positions).query(positions, 2)[0][:, 1]
    assert (nearest > 0.7 * layout.spacing).all()
    assert np.median(nearest) > 0.95 * layout.spacing


def test_a_ring_of_cliques_is_drawn_as_a_ring(way):
    ring = nx.connected_caveman_graph(10, 8)
    graph = graph_of_networkx(ring)
    positions = compute_layout(graph).positions.astype(float)
    cliques = np.array([int(node_id) // 8 for node_id in graph.node_ids])
    centers = np.array([positions[cliques == clique].mean(axis=0) for clique in range(10)])
    middle = centers.mean(axis=0)
    angles = np.unwrap(np.arctan2(*(centers - middle).T))
    assert abs(np.sign(np.diff(angles)).sum()) == 9  # the cliques follow each other around the middle


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
def test_graphs_of_hardly_any_nodes_have_a_place_for_each(n):
    for given_graph in (nx.empty_graph(n), nx.complete_graph(n), nx.path_graph(n)):
        layout = compute_layout(graph_of_networkx(given_graph))
        assert layout.positions.shape == (n, 2)
        assert np.isfinite(layout.positions).all()
        assert len(np.unique(layout.positions, axis=0)) == n


def test_positions_lie_in_the_frame_and_use_it():
    positions = compute_layout(graph_of_networkx(ISLANDS)).positions
    assert positions.dtype == np.float32
    assert np.abs(positions).max() == pytest.approx(1000)


def test_a_small_graph_is_not_blown_up():
    layout = compute_layout(graph_of_networkx(nx.path_graph(2)))
    assert layout.spacing == layout_module.LARGEST_SPACING
    assert np.ptp(layout.positions, axis=0).max() < 400


def test_isolated_documents_are_marked_and_folded_beyond_the_rest():
    given_graph = nx.disjoint_union(ISLANDS, nx.empty_graph(40))
    graph = graph_of_networkx(given_graph)
    layout = compute_layout(graph)
    assert layout.n_isolated == 40
    assert np.array_equal(layout.isolated, graph.degree == 0)
    linked, isolated = layout.positions[~layout.isolated], layout.positions[layout.isolated]
    assert isolated[:, 1].min() > linked[:, 1].max()
    assert np.ptp(isolated[:, 1]) < 0.15 * np.ptp(layout.positions[:, 1])


def test_many_isolated_documents_do_not_shrink_the_graph():
    given_graph = nx.disjoint_union(ISLANDS, nx.empty_graph(3000))
    layout = compute_layout(graph_of_networkx(given_graph))
    linked = layout.positions[~layout.isolated]
    assert np.ptp(linked, axis=0).max() > 1500


def test_pieces_do_not_overlap():
    given_graph = nx.disjoint_union_all(
        [ISLANDS, nx.path_graph(20), nx.cycle_graph(50), *(nx.complete_graph(k) for k in range(2, 12))]
    )
    layout = compute_layout(graph_of_networkx(given_graph))
    for piece in range(layout.component.max() + 1):
        own = layout.component == piece
        apart, _ = cKDTree(layout.positions[own]).query(layout.positions[~own])
        assert apart.min() > 1.5 * layout.spacing


@pytest.mark.parametrize("n_groups", [4, 9])
def test_the_picture_fills_a_frame_of_a_screens_shape(n_groups, way):
    layout = compute_layout(graph_of_networkx(nx.random_partition_graph([40] * n_groups, 0.3, 0.004, seed=3)))
    linked = layout.positions[~layout.isolated]
    width, height = np.ptp(linked, axis=0)
    assert 0.9 < width / height < 1.5
    cells = np.unique(np.floor((linked - linked.min(axis=0)) / [width / 8, height / 8]), axis=0)
    assert len(cells) > 0.6 * 64


def test_components_are_numbered_by_size():
    graph = graph_of_networkx(nx.disjoint_union_all([nx.empty_graph(1), nx.path_graph(3), nx.complete_graph(4)]))
    assert np.bincount(compute_layout(graph).component).tolist() == [4, 3, 1]


def test_the_same_graph_gives_the_same_bits(way):
    graph = graph_of_networkx(ISLANDS)
    assert compute_layout(graph).digest == compute_layout(graph).digest


def test_the_number_of_threads_changes_nothing(monkeypatch):
    monkeypatch.setattr(layout_module, "MAX_PLAIN_WORK", 0)
    graph = graph_of_networkx(ISLANDS)
    digests = []
    for min_nodes in (1, 10**9):
        monkeypatch.setattr(layout_loops, "_MIN_NODES_FOR_THREADS", min_nodes)
        digests.append(compute_layout(graph).digest)
    assert digests[0] == digests[1]


def test_the_order_of_edges_and_float_noise_change_nothing():
    exact, noisy = nx.Graph(), nx.Graph()
    exact.add_weighted_edges_from((a, b, 0.5) for a, b in ISLANDS.edges)
    noisy.add_weighted_edges_from((b, a, 0.5 + 1e-13 * (a % 3)) for a, b in reversed(list(ISLANDS.edges)))
    assert compute_layout(graph_of_networkx(exact)).digest == compute_layout(graph_of_networkx(noisy)).digest


def test_another_random_state_is_another_picture():
    graph = graph_of_networkx(ISLANDS)
    assert compute_layout(graph, random_state=1).digest != compute_layout(graph, random_state=2).digest


def test_a_start_is_kept_in_shape(way):
    graph = graph_of_networkx(ISLANDS)
    first = compute_layout(graph)
    again = compute_layout(graph, start=first.positions)
    mirrored = compute_layout(graph, start=first.positions * np.array([-1, 1]))
    assert min(np.corrcoef(first.positions[:, axis], again.positions[:, axis])[0, 1] for axis in (0, 1)) > 0.95
    assert np.corrcoef(again.positions[:, 0], mirrored.positions[:, 0])[0, 1] < -0.9


def test_a_new_document_starts_between_its_neighbours():
    before = graph_of_networkx(ISLANDS)
    start = compute_layout(before).positions
    grown = ISLANDS.copy()
    grown.add_edges_from([(999, 0), (999, 1), (999, 2)])
    graph = graph_of_networkx(grown)
    kept = np.full((graph.n_nodes, 2), np.nan)
    for node_id, position in zip(before.node_ids, start, strict=True):
        kept[graph.index(node_id)] = position
    positions = compute_layout(graph, start=kept).positions
    group = [graph.index(str(node)) for node in range(30)]
    distance = np.linalg.norm(positions - positions[graph.index("999")], axis=1)
    assert np.median(distance[group]) < np.median(distance)


def test_a_start_of_identical_positions_is_untangled():
    layout = compute_layout(graph_of_networkx(nx.cycle_graph(40)), start=np.zeros((40, 2)))
    assert len(np.unique(layout.positions, axis=0)) == 40


def test_a_start_without_any_position_is_accepted():
    assert np.isfinite(compute_layout(graph_of_networkx(ISLANDS), start=np.full((180, 2), np.nan)).positions).all()


def test_a_start_of_another_shape_is_refused():
    with pytest.raises(ConfigError, match=r"one row of two numbers a document: 3 rows, got shape \(2, 2\)"):
        compute_layout(graph_of_networkx(nx.path_graph(3)), start=np.zeros((2, 2)))


def test_progress_rises_to_the_end(way):
    shares = []
    given_graph = nx.disjoint_union(ISLANDS, nx.cycle_graph(50))
    compute_layout(graph_of_networkx(given_graph), progress=lambda _, share: shares.append(share))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(shares) > 20


def test_progress_may_cancel(way):
    def cancel(step, share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compute_layout(graph_of_networkx(ISLANDS), progress=cancel)


@given(st.integers(0, 2**20), st.integers(1, 45), st.floats(0.0, 0.3))
@settings(max_examples=40, deadline=None)
def test_every_node_of_any_graph_has_a_place_of_its_own(seed, n, density):
    layout = compute_layout(graph_of_networkx(nx.gnp_random_graph(n, density, seed=seed)))
    assert np.isfinite(layout.positions).all()
    assert np.abs(layout.positions).max() <= 1000.001
    assert len(np.unique(layout.positions, axis=0)) == n


def test_extreme_weights_are_laid_out():
    graph = nx.Graph()
    graph.add_weighted_edges_from((a, b, 1e-9 if a % 2 else 1.0) for a, b in ISLANDS.edges)
    assert np.isfinite(compute_layout(graph_of_networkx(graph)).positions).all()


def test_a_layout_is_restored_from_its_positions():
    graph = graph_of_networkx(nx.disjoint_union(ISLANDS, nx.empty_graph(3)))
    layout = compute_layout(graph)
    restored = restored_layout(graph, layout.positions)
    assert restored.digest == layout.digest
    assert np.array_equal(restored.component, layout.component)
    assert np.array_equal(restored.isolated, layout.isolated)
    assert restored.spacing == pytest.approx(layout.spacing, rel=0.1)
    assert restored_layout(graph, layout.positions, layout.spacing).spacing == layout.spacing


def test_restoring_the_positions_of_other_documents_is_refused():
    with pytest.raises(ConfigError, match="3 documents need as many positions"):
        restored_layout(graph_of_networkx(nx.path_graph(3)), np.zeros((4, 2)))


def test_the_given_arrays_are_not_changed():
    graph = graph_of_networkx(ISLANDS)
    start = np.random.default_rng(0).random((180, 2))
    copy = start.copy()
    compute_layout(graph, start=start)
    assert np.array_equal(start, copy)
    assert isinstance(graph, SimilarityGraph)
