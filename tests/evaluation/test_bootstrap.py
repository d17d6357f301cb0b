"""Intervals of paired differences."""

from __future__ import annotations

import numpy as np

from cnrag_core.evaluation.bootstrap import paired_differences


def column(values) -> np.ndarray:
    return np.asarray(values, dtype=float)[:, None]


def test_equal_strategies_do_not_differ():
    values = column(np.random.default_rng(0).random(50))
    difference = paired_differences(values, values)[0]
    assert (difference.mean, difference.low, difference.high) == (0.0, 0.0, 0.0)
    assert not difference.is_better
    assert not difference.is_worse


def test_a_constant_gain_has_no_spread():
    base = column(np.random.default_rng(0).random(50))
    difference = paired_differences(base + 0.25, base)[0]
    assert np.allclose([difference.mean, difference.low, difference.high], 0.25)
    assert difference.is_better


def test_interval_of_normal_differences_is_near_the_theoretical_one():
    rng = np.random.default_rng(1)
    gains = rng.normal(0.1, 0.5, 400)
    difference = paired_differences(column(gains), column(np.zeros(400)), n_resamples=4000)[0]
    half = 1.96 * gains.std() / np.sqrt(400)
    assert np.allclose([difference.low, difference.high], [gains.mean() - half, gains.mean() + half], atol=0.006)


def test_the_same_random_state_draws_the_same_questions():
    rng = np.random.default_rng(2)
    values, base = rng.random((30, 3)), rng.random((30, 3))
    assert paired_differences(values, base) == paired_differences(values, base)
    assert paired_differences(values, base) != paired_differences(values, base, random_state=1)


def test_measures_are_resampled_together():
    rng = np.random.default_rng(3)
    values, base = rng.random((30, 1)), rng.random((30, 1))
    twice = paired_differences(np.hstack([values, values]), np.hstack([base, base]))
    assert twice[0] == twice[1] == paired_differences(values, base)[0]


def test_no_questions_are_no_difference():
    assert paired_differences(np.empty((0, 2)), np.empty((0, 2)))[1].mean == 0.0
