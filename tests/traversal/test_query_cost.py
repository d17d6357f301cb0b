"""What an edge costs when the question is known."""

from __future__ import annotations

import pytest

from cnrag_core.graph.concept_graph import ConceptEdge
from cnrag_core.retrieval.bm25 import TermIndex
from cnrag_core.traversal.query_cost import QueryAwareCost, QuestionTerms

TEXTS = ("the director of the film", "a director born in Rome", "born in Rome", "weather and wind")
NUMBER = {name: place for place, name in enumerate("abcd")}
TERMS = QuestionTerms.of("where was the director of the film born", TermIndex(TEXTS), NUMBER)


def edge(target: str, weight: float = 1.0, kind: str = "mention") -> ConceptEdge:
    return ConceptEdge(target, weight, kind)


def test_a_stronger_edge_is_cheaper():
    cost = QueryAwareCost({})
    assert cost("a", edge("b", 0.9)) < cost("a", edge("b", 0.3))


def test_a_target_that_resembles_the_question_is_cheaper():
    cost = QueryAwareCost({"b": 0.9})
    assert cost("a", edge("b")) < cost("a", edge("c"))


def test_what_somebody_wrote_down_is_cheaper_than_what_was_found():
    cost = QueryAwareCost({})
    assert cost("a", edge("b", 0.5, "mention")) < cost("a", edge("b", 0.5, "shared_concepts"))
    assert cost("a", edge("b", 0.5, "reference")) < cost("a", edge("b", 0.5, "adjacent"))


def test_words_that_the_source_lacks_count_and_those_it_has_do_not():
    assert TERMS.unexplained("a", "b") > 0  # born
    assert TERMS.unexplained("b", "b") == 0
    assert TERMS.unexplained("a", "d") == 0
    assert TERMS.unexplained("d", "a") > TERMS.unexplained("b", "a") > 0  # of b only "film" is news


def test_what_is_still_to_be_explained_makes_an_edge_cheaper():
    cost = QueryAwareCost({}, TERMS)
    assert cost("a", edge("c")) < cost("b", edge("c"))


def test_contributions_are_shares_of_the_best_chunk():
    assert TERMS.contributions.sum(axis=1).max() == pytest.approx(1.0)


def test_a_question_of_unknown_words_costs_as_none():
    nothing = QuestionTerms.of("zzz", TermIndex(TEXTS), NUMBER)
    assert QueryAwareCost({}, nothing)("a", edge("b")) == QueryAwareCost({})("a", edge("b"))
    assert nothing.unexplained("a", "b") == 0.0


def test_without_emphasis_the_question_is_ignored():
    assert QueryAwareCost({"b": 1.0}, TERMS, emphasis=0.0)("a", edge("b")) == pytest.approx(0.3)
