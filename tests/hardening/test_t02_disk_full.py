"""A full disk is named, loses nothing that was stored, and the same ingest completes once there is room."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cnrag_core.errors import StorageFullError
from cnrag_core.storage.check import check_database
from cnrag_core.storage.sqlite_embedding_store import SQLiteEmbeddingStore
from cnrag_core.storage.sqlite_storage import SQLiteStorage
from tests.hardening.campaign import count, random_of, report
from tests.hardening.ingesting import Inventory, expected_digests, ingest, stored_digests

ROOT = Path(__file__).resolve().parents[2]
N_BATCHES = 60
MEGABYTE = 2**20


def starve(path: Path, limit: Callable[[SQLiteStorage, SQLiteEmbeddingStore], None]) -> tuple[str, set[int]]:
    """Ingest under a limit until it is reached; the message, and the batches acknowledged before."""
    acknowledged: set[int] = set()
    with SQLiteStorage(path) as storage, SQLiteEmbeddingStore(path) as store:
        limit(storage, store)
        try:
            ingest(storage, store, range(N_BATCHES), acknowledged.add)
        except StorageFullError as error:
            still_there = {node_id[:6] for node_id in storage.node_ids()}
            assert {f"{batch:06d}" for batch in acknowledged} <= still_there, "not readable while the disk is full"
            return str(error), acknowledged
    raise AssertionError("the limit was never reached")


def is_survived(path: Path, message: str, acknowledged: set[int]) -> bool:
    """Whether the message can be shown, everything acknowledged is whole, and the ingest completes with room."""
    assert message == f"There is no room left for the database {path.name!r}; everything stored before is intact."
    found = Inventory(path)
    assert found.integrity == "ok"
    assert (found.partial, found.ragged) == (set(), set())
    assert acknowledged <= found.whole & found.embedded
    with SQLiteStorage(path) as storage, SQLiteEmbeddingStore(path) as store:
        ingest(storage, store, [batch for batch in range(N_BATCHES) if batch not in acknowledged], lambda _: None)
        assert stored_digests(storage) == expected_digests(N_BATCHES)
    assert check_database(path) == []
    return True


def in_order(way: str, least: int, most: int) -> list[int]:
    """Seeded limits from the least to the most room."""
    rng = random_of(f"T2 {way}")
    return sorted(rng.randrange(least, most) for _ in range(count(10, 3)))


def test_t2_a_limit_of_pages(tmp_path: Path) -> None:
    limits = in_order("pages", 20, 450)
    survived = 0
    for limit in limits:
        path = tmp_path / f"{limit}.db"

        def pages(storage: SQLiteStorage, store: SQLiteEmbeddingStore, limit: int = limit) -> None:
            for database in (storage.database, store.database):
                database.connection.execute(f"PRAGMA max_page_count={limit}")

        survived += is_survived(path, *starve(path, pages))
    report("T2 max_page_count", survived, len(limits), f"at {limits[0]} to {limits[-1]} pages", score="faults")
    assert survived == len(limits)


CHILD = """
import json, resource, sys
from pathlib import Path
from tests.hardening.test_t02_disk_full import starve
unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
for n_bytes in map(int, sys.argv[2:]):
    path = Path(sys.argv[1]) / f"{n_bytes}.db"
    message, acknowledged = starve(path, lambda *_: resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, unlimited)))
    resource.setrlimit(resource.RLIMIT_FSIZE, (unlimited, unlimited))
    print(json.dumps([message, sorted(acknowledged)]))
"""


def test_t2_a_limit_of_the_file_size(tmp_path: Path) -> None:
    limits = in_order("file size", 100_000, 2 * MEGABYTE)
    command = [sys.executable, "-c", CHILD, str(tmp_path), *map(str, limits)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    survived = 0
    for limit, line in zip(limits, ran.stdout.splitlines(), strict=True):
        message, acknowledged = json.loads(line)
        survived += is_survived(tmp_path / f"{limit}.db", message, set(acknowledged))
    report("T2 RLIMIT_FSIZE", survived, len(limits), f"at {limits[0]:,} to {limits[-1]:,} bytes", score="faults")
    assert survived == len(limits)


@contextmanager
def small_disk(folder: Path, size: str = "2m") -> Iterator[Path]:
    """A file system of that size; skips where none can be mounted."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a small file system can only be mounted by root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_t2_a_small_file_system(tmp_path: Path) -> None:
    fillings = in_order("tmpfs", 0, 1_700_000)[::-1]
    survived = 0
    for filling in fillings:
        with small_disk(tmp_path / str(filling)) as disk:
            (disk / "something else").write_bytes(bytes(filling))
            message, acknowledged = starve(disk / "a.db", lambda *_: None)
            subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
            survived += is_survived(disk / "a.db", message, acknowledged)
    report("T2 2 MB tmpfs", survived, len(fillings), f"{fillings[-1]:,} to {fillings[0]:,} bytes taken", score="faults")
    assert survived == len(fillings)


def test_t2_a_database_cannot_begin_on_a_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path / "full") as disk:
        with pytest.raises(OSError, match="No space left"):
            (disk / "something else").write_bytes(bytes(3 * MEGABYTE))
        with pytest.raises(StorageFullError, match=r"no room left for the database 'a\.db'"):
            SQLiteStorage(disk / "a.db")
        os.unlink(disk / "something else")
        with SQLiteStorage(disk / "a.db") as storage:
            storage.save_node("a", "text")
            assert storage.node_ids() == ["a"]
