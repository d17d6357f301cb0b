from __future__ import annotations

from cnrag_core.retrieval.ranking import RankedResults, ScoredNode
from cnrag_core.views.network_found import found_counts, found_highlight
from tests.views.network_of_tags import network_of_tags


def results(*ids: str) -> RankedResults:
    return RankedResults("why", "hybrid", tuple(ScoredNode(node_id, 1.0, 1.0) for node_id in ids), "nothing matches")


def test_results_stand_out_with_the_edges_among_them():
    assert found_highlight(network_of_tags(), results("a1", "a3", "b1")) == {
        "nodes": ["0", "2", "3"],
        "edges": ["0-2"],
    }


def test_the_counts_say_where_the_results_are():
    said = found_counts(network_of_tags(), results("a1", "a3", "b1", "c1"))
    assert said.startswith("4 of 7 documents stand out, by strategy hybrid: in 2 communities, 2 of them in")
    assert said.endswith("1 linked to nothing.")


def test_results_that_nothing_links_and_no_results_are_said_to_be_so():
    assert found_counts(network_of_tags(), results("c1")).endswith("none of them is linked to anything.")
    assert found_counts(network_of_tags(), results()) == "nothing matches"
