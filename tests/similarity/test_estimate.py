"""Estimates: exact where every pair is looked at, close where some are, never wrong about what fits."""

from __future__ import annotations

import numpy as np

from cnrag_core.similarity.components import CodeColumn
from cnrag_core.similarity.estimate import PairEstimate, estimate_pairs
from cnrag_core.similarity.pairwise import pairs_above
from tests.similarity.random_columns import random_columns


def test_a_small_corpus_is_counted_exactly() -> None:
    columns = random_columns(np.random.default_rng(0), 50)
    estimate = estimate_pairs(columns)
    assert estimate.is_exact
    for threshold in (0.0, 0.1, 0.3, 0.9):
        assert estimate.count_above(threshold) == len(pairs_above(columns, threshold))


def test_a_sample_is_close_and_always_the_same() -> None:
    columns = random_columns(np.random.default_rng(0), 400)
    estimate = estimate_pairs(columns, n_sampled=20_000)
    assert not estimate.is_exact
    true = len(pairs_above(columns, 0.2))
    assert abs(estimate.count_above(0.2) - true) < 0.1 * true
    assert estimate.scores.tolist() == estimate_pairs(columns, n_sampled=20_000).scores.tolist()


def test_a_document_is_never_paired_with_itself() -> None:
    codes = np.arange(300)
    columns = [CodeColumn("id", 1.0, None, codes, tuple(map(str, codes)), np.zeros(300, dtype=bool))]
    assert estimate_pairs(columns, n_sampled=10_000).scores.max() == 0.0


def test_the_lowest_threshold_that_fits_lies_on_the_grid() -> None:
    estimate = PairEstimate(10, np.array([0.0, 0.0, 0.1, 0.2, 0.3, 0.3, 0.4, 0.5, 0.9, 1.0]))
    assert estimate.lowest_threshold(8) == 0.0
    assert estimate.lowest_threshold(7) == 0.11
    assert estimate.lowest_threshold(1) == 0.91
    assert estimate.lowest_threshold(0) is None


def test_nothing_to_compare_counts_nothing() -> None:
    estimate = estimate_pairs(random_columns(np.random.default_rng(0), 1))
    assert estimate.count_above(0.0) == 0
    assert estimate.lowest_threshold(0) == 0.0
