"""Threads and processes write one database side by side, and a reader never sees half a batch."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from cnrag_core.errors import StorageError
from cnrag_core.storage.check import check_database
from cnrag_core.storage.sqlite_storage import SQLiteStorage
from tests.hardening.campaign import count, report

ROOT = Path(__file__).resolve().parents[2]
N_THREADS, N_PROCESSES = 8, 2
DOCUMENTS, TOGETHER = count(100, 25), 5
"""Documents of each writer, and how many of them are one transaction."""

WRITER = """
import sys
from cnrag_core.storage.sqlite_storage import SQLiteStorage
from tests.hardening.test_t03_concurrent_writers import write
sys.stdin.readline()
with SQLiteStorage(sys.argv[1]) as storage:
    write(storage, sys.argv[2])
"""


def write(storage: SQLiteStorage, name: str) -> None:
    """Store the documents of one writer, batch by batch."""
    for batch in range(DOCUMENTS // TOGETHER):
        storage.save_nodes((f"{name}-{batch:02d}-{number}", "text " * 40, {}) for number in range(TOGETHER))


def torn(node_ids: list[str]) -> int:
    """Batches of which some documents can be seen, and others cannot."""
    seen = Counter(node_id.rpartition("-")[0] for node_id in node_ids)
    return sum(n != TOGETHER for n in seen.values())


def run(path: Path, *, reading: bool) -> tuple[int, list[StorageError], int, int, float]:
    """Documents stored, errors, torn reads, reads and seconds."""
    SQLiteStorage(path).close()
    errors: list[StorageError] = []
    reads = n_torn = 0
    over = threading.Event()

    def writer(name: str) -> None:
        try:
            with SQLiteStorage(path) as storage:
                write(storage, name)
        except StorageError as error:
            errors.append(error)

    def reader() -> None:
        nonlocal reads, n_torn
        with SQLiteStorage(path) as storage:
            while not over.is_set():
                n_torn += torn(storage.node_ids())
                reads += 1

    command = [sys.executable, "-c", WRITER, str(path)]
    processes = [
        subprocess.Popen([*command, f"p{n}"], cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for n in range(N_PROCESSES)
    ]
    threads = [threading.Thread(target=writer, args=(f"t{n}",)) for n in range(N_THREADS)]
    looker = threading.Thread(target=reader)
    started = time.monotonic()
    if reading:
        looker.start()
    for thread in threads:
        thread.start()
    for process in processes:
        _, said = process.communicate("go\n", timeout=120)
        assert process.returncode == 0, said
    for thread in threads:
        thread.join(timeout=120)
    seconds = time.monotonic() - started
    over.set()
    if reading:
        looker.join(timeout=120)
    with SQLiteStorage(path) as storage:
        stored = storage.node_ids()
    assert torn(stored) == 0
    assert check_database(path) == []
    return len(stored), errors, n_torn, reads, seconds


def test_t3_eight_threads_and_two_processes_store_everything(tmp_path: Path) -> None:
    wanted = (N_THREADS + N_PROCESSES) * DOCUMENTS
    stored, errors, _, _, seconds = run(tmp_path / "a.db", reading=False)
    figures = f'{len(errors)} "database is locked", {seconds:.1f} s'
    report("T3", stored, wanted, figures, documents_lost=wanted - stored)
    assert (stored, errors) == (wanted, [])


def test_t3_a_reader_never_sees_half_a_batch(tmp_path: Path) -> None:
    wanted = (N_THREADS + N_PROCESSES) * DOCUMENTS
    stored, errors, n_torn, reads, seconds = run(tmp_path / "a.db", reading=True)
    figures = f'{n_torn} torn of {reads:,} reads, {len(errors)} "database is locked", {seconds:.1f} s'
    report("T3 with a reader", stored, wanted, figures, documents_lost=wanted - stored)
    assert (stored, errors, n_torn) == (wanted, [], 0)
    assert reads > 0
