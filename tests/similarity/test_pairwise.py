"""All pairs: equal to comparing each of them, whichever way they are found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.errors import ConfigError, ResourceLimitError
from cnrag_core.similarity import kernels, pairwise, search
from cnrag_core.similarity.components import CodeColumn, ComponentColumn, take_rows
from cnrag_core.similarity.pairs import Pairs
from cnrag_core.similarity.pairwise import pairs_above, pairs_of_rows, strongest_pairs, top_neighbors
from tests.similarity.random_columns import KINDS, random_columns, score_matrix

kinds_of_columns = st.lists(st.sampled_from(KINDS), min_size=1, max_size=5, unique=True).map(sorted)
thresholds = st.sampled_from([0.0, 1e-9, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.0])


@pytest.fixture(params=["blocks", "compiled"])
def route(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of finding pairs, whatever the size; tiny tiles, so that there are several."""
    monkeypatch.setattr(pairwise, "use_compiled", lambda n: request.param == "compiled")
    monkeypatch.setattr(pairwise, "BLOCK_CELLS", 200)
    monkeypatch.setattr(search, "TILE", 13)
    monkeypatch.setattr(search, "DENSE_ROWS", 7)
    monkeypatch.setattr(search, "NEIGHBOR_CELLS", 200)
    return str(request.param)


def listed(pairs: Pairs) -> list[tuple[int, int, float]]:
    return list(zip(pairs.left.tolist(), pairs.right.tolist(), pairs.weight.tolist(), strict=True))


def by_hand(columns: Sequence[ComponentColumn], n: int, threshold: float) -> list[tuple[int, int, float]]:
    scores = score_matrix(columns, n)
    found = [
        (-scores[a, b], a, b)
        for a in range(n)
        for b in range(a + 1, n)
        if scores[a, b] >= threshold - 1e-9 and scores[a, b] > 0
    ]
    return [(a, b, -weight) for weight, a, b in sorted(found)]


def equal_documents(n: int) -> tuple[ComponentColumn, ...]:
    return (CodeColumn("kind", 1.0, None, np.zeros(n, dtype=np.int64), ("same",), np.zeros(n, dtype=bool)),)


@pytest.mark.usefixtures("route")
@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 40), kinds_of_columns, thresholds)
def test_pairs_above_equal_comparing_every_pair(random_state: int, n: int, kinds: list[str], threshold: float) -> None:
    columns = random_columns(np.random.default_rng(random_state), n, kinds)
    assert listed(pairs_above(columns, threshold)) == by_hand(columns, n, threshold)


@pytest.mark.usefixtures("route")
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 30), kinds_of_columns, thresholds, st.integers(1, 6))
def test_pairs_of_rows_are_the_pairs_that_they_are_in(
    random_state: int, n: int, kinds: list[str], threshold: float, n_chosen: int
) -> None:
    rng = np.random.default_rng(random_state)
    columns = random_columns(rng, n, kinds)
    chosen = set(rng.integers(0, n, n_chosen).tolist())
    expected = [pair for pair in by_hand(columns, n, threshold) if chosen & {pair[0], pair[1]}]
    assert listed(pairs_of_rows(columns, sorted(chosen), threshold)) == expected


@pytest.mark.usefixtures("route")
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), kinds_of_columns, st.integers(1, 6))
def test_top_neighbors_are_the_most_similar_and_ties_go_to_smaller_numbers(
    random_state: int, n: int, kinds: list[str], k: int
) -> None:
    rng = np.random.default_rng(random_state)
    columns = random_columns(rng, n, kinds)
    rows = np.unique(rng.integers(0, n, 12))
    scores = score_matrix(columns, n)
    expected = set()
    for row in rows.tolist():
        order = sorted(range(n), key=lambda other: (-scores[row, other], other))
        expected |= {(min(row, o), max(row, o), scores[row, o]) for o in order[:k] if scores[row, o] > 0}
    assert listed(top_neighbors(columns, rows, k)) == sorted(expected)


@pytest.mark.usefixtures("route")
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 30), kinds_of_columns, st.integers(1, 200))
def test_strongest_pairs_fit_and_reach_down_to_their_floor(
    random_state: int, n: int, kinds: list[str], most: int
) -> None:
    columns = random_columns(np.random.default_rng(random_state), n, kinds)
    everything = by_hand(columns, n, 0.0)
    try:
        pairs, floor = strongest_pairs(columns, 0.0, most)
    except ResourceLimitError:
        assert len([pair for pair in everything if pair[2] >= everything[0][2] - 1e-9]) >= most
        return
    assert listed(pairs) == everything[:most]
    above = [pair for pair in everything if pair[2] >= floor - 1e-9]
    assert above == listed(pairs.at_least(floor))
    assert (floor == 0.0) == (len(everything) <= most)
    if floor > 0.0:
        assert floor - 0.01 <= everything[most][2] + 1e-9


@pytest.mark.usefixtures("route")
def test_the_order_of_documents_changes_nothing_but_their_numbers() -> None:
    rng = np.random.default_rng(5)
    columns = random_columns(rng, 60)
    order = rng.permutation(60)
    pairs = pairs_above(take_rows(columns, order), 0.2)
    renamed = {(min(order[a], order[b]), max(order[a], order[b]), weight) for a, b, weight in listed(pairs)}
    assert renamed == set(listed(pairs_above(columns, 0.2)))


@pytest.mark.usefixtures("route")
def test_documents_with_nothing_in_common_make_no_pair_even_at_threshold_zero() -> None:
    codes = np.arange(30)
    column = CodeColumn("kind", 1.0, None, codes, tuple(map(str, codes)), np.zeros(30, dtype=bool))
    assert len(pairs_above([column], 0.0)) == 0


@pytest.mark.usefixtures("route")
def test_a_similarity_that_meets_the_threshold_exactly_counts() -> None:
    columns = random_columns(np.random.default_rng(2), 40, ("jaccard", "dice"))
    weight = pairs_above(columns, 0.2).weight
    for threshold in weight[:: max(1, len(weight) // 10)]:
        assert pairs_above(columns, float(threshold)).weight.min() <= threshold


@pytest.mark.parametrize("threshold", [float("nan"), float("inf"), -0.1, 1.0000001, "0.5", None])
def test_a_threshold_must_be_a_number_from_zero_to_one(threshold: object) -> None:
    with pytest.raises(ConfigError, match=r"threshold must be (a number )?from 0 to 1"):
        pairs_above(equal_documents(3), threshold)  # type: ignore[arg-type]


@pytest.mark.usefixtures("route")
def test_too_many_pairs_are_refused() -> None:
    with pytest.raises(ResourceLimitError, match=r"More than 100 pairs are at least 0\.50 similar"):
        pairs_above(equal_documents(60), 0.5, max_pairs=100)


@pytest.mark.usefixtures("route")
def test_repeats_that_no_floor_can_separate_are_refused() -> None:
    with pytest.raises(ResourceLimitError, match="equally alike"):
        strongest_pairs(equal_documents(60), 0.0, 100)


@pytest.mark.usefixtures("route")
def test_progress_reaches_the_end_and_may_cancel() -> None:
    columns = random_columns(np.random.default_rng(0), 60)
    shares: list[float] = []
    pairs_above(columns, 0.3, progress=lambda step, share: shares.append(share))
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)

    def cancel(step: str, share: float) -> None:
        raise InterruptedError("enough")

    with pytest.raises(InterruptedError, match="enough"):
        pairs_above(columns, 0.3, progress=cancel)


@pytest.mark.parametrize("size", [1_999, 2_000])
def test_the_route_changes_at_two_thousand_documents_and_the_pairs_do_not(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = random_columns(np.random.default_rng(size), size, ("text", "jaccard", "codes", "numbers"))
    found = pairs_above(columns, 0.6)
    monkeypatch.setattr(pairwise, "use_compiled", lambda n: size < 2_000)
    other = pairs_above(columns, 0.6)
    assert len(found) > 100
    assert listed(found) == listed(other)


@pytest.mark.parametrize(
    ("n", "in_cache", "compiled"),
    [(1_999, True, False), (2_000, True, True), (2_000, False, False), (6_000, False, True)],
)
def test_nobody_waits_for_the_compiler_with_a_few_thousand_documents(
    n: int, in_cache: bool, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "are_compiled", lambda: in_cache)
    assert pairwise.use_compiled(n) is compiled
