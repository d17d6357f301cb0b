"""Heaps of scored pairs: canonical order, the strongest of them, floors on a grid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.similarity.pairs import Pairs, canonical_pairs, concat_pairs, next_floor, strongest, unique_pairs


def some_pairs(random_state: int, n: int) -> Pairs:
    """Distinct pairs of 40 nodes, with many equal weights."""
    rng = np.random.default_rng(random_state)
    left, right = np.triu_indices(40, 1)
    chosen = rng.permutation(len(left))[:n]
    weight = rng.choice([0.1, 0.25, 0.5, 0.75, 1.0], n) + rng.choice([0.0, 1e-12], n)
    return Pairs(left[chosen].astype(np.int32), right[chosen].astype(np.int32), weight)


def listed(pairs: Pairs) -> list[tuple[float, int, int]]:
    return list(zip((-pairs.weight).tolist(), pairs.left.tolist(), pairs.right.tolist(), strict=True))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 300))
def test_canonical_order_is_falling_weight_then_rising_numbers(random_state: int, n: int) -> None:
    pairs = some_pairs(random_state, n)
    assert listed(canonical_pairs(pairs)) == sorted(listed(pairs))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 300), st.integers(0, 320))
def test_the_strongest_are_a_prefix_of_the_canonical_order(random_state: int, n: int, count: int) -> None:
    pairs = some_pairs(random_state, n)
    kept, dropped = strongest(pairs, count)
    everything = sorted(listed(pairs))
    assert sorted(listed(kept)) == everything[:count]
    assert dropped == (-everything[count][0] if count < n else 0.0)


def test_repeated_pairs_are_kept_once() -> None:
    pairs = some_pairs(0, 50)
    assert listed(unique_pairs(concat_pairs([pairs, pairs]))) == listed(unique_pairs(pairs))
    assert len(unique_pairs(concat_pairs([pairs, pairs]))) == 50


def test_no_pairs_join_to_no_pairs() -> None:
    assert len(canonical_pairs(concat_pairs([]))) == 0


@pytest.mark.parametrize(
    ("weight", "floor"), [(0.0, 0.01), (0.3, 0.31), (0.2999, 0.3), (0.3 - 1e-12, 0.31), (0.995, 1.0)]
)
def test_the_next_floor_is_the_first_on_the_grid_that_a_weight_misses(weight: float, floor: float) -> None:
    assert next_floor(weight) == floor
