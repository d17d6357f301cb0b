"""Evaluation of strategies on a hand-sized corpus whose answers are known."""

from __future__ import annotations

import pytest

from cnrag_core.errors import ConfigError, CorpusError, UnknownNameError
from cnrag_core.evaluation.judgements import JudgedQuery
from cnrag_core.evaluation.report import evaluate

QUERIES = (
    JudgedQuery("q1", "honey", {"bees": 1.0, "bread": 1.0}),
    JudgedQuery("q2", "moon", {"lunar": 1.0}),
    JudgedQuery("q3", "unicorn", {"ants": 1.0}),
)


@pytest.fixture
def search(ask):
    return ask


def test_similarity_is_always_measured_and_is_its_own_baseline(search):
    report = evaluate(search, QUERIES, ["hub"])
    assert [row.strategy for row in report.strategies] == ["similarity", "hub"]
    assert all(d.mean == d.low == d.high == 0.0 for d in report.of("similarity").differences.values())


def test_means_are_over_all_questions_answered_or_not(search):
    row = evaluate(search, QUERIES, ["similarity"], k=(1, 3)).of("similarity")
    assert row.metrics["recall@3"] == pytest.approx((1 + 1 + 0) / 3)
    assert row.metrics["recall@1"] == pytest.approx((0.5 + 1 + 0) / 3)
    assert row.metrics["all_evidence@1"] == pytest.approx(1 / 3)
    assert row.metrics["mrr"] == pytest.approx(2 / 3)
    assert row.n_unanswered == 1


def test_each_question_shows_what_was_found_and_missed(search):
    report = evaluate(search, QUERIES, ["similarity", "hub"], k=(1,))
    answers = report.answers("q1")
    assert [answer.strategy for answer in answers] == ["similarity", "hub"]
    assert answers[0].found == ("bees",)
    assert answers[0].missed == ("bread",)


def test_two_runs_agree_in_everything_but_time(search):
    first, second = (evaluate(search, QUERIES) for _ in range(2))
    assert [row.metrics for row in first.strategies] == [row.metrics for row in second.strategies]
    assert [row.differences for row in first.strategies] == [row.differences for row in second.strategies]


def test_best_strategy_of_a_measure_is_named(search):
    report = evaluate(search, QUERIES, ["similarity", "smoothing"], k=(3,))
    assert report.best("recall@3") == "similarity"
    with pytest.raises(UnknownNameError, match="'recall@7' was not measured"):
        report.best("recall@7")
    with pytest.raises(UnknownNameError, match="'hub' was not measured; measured were similarity, smoothing"):
        report.of("hub")


def test_tables_have_a_row_a_strategy_and_a_row_a_question(search):
    report = evaluate(search, QUERIES, ["similarity", "hub"], k=(2,))
    assert list(report.to_frame()["strategy"]) == ["similarity", "hub"]
    assert len(report.queries_frame()) == len(QUERIES) * 2
    assert "hub" in report.to_text()
    assert "recall@2" in report.to_text(["recall@2"])


def test_judged_documents_outside_the_corpus_are_told_and_count_as_missed(search):
    report = evaluate(search, [JudgedQuery("q", "honey", {"bees": 1.0, "wasps": 1.0})], ["similarity"], k=(3,))
    assert report.of("similarity").metrics["recall@3"] == 0.5
    assert report.notes == ("1 of 2 judged documents is not in the corpus ('wasps'); it counts as missed.",)


def test_judgements_of_another_corpus_are_refused(search):
    with pytest.raises(CorpusError, match="None of the 1 judged documents is in the corpus, for example 'wasps'"):
        evaluate(search, [JudgedQuery("q", "honey", {"wasps": 1.0})])


def test_no_questions_and_no_places_are_refused(search):
    with pytest.raises(CorpusError, match="no judged questions"):
        evaluate(search, [])
    with pytest.raises(ConfigError, match="k must be whole numbers of at least 1"):
        evaluate(search, QUERIES, k=(0, 5))
