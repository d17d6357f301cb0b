"""The all-pairs search as jobs: every tile once, on any crew, and its pairs kept in a folder if asked.

Enters: columns, a floor, an `Engine`. Leaves: the pairs of `stream_compiled`, tile by tile, the same to the
last bit. Which worker finds a tile, when, and how often the search was interrupted changes nothing: a tile
leaves out only pairs that are below the floor, or that so many others beat that they cannot be among the
strongest that are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cnrag_core.errors import StorageError
from cnrag_core.similarity.components import ComponentColumn, n_rows
from cnrag_core.similarity.pairs import Floor, Pairs, StrongestKept, concat_pairs
from cnrag_core.types import Progress, silent

if TYPE_CHECKING:
    from cnrag_core.similarity.crews import Crew
    from cnrag_core.similarity.shards import Shards
    from cnrag_core.similarity.state import SearchState


@dataclass(frozen=True)
class Engine:
    """Where tiles are compared, and where finished ones are kept.

    Attributes
    ----------
    crew
        Who compares; threads of this process where there is none.
    folder
        For shards, so that an interrupted search goes on; None keeps nothing.
    """

    crew: Crew | None = None
    folder: Path | None = None


LOCAL = Engine()
"""This process, nothing kept."""

ROWS_OF_A_JOB = 1_000
"""Documents whose nearest neighbours are one job, at least: each job indexes every tile anew."""


def stream_tiles(
    columns: Sequence[ComponentColumn],
    floor: Floor,
    engine: Engine,
    *,
    most: int | None = None,
    n_threads: int | None = None,
    progress: Progress = silent,
) -> Generator[Pairs, None, None]:
    """The pairs of each tile, in no particular order; see `pairwise.stream_pairs`.

    Parameters
    ----------
    most
        Pairs that are not among so many strongest may be left out.
    """
    yield from _stream(columns, floor, engine, _shards(columns, floor, engine, most), most, n_threads, progress)


def shards_of_search(
    columns: Sequence[ComponentColumn],
    threshold: float,
    found: Callable[[int], None],
    *,
    engine: Engine,
    most: int | None = None,
    n_threads: int | None = None,
    progress: Progress = silent,
) -> KeptTiles:
    """Search into the engine's folder and hold nothing; `found` is told the number of pairs of each tile."""
    floor = Floor(threshold)
    shards = _shards(columns, floor, engine, most)
    assert shards is not None
    with closing(_stream(columns, floor, engine, shards, most, n_threads, progress)) as parts:
        for part in parts:
            found(len(part))
    return KeptTiles(shards)


@dataclass(frozen=True)
class KeptTiles:
    """The finished tiles of a search; calling gives the pairs of one after the other."""

    shards: Shards

    def __call__(self) -> Iterator[Pairs]:
        for start in self.shards.starts:
            pairs = self.shards.read(start)
            if pairs is None:
                raise StorageError(f"{self.shards.folder}: the pairs of row {start:,} were damaged after the search.")
            yield pairs


def compare_tile(handle: SearchState | str, start: int, rows: int, floor: float, most: int | None) -> Pairs:
    """One job: the pairs of the tile of so many rows that begins at row `start`.

    Parameters
    ----------
    handle
        See `crews.state_of`.
    floor, most
        Left out is what lies below the floor, or is not among so many strongest of this tile.
    """
    from cnrag_core.similarity.crews import state_of
    from cnrag_core.similarity.search import search_one_tile

    state = state_of(handle)
    kept = StrongestKept(Floor(floor), most)
    for part in search_one_tile(state.columns, state.plan, start, kept.floor, rows=rows):
        if state.stopped.is_set():
            break
        kept.add(part)
    return kept.finish()[0]


def nearest_on(
    columns: Sequence[ComponentColumn],
    rows: NDArray[np.int64],
    k: int,
    engine: Engine,
    *,
    progress: Progress = silent,
) -> Pairs:
    """The k most similar other documents of each of the rows, by the engine's crew; see `pairwise.top_neighbors`."""
    from cnrag_core.similarity.bounds import make_plan
    from cnrag_core.similarity.crews import ThreadCrew, run_jobs
    from cnrag_core.similarity.search import NEIGHBOR_CELLS, default_threads
    from cnrag_core.similarity.state import SearchState

    state = SearchState(tuple(columns), make_plan(columns, 0.0, one_sided=False))
    crew = engine.crew or ThreadCrew(default_threads(state.plan))
    n, found, finished = n_rows(columns), list[Pairs](), 0
    waiting, n_best = rows, max(1, min(n - 1, 2 * k + 16))
    parts: list[NDArray[np.int64]] = []

    def arguments(job: int) -> tuple[NDArray[np.int64], int, int]:
        return parts[job], k, n_best

    def report() -> None:
        progress("Finding nearest neighbours", finished / len(rows))

    with crew.hands(state, engine.folder) as hands:
        while len(waiting):
            share = -(-len(waiting) // max(1, hands.n_at_once))
            size = min(max(ROWS_OF_A_JOB, share), max(1, NEIGHBOR_CELLS // n_best))
            parts = [waiting[start : start + size] for start in range(0, len(waiting), size)]
            again = []
            with closing(run_jobs(hands, nearest_of_rows, range(len(parts)), arguments, waiting=report)) as results:
                for job, (pairs, unsure) in results:
                    found.append(pairs)
                    again.append(unsure)
                    finished += len(parts[job]) - len(unsure)
                    report()
            # Where bounds could not tell the true neighbours apart, more of the best looking are scored.
            waiting, n_best = np.concatenate(again), min(n - 1, 4 * n_best)
    return concat_pairs(found)


def nearest_of_rows(
    handle: SearchState | str, rows: NDArray[np.int64], k: int, n_best: int
) -> tuple[Pairs, NDArray[np.int64]]:
    """One job: the neighbours of some documents, and the documents for which `n_best` bounds were not enough."""
    from cnrag_core.similarity.crews import state_of
    from cnrag_core.similarity.search import nearest_of

    state = state_of(handle)
    return nearest_of(state.columns, state.plan, rows, k, n_best)


def _stream(
    columns: Sequence[ComponentColumn],
    floor: Floor,
    engine: Engine,
    shards: Shards | None,
    most: int | None,
    n_threads: int | None,
    progress: Progress,
) -> Generator[Pairs, None, None]:
    from cnrag_core.similarity.bounds import make_plan
    from cnrag_core.similarity.crews import ThreadCrew, run_jobs
    from cnrag_core.similarity.search import cells_of_tile, default_threads, tile_rows
    from cnrag_core.similarity.state import SearchState

    n, rows = n_rows(columns), tile_rows(columns)
    todo, done, total = list(range(0, n, rows)), 0.0, n * n / 2.0
    for start in shards.finished() if shards else []:
        progress("Comparing pairs", done / total)
        pairs = shards.read(start)  # type: ignore[union-attr]  # there are none without
        if pairs is not None:
            todo.remove(start)
            done += cells_of_tile(n, start, rows)
            yield pairs
    if not todo:
        return
    state = SearchState(tuple(columns), make_plan(columns, floor.value))
    crew = engine.crew or ThreadCrew(default_threads(state.plan) if n_threads is None else n_threads)
    share = done / total
    # The last tiles have the most earlier rows, so they come first and the workers end together.
    with crew.hands(state, engine.folder) as hands, closing(
        run_jobs(
            hands, compare_tile, todo[::-1], lambda start: (start, rows, floor.value, _room(most)),
            waiting=lambda: progress("Comparing pairs", share),
        )
    ) as results:  # fmt: skip
        for start, pairs in results:
            if shards is not None:
                shards.write(start, pairs)
            done += cells_of_tile(n, start, rows)
            share = min(1.0, done / total)
            progress("Comparing pairs", share)
            yield pairs


def _shards(columns: Sequence[ComponentColumn], floor: Floor, engine: Engine, most: int | None) -> Shards | None:
    if engine.folder is None:
        return None
    from cnrag_core.similarity.search import tile_rows
    from cnrag_core.similarity.shards import open_shards

    return open_shards(engine.folder, columns, floor.value, most, tile_rows(columns))


def _room(most: int | None) -> int | None:
    """One more than are wanted, so that the strongest pair that is left out is known."""
    return None if most is None else most + 1
