"""Every number of guide 001, Tables 1 to 5 and its three self-checks."""

from __future__ import annotations

import numpy as np
import pytest

from cnrag_core.errors import ConfigError
from cnrag_core.graph.concept_graph import ChunkNode, ConceptGraph, edge_weight, graph_of_pairs
from cnrag_core.traversal.audited_walk import audited_walk
from cnrag_core.traversal.budget import Budget, chunks_sent
from cnrag_core.traversal.notebook_walk import notebook_walk
from cnrag_core.traversal.seeds import seeds_of
from cnrag_core.traversal.tokenizer import APPROXIMATE

C, E, R, B, O = "cancellation", "export", "retention", "billing", "outage"  # noqa: E741
NEEDED = (C, E, R)


def chunk(name: str, *concepts: str) -> ChunkNode:
    return ChunkNode(name, name, f"what is said about {name}", concepts)


CHUNKS = [
    chunk(C, "cancel", "plan", "date", "invoice"),
    chunk(E, "csv", "api", "date"),
    chunk(B, "invoice", "cycle"),
    chunk(R, "api", "snapshot"),
    chunk(O, "status", "region"),
]
PAIRS = [(C, E, 0.86), (C, B, 0.84), (E, R, 0.88), (B, O, 0.82)]


@pytest.fixture
def larkspur() -> ConceptGraph:
    return graph_of_pairs(CHUNKS, PAIRS)


def weight_of(graph: ConceptGraph, a: str, b: str) -> float:
    return next(edge.weight for edge in graph.neighbors(a) if edge.target == b)


def costs(trace) -> dict[str, float]:
    return {step.chunk_id: round(step.cost, 2) for step in trace.visited}


def test_table_1_thirty_chunks_are_435_pairs_and_sixty_are_1770():
    for n, n_pairs in [(30, 435), (60, 1770)]:
        assert graph_of_pairs([chunk(f"c{i}") for i in range(n)], []).n_pairs == n_pairs


def test_table_2_edge_weights(larkspur):
    assert round(weight_of(larkspur, C, E), 3) == 0.702
    assert round(weight_of(larkspur, C, B), 3) == 0.738
    assert round(weight_of(larkspur, E, R), 3) == 0.766
    assert round(weight_of(larkspur, B, O), 3) == 0.574


def test_edges_keep_the_raw_parts_of_their_weight(larkspur):
    edge = next(edge for edge in larkspur.neighbors(E) if edge.target == R)
    assert (edge.cosine, edge.shared) == (0.88, ("api",))


def test_self_check_1_weight_of_a_pair_with_two_of_four_concepts():
    assert edge_weight(0.85, "abcd", "abef") == pytest.approx(0.745)


def test_a_cosine_of_exactly_080_is_no_edge():
    assert graph_of_pairs(CHUNKS, [(C, E, 0.80)]).n_edges == 0
    assert graph_of_pairs(CHUNKS, [(C, E, 0.8000001)]).n_edges == 1


def test_concept_fraction_is_zero_when_the_smaller_set_is_empty():
    assert edge_weight(0.9, [], ["a", "b"]) == pytest.approx(0.63)


def test_a_cosine_outside_its_range_is_refused():
    with pytest.raises(ConfigError, match=r"A cosine lies in \[-1, 1\]; 1.5 does not"):
        edge_weight(1.5, [], [])


def test_table_3_notebook_walk_from_two_seeds(larkspur):
    trace = notebook_walk(larkspur, seeds_of([(C, 0.40), (B, 0.70)], kind="distance"), required_evidence=NEEDED)
    assert trace.path == [B, O, C, E]
    assert (trace.stopping_reason, trace.n_checks, trace.n_chunks_sent) == ("queue_empty", 4, 10)
    assert [round(step.cost, 2) for step in trace.steps if step.parent is None] == [1.43, 2.50]
    assert trace.missing_evidence == (R,)
    assert trace.unreachable_evidence == ()


def test_notebook_walk_from_one_seed_stops_one_hop_out(larkspur):
    trace = notebook_walk(larkspur, seeds_of([(C, 0.40)], kind="distance"), required_evidence=NEEDED)
    assert trace.path == [C, E, B]
    assert (trace.stopping_reason, trace.n_checks) == ("queue_empty", 3)


def test_table_4_faults_are_named(larkspur):
    trace = notebook_walk(larkspur, seeds_of([(C, 0.40), (B, 0.70)], kind="distance"), required_evidence=NEEDED)
    assert any("farthest seed" in fault for fault in trace.faults)
    assert any("never expanded" in fault and E in fault for fault in trace.faults)


def test_table_4_a_chunk_whose_concepts_were_all_seen_pushes_nothing_in_the_notebook():
    chunks = [chunk("a", "x"), chunk("b", "x"), chunk("c", "y")]
    graph = graph_of_pairs(chunks, [("b", "c", 0.9)])
    trace = notebook_walk(graph, seeds_of([("a", 2.0), ("b", 1.0)], kind="distance"))
    assert trace.path == ["a", "b"]
    assert any("concepts had been seen: b" in fault for fault in trace.faults)


def test_audited_walk_from_two_seeds(larkspur):
    trace = audited_walk(larkspur, seeds_of([(C, 0.40), (B, 0.70)], kind="distance"), required_evidence=NEEDED)
    assert costs(trace) == {C: 0.40, B: 0.70, E: 1.82, O: 2.44, R: 3.13}
    assert (trace.stopping_reason, trace.n_checks, trace.n_chunks_sent) == ("complete", 5, 15)


def test_audited_walk_from_one_seed(larkspur):
    trace = audited_walk(larkspur, seeds_of([(C, 0.40)], kind="distance"), required_evidence=NEEDED)
    assert costs(trace) == {C: 0.40, B: 1.76, E: 1.82, R: 3.13}
    assert (trace.stopping_reason, trace.n_checks, trace.n_chunks_sent) == ("complete", 4, 10)


def test_self_check_3_retention_is_visited_at_hop_two_through_export(larkspur):
    trace = audited_walk(larkspur, seeds_of([(C, 0.40)], kind="distance"), required_evidence=NEEDED)
    last = trace.visited[-1]
    assert (last.chunk_id, last.hop, last.parent) == (R, 2, E)
    assert trace.route(R) == [C, E, R]


def test_table_5_checks_resend_the_context():
    assert [chunks_sent(n) for n in (1, 4, 10)] == [1, 10, 55]


def test_self_check_2_the_token_budget_is_read_before_it_is_exceeded(larkspur):
    tokens = APPROXIMATE.count(CHUNKS[0].text)
    trace = audited_walk(
        larkspur,
        seeds_of([(C, 0.40)], kind="distance"),
        Budget(max_tokens=2 * tokens),
        tokenizer=APPROXIMATE,
    )
    assert trace.stopping_reason == "token_budget"
    assert trace.total_tokens <= 2 * tokens


def test_numbers_do_not_depend_on_the_order_of_the_chunks():
    rng = np.random.default_rng(0)
    seeds = seeds_of([(C, 0.40), (B, 0.70)], kind="distance")
    for _ in range(10):
        chunks = [CHUNKS[i] for i in rng.permutation(len(CHUNKS))]
        pairs = [PAIRS[i] for i in rng.permutation(len(PAIRS))]
        trace = audited_walk(graph_of_pairs(chunks, pairs), seeds, required_evidence=NEEDED)
        assert trace.path == [C, B, E, O, R]
