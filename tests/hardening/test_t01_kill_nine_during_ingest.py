"""An ingest that is killed at any moment loses nothing that it has acknowledged and leaves nothing half-stored."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from cnrag_core.storage.check import check_database
from cnrag_core.storage.sqlite_storage import SQLiteStorage
from tests.hardening.campaign import count, random_of, report
from tests.hardening.ingesting import BATCH, Inventory

KILLS_A_FILE = 10
ROOT = Path(__file__).resolve().parents[2]


class Victim:
    """Ingests that are killed one after the other."""

    def __enter__(self) -> Victim:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.hardening.ingesting"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=30)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def killed_ingest(self, path: Path, first: int, seconds: float) -> list[int]:
        """Start an ingest, kill it after so long, and return the batches that it acknowledged."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{path} {first}\n")
        self.process.stdin.flush()
        word, pid = self.process.stdout.readline().split()
        assert word == "ready"
        time.sleep(seconds)
        os.kill(int(pid), signal.SIGKILL)
        acknowledged = []
        while (line := self.process.stdout.readline().strip()) != "ended":
            acknowledged.append(int(line))
        return acknowledged


def test_t1_a_killed_ingest_keeps_what_it_acknowledged_and_nothing_half(tmp_path: Path) -> None:
    rng = random_of("T1")
    n_kills = count(100, 12)
    survived = n_documents = n_lost = n_partial = n_ragged = 0
    started = time.monotonic()
    with Victim() as victim:
        for kill in range(n_kills):
            if kill % KILLS_A_FILE == 0:
                path, acknowledged = tmp_path / f"{kill}.db", set[int]()
            first = max(acknowledged, default=-1) + 1
            acknowledged.update(victim.killed_ingest(path, first, rng.uniform(0.05, 0.35)))
            with SQLiteStorage(path):  # as the next ingest opens it, even where its tables were only half made
                pass
            found = Inventory(path)
            lost = acknowledged - (found.whole & found.embedded)
            n_lost += BATCH * len(lost)
            n_partial += len(found.partial)
            n_ragged += len(found.ragged)
            is_whole = found.integrity == "ok" and not (lost or found.partial or found.ragged)
            survived += is_whole and check_database(path) == []
            if kill % KILLS_A_FILE == KILLS_A_FILE - 1 or kill == n_kills - 1:
                n_documents += found.n_documents
    report(
        "T1",
        survived,
        n_kills,
        f"{n_documents:,} documents, {n_lost} acknowledged lost, {n_partial} partial batches, {n_ragged} ragged "
        f"embeddings, {time.monotonic() - started:.1f} s",
        score="faults",
        documents_lost=n_lost,
    )
    assert (survived, n_lost, n_partial, n_ragged) == (n_kills, 0, 0, 0)
    assert n_documents > 0
