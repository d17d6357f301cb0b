"""The combined similarity: the definition, exact arithmetic, and the same bits by every route."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.similarity.blocks import BlockScorer
from cnrag_core.similarity.components import CodeColumn, NumberColumn, SetColumn, VectorColumn
from cnrag_core.similarity.pairwise import pairs_above
from cnrag_core.similarity.scoring import raw_similarity, row_dots, score_pairs
from cnrag_core.similarity.search import compiled_scores
from tests.similarity.random_columns import KINDS, random_columns, unit_csr


def all_pairs(n: int) -> tuple[np.ndarray, np.ndarray]:
    left, right = np.triu_indices(n, 1)
    return left.astype(np.int64), right.astype(np.int64)


def vectors(*rows: list[float], weight: float = 1.0, least: float | None = None) -> VectorColumn:
    table = np.array(rows, dtype=np.float32)
    return VectorColumn("v", weight, least, table, ~table.any(axis=1))


def test_negative_cosine_counts_as_nothing_and_is_kept_raw() -> None:
    column = vectors([1, 0], [-1, 0])
    one = np.array([0]), np.array([1])
    assert raw_similarity(column, *one).tolist() == [-1.0]
    assert score_pairs([column], *one).tolist() == [0.0]


def test_a_negative_component_takes_nothing_from_the_others() -> None:
    pair = np.array([0]), np.array([1])
    columns = [vectors([1, 0], [-1, 0], weight=0.5), vectors([1, 0], [1, 0], weight=0.5)]
    assert score_pairs(columns, *pair).tolist() == [0.5]


def test_a_component_below_its_minimum_counts_as_nothing_and_keeps_its_weight() -> None:
    half = float(np.float32(0.5))
    columns = [vectors([1, 0], [0.5, np.sqrt(0.75)], weight=0.4, least=least) for least in (half, 0.51)]
    pair = np.array([0]), np.array([1])
    assert score_pairs(columns[:1], *pair).tolist() == [pytest.approx(0.2)]
    assert score_pairs(columns[1:], *pair).tolist() == [0.0]


def test_missing_values_are_no_evidence() -> None:
    year = NumberColumn("y", 1.0, None, np.array([1.0, np.nan, np.nan]), 1.0, np.array([False, True, True]))
    kind = CodeColumn("k", 1.0, None, np.array([-1, -1, 0]), ("a",), np.array([True, True, False]))
    for column in (year, kind):
        assert score_pairs([column], np.array([0, 1]), np.array([1, 2])).tolist() == [0.0, 0.0]


def test_numbers_are_close_by_the_bell_curve() -> None:
    column = NumberColumn("y", 1.0, None, np.array([2000.0, 2005.0]), 5.0, np.zeros(2, bool))
    assert score_pairs([column], np.array([0]), np.array([1]))[0] == pytest.approx(np.exp(-0.5))


@pytest.mark.parametrize("hair", [0.9999999, 1.0, 1.0001])
def test_equal_rows_have_similarity_one_whatever_float32_made_of_them(hair: float) -> None:
    row = np.full(3, np.sqrt(1 / 3)).astype(np.float32) * np.float32(hair)
    column = VectorColumn("v", 1.0, None, np.stack([row, row]), np.zeros(2, bool))
    assert score_pairs([column], np.array([0]), np.array([1])).tolist() == [1.0]


def test_documents_that_are_equal_link_at_threshold_one() -> None:
    rows = unit_csr(np.random.default_rng(0), 40, 60, 9.0)[np.repeat(np.arange(40), 2)]
    column = VectorColumn("v", 1.0, None, rows, np.diff(rows.indptr) == 0)
    pairs = pairs_above([column], 1.0)
    found = set(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))
    assert found >= {(2 * i, 2 * i + 1) for i in range(40) if rows[2 * i].nnz}


@settings(max_examples=70, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_weighted_sum_equals_exact_arithmetic(random_state: int) -> None:
    rng = np.random.default_rng(random_state)
    columns = random_columns(rng, 6, ("jaccard", "dice", "overlap", "codes"), minimums=False)
    left, right = all_pairs(6)
    for a, b, found in zip(left, right, score_pairs(columns, left, right), strict=True):
        exact = Fraction(0)
        for column in columns:
            exact += Fraction(column.weight) * exact_similarity(column, int(a), int(b))
        assert found == pytest.approx(float(exact), abs=1e-12)


def exact_similarity(column: SetColumn | CodeColumn, a: int, b: int) -> Fraction:
    if isinstance(column, CodeColumn):
        return Fraction(int(column.codes[a] == column.codes[b] >= 0))
    one, other = set(column.items[a].indices.tolist()), set(column.items[b].indices.tolist())
    if not one or not other:
        return Fraction(0)
    shared = len(one & other)
    whole = {"jaccard": Fraction(len(one | other)), "dice": Fraction(len(one) + len(other), 2)}
    return shared / whole.get(column.metric, Fraction(min(len(one), len(other))))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 40))
def test_scores_are_symmetric_to_the_last_bit_and_in_bounds(random_state: int, n: int) -> None:
    columns = random_columns(np.random.default_rng(random_state), n)
    left, right = all_pairs(n)
    scores = score_pairs(columns, left, right)
    assert scores.tolist() == score_pairs(columns, right, left).tolist()
    assert np.all((scores >= 0) & (scores <= 1 + 1e-12))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 40))
def test_compiled_products_and_blocks_carry_the_same_bits(random_state: int, n: int) -> None:
    columns = random_columns(np.random.default_rng(random_state), n)
    left, right = all_pairs(n)
    scores = score_pairs(columns, left, right)
    assert compiled_scores(columns, left, right).tolist() == scores.tolist()
    sparse = [column for column in columns if column.name != "dense"]
    for rows in (np.arange(n), np.arange(min(n, 3))):  # many rows and few go different ways
        block = BlockScorer(sparse).scores(rows)
        expected = score_pairs(sparse, np.repeat(rows, n), np.tile(np.arange(n), len(rows)))
        assert block.reshape(-1).tolist() == expected.tolist()


def test_block_scores_of_dense_rows_are_never_below_the_exact_ones() -> None:
    columns = random_columns(np.random.default_rng(3), 50, ("dense", "text"))
    scorer = BlockScorer(columns)
    block = scorer.scores(np.arange(50))
    exact = score_pairs(columns, np.repeat(np.arange(50), 50), np.tile(np.arange(50), 50)).reshape(50, 50)
    assert not scorer.is_exact
    assert np.all(block >= exact)
    assert np.all(block <= exact + 1e-4)


def test_products_are_added_up_in_ascending_order() -> None:
    rows = unit_csr(np.random.default_rng(0), 20, 60, 20.0)
    found = row_dots(rows, np.array([3]), np.array([4]))[0]
    total = 0.0
    for a, b in zip(rows[3].toarray().reshape(-1), rows[4].toarray().reshape(-1), strict=True):
        total += float(a) * float(b)
    assert found == total


def test_every_kind_of_column_is_covered() -> None:
    columns = random_columns(np.random.default_rng(0), 20)
    assert {type(column).__name__ for column in columns} == {"VectorColumn", "SetColumn", "CodeColumn", "NumberColumn"}
    assert len(columns) == len(KINDS)
