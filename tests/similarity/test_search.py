"""The compiled search: the same pairs whatever the tile, thread count, buffer or pruning."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest

from cnrag_core.similarity import bounds, kernels, search
from cnrag_core.similarity.bounds import make_plan
from cnrag_core.similarity.pairs import Floor, Pairs, canonical_pairs, concat_pairs
from cnrag_core.similarity.scoring import score_pairs
from cnrag_core.similarity.search import nearest_compiled, search_one_tile, stream_compiled
from tests.similarity.random_columns import KINDS, random_columns, score_matrix


def found(columns: tuple, threshold: float, n_threads: int = 1) -> list[tuple[int, int, float]]:
    pairs = canonical_pairs(concat_pairs(list(stream_compiled(columns, Floor(threshold), n_threads=n_threads))))
    return list(zip(pairs.left.tolist(), pairs.right.tolist(), pairs.weight.tolist(), strict=True))


@pytest.fixture(scope="module")
def columns() -> tuple:
    return random_columns(np.random.default_rng(11), 300)


@pytest.mark.parametrize("n_threads", [1, 2, 3])
@pytest.mark.parametrize(
    ("tile", "buffer", "share"), [(7, 1, 0.6), (50, 60, 0.0), (64, 1 << 18, 0.9), (4096, 1000, 0.3)]
)
def test_nothing_depends_on_tiles_threads_buffers_or_pruning(
    columns: tuple, tile: int, buffer: int, share: float, n_threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = found(columns, 0.3)
    monkeypatch.setattr(search, "TILE", tile)
    monkeypatch.setattr(search, "CANDIDATES_AT_ONCE", buffer)
    monkeypatch.setattr(bounds, "PRUNED_SHARE", share)
    assert len(expected) > 500
    assert found(columns, 0.3, n_threads) == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("threshold", [0.0, 0.2, 0.7])
def test_each_kind_of_column_alone_equals_brute_force(kind: str, threshold: float) -> None:
    columns = random_columns(np.random.default_rng(7), 120, (kind,), minimums=False)
    scores = score_matrix(columns, 120)
    expected = np.argwhere(np.triu((scores >= threshold - 1e-9) & (scores > 0), 1))
    assert [pair[:2] for pair in sorted(found(columns, threshold))] == [tuple(pair) for pair in expected.tolist()]


@pytest.mark.parametrize("one_sided", [True, False])
def test_bounds_are_never_below_the_scores(columns: tuple, one_sided: bool) -> None:
    plan = make_plan(columns, 0.0, one_sided=one_sided)
    rows = np.arange(300)
    query = np.zeros((300, plan.n_terms), dtype=np.float64)
    index = np.zeros((300, plan.n_terms), dtype=np.float64)
    for row in rows:
        part = slice(plan.indptr[row], plan.indptr[row + 1])
        query[row, plan.indices[part]] = plan.query_values[part]
        index[row, plan.indices[part]] = plan.index_values[part]
    bound = query @ index.T
    bound += sum(np.maximum(matrix @ matrix.T, 0) for matrix in plan.dense)
    for codes, table in zip(plan.codes, plan.tables, strict=True):
        bound += table[codes[:, None], codes[None, :]]
    left, right = (part.astype(np.int64) for part in np.triu_indices(300, 1))
    scores = score_pairs(columns, plan.document[left], plan.document[right])
    assert np.all(bound[left, right] >= scores - plan.slack)


def test_left_out_terms_stay_below_their_norm() -> None:
    columns = random_columns(np.random.default_rng(0), 300, ("text", "jaccard"))
    plan = make_plan(columns, 0.5)
    left_out = plan.split - plan.indptr[:-1]
    assert left_out.sum() > 100
    for row in np.flatnonzero(left_out):
        part = slice(plan.indptr[row], plan.split[row])
        assert np.linalg.norm(plan.index_values[part]) <= plan.left_out_norm[row]
        assert plan.indices[part].max() < plan.n_heavy


def test_long_rows_widen_the_slack() -> None:
    text = random_columns(np.random.default_rng(0), 5, ("text",))
    assert make_plan(text, 0.3).slack == bounds.SLACK


def test_one_tile_is_a_job_of_its_own(columns: tuple, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "TILE", 100)
    plan, floor = make_plan(columns, 0.3), Floor(0.3)
    parts = [part for start in (200, 0, 100) for part in search_one_tile(columns, plan, start, floor)]
    pairs = canonical_pairs(concat_pairs(parts))
    assert list(zip(pairs.left.tolist(), pairs.right.tolist(), pairs.weight.tolist(), strict=True)) == found(
        columns, 0.3
    )


def test_a_raised_floor_ends_what_lies_below_it(columns: tuple, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "TILE", 50)
    floor = Floor(0.1)
    stream = stream_compiled(columns, floor, n_threads=1)
    next(stream)
    floor.value = 0.5
    assert min(part.weight.min(initial=1.0) for part in stream) >= 0.5 - 1e-9


def test_threads_end_when_nobody_listens_any_more(columns: tuple, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "TILE", 10)
    stream = stream_compiled(columns, Floor(0.0), n_threads=3)
    next(stream)
    stream.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("pairs-")]


def test_an_error_in_a_thread_reaches_the_caller(columns: tuple, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> Iterator[Pairs]:
        raise MemoryError("no room")
        yield

    monkeypatch.setattr(search, "search_one_tile", fail)
    monkeypatch.setattr(search, "TILE", 50)
    with pytest.raises(MemoryError, match="no room"):
        list(stream_compiled(columns, Floor(0.3), n_threads=2))


def test_warming_up_compiles_every_loop_of_the_search() -> None:
    search.warm_up()
    loops = [kernels.renumber, kernels.split_rows, kernels.index_tile, kernels.search_tile, kernels.nearest_in_tile]
    assert all(loop.signatures for loop in [*loops, kernels.sparse_dots, kernels.dense_dots])  # type: ignore[attr-defined]
    assert kernels.are_compiled()


def test_neighbours_whose_bounds_are_far_above_their_scores_are_found() -> None:
    # Dice is far below its bound where set sizes differ, so the best looking are often not the best.
    rng = np.random.default_rng(4)
    columns = random_columns(rng, 400, ("overlap", "wide_overlap", "dice"))
    scores = score_matrix(columns, 400)
    rows = np.arange(0, 400, 3)
    pairs = nearest_compiled(columns, rows, 2)
    got = set(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))
    for row in rows.tolist():
        best = sorted(range(400), key=lambda other: (-scores[row, other], other))[:2]
        assert all(scores[row, o] == 0 or (min(row, o), max(row, o)) in got for o in best)


def test_large_corpora_have_larger_tiles_and_dense_rows_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = random_columns(np.random.default_rng(4), 400, ("text", "jaccard"))
    expected = found(columns, 0.3)
    monkeypatch.setattr(search, "TILE", 3)
    assert search.tile_rows(columns) == 6
    assert found(columns, 0.3, 2) == expected
    monkeypatch.setattr(search, "TILES_AT_LEAST", 5)
    assert search.tile_rows(columns) == 48
    assert found(columns, 0.3) == expected
    assert search.tile_rows(random_columns(np.random.default_rng(4), 400, ("text", "dense"))) == 3
    monkeypatch.setattr(search, "LARGEST_TILE", 12)
    assert search.tile_rows(columns) == 12
