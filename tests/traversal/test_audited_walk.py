"""Budgets, gates and odd seeds of the audited walk, on a path and on hand-sized graphs."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.errors import ConfigError
from cnrag_core.graph.concept_graph import ChunkNode, ConceptEdge, ConceptGraph, graph_of_pairs
from cnrag_core.traversal.audited_walk import audited_walk
from cnrag_core.traversal.budget import Budget
from cnrag_core.traversal.completeness import ContextFunction
from cnrag_core.traversal.notebook_walk import notebook_walk
from cnrag_core.traversal.query_cost import QueryAwareCost
from cnrag_core.traversal.seeds import seeds_of
from cnrag_core.traversal.tokenizer import APPROXIMATE, Tokenizer

ONE_TOKEN_A_WORD = Tokenizer("words", lambda text: len(text.split()))


def path_graph(n: int, words: int = 10) -> ConceptGraph:
    """n chunks of `words` words in a row: c0 - c1 - c2 ..."""
    chunks = [ChunkNode(f"c{i}", f"c{i}", "word " * words, (f"k{i}",)) for i in range(n)]
    return graph_of_pairs(chunks, [(f"c{i}", f"c{i + 1}", 0.9) for i in range(n - 1)])


START = seeds_of([("c0", 1.0)], kind="similarity")
WIDE = {"max_tokens": 10**6, "max_nodes": 1000, "max_hops": 1000, "max_checks": 1000}


def never(query: str, context: str) -> bool:
    return False


def walk(graph: ConceptGraph, budget: Budget, **options):
    return audited_walk(graph, options.pop("seeds", START), budget, tokenizer=ONE_TOKEN_A_WORD, **options)


@pytest.mark.parametrize(
    ("limit", "reason", "n_visited"),
    [
        ({"max_tokens": 35}, "token_budget", 3),
        ({"max_nodes": 4}, "node_budget", 4),
        ({"max_hops": 2}, "hop_budget", 3),
        ({"max_checks": 5}, "check_budget", 5),
        ({"max_tokens": 0}, "token_budget", 0),
        ({"max_nodes": 0}, "node_budget", 0),
        ({"max_hops": 0}, "hop_budget", 1),
    ],
)
def test_each_budget_alone_stops_the_walk_before_it_is_exceeded(limit, reason, n_visited):
    trace = walk(path_graph(20), Budget(**{**WIDE, **limit}), check=ContextFunction(never))
    assert trace.stopping_reason == reason
    assert len(trace.path) == n_visited


def test_zero_checks_means_that_completeness_is_never_asked():
    trace = walk(path_graph(5), Budget(**{**WIDE, "max_checks": 0}), check=ContextFunction(lambda q, c: True))
    assert (trace.stopping_reason, trace.n_checks, len(trace.path)) == ("queue_empty", 0, 5)


def test_a_chunk_that_does_not_fit_is_logged_and_the_walk_goes_on():
    chunks = [
        ChunkNode("a", "a", "one two"),
        ChunkNode("big", "big", "word " * 50),
        ChunkNode("small", "small", "three four"),
    ]
    graph = graph_of_pairs(chunks, [("a", "big", 0.99), ("a", "small", 0.85)])
    trace = walk(graph, Budget(max_tokens=10), seeds=seeds_of([("a", 0.9)], kind="similarity"))
    assert trace.path == ["a", "small"]
    skipped = next(step for step in trace.steps if step.action == "skip_tokens")
    assert skipped.chunk_id == "big"
    assert skipped.decision == "Passed over: its 50 tokens do not fit into the 8 left."
    assert trace.stopping_reason == "token_budget"


def test_checking_every_third_chunk_sends_fewer_chunks():
    trace = walk(path_graph(9), Budget(**WIDE, check_every=3), check=ContextFunction(never))
    assert (trace.n_checks, trace.n_chunks_sent) == (3, 3 + 6 + 9)


def test_a_last_check_is_made_for_chunks_that_no_check_has_seen():
    found = ContextFunction(lambda query, context: context.count("word") >= 40)
    trace = walk(path_graph(4), Budget(**WIDE, check_every=3), check=found)
    assert (trace.stopping_reason, trace.n_checks) == ("complete", 2)


def test_no_seeds_is_a_reason_of_its_own():
    assert walk(path_graph(3), Budget(), seeds=()).stopping_reason == "no_seeds"
    elsewhere = seeds_of([("nowhere", 0.5)], kind="similarity")
    assert walk(path_graph(3), Budget(), seeds=elsewhere).stopping_reason == "no_seeds"


def test_a_chunk_whose_concepts_were_all_seen_is_expanded_unless_the_gate_is_asked_for():
    chunks = [ChunkNode(name, name, name, ("same",)) for name in "abc"]
    graph = graph_of_pairs(chunks, [("a", "b", 0.9), ("b", "c", 0.9)])
    seeds = seeds_of([("a", 0.9)], kind="similarity")
    assert walk(graph, Budget(), seeds=seeds).path == ["a", "b", "c"]
    assert walk(graph, Budget(), seeds=seeds, gate=True).path == ["a", "b"]


def test_a_chunk_without_concepts_is_expanded():
    graph = graph_of_pairs([ChunkNode(name, name, name) for name in "abc"], [("a", "b", 0.9), ("b", "c", 0.9)])
    assert walk(graph, Budget(), seeds=seeds_of([("a", 0.9)], kind="similarity")).path == ["a", "b", "c"]


def test_a_seed_given_twice_is_visited_once_at_its_lower_cost():
    seeds = seeds_of([("c0", 0.9), ("c0", 0.2)], kind="distance")
    assert [seed.cost for seed in seeds] == [0.2]
    assert walk(path_graph(2), Budget(), seeds=seeds).path == ["c0", "c1"]


def test_a_seed_at_distance_zero_goes_first_here_and_last_in_the_notebook():
    seeds = seeds_of([("c0", 0.0), ("c2", 0.5)], kind="distance")
    assert walk(path_graph(3), Budget(), seeds=seeds).path[0] == "c0"
    trace = notebook_walk(path_graph(5), seeds)
    assert trace.path[0] == "c2"
    assert any("divides by zero" in fault for fault in trace.faults)


def test_similarities_and_distances_become_costs_by_their_declared_kind():
    assert seeds_of([("a", 0.9)], kind="similarity")[0].cost == pytest.approx(0.1)
    assert seeds_of([("a", 0.9)], kind="distance")[0].cost == pytest.approx(0.9)
    with pytest.raises(ConfigError, match=r"seed 'a' has the similarity 1\.4, which is not one"):
        seeds_of([("a", 1.4)], kind="similarity")
    with pytest.raises(ConfigError, match=r"seed 'a' has the distance -0\.1"):
        seeds_of([("a", -0.1)], kind="distance")


def test_missing_unreachable_and_unknown_evidence_are_told_apart():
    graph = graph_of_pairs(
        [ChunkNode(name, name, name) for name in ("a", "b", "c", "island")], [("a", "b", 0.9), ("b", "c", 0.9)]
    )
    trace = walk(
        graph,
        Budget(max_hops=1),
        seeds=seeds_of([("a", 0.9)], kind="similarity"),
        required_evidence=["a", "c", "island", "typo"],
    )
    assert trace.missing_evidence == ("c", "island", "typo")
    assert trace.unreachable_evidence == ("island",)
    assert trace.unknown_evidence == ("typo",)


def test_a_cheaper_way_found_later_is_the_one_that_counts():
    chunks = [ChunkNode(name, name, name) for name in "abc"]
    weak, strong = ConceptEdge("c", 0.2, "mention"), ConceptEdge("c", 1.0, "mention")
    graph = graph_of_pairs(chunks, [("a", "b", 0.95)], typed=[("a", weak), ("b", strong)])
    trace = walk(graph, Budget(), seeds=seeds_of([("a", 1.0)], kind="similarity"))
    assert trace.route("c") == ["a", "b", "c"]


def test_an_edge_without_weight_is_never_followed():
    chunks = [ChunkNode(name, name, name) for name in "ab"]
    graph = graph_of_pairs(chunks, [("a", "b", 0.9)], cosine_weight=0.0)
    seeds = seeds_of([("a", 1.0)], kind="similarity")
    assert walk(graph, Budget(), seeds=seeds).path == ["a"]
    assert walk(graph, Budget(), seeds=seeds, edge_cost=QueryAwareCost({})).path == ["a"]


@pytest.mark.parametrize("cost", [-1.0, float("nan")])
def test_an_edge_cannot_cost_less_than_nothing(cost):
    with pytest.raises(ConfigError, match="An edge costs a number of at least 0; the one to 'c1' costs"):
        walk(path_graph(2), Budget(), edge_cost=lambda source, edge: cost)


def test_a_walk_ends_as_soon_as_nothing_queued_fits():
    chunks = [ChunkNode("a", "a", "word " * 8), *(ChunkNode(f"b{i}", f"b{i}", "word " * 9) for i in range(6))]
    graph = graph_of_pairs(chunks, [("a", f"b{i}", 0.9) for i in range(6)])
    trace = walk(graph, Budget(max_tokens=10), seeds=seeds_of([("a", 0.9)], kind="similarity"))
    assert trace.stopping_reason == "token_budget"
    assert [step.action for step in trace.steps] == ["visit", "skip_tokens"]
    assert trace.steps[-1].n_queued == 5


def test_the_queue_is_logged_cheapest_first_each_chunk_once():
    chunks = [ChunkNode(name, name, name) for name in "abc"]
    weak, strong = ConceptEdge("c", 0.2, "mention"), ConceptEdge("c", 1.0, "mention")
    graph = graph_of_pairs(chunks, [("a", "b", 0.95)], typed=[("a", weak), ("b", strong)])
    trace = walk(graph, Budget(), seeds=seeds_of([("a", 1.0)], kind="similarity"))
    assert [[name for name, _ in step.frontier] for step in trace.steps] == [["b", "c"], ["c"], []]
    assert [step.n_queued for step in trace.steps] == [2, 1, 0]


def test_query_aware_cost_prefers_chunks_that_resemble_the_question():
    chunks = [ChunkNode(name, name, name) for name in ("a", "near", "far")]
    graph = graph_of_pairs(chunks, [("a", "far", 0.9), ("a", "near", 0.85)])
    seeds = seeds_of([("a", 1.0)], kind="similarity")
    assert walk(graph, Budget(), seeds=seeds).path == ["a", "far", "near"]
    assert walk(graph, Budget(), seeds=seeds, edge_cost=QueryAwareCost({"near": 0.8})).path == ["a", "near", "far"]


def test_the_audit_log_is_one_json_object_a_line_and_ends_with_the_summary():
    lines = [json.loads(line) for line in walk(path_graph(4), Budget(max_nodes=3)).to_jsonl().splitlines()]
    assert [line["record"] for line in lines] == ["seed", "step", "step", "step", "summary"]
    assert lines[-1]["stopping_reason"] == "node_budget"
    assert lines[1]["frontier"] == [["c1", pytest.approx(1 / 0.63)]]


@settings(max_examples=100, deadline=None)
@given(
    edges=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11), st.floats(0.81, 1.0)), max_size=40),
    limits=st.tuples(st.integers(0, 60), st.integers(0, 14), st.integers(0, 6), st.integers(0, 8)),
)
def test_no_budget_is_ever_exceeded_and_nothing_is_visited_twice(edges, limits):
    chunks = [ChunkNode(f"c{i}", f"c{i}", "word " * (i % 4 + 1)) for i in range(12)]
    pairs = {(min(a, b), max(a, b)): w for a, b, w in edges if a != b}
    graph = graph_of_pairs(chunks, [(f"c{a}", f"c{b}", w) for (a, b), w in pairs.items()])
    max_tokens, max_nodes, max_hops, max_checks = limits
    budget = Budget(max_tokens=max_tokens, max_nodes=max_nodes, max_hops=max_hops, max_checks=max_checks)
    trace = walk(graph, budget, check=ContextFunction(never))
    assert trace.total_tokens <= max_tokens
    assert len(trace.path) == len(set(trace.path)) <= max_nodes
    assert trace.n_checks <= max_checks
    assert all(step.hop <= max_hops for step in trace.visited)
    assert [step.cost for step in trace.steps] == sorted(step.cost for step in trace.steps)


def test_the_approximate_tokenizer_says_what_it_is():
    assert audited_walk(path_graph(1), START, tokenizer=APPROXIMATE).tokenizer == "words x 1.3"
