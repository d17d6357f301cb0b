"""Agreement of partitions against scikit-learn, and matching that keeps colours in place."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from cnrag_core.errors import ConfigError
from cnrag_core.graph.similarity_graph import graph_of_networkx
from cnrag_core.topology.communities import find_communities
from cnrag_core.topology.partitions import (
    adjusted_rand,
    match_communities,
    match_labels,
    normalized_mutual_information,
)

label_pairs = st.integers(2, 30).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(2)))
)


@given(label_pairs)
@settings(deadline=None)
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_agreement_equals_scikit_learn(pair):
    first, second = map(np.array, pair)
    assert adjusted_rand(first, second) == pytest.approx(metrics.adjusted_rand_score(first, second), abs=1e-9)
    expected = metrics.normalized_mutual_info_score(first, second)
    if len(set(first)) == len(set(second)) == 1:
        expected = 1.0  # equal partitions agree; the library's value for no information differs by version
    assert normalized_mutual_information(first, second) == pytest.approx(expected, abs=1e-9)


def test_equal_partitions_with_other_numbers_agree_fully():
    first, second = np.array([0, 0, 1, 1, 2]), np.array([2, 2, 0, 0, 1])
    assert adjusted_rand(first, second) == 1.0
    assert normalized_mutual_information(first, second) == pytest.approx(1.0)


def test_partitions_of_no_or_one_node_agree():
    for labels in (np.array([], dtype=np.int64), np.array([0])):
        assert adjusted_rand(labels, labels) == 1.0
        assert normalized_mutual_information(labels, labels) == 1.0


def test_partitions_of_different_nodes_are_refused():
    with pytest.raises(ConfigError, match="got 2 and 3 labels"):
        adjusted_rand(np.zeros(2, dtype=int), np.zeros(3, dtype=int))


def test_communities_that_trade_places_keep_their_numbers():
    previous = np.array([0, 0, 0, 1, 1])
    current = np.array([1, 1, 1, 0, 0])
    shown = match_labels(previous, current)
    assert shown[current].tolist() == previous.tolist()


def test_when_a_community_splits_its_larger_part_keeps_the_number():
    previous = np.array([0, 0, 0, 0, 0, 1, 1])
    current = np.array([2, 2, 0, 0, 0, 1, 1])
    assert match_labels(previous, current).tolist() == [0, 1, 2]


def test_when_communities_merge_the_larger_one_gives_the_number():
    previous = np.array([1, 1, 0, 0, 0, 2])
    current = np.array([0, 0, 0, 0, 0, 1])
    assert match_labels(previous, current).tolist() == [0, 2]


@given(label_pairs)
@settings(deadline=None)
def test_matched_numbers_are_unique(pair):
    previous, current = map(np.array, pair)
    shown = match_labels(previous, current)
    assert len(set(shown.tolist())) == len(shown) == current.max() + 1
    assert shown.min() >= 0


def test_matching_follows_ids_when_documents_come_and_go():
    before = find_communities(graph_of_networkx(nx.Graph(["ab", "bc", "ac", "xy"])))
    after = find_communities(graph_of_networkx(nx.Graph(["xy", "yz", "xz", "zw", "xw", "ac", "pq"])))
    shown = match_communities(before, after)
    assert shown[after.of("x")] == before.of("x")
    assert shown[after.of("a")] == before.of("a")
    assert len(set(shown.tolist())) == after.n_communities


def test_matching_with_nothing_in_common_gives_new_numbers():
    before = find_communities(graph_of_networkx(nx.Graph(["ab"])))
    after = find_communities(graph_of_networkx(nx.Graph(["xy", "pq"])))
    assert sorted(match_communities(before, after).tolist()) == [0, 1]
