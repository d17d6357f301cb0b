"""Holding a piece of work to its limits: processor seconds, memory, and that it ends at all."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

MEGABYTE = 2**20
HANG_SECONDS = 120
"""Wall-clock seconds after which work counts as hung; only that fails a test on a busy machine."""


class Watch:
    """What a piece of work took: processor seconds of this thread, and seconds of the wall clock."""

    cpu = 0.0
    wall = 0.0


@contextmanager
def watched(*, hang: float = HANG_SECONDS) -> Iterator[Watch]:
    """Time the work inside, and break it off when it hangs (where the system can)."""
    watch = Watch()
    wall, cpu = time.perf_counter(), time.thread_time()
    can_break = hasattr(signal, "setitimer")
    if can_break:
        before = signal.signal(signal.SIGALRM, _hung)
        signal.setitimer(signal.ITIMER_REAL, hang)
    try:
        yield watch
    finally:
        if can_break:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        watch.cpu, watch.wall = time.thread_time() - cpu, time.perf_counter() - wall


def _hung(*_: Any) -> None:
    raise TimeoutError("this work hangs")


class Memory:
    """The highest memory of this process since a moment, above what it had then; None where no system tells."""

    def __init__(self) -> None:
        self._reset = False
        if sys.platform == "linux":
            try:
                Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
                self._reset = True
            except OSError:
                pass
        self._before = psutil.Process().memory_info().rss

    @property
    def peak(self) -> float | None:
        """Megabytes."""
        if not self._reset:
            return None
        status = Path("/proc/self/status").read_text(encoding="ascii")
        highest = next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))
        return max(0.0, (highest - self._before) / MEGABYTE)

    def __str__(self) -> str:
        return "peak memory unknown" if self.peak is None else f"peak memory +{self.peak:.0f} MB"
