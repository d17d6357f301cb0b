"""Flat retrieval with the budgets of a walk."""

from __future__ import annotations

import pytest

from cnrag_core.graph.concept_graph import ChunkNode, graph_of_pairs
from cnrag_core.traversal.budget import Budget
from cnrag_core.traversal.completeness import ContextFunction
from cnrag_core.traversal.flat import flat_retrieval
from cnrag_core.traversal.seeds import seeds_of
from cnrag_core.traversal.tokenizer import Tokenizer

WORDS = Tokenizer("words", lambda text: len(text.split()))
GRAPH = graph_of_pairs([ChunkNode(f"c{i}", f"c{i}", "word " * size) for i, size in enumerate((10, 50, 5, 10))], [])
RANKING = seeds_of([("c0", 0.9), ("c1", 0.8), ("c2", 0.7), ("c3", 0.6)], kind="similarity")


def flat(**options):
    budget = Budget(**options.pop("budget", {}))
    return flat_retrieval(GRAPH, options.pop("ranking", RANKING), budget, tokenizer=WORDS, **options)


def test_the_best_come_first_and_nothing_is_followed():
    trace = flat()
    assert trace.path == ["c0", "c1", "c2", "c3"]
    assert (trace.walk, trace.stopping_reason) == ("flat", "queue_empty")
    assert {step.parent for step in trace.steps} == {None}


@pytest.mark.parametrize(
    ("limit", "path", "reason"),
    [
        ({"max_nodes": 2}, ["c0", "c1"], "node_budget"),
        ({"max_nodes": 0}, [], "node_budget"),
        ({"max_tokens": 30}, ["c0", "c2", "c3"], "token_budget"),
        ({"max_tokens": 0}, [], "token_budget"),
    ],
)
def test_budgets_end_it(limit, path, reason):
    trace = flat(budget=limit)
    assert (trace.path, trace.stopping_reason) == (path, reason)


def test_a_chunk_that_does_not_fit_is_logged():
    (skipped,) = [step for step in flat(budget={"max_tokens": 30}).steps if step.action == "skip_tokens"]
    assert (skipped.chunk_id, skipped.decision) == ("c1", "Number 2 for the question; it does not fit.")


def test_it_stops_when_the_evidence_is_there():
    trace = flat(required_evidence=["c0", "c1"])
    assert (trace.path, trace.stopping_reason, trace.n_checks, trace.n_chunks_sent) == (["c0", "c1"], "complete", 2, 3)


def test_checks_are_a_budget_here_too():
    trace = flat(budget={"max_checks": 2}, check=ContextFunction(lambda query, context: False))
    assert (trace.stopping_reason, trace.n_checks) == ("check_budget", 2)


def test_what_it_misses_is_told():
    trace = flat(budget={"max_nodes": 1}, required_evidence=["c0", "c3", "typo"])
    assert trace.missing_evidence == ("c3", "typo")
    assert trace.remarks == ("Missing from the context: c3.",)


def test_without_a_match_there_is_nowhere_to_start():
    assert flat(ranking=()).stopping_reason == "no_seeds"
