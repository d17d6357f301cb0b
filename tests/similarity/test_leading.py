"""Shorter dense rows: their products bound those of whole rows, and the graph stays the same to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import cnrag_core.similarity.bounds
from cnrag_core.similarity.bounds import make_plan
from cnrag_core.similarity.components import VectorColumn
from cnrag_core.similarity.leading import LEAST_ROWS, ROTATION_NOISE, shortened
from cnrag_core.similarity.pairwise import canonical_pairs, pairs_above

DIMENSION = 96


def clustered(n: int, random_state: int, n_directions: int = 12) -> NDArray[np.float32]:
    """Unit rows that lie near a few directions, with a little of everything else."""
    rng = np.random.default_rng(random_state)
    rows = rng.normal(size=(n, n_directions)) @ rng.normal(size=(n_directions, DIMENSION))
    rows += 0.3 * rng.normal(size=(n, DIMENSION))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_products_of_shorter_rows_are_never_smaller() -> None:
    rows = clustered(LEAST_ROWS, 1)
    found = shortened([rows], 0.7)
    assert found is not None
    (short,) = found
    assert short.shape[1] < DIMENSION
    some = slice(0, 700)
    assert (short[some] @ short[some].T >= rows[some] @ rows[some].T - ROTATION_NOISE).all()


def test_few_rows_stay_whole() -> None:
    assert shortened([clustered(LEAST_ROWS - 1, 2)], 0.7) is None


def test_rows_without_a_leading_direction_stay_whole() -> None:
    rows = np.random.default_rng(3).normal(size=(LEAST_ROWS, DIMENSION)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert shortened([rows], 0.3) is None


@pytest.mark.parametrize("n_columns", [1, 2])
@pytest.mark.parametrize("threshold", [0.5, 0.7])
def test_the_graph_is_the_one_of_whole_rows(n_columns: int, threshold: float, monkeypatch: pytest.MonkeyPatch) -> None:
    n, rng = LEAST_ROWS + 500, np.random.default_rng(4)
    columns = []
    for number in range(n_columns):
        missing = rng.random(n) < 0.05
        rows = clustered(n, 10 + number)
        rows[missing] = 0.0
        least = 0.2 if number else None
        columns.append(VectorColumn(f"text {number}", 1.0 / n_columns, least, rows, missing))
    plan = make_plan(columns, threshold)
    assert all(rows.shape[1] < DIMENSION for rows in plan.dense), "nothing was shortened, so nothing is tested"
    found = canonical_pairs(pairs_above(columns, threshold))
    monkeypatch.setattr(cnrag_core.similarity.bounds, "shortened", lambda matrices, least: None)
    whole = canonical_pairs(pairs_above(columns, threshold))
    assert len(whole) > 1_000
    for part in ("left", "right", "weight"):
        assert np.array_equal(getattr(found, part), getattr(whole, part))
