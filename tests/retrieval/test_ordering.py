"""The order of scores, ties included."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cnrag_core.retrieval.ordering import best, rank_of

scores = st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.5, 0.9, -1.0]), max_size=30).map(lambda v: np.array(v, dtype=float))


@given(scores, st.integers(-1, 40))
def test_best_is_the_head_of_the_full_order(values, n):
    order = sorted((i for i in range(len(values)) if values[i] > 0), key=lambda i: (-values[i], i))
    assert best(values, n).tolist() == order[: max(n, 0)]


@given(scores)
def test_rank_is_the_place_in_the_full_order(values):
    order = best(values, len(values)).tolist()
    for node in range(len(values)):
        assert rank_of(values, node) == (order.index(node) + 1 if node in order else None)
