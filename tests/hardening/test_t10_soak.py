"""T10: visitors come and go two hundred times; what they held is let go of.

Every fourth one uploads documents and leaves while they are on the page. The session of somebody who left is kept
for a while with what it holds, three files of its event loop among it; then it goes.
"""

from __future__ import annotations

import json
import sys
import time

import psutil
import pytest

from pages.shared.serving import tidy
from tests.hardening.campaign import IS_FULL, count, report
from tests.hardening.visitors import Served, Visitor, until

N_CYCLES, EARLY = count(200, 12), count(20, 6)
KEPT_SECONDS = 120 if IS_FULL else 1
SWEEP_SECONDS = 30
MORE_FILES = 10
ROWS = [{"id": f"d{i}", "text": f"coral reefs and warm seas {i} " * 40} for i in range(900)]
UPLOAD = "\n".join(map(json.dumps, ROWS)).encode()


def test_t10_what_visitors_held_is_let_go_of(tmp_path) -> None:
    server = Served(tmp_path, CNRAG_MAX_ABSENT_S=str(KEPT_SECONDS))
    try:
        well = 0
        early = _figures(server)
        for cycle in range(N_CYCLES):
            with Visitor(server, sample="larkspur") as visitor:
                ok = visitor.run("", seconds=180).ok
                if cycle % 4 == 0:
                    ok = ok and visitor.set("source", "My own documents").ok
                    ok = ok and visitor.upload("corpus_file", "reefs.jsonl", UPLOAD, seconds=180).ok
                    ok = ok and visitor.shows("900 documents")
                else:
                    ok = ok and visitor.run(("Threshold", "Network", "Search")[cycle % 3], seconds=180).ok
                well += ok
            if cycle == EARLY - 1:
                early = _figures(server)
        peak = _figures(server)
        time.sleep(KEPT_SECONDS + count(10, 1))

        def held_of(found: tuple[float, float, float]) -> bool:
            return all(now <= then + more for now, then, more in zip(found, early, (MORE_FILES, 5, 50), strict=True))

        until(lambda: held_of(_figures(server)), SWEEP_SECONDS, 1.0)
        files, threads, rss = _figures(server)
        held = held_of((files, threads, rss))
        report(
            "T10", well, N_CYCLES,
            f"files {early[0]:.0f} -> {files:.0f} (at most +{MORE_FILES}), "
            f"threads {early[1]:.0f} -> {threads:.0f} (+5), "
            f"RSS {early[2]:.0f} -> {peak[2]:.0f} -> {rss:.0f} MB (+50) from cycle {EARLY}: "
            + ("held" if held else "grew"),
            score="sessions",
        )  # fmt: skip
        assert well == N_CYCLES
        assert files <= early[0] + MORE_FILES
        assert threads <= early[1] + 5
        assert rss <= early[2] + 50
        assert server.health()["sessions"] == 0
    finally:
        server.stop()


def _figures(server: Served) -> tuple[float, float, float]:
    """Open files, threads, MB of memory."""
    return float(server.process.num_fds()), float(server.process.num_threads()), server.rss


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do so by themselves")
def test_t10_memory_that_a_crowd_held_goes_back_to_the_system() -> None:
    process = psutil.Process()
    crowd = [bytes(5_000) for _ in range(20_000)]
    full = process.memory_info().rss
    stayed = crowd[::50]  # between what was freed, so that nothing goes back by itself
    del crowd
    tidy()
    assert stayed
    assert full - process.memory_info().rss > 60e6
