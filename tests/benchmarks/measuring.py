"""Measuring one task in a process of its own, so that its memory is its own.

CPU seconds of one thread (`time.process_time`), because other work may run beside; wall seconds are given
as well and mean nothing on a busy machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Measurement:
    """What a task took and found.

    `cpu` and `wall` are seconds, `rss_mb` the largest resident set of its process in MiB, imports and data
    included. `share` is the part of the task that was done; `whole_cpu` extrapolates to all of it. `facts`
    are numbers that the task reports, e.g. of edges. `missing` says why a task could not run.
    """

    task: str
    cpu: float = 0.0
    wall: float = 0.0
    rss_mb: float = 0.0
    share: float = 1.0
    facts: dict[str, Any] = field(default_factory=dict)
    missing: str = ""

    @property
    def whole_cpu(self) -> float:
        return self.cpu / self.share

    @property
    def seconds(self) -> str:
        """``1.23`` or, where it was extrapolated, ``~1.23``."""
        if self.missing:
            return "-"
        digits = 3 if self.whole_cpu < 1 else 2 if self.whole_cpu < 100 else 0
        return f"{'~' if self.share < 1 else ''}{self.whole_cpu:,.{digits}f}"


def measure(task: str, **arguments: Any) -> Measurement:
    """Run a task of `tasks.py` in a new process, on one thread."""
    command = [sys.executable, "-m", "tests.benchmarks.tasks", task, json.dumps(arguments)]
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"ended with {done.returncode}"]
        return Measurement(task, missing=last[0])
    return Measurement(task, **json.loads(done.stdout.splitlines()[-1]))
