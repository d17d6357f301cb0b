"""Measures against textbook answers, scikit-learn, and their own laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from cnrag_core.evaluation.metrics import (
    all_evidence_at,
    measure,
    metric_names,
    ndcg_at,
    precision_at,
    recall_at,
    reciprocal_rank,
)

IDS = [f"d{i}" for i in range(12)]
rankings = st.permutations(IDS).flatmap(lambda order: st.integers(0, len(IDS)).map(lambda n: list(order[:n])))
judged = st.dictionaries(st.sampled_from([*IDS, "absent"]), st.integers(1, 4).map(float), max_size=6)
places = st.integers(1, 15)


def test_known_answers_of_a_small_ranking():
    ranked, relevant = ["x", "a", "y", "b"], {"a": 1.0, "b": 1.0, "c": 1.0}
    assert recall_at(ranked, relevant, 2) == pytest.approx(1 / 3)
    assert recall_at(ranked, relevant, 4) == pytest.approx(2 / 3)
    assert precision_at(ranked, relevant, 4) == pytest.approx(1 / 2)
    assert precision_at(ranked, relevant, 10) == pytest.approx(2 / 10)
    assert reciprocal_rank(ranked, relevant) == pytest.approx(1 / 2)
    gains = 1 / np.log2(3) + 1 / np.log2(5)
    assert ndcg_at(ranked, relevant, 10) == pytest.approx(gains / (1 + 1 / np.log2(3) + 1 / np.log2(4)))


def test_all_evidence_needs_every_document():
    assert all_evidence_at(["a", "b"], {"a", "b"}, 2) == 1.0
    assert all_evidence_at(["a", "x", "b"], {"a", "b"}, 2) == 0.0
    assert all_evidence_at(["a"], (), 2) == 0.0


def test_required_evidence_replaces_the_relevant_documents_in_all_evidence_alone():
    values = measure(["a", "x"], {"a": 1.0, "b": 1.0}, (2,), required=("a",))
    assert values["all_evidence@2"] == 1.0
    assert values["recall@2"] == 0.5


def test_a_higher_grade_at_the_front_is_worth_more():
    relevant = {"a": 3.0, "b": 1.0}
    assert ndcg_at(["a", "b"], relevant, 2) == 1.0
    assert ndcg_at(["b", "a"], relevant, 2) < 1.0


@given(st.permutations(IDS), st.dictionaries(st.sampled_from(IDS), st.integers(1, 4).map(float), min_size=1), places)
def test_ndcg_agrees_with_scikit_learn(ranked, relevant, k):
    truth = [[relevant.get(node_id, 0.0) for node_id in IDS]]
    scores = [[-ranked.index(node_id) for node_id in IDS]]
    assert ndcg_at(ranked, relevant, k) == pytest.approx(ndcg_score(truth, scores, k=k))


@given(rankings, judged, places)
def test_every_measure_lies_between_0_and_1(ranked, relevant, k):
    values = measure(ranked, relevant, (k,))
    assert set(values) == set(metric_names((k,)))
    assert all(0.0 <= value <= 1.0 for value in values.values())


@given(rankings, judged, places)
def test_recall_never_falls_with_k(ranked, relevant, k):
    assert recall_at(ranked, relevant, k) <= recall_at(ranked, relevant, k + 1)


@given(judged)
def test_the_ideal_order_is_worth_1(relevant):
    ideal = sorted(relevant, key=lambda node_id: -relevant[node_id])
    expected = 1.0 if relevant else 0.0
    assert ndcg_at(ideal, relevant, 10) == pytest.approx(expected)
    assert recall_at(ideal, relevant, 10) == reciprocal_rank(ideal, relevant) == expected


@given(rankings, judged, places)
def test_grades_of_1_or_more_do_not_change_what_counts_as_found(ranked, relevant, k):
    doubled = {node_id: 2 * grade for node_id, grade in relevant.items()}
    assert measure(ranked, doubled, (k,)) == pytest.approx(measure(ranked, relevant, (k,)))
