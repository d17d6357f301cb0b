"""Learning the weights of hybrid, on questions made so that one rule helps."""

from __future__ import annotations

import numpy as np
import pytest

from cnrag_core.errors import CorpusError, UnknownNameError
from cnrag_core.evaluation.fitting import fit_weights
from cnrag_core.evaluation.judgements import JudgedQuery

QUERIES = tuple(
    JudgedQuery(f"q{i}", text, {found: 1.0})
    for i, (text, found) in enumerate([("honey", "bees"), ("moon", "lunar"), ("leaves", "ants"), ("loaf", "ovens")] * 3)
)


def test_questions_that_similarity_answers_leave_nothing_to_learn(ask):
    fitted = fit_weights(ask, QUERIES)
    assert (fitted.n_training, fitted.n_held_out) == (6, 6)
    assert fitted.similarity == 1.0
    assert fitted.advice.startswith("No difference")


def test_a_rule_that_helps_gets_weight_and_helps_on_unseen_questions(hub_questions):
    ask, queries = hub_questions
    fitted = fit_weights(ask, queries, metric="recall@1")
    assert fitted.weights.hub > 0.02
    assert fitted.held_out == 1.0 > fitted.similarity
    assert fitted.against_similarity.is_better
    assert fitted.advice.startswith("Keep the learned weights")


def test_the_same_split_gives_the_same_weights(ask):
    assert fit_weights(ask, QUERIES, random_state=3) == fit_weights(ask, QUERIES, random_state=3)


def test_too_few_questions_are_refused(ask):
    with pytest.raises(CorpusError, match=r"at least 4 judged questions, .*; there are 2"):
        fit_weights(ask, QUERIES[:2])


@pytest.mark.parametrize("metric", ["ndcg", "accuracy@5", "ndcg@0", "ndcg@x"])
def test_unknown_measure_is_refused(ask, metric):
    with pytest.raises(UnknownNameError, match="There is no measure"):
        fit_weights(ask, QUERIES, metric=metric)


def test_mean_reciprocal_rank_can_be_fitted(ask):
    assert np.isfinite(fit_weights(ask, QUERIES, metric="mrr").training)
