"""Finished tiles in a folder: the same pairs however often a search is interrupted, and whatever happens to a file."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cnrag_core.errors import ConfigError, ResourceLimitError, StorageError, StorageFullError
from cnrag_core.similarity import search, tiles
from cnrag_core.similarity.pairs import Pairs, canonical_pairs, concat_pairs, merge_canonical
from cnrag_core.similarity.pairwise import pairs_above, strongest_pairs
from cnrag_core.similarity.shards import only_user, open_shards
from cnrag_core.similarity.state import SearchState, digest_of, open_state, write_state
from cnrag_core.similarity.tiles import Engine
from tests.similarity.random_columns import KINDS, random_columns

ROOT = Path(__file__).resolve().parents[2]
N, TILE = 300, 30


class StoppedError(Exception):
    pass


@pytest.fixture(scope="module")
def columns() -> tuple:
    return random_columns(np.random.default_rng(3), N)


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "TILE", TILE)


def bits(pairs: Pairs) -> tuple[bytes, bytes, bytes]:
    return pairs.left.tobytes(), pairs.right.tobytes(), pairs.weight.tobytes()


def shard_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("pairs-*/tile-*.npz"))


def stop_after(n_tiles: int, folder: Path) -> Callable[[str, float], None]:
    """Progress that cancels as soon as so many more tiles are in the folder."""
    before = len(shard_files(folder))

    def progress(step: str, share: float) -> None:
        if len(shard_files(folder)) >= before + n_tiles:
            raise StoppedError

    return progress


def test_pairs_from_shards_are_those_of_the_plain_search(columns: tuple, tmp_path: Path) -> None:
    plain = pairs_above(columns, 0.3)
    assert len(plain) > 300
    for n_threads in (1, 3):
        engine = Engine(folder=tmp_path / str(n_threads))
        assert bits(pairs_above(columns, 0.3, engine=engine, n_threads=n_threads)) == bits(plain)
        assert len(shard_files(engine.folder)) == N // TILE
    assert not list(tmp_path.rglob("*.part"))


def test_an_interrupted_search_goes_on_where_it_stopped(
    columns: tuple, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, compared, compare = pairs_above(columns, 0.3), [], tiles.compare_tile
    monkeypatch.setattr(tiles, "compare_tile", lambda *job: (compared.append(job[1]), compare(*job))[1])
    engine, interruptions = Engine(folder=tmp_path), 0
    while True:
        kept = {int(file.stem.split("-")[1]) for file in shard_files(tmp_path)}
        compared.clear()
        try:
            found = pairs_above(columns, 0.3, engine=engine, n_threads=1, progress=stop_after(2, tmp_path))
            break
        except StoppedError:
            interruptions += 1
            assert not kept & set(compared)
    assert interruptions >= 3
    assert bits(found) == bits(plain)
    compared.clear()
    assert bits(pairs_above(columns, 0.3, engine=engine)) == bits(plain)
    assert compared == []


@pytest.mark.parametrize("most", [40, 200, 1_000])
def test_a_floor_that_rises_and_interruptions_change_nothing(columns: tuple, most: int, tmp_path: Path) -> None:
    pairs, floor = strongest_pairs(columns, 0.0, most)
    for n_tiles in (1, 4, 7):
        engine = Engine(folder=tmp_path / str(n_tiles))
        with pytest.raises(StoppedError):
            strongest_pairs(columns, 0.0, most, engine=engine, progress=stop_after(n_tiles, engine.folder))
        found, found_floor = strongest_pairs(columns, 0.0, most, engine=engine)
        assert (bits(found), found_floor) == (bits(pairs), floor)
        # Read from shards alone, the answer is the same once more.
        again, again_floor = strongest_pairs(columns, 0.0, most, engine=engine)
        assert (bits(again), again_floor) == (bits(pairs), floor)


def test_a_killed_process_costs_its_own_tiles_only(columns: tuple, tmp_path: Path) -> None:
    code = f"""
import sys, time
from pathlib import Path
import numpy as np
from cnrag_core.similarity import search
from cnrag_core.similarity.pairwise import pairs_above
from cnrag_core.similarity.tiles import Engine
from tests.similarity.random_columns import random_columns
search.TILE = {TILE}
columns = random_columns(np.random.default_rng(3), {N})
pairs_above(columns, 0.3, engine=Engine(folder=Path(sys.argv[1])), n_threads=1,
            progress=lambda step, share: time.sleep(0.2))
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    child = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], env=environment)
    while len(shard_files(tmp_path)) < 3:
        assert child.poll() is None
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    kept = {file: file.stat().st_mtime_ns for file in shard_files(tmp_path)}
    assert 3 <= len(kept) < N // TILE
    assert bits(pairs_above(columns, 0.3, engine=Engine(folder=tmp_path))) == bits(pairs_above(columns, 0.3))
    assert all(file.stat().st_mtime_ns == modified for file, modified in kept.items())


def damages(whole: bytes, foreign: bytes, neighbour: bytes) -> dict[str, bytes]:
    """What may happen to a file: cut short, emptied, a flipped byte, the pairs of another tile or search."""
    found = {"empty": b"", "half": whole[: len(whole) // 2], "text": b"pairs", "search": foreign, "tile": neighbour}
    for array in (b"left.npy", b"right.npy", b"weight.npy", b"search.npy", b"start.npy"):
        damaged = bytearray(whole)
        damaged[whole.index(array) + len(array) + 140] ^= 0x10  # behind the header of the array: in its values
        found[array.decode()] = bytes(damaged)
    return found


def test_a_damaged_or_foreign_shard_is_noticed_and_made_again(
    columns: tuple, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    engine = Engine(folder=tmp_path)
    plain = pairs_above(columns, 0.3, engine=engine)
    files = shard_files(tmp_path)
    pairs_above(columns, 0.2, engine=engine)
    foreign = next(file for file in shard_files(tmp_path) if file not in files and file.name == files[3].name)
    for number in range(len(files)):
        kinds = damages(files[number].read_bytes(), foreign.read_bytes(), files[number - 1].read_bytes())
        files[number].write_bytes(list(kinds.values())[number])
    assert len(files) == len(kinds)
    assert bits(pairs_above(columns, 0.3, engine=engine)) == bits(plain)
    noticed = [record.args[0] for record in caplog.records if "its tile is compared again" in record.message]
    assert noticed == files


def test_a_shard_of_impossible_pairs_is_made_again(columns: tuple, tmp_path: Path) -> None:
    engine = Engine(folder=tmp_path)
    plain = pairs_above(columns, 0.3, engine=engine)
    shards = open_shards(tmp_path, columns, 0.3, None, TILE)
    pairs = shards.read(270)
    assert pairs is not None
    for wrong in (
        Pairs(pairs.right, pairs.left, pairs.weight),
        Pairs(pairs.left, pairs.right + N, pairs.weight),
        Pairs(pairs.left, pairs.right, pairs.weight + 1.0),
        Pairs(pairs.left, pairs.right, pairs.weight[:-1]),
        Pairs(pairs.left.astype(np.float32), pairs.right, pairs.weight),
    ):
        shards.write(270, wrong)
        assert shards.read(270) is None
    assert bits(pairs_above(columns, 0.3, engine=engine)) == bits(plain)


def test_a_folder_of_other_columns_is_refused_and_left_as_it_is(columns: tuple, tmp_path: Path) -> None:
    engine = Engine(folder=tmp_path)
    pairs_above(columns, 0.3, engine=engine)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    other = (replace(columns[0], weight=columns[0].weight / 2), *columns[1:])
    with pytest.raises(ConfigError, match=r"holds pairs of 300 documents from another corpus or configuration"):
        pairs_above(other, 0.3, engine=engine)
    with pytest.raises(ConfigError, match=r"than this one \(50 documents\); name another folder, or delete it"):
        pairs_above(random_columns(np.random.default_rng(3), 50), 0.3, engine=engine)
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 0}'])
def test_a_manifest_that_is_not_ours_is_refused(columns: tuple, tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match="holds something from another corpus or configuration"):
        pairs_above(columns, 0.3, engine=Engine(folder=tmp_path))


def test_a_folder_with_something_else_in_it_is_refused(columns: tuple, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(ConfigError, match="is not empty and not one of ours; name an empty one"):
        pairs_above(columns, 0.3, engine=Engine(folder=tmp_path))
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_folder_that_cannot_be_written_to_is_one_sentence(
    columns: tuple, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StorageError, match="pairs cannot be kept here"):
        pairs_above(columns, 0.3, engine=Engine(folder=tmp_path / "file"))

    def no_room(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    engine = Engine(folder=tmp_path / "full")
    with monkeypatch.context() as full:
        full.setattr(np, "savez", no_room)
        with pytest.raises(StorageFullError, match=r"tile-\d+\.npz: pairs cannot be kept here \(No space left"):
            pairs_above(columns, 0.3, engine=engine)
    assert not list(tmp_path.rglob("*.part"))
    assert bits(pairs_above(columns, 0.3, engine=engine)) == bits(pairs_above(columns, 0.3))


def test_two_builds_do_not_share_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    refused = pytest.raises(ConfigError, match="another build is at work in this folder")
    with only_user(folder), refused, only_user(folder):
        pass
    with only_user(folder):
        pass


def test_more_pairs_than_allowed_are_refused_from_shards_too(columns: tuple, tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(ResourceLimitError, match=r"More than 100 pairs are at least 0\.30 similar"):
            pairs_above(columns, 0.3, max_pairs=100, engine=Engine(folder=tmp_path))
    n = len(pairs_above(columns, 0.3))
    assert len(pairs_above(columns, 0.3, max_pairs=n, engine=Engine(folder=tmp_path))) == n


def test_merging_equals_sorting_everything() -> None:
    rng = np.random.default_rng(5)
    parts = []
    for size in (0, 1, 700, 1_300):
        left = rng.integers(0, 40, size)
        weight = rng.choice([1.0, 0.5, 0.25, 1e-30, 0.2500000001, *rng.random(20)], size)
        parts.append(Pairs(left.astype(np.int32), (left + rng.integers(1, 9, size)).astype(np.int32), weight))
    assert bits(merge_canonical(lambda: iter(parts))) == bits(canonical_pairs(concat_pairs(parts)))
    assert len(merge_canonical(lambda: iter([]))) == 0


def test_the_digest_changes_with_everything_that_changes_a_pair(columns: tuple) -> None:
    digests = {digest_of(columns), digest_of(columns[::-1])}
    changed = 2
    for number, column in enumerate(columns):
        variants = [replace(column, weight=column.weight * 0.5), replace(column, min_similarity=0.123)]
        missing = column.missing.copy()
        missing[7] = not missing[7]
        variants.append(replace(column, missing=missing))
        if hasattr(column, "scale"):
            variants.append(replace(column, scale=column.scale * 2))
        if getattr(column, "metric", "") in ("jaccard", "dice"):
            variants.append(replace(column, metric="overlap"))
        for variant in variants:
            digests.add(digest_of((*columns[:number], variant, *columns[number + 1 :])))
        changed += len(variants)
    assert len(digests) == changed
    relabelled = tuple(
        replace(c, labels=tuple(f"x{x}" for x in c.labels)) if hasattr(c, "labels") else c for c in columns
    )
    assert digest_of(relabelled) == digest_of(columns)


def test_values_that_are_the_same_are_kept_once() -> None:
    from cnrag_core.similarity.bounds import make_plan

    both = make_plan(random_columns(np.random.default_rng(1), 60, ("text", "jaccard")), 0.2)
    assert both.index_values is both.query_values
    two = make_plan(random_columns(np.random.default_rng(1), 60, ("text", "overlap")), 0.2)
    assert two.index_values is not two.query_values


@pytest.mark.parametrize("kind", KINDS)
def test_a_written_state_opens_as_it_was(kind: str, tmp_path: Path) -> None:
    from cnrag_core.similarity.bounds import make_plan

    columns = random_columns(np.random.default_rng(1), 60, (kind, "text"))
    write_state(SearchState(columns, make_plan(columns, 0.2)), tmp_path)
    opened = open_state(tmp_path)
    assert digest_of(opened.columns) == digest_of(columns)
    parts = list(search.search_one_tile(opened.columns, opened.plan, 30, search.Floor(0.2)))
    made = list(search.search_one_tile(columns, make_plan(columns, 0.2), 30, search.Floor(0.2)))
    assert bits(concat_pairs(parts)) == bits(concat_pairs(made))
    assert json.loads((tmp_path / "state.json").read_text(encoding="utf-8"))["columns"][0]["name"] == kind
