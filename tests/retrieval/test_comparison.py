"""Strategies side by side."""

from __future__ import annotations

import numpy as np
import pytest

from cnrag_core.errors import UnknownNameError
from cnrag_core.retrieval.comparison import StrategyComparison, compare
from cnrag_core.retrieval.ranking import RankedResults, ScoredNode
from cnrag_core.retrieval.search import STRATEGIES, Search


def ranked(strategy, *nodes) -> RankedResults:
    return RankedResults("q", strategy, tuple(ScoredNode(i, 1.0, 0.5, base_rank=rank) for i, rank in nodes))


COMPARISON = StrategyComparison(
    "q",
    {
        "similarity": ranked("similarity", ("a", 1), ("b", 2), ("c", 3)),
        "hub": ranked("hub", ("b", 2), ("a", 1), ("d", None)),
        "bridge": ranked("bridge"),
    },
)


def test_overlap_is_jaccard_of_what_was_returned():
    assert COMPARISON.overlap_of("similarity", "hub") == pytest.approx(2 / 4)
    np.testing.assert_allclose(COMPARISON.overlap, [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])


def test_moves_count_places_against_plain_similarity():
    assert COMPARISON.moves("hub") == {"b": 1, "a": -1, "d": None}
    assert set(COMPARISON.moves("similarity").values()) == {0}


def test_table_has_every_document_once_by_its_best_place():
    assert [row.node_id for row in COMPARISON.table] == ["a", "b", "c", "d"]
    assert COMPARISON.table[1].ranks == {"similarity": 2, "hub": 1}


def test_frame_has_a_column_a_strategy():
    frame = COMPARISON.to_frame()
    assert list(frame.columns) == ["node_id", "similarity", "base_rank", "similarity_rank", "hub_rank", "bridge_rank"]
    assert frame["hub_rank"].isna().tolist() == [False, False, True, False]


def test_strategy_that_was_not_compared_is_refused():
    with pytest.raises(UnknownNameError, match="'hybrid' was not compared; compared were similarity, hub, bridge"):
        COMPARISON.moves("hybrid")


def test_compare_asks_all_strategies_unless_told(source):
    assert compare(Search("honey", source)).strategies == tuple(STRATEGIES)
    assert Search("honey", source).compare(["hub", "similarity"], 2).strategies == ("hub", "similarity")


def test_comparison_agrees_with_asking_each_strategy_alone(source):
    search = Search("bread and honey", source).filter(tags="food")
    for name, results in search.compare(n=5).results.items():
        assert results.nodes == search.with_strategy(name).top(5).nodes
