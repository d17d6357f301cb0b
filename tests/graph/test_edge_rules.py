"""Edge rules as masks, and in words."""

from __future__ import annotations

import numpy as np
import pytest

from cnrag_core.config.spec import DEFAULT_EDGE_RULE, EdgeRule
from cnrag_core.graph.edge_rules import (
    among_strongest_of_both,
    among_strongest_of_either,
    edges_of_density,
    effective_rule,
    in_words,
    ranks,
)

# A star 0-1, 0-2, 0-3 and an edge 2-3, strongest first.
LEFT = np.array([0, 0, 2, 0], dtype=np.int32)
RIGHT = np.array([1, 2, 3, 3], dtype=np.int32)


def test_ranks_count_from_the_strongest_edge_of_each_end() -> None:
    of_left, of_right = ranks(LEFT, RIGHT, 5)
    assert of_left.tolist() == [0, 1, 1, 2]
    assert of_right.tolist() == [0, 0, 0, 1]


def test_an_edge_stays_when_it_is_among_the_strongest_of_both_ends() -> None:
    assert among_strongest_of_both(LEFT, RIGHT, 5, 1).tolist() == [True, False, False, False]
    assert among_strongest_of_both(LEFT, RIGHT, 5, 2).tolist() == [True, True, True, False]


def test_every_node_keeps_its_best_neighbour() -> None:
    assert among_strongest_of_either(LEFT, RIGHT, 5, 1).tolist() == [True, True, True, False]


def test_no_edges_have_no_ranks() -> None:
    nothing = np.zeros(0, dtype=np.int32)
    assert among_strongest_of_both(nothing, nothing, 3, 2).tolist() == []


@pytest.mark.parametrize(("density", "n", "edges"), [(0.05, 100, 248), (1.0, 4, 6), (0.5, 3, 2), (0.001, 10, 0)])
def test_density_is_a_share_of_all_pairs(density: float, n: int, edges: int) -> None:
    assert edges_of_density(density, n) == edges


@pytest.mark.parametrize("rule", [EdgeRule(), DEFAULT_EDGE_RULE, DEFAULT_EDGE_RULE.model_copy(), EdgeRule(strong=0.9)])
def test_the_default_rule_thins_out_with_size(rule: EdgeRule) -> None:
    small, large = effective_rule(rule, 300), effective_rule(rule, 100_001)
    assert (small.density, small.min_neighbors) == (0.05, 3)
    assert edges_of_density(large.density or 0, 100_001) == pytest.approx(2_000_000, abs=1)
    assert effective_rule(rule, 2_400).density == 0.05
    assert effective_rule(rule, 12_001).density == pytest.approx(0.01)
    assert large.strong_similarity == rule.strong_similarity


@pytest.mark.parametrize("rule", [EdgeRule(min=0.4), EdgeRule(density=0.04, min_neighbors=3), EdgeRule(density=0.05)])
def test_a_rule_that_was_asked_for_is_kept(rule: EdgeRule) -> None:
    assert effective_rule(rule, 100_000) is rule


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (EdgeRule(min=0.3), "similarity at least 0.30"),
        (EdgeRule(max_per_node=1), "at most the strongest edge of each document"),
        (EdgeRule(min_neighbors=1), "the best neighbour of every document"),
        (EdgeRule(density=0.002, min=0.1), "the 0.2 % most similar pairs; similarity at least 0.10"),
        (EdgeRule(), "every pair with any similarity"),
    ],
)
def test_rules_are_said_in_words(rule: EdgeRule, words: str) -> None:
    assert in_words(rule) == words
