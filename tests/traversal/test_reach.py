"""How far walks reach: on hand-made questions, on the sample, and on real multi-hop questions."""

from __future__ import annotations

import json

import pytest

from cnrag_core.config.infer import infer_config
from cnrag_core.config.spec import AttributeSimilarityComponent
from cnrag_core.corpus.readers import read_corpus
from cnrag_core.corpus.samples import load_sample
from cnrag_core.embedding.fields import embed_component
from cnrag_core.errors import CorpusError
from cnrag_core.evaluation.judgements import JudgedQuery, judged_queries, read_judgements
from cnrag_core.retrieval.query import QueryScorer
from cnrag_core.traversal.budget import Budget
from cnrag_core.traversal.paired import paired_interval
from cnrag_core.traversal.reach import at_nodes, evidence_of, measure_reach
from cnrag_core.traversal.tokenizer import APPROXIMATE, default_tokenizer
from cnrag_core.traversal.walker import make_walker

ROWS = [
    ("film", "The Long Winter", "The Long Winter is a film that was directed by Mara Quill."),
    ("director", "Mara Quill", "Mara Quill comes from Oster."),
    ("noise", "Birthdays", "Somebody is born every day; who was born today?"),
]
FILMS = JudgedQuery("q", "Where was the director of the film The Long Winter born?", {"film": 1, "director": 1})


@pytest.fixture
def walker(network_of):
    return network_of(ROWS, seeds=1).walker


def test_recall_counts_the_evidence_in_the_context(walker):
    report = measure_reach(walker, [FILMS], budget=at_nodes(2))
    (question,) = report.questions
    assert question.by_walk["audited"].recall == 1.0
    assert question.by_walk["audited"].is_whole
    assert question.by_walk["flat"].recall == 0.5
    assert not question.by_walk["flat"].is_whole


def test_means_and_gains_are_those_of_the_questions(walker):
    report = measure_reach(walker, [FILMS, JudgedQuery("r", "Long Winter", {"film": 1})], budget=at_nodes(2))
    assert report.summary("flat").recall == 0.75
    assert report.summary("audited").whole == 1.0
    assert report.recall_gain().mean == pytest.approx(0.25)
    assert report.whole_gain().mean == pytest.approx(0.5)
    assert report.summary("audited").n_checks == pytest.approx(1.5)


def test_the_notebook_is_cut_off_at_the_budget_that_it_does_not_read(walker):
    report = measure_reach(walker, [FILMS], budget=at_nodes(1))
    reached = report.questions[0].by_walk["notebook"]
    assert reached.n_chunks > 1
    assert reached.recall <= 0.5


def test_required_evidence_counts_before_what_is_merely_relevant():
    assert evidence_of(JudgedQuery("q", "?", {"a": 1, "b": 0})) == ("a",)
    assert evidence_of(JudgedQuery("q", "?", {"a": 1}, ("b", "c"))) == ("b", "c")


def test_questions_without_evidence_are_left_out_and_none_at_all_is_refused(walker):
    report = measure_reach(walker, [JudgedQuery("x", "?"), FILMS], budget=at_nodes(2))
    assert [question.id for question in report.questions] == ["q"]
    with pytest.raises(CorpusError, match="no judged questions with evidence"):
        measure_reach(walker, [JudgedQuery("x", "?")])


def test_a_report_is_plain_values(walker):
    report = measure_reach(walker, [FILMS], budget=at_nodes(2))
    told = json.loads(json.dumps(report.to_dict()))
    assert [entry["walk"] for entry in told["walks"]] == ["audited", "flat", "notebook"]
    assert {entry["walk"] for entry in told["gains_over_flat"]} == {"audited", "notebook"}


def test_the_interval_of_a_constant_difference_is_that_difference():
    interval = paired_interval([0.25] * 8)
    assert (interval.mean, interval.low, interval.high) == (0.25, 0.25, 0.25)
    assert interval.excludes_zero


def test_the_interval_of_no_difference_holds_zero():
    assert not paired_interval([1.0, -1.0] * 20).excludes_zero
    assert not paired_interval([]).excludes_zero


def test_intervals_are_the_same_every_time():
    differences = [0.0, 0.5, 1.0, -0.5, 0.25]
    assert paired_interval(differences) == paired_interval(differences)
    assert str(paired_interval([1.0, 1.0])) == "+100.0 points [+100.0, +100.0]"


@pytest.fixture(scope="module")
def multi_hop():
    queries = judged_queries(load_sample("larkspur").queries)
    return [query for query in queries if len(query.required_evidence) > 1]


def test_on_larkspur_the_walk_finds_what_flat_retrieval_does_not(larkspur, multi_hop):
    assert len(multi_hop) == 22
    report = measure_reach(larkspur.walker, multi_hop)
    walk, flat = report.summary("audited").whole, report.summary("flat").whole
    print(f"larkspur, 800 tokens: walk {walk:.1%}, flat {flat:.1%}, {report.whole_gain()}")
    assert report.budget == Budget.of(larkspur.config.traversal)
    assert walk >= 0.8
    assert flat <= walk - 0.2
    assert report.whole_gain().low > 0


@pytest.mark.parametrize("tokenizer", [APPROXIMATE, default_tokenizer()], ids=lambda tokenizer: tokenizer.name)
def test_on_larkspur_this_holds_for_either_tokenizer(larkspur, multi_hop, tokenizer):
    found = [
        larkspur.traverse(query.text, required_evidence=query.required_evidence, tokenizer=tokenizer).is_complete
        for query in multi_hop
    ]
    assert sum(found) >= 0.8 * len(found)


def test_the_question_of_the_guide_is_answered_by_the_walk_alone(larkspur, multi_hop):
    query = next(query for query in multi_hop if query.id == "m01")
    traces = {
        walk: larkspur.traverse(query.text, required_evidence=query.required_evidence, walk=walk)
        for walk in ("audited", "flat", "notebook")
    }
    assert traces["audited"].is_complete
    assert traces["flat"].missing_evidence == ("snapshot-retention",)
    assert traces["notebook"].missing_evidence == ("snapshot-retention",)
    assert any("never expanded" in fault for fault in traces["notebook"].faults)


def walker_of(corpus):
    """The walker of a network with the guessed configuration, without the graph that walks do not need."""
    documents = sorted(corpus, key=lambda document: document.id)
    config = infer_config(corpus)
    embedded = {
        part.name: embed_component(documents, part)
        for part in config.components
        if not isinstance(part, AttributeSimilarityComponent)
    }
    return make_walker(documents, config, embedded, QueryScorer(documents, config, embedded))


MULTI_HOP = ("2wiki-migres", "hotpotqa-dev100", "musique-dev100")


@pytest.mark.slow
def test_on_real_questions_ten_chunks_of_a_walk_hold_more_than_ten_flat_ones(corpora):
    gains = []
    for name in MULTI_HOP:
        corpus = read_corpus(corpora / name / "corpus.jsonl")
        queries = read_judgements(corpora / name / "queries.jsonl", corpora / name / "qrels.tsv")
        report = measure_reach(walker_of(corpus), queries, budget=at_nodes(10), walks=("audited", "flat"))
        walk, flat = report.summary("audited").recall, report.summary("flat").recall
        print(f"{name}: walk {walk:.1%}, flat {flat:.1%}, {report.recall_gain()}")
        gains.append(report.recall_gain())
    assert sum(gain.low > 0 for gain in gains) >= 2
    assert all(gain.high >= 0 for gain in gains)
