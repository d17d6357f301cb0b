"""The parts of the layout: packing, spreading, coarsening, and forces that agree with each other."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree
from scipy.spatial.distance import pdist

from cnrag_core.graph.similarity_graph import graph_of_networkx
from cnrag_core.topology import layout_loops
from cnrag_core.topology.coarsening import Level, hierarchy
from cnrag_core.topology.evening import evened
from cnrag_core.topology.forces import relax_plain, step_length
from cnrag_core.topology.layout import compute_layout
from cnrag_core.topology.layout_loops import relax_compiled
from cnrag_core.topology.overlaps import loosen, spread
from cnrag_core.topology.packing import pack, pack_around


def level_of(graph):
    edges = np.array(sorted(tuple(sorted(edge)) for edge in graph.edges), dtype=np.int64).reshape(-1, 2)
    return Level(np.ones(len(graph)), edges[:, 0], edges[:, 1], np.ones(len(edges)))


boxes = st.lists(st.tuples(st.floats(0.1, 9.0), st.floats(0.1, 9.0)), min_size=1, max_size=25)


@given(boxes, st.floats(1.0, 30.0))
@settings(deadline=None)
def test_packed_rectangles_never_overlap_and_stay_in_the_strip(sizes, width):
    sizes = np.array(sizes)
    corners = pack(sizes, width=width)
    assert corners.min() >= 0
    assert (corners[:, 0] + sizes[:, 0]).max() <= max(width, sizes[:, 0].max()) + 1e-6
    for number in range(len(sizes)):
        for other in range(number):
            apart = (corners[number] >= corners[other] + sizes[other] - 1e-6) | (
                corners[other] >= corners[number] + sizes[number] - 1e-6
            )
            assert apart.any()


def test_equal_squares_are_packed_without_waste():
    corners = pack(np.ones((9, 2)), width=3.0)
    assert (corners + 1).max(axis=0).tolist() == [3.0, 3.0]


@given(boxes, st.integers(0, 99))
@settings(deadline=None, max_examples=30)
def test_rectangles_around_a_crowd_touch_neither_it_nor_each_other(sizes, seed):
    sizes, crowd = np.array(sizes), np.random.default_rng(seed).random((40, 2)) * 20
    corners = pack_around(crowd, sizes, gap=1.0, aspect=1.25)
    for number, (corner, size) in enumerate(zip(corners, sizes, strict=True)):
        beyond = np.maximum(corner - crowd, crowd - (corner + size)).max(axis=1)
        assert beyond.min() >= 0.99
        for other in range(number):
            assert ((corner >= corners[other] + sizes[other]) | (corners[other] >= corner + size)).any()


def test_evening_gives_a_crowd_room_and_keeps_its_order():
    crowd = np.random.default_rng(0).random((300, 2)) * [1.0, 1.0]
    crowd[:200] = 0.5 + (crowd[:200] - 0.5) * 0.2  # two thirds of the nodes on a twenty-fifth of the area
    spread_out = evened(crowd)
    width, height = np.ptp(spread_out, axis=0)
    own_width, own_height = np.ptp(spread_out[:200], axis=0)
    assert own_width * own_height > 2 * 0.04 * width * height
    order = np.argsort(crowd[:200, 0])
    assert np.corrcoef(np.arange(200), spread_out[:200, 0][order])[0, 1] > 0.95
    assert len(np.unique(spread_out, axis=0)) == 300


def test_evening_leaves_an_even_picture():
    grid = np.stack(np.meshgrid(np.arange(24.0), np.arange(20.0)), axis=-1).reshape(-1, 2)
    spread_out = evened(grid)
    assert min(np.corrcoef(grid[:, axis], spread_out[:, axis])[0, 1] for axis in (0, 1)) > 0.999


def test_spread_discs_hardly_overlap():
    crowd = np.random.default_rng(0).random((150, 2)) * 5
    moved = spread(crowd, radii=0.5, n_rounds=200)
    assert pdist(moved).min() > 0.95


def test_spread_leaves_what_does_not_overlap():
    apart = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 3.0]])
    assert np.array_equal(spread(apart, radii=0.5, n_rounds=10), apart)


def test_points_at_one_place_part():
    moved = spread(np.zeros((12, 2)), radii=0.5, n_rounds=300)
    assert pdist(moved).min() > 0.9
    assert np.array_equal(moved, spread(np.zeros((12, 2)), radii=0.5, n_rounds=300))


def test_one_point_and_none_stay():
    assert spread(np.ones((1, 2)), radii=0.5, n_rounds=3).tolist() == [[1.0, 1.0]]
    assert spread(np.empty((0, 2)), radii=0.5, n_rounds=3).shape == (0, 2)


def test_crowds_of_thousands_unfold_into_discs():
    balls = nx.disjoint_union(nx.random_regular_graph(8, 1200, seed=1), nx.random_regular_graph(8, 1200, seed=2))
    balls.add_edge(0, 1200)  # the forces pull each ball into a spot, far from the other
    layout = compute_layout(graph_of_networkx(balls))
    nearest = cKDTree(layout.positions).query(layout.positions, 2)[0][:, 1]
    assert np.median(nearest) > 0.75 * layout.spacing


def test_loosening_leaves_a_picture_with_room_as_it_is():
    given_graph = nx.grid_2d_graph(20, 20)
    positions = np.array(list(given_graph.nodes), dtype=float) * 1.5
    levels = hierarchy(level_of(nx.convert_node_labels_to_integers(given_graph)), smallest=10)
    assert loosen(positions, levels, n_rounds=20) == pytest.approx(positions)


def test_spread_respects_different_radii():
    moved = spread(np.array([[0.0, 0.0], [1.0, 0.0]]), radii=np.array([1.0, 2.0]), n_rounds=100)
    assert pdist(moved)[0] == pytest.approx(3.0, rel=0.01)


@given(st.integers(0, 2**20), st.integers(5, 80))
@settings(max_examples=25, deadline=None)
def test_each_level_has_at_most_half_the_nodes_and_all_the_mass(seed, n):
    tree = nx.random_labeled_tree(n, seed=seed)
    tree.add_edges_from(nx.gnm_random_graph(n, n // 2, seed=seed).edges)
    levels = hierarchy(level_of(tree), smallest=4)
    for finer, coarser in pairwise(levels):
        assert coarser.n_nodes <= finer.n_nodes / 2
        assert coarser.mass.sum() == pytest.approx(n)
        assert finer.group is not None
        inside = finer.group[finer.left] == finer.group[finer.right]
        assert coarser.weight.sum() == pytest.approx(finer.weight[~inside].sum())
    assert levels[-1].n_nodes <= 4
    assert levels[-1].group is None


def test_steps_shrink_from_first_to_last():
    steps = [step_length(number, 10, 2.0, 0.1) for number in range(10)]
    assert steps == sorted(steps, reverse=True)
    assert (steps[0], steps[-1]) == (2.0, 0.1)


@pytest.mark.parametrize("exponent", [0, 1])
def test_compiled_forces_are_those_of_all_pairs_up_to_the_summing_of_far_groups(exponent):
    level = level_of(nx.gnm_random_graph(300, 900, seed=1))
    positions = np.random.default_rng(0).random((300, 2)) * 20
    options = {"n_rounds": 1, "first_step": 1e9, "last_step": 1e9, "exponent": exponent}
    plain, compiled = relax_plain(positions, level, **options), relax_compiled(positions, level, **options)
    moved = np.linalg.norm(plain - positions, axis=1)
    assert np.median(np.linalg.norm(plain - compiled, axis=1) / moved) < 0.05


def test_two_masses_come_to_rest_where_push_equals_pull():
    pair = Level(np.array([2.0, 3.0]), np.array([0]), np.array([1]), np.array([1.5]))
    start = np.array([[0.0, 0.0], [1.0, 0.0]])
    for relax in (relax_plain, relax_compiled):
        for exponent, expected in ((1, np.sqrt(2 * 3 / 1.5)), (0, 2 * 3 / 1.5)):
            found = relax(start, pair, n_rounds=300, first_step=0.5, last_step=1e-4, exponent=exponent)
            assert pdist(found)[0] == pytest.approx(expected, rel=1e-3)


def test_bodies_at_one_place_share_a_deepest_square():
    level = Level(np.ones(50), np.array([0]), np.array([1]), np.ones(1))
    positions = np.zeros((50, 2))
    positions[25:] = 1.0
    options = {"n_rounds": 1, "first_step": 1.0, "last_step": 1.0, "exponent": 0}
    assert np.isfinite(relax_compiled(positions, level, **options)).all()


def test_the_tree_grows_where_its_first_estimate_is_too_small(monkeypatch):
    tree = layout_loops._Tree(4)
    tree._reserve(1)
    x, y = np.array([0.0, 1e-6, 0.5, 1.0]), np.array([0.0, 1e-6, 0.5, 1.0])
    tree.build(x, y, np.ones(4))
    assert len(tree.mass) > 1
    assert tree.mass[0] == 4.0
    assert (tree.x[0], tree.y[0]) == pytest.approx((x.mean(), y.mean()))
