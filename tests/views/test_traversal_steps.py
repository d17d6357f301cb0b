"""Steps of a walk in words and tables."""

from __future__ import annotations

import pytest

from cnrag_core.graph.concept_graph import ChunkNode, ConceptEdge, graph_of_pairs
from cnrag_core.traversal.audited_walk import audited_walk
from cnrag_core.traversal.budget import Budget
from cnrag_core.traversal.completeness import ContextFunction
from cnrag_core.traversal.flat import flat_retrieval
from cnrag_core.traversal.notebook_walk import notebook_walk
from cnrag_core.traversal.seeds import seeds_of
from cnrag_core.traversal.tokenizer import Tokenizer
from cnrag_core.views.traversal_steps import (
    COLUMNS,
    because,
    chunk_label,
    cost_of_checks,
    evidence_count,
    outcome,
    place_of,
    step_rows,
)
from cnrag_core.views.traversal_tables import (
    comparison_sentence,
    concept_table,
    context_table,
    frontier_table,
    kind_table,
    step_table,
)

WORDS = Tokenizer("words", lambda text: len(text.split()))
CHUNKS = [
    ChunkNode("a", "a", "one two", ("first",), title="Alpha"),
    ChunkNode("b#0", "b", "three four", ("second",), title="Beta", field="text", start=0, end=10, page=3),
    ChunkNode("b#1", "b", "five six", (), title="Beta", field="text", start=10, end=18, page=3),
]
GRAPH = graph_of_pairs(
    CHUNKS,
    [],
    typed=[
        ("a", ConceptEdge("b#0", 1.0, "mention", evidence=("Beta",))),
        ("b#0", ConceptEdge("b#1", 1.0, "adjacent", evidence=("b",))),
        ("b#1", ConceptEdge("b#0", 1.0, "adjacent", evidence=("b",))),
    ],
)
SEEDS = seeds_of([("a", 0.9)], kind="similarity")


def walk(**options):
    budget = Budget(**options.pop("budget", {}))
    return audited_walk(GRAPH, options.pop("seeds", SEEDS), budget, tokenizer=WORDS, query="q", **options)


def test_a_chunk_is_called_by_its_title_and_its_part_and_page():
    assert chunk_label(GRAPH, "a") == "Alpha"
    assert chunk_label(GRAPH, "b#1") == "Beta · page 3, part 2"


def test_a_part_whose_title_is_but_the_beginning_is_called_by_its_own_words():
    pages = [
        ChunkNode("p#0", "p", "Climate change is here. More follows.", title="Climate change is…", page=1),
        ChunkNode("p#1", "p", "Glaciers melt.", title="Climate change is…", page=1),
    ]
    graph = graph_of_pairs(pages, [])
    assert chunk_label(graph, "p#1") == "page 1, part 2: Glaciers melt."


def test_a_chunk_that_is_not_there_is_called_by_its_id():
    assert chunk_label(GRAPH, "typo") == "typo"


def test_the_place_of_a_chunk_is_a_citation():
    assert place_of(CHUNKS[2]) == "b, text, page 3, characters 10 to 18"


def test_an_edge_is_told_with_the_words_that_made_it():
    steps = walk().steps
    assert [because(step) for step in steps] == ["seed", "names its title: Beta", "stands beside it"]


def test_rows_have_a_cell_for_every_column():
    columns, rows = step_rows(walk(), GRAPH)
    assert columns == list(COLUMNS)
    assert {len(row) for row in rows} == {len(columns)}
    assert rows[1][:4] == ["2", "Beta · page 3, part 1", "Alpha", "names its title: Beta"]


def test_a_chunk_that_does_not_fit_is_marked():
    _, rows = step_rows(walk(budget={"max_tokens": 3}), GRAPH)
    assert rows[-1][-1] == "does not fit"


def test_the_table_has_every_step_with_names_for_ids():
    table = step_table(walk(), GRAPH)
    assert table["step"].tolist() == [1, 2, 3]
    assert table["weight"].tolist() == ["", "1.000", "1.000"]
    assert table["decision"][1].startswith("Reached from Alpha, cheapest in the queue")


def test_the_context_says_what_was_needed():
    table = context_table(walk(required_evidence=["b", "missing"]), GRAPH)
    assert table["needed"].tolist() == ["", "yes", "yes"]
    assert "needed" not in context_table(walk(), GRAPH).columns


def test_the_queue_before_the_first_step_holds_the_seeds():
    trace = walk()
    assert frontier_table(trace, GRAPH, 0)["queued"].tolist() == ["Alpha"]
    assert frontier_table(trace, GRAPH, 1)["queued"].tolist() == ["Beta · page 3, part 1"]
    assert frontier_table(trace, GRAPH, 3).empty


def test_the_graph_is_told_in_tables():
    assert dict(zip(*kind_table(GRAPH).values.T, strict=True)) == {"names its title": 1, "stands beside it": 1}
    assert concept_table(GRAPH)["concepts"].tolist() == ["first", "second", ""]


def test_the_outcome_is_one_sentence_with_sizes_and_the_reason():
    trace = walk(budget={"max_nodes": 1})
    assert outcome(trace) == "1 chunk, 2 of 4,000 tokens. The largest number of chunks was visited."


def test_evidence_is_counted_where_some_is_required():
    assert evidence_count(walk(required_evidence=["a", "typo"])) == "1 of 2"
    assert evidence_count(walk()) == ""


def test_the_cost_of_checks_is_the_sum_of_the_contexts():
    trace = walk(check=ContextFunction(lambda query, context: False))
    assert cost_of_checks(trace) == "3 checks sent 1 + 2 + 3 = 6 chunks: each check sends the whole context so far."


def test_a_check_now_and_then_costs_less():
    trace = walk(check=ContextFunction(lambda query, context: False), budget={"check_every": 3})
    assert cost_of_checks(trace).startswith("1 check sent 3 = 3 chunks")


def test_without_checks_it_says_what_they_would_cost():
    assert cost_of_checks(walk()).endswith("Asking after each of 3 chunks would send 6.")


@pytest.mark.parametrize("required", [(), ("a", "b")])
def test_walks_side_by_side_are_compared_in_a_sentence(required):
    distances = seeds_of([("a", 0.4)], kind="distance")
    traces = {
        "audited": walk(required_evidence=required),
        "flat": flat_retrieval(GRAPH, SEEDS, tokenizer=WORDS, required_evidence=required),
        "notebook": notebook_walk(GRAPH, distances, tokenizer=WORDS, required_evidence=required),
    }
    said = comparison_sentence(traces)
    assert said.startswith("The walk holds " + ("2 of 2 needed pieces" if required else "3 chunks"))
    assert "the flat retrieval holds" in said
    assert "the notebook's walk holds" in said


def test_the_reason_of_the_notebook_does_not_claim_that_all_was_reached():
    trace = notebook_walk(GRAPH, seeds_of([("a", 0.4)], kind="distance"), tokenizer=WORDS)
    assert trace.stopping_reason == "queue_empty"
    assert "ends one hop out" in trace.reason_in_words
