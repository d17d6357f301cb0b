"""Tiles on threads, on processes, and on workers that are lost: the same pairs from all of them."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from cnrag_core.config.spec import EdgeRule
from cnrag_core.errors import ResourceLimitError, StorageError
from cnrag_core.graph.builder import build_graph
from cnrag_core.similarity import crews, search, tiles
from cnrag_core.similarity.crews import Crew, ExecutorCrew, state_of
from cnrag_core.similarity.pairwise import pairs_above, strongest_pairs, top_neighbors
from cnrag_core.similarity.tiles import Engine
from tests.similarity.random_columns import random_columns
from tests.similarity.test_shards import bits

N = 240
RULES = (
    EdgeRule(min=0.35),
    EdgeRule(min=0.2, max_per_node=4),
    EdgeRule(density=0.02, min_neighbors=3),
    EdgeRule(),
)


@pytest.fixture(scope="module")
def columns() -> tuple:
    return random_columns(np.random.default_rng(9), N)


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "TILE", 20)


def make_processes(n: int = 2) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(n, mp_context=get_context("spawn"))


@pytest.fixture(scope="module")
def processes() -> Iterator[ProcessPoolExecutor]:
    with make_processes() as pool:
        yield pool


@pytest.fixture(params=["threads", "processes", "shards", "processes and shards"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    folder = tmp_path / "shards" if "shards" in request.param else None
    if "processes" in request.param:
        yield Engine(ExecutorCrew(request.getfixturevalue("processes")), folder)
    elif request.param == "threads":
        with ThreadPoolExecutor(3) as pool:
            yield Engine(ExecutorCrew(pool))
    else:
        yield Engine(folder=folder)


def test_every_rule_keeps_the_same_edges_through_every_engine(columns: tuple, engine: Engine) -> None:
    ids = [f"d{number:03d}" for number in range(N)]
    for rule in RULES:
        plain, found = build_graph(ids, columns, rule), build_graph(ids, columns, rule, engine=engine)
        assert plain.graph.n_edges > 100
        assert bits(found.graph) == bits(plain.graph)
        assert bits(found.candidates) == bits(plain.candidates)
        assert found.candidates.floor == plain.candidates.floor


@pytest.mark.parametrize("most", [50, 400])
def test_a_floor_that_rises_meanwhile_changes_nothing(columns: tuple, engine: Engine, most: int) -> None:
    pairs, floor = strongest_pairs(columns, 0.0, most)
    found, found_floor = strongest_pairs(columns, 0.0, most, engine=engine)
    assert (bits(found), found_floor) == (bits(pairs), floor)


@pytest.mark.parametrize("k", [1, 7, N - 1])
def test_nearest_neighbours_are_the_same_from_every_engine(
    columns: tuple, engine: Engine, k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiles, "ROWS_OF_A_JOB", 9)
    rows = np.arange(0, N, 3)
    assert bits(top_neighbors(columns, rows, k, engine=engine)) == bits(top_neighbors(columns, rows, k))


def test_the_state_is_written_once_and_removed(
    columns: tuple, processes: ProcessPoolExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, write = [], crews.write_state
    monkeypatch.setattr(crews, "write_state", lambda state, folder: (written.append(folder), write(state, folder)))
    pairs_above(columns, 0.3, engine=Engine(ExecutorCrew(processes), tmp_path))
    assert len(written) == 1
    assert written[0].parent == tmp_path
    assert not written[0].exists()


def test_a_state_left_by_a_killed_process_is_removed(columns: tuple, processes: Executor, tmp_path: Path) -> None:
    engine = Engine(ExecutorCrew(processes), tmp_path)
    pairs_above(columns, 0.3, engine=engine)
    (tmp_path / "state-left").mkdir()
    pairs_above(columns, 0.4, engine=engine)
    assert not list(tmp_path.glob("state-*"))


def die_once(handle: object, *job: object) -> object:
    """As `compare_tile`, but the process ends the first time anybody comes here."""
    from cnrag_core.similarity.tiles import compare_tile

    marker = Path(os.environ["CNRAG_TEST_DIED"])
    try:
        marker.touch(exist_ok=False)
    except FileExistsError:
        return compare_tile(handle, *job)  # type: ignore[arg-type]
    os.kill(os.getpid(), signal.SIGKILL)
    return None


def test_a_killed_worker_costs_its_tiles_only_where_the_pool_can_be_made_again(
    columns: tuple, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = pairs_above(columns, 0.3)
    monkeypatch.setenv("CNRAG_TEST_DIED", str(tmp_path / "died"))
    monkeypatch.setattr(tiles, "compare_tile", die_once)
    pools: list[ProcessPoolExecutor] = []

    def make() -> ProcessPoolExecutor:
        pools.append(make_processes(1))
        return pools[-1]

    assert bits(pairs_above(columns, 0.3, engine=Engine(ExecutorCrew(make)))) == bits(plain)
    assert len(pools) == 2
    for pool in pools:
        with pytest.raises(RuntimeError, match=r"shutdown|not usable"):
            pool.submit(int)


def test_a_pool_that_breaks_and_cannot_be_made_again_is_one_sentence(
    columns: tuple, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = pairs_above(columns, 0.3)
    monkeypatch.setenv("CNRAG_TEST_DIED", str(tmp_path / "died"))
    folder = tmp_path / "shards"
    with monkeypatch.context() as dying, make_processes(1) as pool:
        dying.setattr(tiles, "compare_tile", die_once)
        with pytest.raises(ResourceLimitError, match="took its pool with it"):
            pairs_above(columns, 0.3, engine=Engine(ExecutorCrew(pool), folder))
    assert not list(folder.glob("state-*"))
    assert bits(pairs_above(columns, 0.3, engine=Engine(folder=folder))) == bits(plain)


class LosingCrew:
    """Loses every job of some tiles so many times, as a cluster loses workers."""

    def __init__(self, times: int) -> None:
        self.times, self.lost = times, 0

    def hands(self, state: crews.SearchState, folder: Path | None) -> AbstractContextManager[crews.Hands]:
        self.state = state
        return nullcontext(self)

    n_at_once = 3

    def submit(self, function: object, *arguments: object) -> Future:
        future: Future = Future()
        if arguments[0] == 40 and self.lost < self.times:
            self.lost += 1
            future.set_exception(ConnectionError("gone"))
        else:
            future.set_result(function(self.state, *arguments))  # type: ignore[operator]
        return future

    def mend(self, error: BaseException, job: Future | None) -> bool:
        return isinstance(error, ConnectionError)

    def check(self) -> None:
        pass


def test_a_lost_job_is_done_again_and_not_for_ever(columns: tuple) -> None:
    crew: Crew = LosingCrew(crews.ATTEMPTS - 1)
    assert bits(pairs_above(columns, 0.3, engine=Engine(crew))) == bits(pairs_above(columns, 0.3))
    with pytest.raises(ResourceLimitError, match="was lost 4 times, most likely for its memory"):
        pairs_above(columns, 0.3, engine=Engine(LosingCrew(99)))


def test_an_error_of_a_job_is_the_callers(columns: tuple, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> Iterator[None]:
        raise MemoryError("no room")
        yield

    monkeypatch.setattr(search, "search_one_tile", fail)
    with ThreadPoolExecutor(2) as pool, pytest.raises(MemoryError, match="no room"):
        pairs_above(columns, 0.3, engine=Engine(ExecutorCrew(pool)))


def test_cancelling_leaves_no_thread_and_no_file(columns: tuple, engine: Engine) -> None:
    shares = []

    def cancel(step: str, share: float) -> None:
        shares.append(share)
        if share > 0.2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pairs_above(columns, 0.3, engine=engine, progress=cancel)
    assert shares == sorted(shares)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("pairs")]
    assert engine.folder is None or not list(engine.folder.glob("state-*"))
    assert bits(pairs_above(columns, 0.3, engine=engine)) == bits(pairs_above(columns, 0.3))


def test_a_state_that_a_worker_cannot_read_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="a worker cannot read what it shall compare"):
        state_of(str(tmp_path / "elsewhere"))
