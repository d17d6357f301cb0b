"""Memory that was freed goes back to the system."""

from __future__ import annotations

import sys

import psutil
import pytest

from cnrag_core.freed_memory import give_back
from cnrag_core.jobs import Job

PIECE, N = 60_000, 2_000
"""Bytes of a piece, below what the C library takes for itself alone, and how many: 120 MB."""

needs_glibc = pytest.mark.skipif(sys.platform != "linux", reason="asked of the C library of Linux alone")


def scattered() -> list[bytearray]:
    """Memory with a piece at its end that stays, so that the C library gives nothing back by itself."""
    pieces = [bytearray(PIECE) for _ in range(N)]
    return pieces[-1:]


@needs_glibc
def test_what_was_freed_is_given_back():
    kept = scattered()
    before = psutil.Process().memory_info().rss
    give_back()
    assert before - psutil.Process().memory_info().rss > PIECE * N / 2
    assert kept


@needs_glibc
def test_a_long_job_gives_back_what_it_has_freed(monkeypatch):
    monkeypatch.setattr("cnrag_core.jobs.LONG", 0.0)
    before = psutil.Process().memory_info().rss
    job = Job("large", lambda progress: scattered())
    job.wait()
    assert psutil.Process().memory_info().rss - before < PIECE * N / 2
    assert job.result
