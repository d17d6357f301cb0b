"""From documents and a question to a walk."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from cnrag_core.config.spec import SharedConceptLinks
from cnrag_core.errors import ConfigError
from cnrag_core.graph.concept_graph import ChunkNode, graph_of_pairs
from cnrag_core.traversal.audited_walk import inverse_weight
from cnrag_core.traversal.budget import Budget
from cnrag_core.traversal.completeness import ContextFunction
from cnrag_core.traversal.notebook_walk import notebook_walk
from cnrag_core.traversal.seeds import seeds_of

ROWS = [
    ("a-film", "The Long Winter", "The Long Winter is a film that was directed by Mara Quill."),
    ("b-director", "Mara Quill", "Mara Quill was born in the town of Oster."),
    ("c-town", "Oster", "Oster lies on a river and has a famous bridge."),
    ("d-other", "Cooking", "Onions are fried slowly in butter."),
    ("e-film", "The Short Summer", "A comedy about people on a beach."),
]
QUESTION = "In which town was the director of The Long Winter born?"


@pytest.fixture
def films(network_of):
    return network_of(ROWS, seeds=1)


def test_a_walk_follows_titles_from_the_best_match(films):
    trace = films.traverse(QUESTION)
    assert trace.path[:3] == ["a-film", "b-director", "c-town"]
    assert trace.route("c-town") == ["a-film", "b-director", "c-town"]
    assert trace.visited[1].evidence == ("Mara Quill",)


def test_the_budget_of_the_configuration_is_the_default(network_of):
    network = network_of(ROWS, seeds=1, max_nodes=2, max_hops=3, max_tokens=500)
    trace = network.traverse(QUESTION)
    assert (len(trace.path), trace.stopping_reason) == (2, "node_budget")
    assert trace.budget == Budget(max_nodes=2, max_hops=3, max_tokens=500)


def test_a_given_budget_counts_instead(films):
    assert len(films.traverse(QUESTION, budget=Budget(max_nodes=1)).path) == 1


def test_the_number_of_seeds_can_be_given(films):
    assert len(films.traverse(QUESTION).seeds) == 1
    assert len(films.traverse(QUESTION, n_seeds=2).seeds) == 2
    assert films.traverse(QUESTION, n_seeds=0).stopping_reason == "no_seeds"


def test_a_question_that_matches_nothing_has_nowhere_to_start(films):
    trace = films.traverse("zzz qqq")
    assert trace.stopping_reason == "no_seeds"
    assert trace.path == []


def test_seeds_are_similarities_and_cost_what_they_lack(films):
    (seed,) = films.traverse(QUESTION).seeds
    assert (seed.kind, seed.score, seed.cost) == ("similarity", 1.0, 0.0)


def test_required_evidence_ends_the_walk(films):
    trace = films.traverse(QUESTION, required_evidence=["b-director"])
    assert (trace.path, trace.stopping_reason) == (["a-film", "b-director"], "complete")


def test_any_chunk_of_a_required_document_will_do(network_of):
    long = "Mara Quill was born in the town of Oster. " + "Nothing else is known about her early life there. " * 60
    network = network_of([ROWS[0], ("b-director", "Mara Quill", long), ROWS[3]], seeds=1)
    trace = network.traverse(QUESTION, required_evidence=["b-director"])
    assert trace.path == ["a-film", "b-director#0"]
    assert trace.missing_evidence == ()
    assert trace.stopping_reason == "complete"


def test_chunks_of_a_cut_document_carry_their_ids_offsets_and_title(network_of):
    long = "Mara Quill was born in Oster. " + "Nothing else is known about her early life there. " * 60
    network = network_of([("b", "Mara Quill", long)])
    chunks = list(network.concept_graph.chunks.values())
    assert [chunk.id for chunk in chunks] == [f"b#{i}" for i in range(len(chunks))]
    assert all(long[chunk.start : chunk.end] == chunk.text for chunk in chunks)
    assert {chunk.title for chunk in chunks} == {"Mara Quill"}
    assert network.traverse("Quill").path[0].startswith("b#")


def test_a_callable_decides_whether_the_context_suffices(films):
    check = ContextFunction(lambda query, context: "Oster" in context)
    assert films.traverse(QUESTION, check=check).path == ["a-film", "b-director"]


def test_the_seeds_graph_is_walked_by_weight_alone(network_of):
    network = network_of(ROWS, links="seed", min_cosine=0.0, seeds=1)
    by_default = network.traverse(QUESTION)
    by_weight = network.traverse(QUESTION, cost="weight")
    assert [(s.chunk_id, s.cost) for s in by_default.steps] == [(s.chunk_id, s.cost) for s in by_weight.steps]


def test_the_cost_of_edges_can_be_chosen(films):
    by_question = films.traverse(QUESTION, cost="question")
    assert [s.cost for s in by_question.steps] == [s.cost for s in films.traverse(QUESTION).steps]
    own = films.traverse(QUESTION, cost=inverse_weight)
    assert [s.cost for s in own.steps] == [s.cost for s in films.traverse(QUESTION, cost="weight").steps]
    assert [s.cost for s in own.steps] != [s.cost for s in by_question.steps]


@pytest.mark.parametrize(
    ("option", "said"), [({"walk": "best"}, "'best' is not a walk"), ({"cost": "x"}, "'x' is not a cost")]
)
def test_an_unknown_walk_or_cost_is_refused(films, option, said):
    with pytest.raises(ConfigError, match=said):
        films.traverse(QUESTION, **option)


def test_the_notebook_starts_from_the_same_seeds_with_l2_distances(films):
    seeds = films.traverse(QUESTION, n_seeds=3).seeds
    notebook = films.traverse(QUESTION, n_seeds=3, walk="notebook").seeds
    assert {seed.chunk_id for seed in notebook} == {seed.chunk_id for seed in seeds}
    assert {seed.kind for seed in notebook} == {"distance"}
    cosine = films.scorer.cosine(QUESTION, ("title", "text"))[0]
    (first,) = [seed for seed in notebook if seed.chunk_id == "a-film"]
    assert first.score == pytest.approx(math.sqrt(2 - 2 * cosine))


def test_flat_retrieval_follows_nothing(films):
    trace = films.traverse(QUESTION, walk="flat")
    assert trace.walk == "flat"
    assert "c-town" not in trace.path
    assert {step.hop for step in trace.steps} == {0}


def test_the_graph_is_made_once_and_shared_by_all_thresholds(films):
    assert films.at_threshold(0.5).concept_graph is films.concept_graph


def test_the_audit_log_has_seeds_edges_spans_sizes_and_the_reason(films):
    records = [json.loads(line) for line in films.traverse(QUESTION).to_jsonl().splitlines()]
    assert [record["record"] for record in records][:2] == ["seed", "step"]
    step = records[2]
    assert (step["parent"], step["edge_kind"], step["evidence"]) == ("a-film", "mention", ["Mara Quill"])
    assert step["span"] == {"document_id": "b-director", "field": "text", "start": 0, "end": 41, "page": None}
    assert step["total_tokens"] > step["tokens"] > 0
    assert records[-1]["stopping_reason"] == "queue_empty"


def test_infinite_costs_are_null_in_the_log():
    graph = graph_of_pairs([ChunkNode("a", "a", "text")], [])
    trace = notebook_walk(graph, seeds_of([("a", 0.0)], kind="distance"))
    assert math.isinf(trace.steps[0].cost)
    assert json.loads(trace.to_jsonl().splitlines()[1])["cost"] is None


def test_the_walk_does_not_depend_on_the_order_of_the_documents(network_of):
    there, back = network_of(ROWS), network_of(ROWS[::-1])
    assert there.traverse(QUESTION).to_jsonl() == back.traverse(QUESTION).to_jsonl()


def test_one_document_can_be_walked(network_of):
    network = network_of([ROWS[0]])
    assert network.traverse(QUESTION).path == ["a-film"]
    assert network.concept_graph.n_edges == 0


def test_documents_without_text_can_be_walked(network_of):
    network = network_of([ROWS[0], ("x", "", "")])
    assert network.traverse(QUESTION).path == ["a-film"]


def test_german_tickets_are_linked_by_topics_and_not_by_function_words(network_of):
    texts = [
        "Der Drucker im Flur druckt seit dem Umzug nicht mehr.",
        "Das Telefon klingelt nicht mehr, und die Leitung ist tot.",
        "Die Anmeldung ist nicht möglich, weil das Kennwort abgelaufen ist.",
        "Eine Anmeldung am Rechner ist mir nicht möglich.",
        "Der Bildschirm bleibt schwarz, und das Kabel ist in Ordnung.",
        "Es gibt keinen Ton bei der Konferenz.",
    ]
    network = network_of([(f"t{number}", "", text) for number, text in enumerate(texts)])
    shared = {word for _, edge in network.concept_graph.edges_once for word in edge.evidence if edge.kind != "adjacent"}
    assert shared == {"anmeldung", "möglich"}
    shown = {concept for chunk in network.concept_graph.chunks.values() for concept in chunk.concepts}
    assert "mehr" not in shown
    assert "möglich" in shown


def test_links_of_the_network_leave_function_words_out(network_of):
    texts = ("Der Drucker druckt nicht mehr.", "Das Telefon ist nicht mehr da.", "Die Anmeldung ist zu.", "Es ist Ton.")
    rare = SharedConceptLinks(fields=("text",), max_share=0.5)
    network = network_of([(f"t{number}", "", text) for number, text in enumerate(texts)])
    network = replace(network, config=network.config.model_copy(update={"links": (rare,)}))
    assert len(network.links) == 0
