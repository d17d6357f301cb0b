"""Threshold curves equal rebuilding; suggestions are useful on corpora of every shape."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.errors import ConfigError
from cnrag_core.graph.similarity_graph import CandidateEdges, SimilarityGraph, sorted_edges
from cnrag_core.graph.threshold_changes import gains_and_losses, orphans
from cnrag_core.graph.threshold_suggestion import percolation_point, suggest_threshold
from cnrag_core.graph.thresholds import fixed_partition_modularity, similarity_histogram, threshold_curve
from cnrag_core.workspace import Workspace


def candidates_of(n: int, edges: list[tuple[int, int, float]], floor: float = 0.0) -> CandidateEdges:
    left, right = (np.array([edge[end] for edge in edges], dtype=np.int32) for end in (0, 1))
    arrays = sorted_edges(left, right, np.array([edge[2] for edge in edges], dtype=np.float64))
    return CandidateEdges(tuple(f"d{i:04}" for i in range(n)), *arrays, floor=floor)


def random_candidates(random_state: int, n: int, m: int, floor: float = 0.0) -> CandidateEdges:
    rng = np.random.default_rng(random_state)
    left, right = np.triu_indices(n, 1)
    chosen = rng.permutation(len(left))[:m]
    weight = np.round(floor + (1 - floor) * rng.random(len(chosen)) ** 3, 3)
    rows = zip(left[chosen].tolist(), right[chosen].tolist(), weight.tolist(), strict=True)
    return candidates_of(n, [edge for edge in rows if edge[2] > 0], floor)


def communities_in_noise(
    rng: np.random.Generator, n_groups: int, size: int, inside: float, across: float
) -> CandidateEdges:
    """Groups that are alike inside around one similarity, and across around another."""
    n = n_groups * size
    left, right = np.triu_indices(n, 1)
    mean = np.where(left // size == right // size, inside, across)
    weight = np.clip(rng.normal(mean, 0.05), 0.0, 1.0)
    keep = weight > 0
    rows = zip(left[keep].tolist(), right[keep].tolist(), weight[keep].tolist(), strict=True)
    return candidates_of(n, list(rows))


# The curve.


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 30), st.integers(0, 120))
def test_the_curve_equals_rebuilding_the_graph_at_every_threshold(random_state: int, n: int, m: int) -> None:
    candidates = random_candidates(random_state, n, m)
    curve = threshold_curve(candidates)
    for index in range(0, len(curve.thresholds), 7):
        threshold = float(curve.thresholds[index])
        graph: nx.Graph[int] = nx.empty_graph(n)
        keep = candidates.weight >= threshold - 1e-9
        graph.add_edges_from(zip(candidates.left[keep].tolist(), candidates.right[keep].tolist(), strict=True))
        sizes = [len(part) for part in nx.connected_components(graph)]
        expected = (
            graph.number_of_edges(), len(sizes), max(sizes, default=0), nx.number_of_isolates(graph),
        )  # fmt: skip
        on_grid = (curve.n_edges, curve.n_components, curve.giant_size, curve.n_isolates)
        point = curve.at(threshold)
        assert tuple(int(values[index]) for values in on_grid) == expected
        assert (point.n_edges, point.n_components, point.giant_size, point.n_isolates) == expected
        assert point.density == pytest.approx(nx.density(graph) if n > 1 else 0.0)
        assert curve.density[index] == point.density
        assert curve.mean_degree[index] == point.mean_degree == pytest.approx(2 * graph.number_of_edges() / max(n, 1))
        assert curve.giant_share[index] == point.giant_share


def test_the_grid_runs_from_the_floor_to_one() -> None:
    curve = threshold_curve(random_candidates(0, 20, 60, floor=0.37))
    assert (curve.thresholds[0], curve.thresholds[-1]) == (0.37, 1.0)
    assert np.allclose(np.diff(curve.thresholds), 0.005)


def test_below_the_floor_nothing_is_known() -> None:
    curve = threshold_curve(random_candidates(0, 20, 60, floor=0.37))
    assert curve.at(0.37).n_edges == 60
    with pytest.raises(
        ConfigError, match=r"below a similarity of 0\.37 were not kept, so the network at 0\.30 is unknown"
    ):
        curve.at(0.3)
    with pytest.raises(ConfigError, match="threshold must be a number"):
        curve.at(float("nan"))


def test_raising_the_threshold_never_adds_an_edge_or_joins_components() -> None:
    curve = threshold_curve(random_candidates(1, 40, 300))
    assert np.all(np.diff(curve.n_edges) <= 0)
    assert np.all(np.diff(curve.n_components) >= 0)
    assert np.all(np.diff(curve.giant_size) <= 0)
    assert np.all(np.diff(curve.n_isolates) >= 0)


def test_communities_are_found_at_a_few_thresholds_only() -> None:
    asked: list[int] = []

    def communities(graph: SimilarityGraph) -> tuple[int, float | None]:
        asked.append(graph.n_edges)
        return 3, None if graph.n_edges < 20 else 0.5

    curve = threshold_curve(random_candidates(1, 40, 300), communities=communities, n_community_points=6)
    assert 1 < len(asked) <= 6
    assert asked == sorted(asked, reverse=True)
    assert len(curve.community_thresholds) == len(curve.n_communities) == len(curve.modularity) == len(asked)
    assert np.isnan(curve.modularity[-1])
    assert curve.modularity[0] == 0.5


def test_without_a_way_to_find_communities_the_curve_has_none() -> None:
    curve = threshold_curve(random_candidates(1, 40, 300))
    assert len(curve.community_thresholds) == len(curve.modularity) == 0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_modularity_of_a_fixed_partition_equals_networkx(random_state: int) -> None:
    candidates = random_candidates(random_state, 20, 90)
    labels = np.random.default_rng(random_state).integers(0, 4, 20)
    thresholds = np.array([0.5, 0.0, 0.999999, 0.1, 0.3])
    found = fixed_partition_modularity(candidates, labels, thresholds)
    parts = [set(np.flatnonzero(labels == label).tolist()) for label in range(4)]
    for threshold, value in zip(thresholds.tolist(), found.tolist(), strict=True):
        keep = candidates.weight >= threshold - 1e-9
        graph: nx.Graph[int] = nx.empty_graph(20)
        arrays = (candidates.left[keep], candidates.right[keep], candidates.weight[keep])
        graph.add_weighted_edges_from(zip(*(array.tolist() for array in arrays), strict=True))
        if graph.number_of_edges():
            assert value == pytest.approx(nx.community.modularity(graph, [part for part in parts if part]))
        else:
            assert np.isnan(value)


# Suggestions.


def test_percolation_lies_between_the_groups_and_the_noise() -> None:
    candidates = communities_in_noise(np.random.default_rng(0), 8, 25, inside=0.6, across=0.2)
    curve = threshold_curve(candidates)
    split = percolation_point(curve)
    assert split is not None
    assert 0.3 < split < 0.5
    assert curve.at(split).giant_share - curve.at(split + 0.02).giant_share >= 0.25


def test_percolation_of_a_chain_of_cliques_is_where_its_links_break() -> None:
    edges = [(5 * g + a, 5 * g + b, 0.8) for g in range(10) for a in range(5) for b in range(a)]
    edges += [(5 * g, 5 * g + 5, 0.4) for g in range(9)]
    suggestion = suggest_threshold(candidates_of(50, edges))
    assert suggestion.percolation == 0.4
    assert suggestion.threshold == 0.4
    assert suggestion.point.giant_size == 50


@pytest.mark.parametrize(
    ("inside", "across"), [(0.6, 0.2), (0.9, 0.75), (0.25, 0.05), (0.4, 0.0)], ids=lambda value: f"{value}"
)
def test_suggestions_keep_most_documents_and_no_hairball(inside: float, across: float) -> None:
    candidates = communities_in_noise(np.random.default_rng(1), 8, 25, inside, across)
    suggestion = suggest_threshold(candidates)
    assert suggestion.point.n_isolates <= 0.15 * 200
    assert 2 <= suggestion.point.mean_degree <= 40
    assert suggestion.point == threshold_curve(candidates).at(suggestion.threshold)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.integers(0, 400), st.sampled_from([0.0, 0.2, 0.9]))
def test_more_than_half_isolated_only_where_nothing_lower_avoids_it(
    random_state: int, n: int, m: int, floor: float
) -> None:
    candidates = random_candidates(random_state, n, m, floor)
    suggestion = suggest_threshold(candidates)
    assert suggestion.threshold >= floor
    best = threshold_curve(candidates).at(max(floor, candidates.weight[-1] if candidates.n_edges else 0.0))
    if best.n_isolates <= 0.5 * n and candidates.n_edges and candidates.weight[-1] >= 0.001:
        assert suggestion.point.n_isolates <= 0.5 * n


def test_the_reason_says_numbers_of_this_corpus() -> None:
    suggestion = suggest_threshold(communities_in_noise(np.random.default_rng(0), 8, 25, inside=0.6, across=0.2))
    assert f"At {suggestion.threshold:.2f} the largest component holds" in suggestion.reason
    assert "of the 200 documents" in suggestion.reason
    assert "falls apart above 0." in suggestion.reason


def test_the_reason_says_how_clearly_communities_stand_out_where_that_is_known() -> None:
    candidates = communities_in_noise(np.random.default_rng(0), 8, 25, inside=0.6, across=0.2)
    curve = threshold_curve(candidates, communities=lambda graph: (8, 0.71), n_community_points=40)
    assert "communities stand out with a modularity of 0.71" in suggest_threshold(curve).reason
    assert "modularity" not in suggest_threshold(candidates).reason


def test_weights_within_a_hair_of_each_other_still_give_a_choice() -> None:
    rng = np.random.default_rng(0)
    left, right = np.triu_indices(40, 1)
    rows = zip(left.tolist(), right.tolist(), (0.95 + 0.02 * rng.random(780)).tolist(), strict=True)
    suggestion = suggest_threshold(candidates_of(40, list(rows), floor=0.9))
    assert 0.95 < suggestion.threshold < 0.97
    assert suggestion.point.mean_degree < 20


@pytest.mark.parametrize(
    ("n", "reason"),
    [(0, "fewer than two documents"), (1, "fewer than two documents"), (5, "No two of the 5 documents")],
)
def test_without_edges_the_reason_says_so(n: int, reason: str) -> None:
    suggestion = suggest_threshold(candidates_of(n, []))
    assert suggestion.percolation is None
    assert reason in suggestion.reason


def test_documents_that_nothing_resembles_are_called_that() -> None:
    suggestion = suggest_threshold(candidates_of(10, [(0, 1, 0.5)], floor=0.3))
    assert "More than half stay unlinked even at" in suggestion.reason


# What a step changes.


CHAIN = [(0, 1, 0.8), (1, 2, 0.6), (2, 3, 0.55), (3, 4, 0.3)]


def test_gains_and_losses_name_edges_and_documents() -> None:
    change = gains_and_losses(candidates_of(6, CHAIN), 0.58, step=0.05)
    assert change.here.n_edges == 2
    assert change.lower is not None
    assert change.lower.threshold == pytest.approx(0.53)
    assert (change.lower.edges, change.lower.components, change.lower.isolates) == (1, -1, -1)
    assert change.lower.strongest_edges == (("d0002", "d0003", 0.55),)
    assert change.lower.node_ids == ("d0003",)
    assert change.higher is not None
    assert (change.higher.edges, change.higher.giant_size, change.higher.isolates) == (-1, -1, 1)
    assert change.higher.node_ids == ("d0002",)


def test_steps_end_at_the_floor_and_at_one() -> None:
    candidates = candidates_of(6, CHAIN, floor=0.3)
    assert gains_and_losses(candidates, 0.3).lower is None
    assert gains_and_losses(candidates, 1.0).higher is None
    lower = gains_and_losses(candidates, 0.32).lower
    assert lower is not None
    assert lower.threshold == 0.3


def test_orphans_say_what_would_attach_them() -> None:
    found = orphans(candidates_of(6, CHAIN), 0.58)
    assert [(o.node_id, o.attaches_at, o.neighbor) for o in found] == [
        ("d0003", 0.55, "d0002"),
        ("d0004", 0.3, "d0003"),
        ("d0005", None, None),
    ]
    assert orphans(candidates_of(2, [(0, 1, 0.5)]), 0.5) == []


def test_the_histogram_counts_every_candidate() -> None:
    candidates = random_candidates(0, 30, 200, floor=0.2)
    histogram = similarity_histogram(candidates, 16)
    assert histogram.counts.sum() == candidates.n_edges
    assert histogram.n_below == 435 - candidates.n_edges
    assert (histogram.edges[0], histogram.edges[-1], len(histogram.edges)) == (0.2, 1.0, 17)


def test_a_step_away_from_what_a_rule_chose_is_counted_from_there() -> None:
    network = Workspace.of_sample("larkspur").network
    assert network.cut_at is None
    assert network.at_threshold(0.2).cut_at == 0.2
    threshold, graph = network.graph.threshold, network.graph
    changes = gains_and_losses(network.curve, threshold, drawn=graph)
    linked = {(a, b) for a, b in zip(graph.left.tolist(), graph.right.tolist(), strict=True)}
    for change in (changes.lower, changes.higher):
        assert change is not None
        there = network.at_threshold(change.threshold).graph
        assert change.edges == there.n_edges - graph.n_edges
        assert change.components == len(there.component_sizes) - len(graph.component_sizes)
        assert change.giant_size == there.component_sizes[0] - graph.component_sizes[0]
        assert change.isolates == np.count_nonzero(there.degree == 0) - np.count_nonzero(graph.degree == 0)
        linked_there = {(a, b) for a, b in zip(there.left.tolist(), there.right.tolist(), strict=True)}
        gone = linked_there - linked if change.edges > 0 else linked - linked_there
        named = [(graph.index(a), graph.index(b)) for a, b, _ in change.strongest_edges]
        assert len(named) == min(5, len(gone))
        assert set(named) <= gone
        moved = (graph.degree == 0) != (there.degree == 0)
        assert {graph.index(node_id) for node_id in change.node_ids} <= set(np.flatnonzero(moved).tolist())


def test_where_as_many_edges_come_as_go_those_that_go_are_named() -> None:
    candidates = candidates_of(4, [(0, 1, 0.9), (2, 3, 0.8), (0, 2, 0.5)])
    drawn = SimilarityGraph(candidates.node_ids, *sorted_edges(
        np.array([0, 0], dtype=np.int32), np.array([1, 2], dtype=np.int32), np.array([0.9, 0.5])
    ), threshold=0.5)  # fmt: skip
    change = gains_and_losses(candidates, 0.7, step=0.05, drawn=drawn).lower
    assert change is not None
    assert change.edges == 0
    assert [(a, b) for a, b, _ in change.strongest_edges] == [("d0000", "d0002")]


def test_documents_that_a_rule_leaves_alone_are_those_without_an_edge_in_its_graph() -> None:
    network = Workspace.of_sample("larkspur").network
    alone = orphans(network.candidates, network.graph.threshold, drawn=network.graph)
    assert {orphan.node_id for orphan in alone} == {
        node_id for node_id, degree in zip(network.node_ids, network.graph.degree, strict=True) if degree == 0
    }
