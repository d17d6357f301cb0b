"""Whether a server can do its work, and what is wrong where it cannot.

Enters: nothing but the machine and this process. Leaves: a `Health`, its problems as sentences and its
figures as numbers, none of which says what people loaded.
"""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from cnrag_core.corpus.wording import size
from cnrag_core.jobs import last_failure, running_jobs
from cnrag_core.limits import MEGABYTE, server_limits

LEAST_MEMORY = 512 * MEGABYTE
"""Free memory below which a build of a few thousand documents is likely to be ended by the system."""

UPLOADS_ON_DISK = 3
"""A build writes the documents and the network to the temporary folder: about so many times an upload."""

STARTED = time.time()


@dataclass(frozen=True)
class Health:
    """`problems` as sentences, none where all is well; `figures` as plain values."""

    problems: tuple[str, ...]
    figures: dict[str, Any]

    @property
    def ok(self) -> bool:
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """As the health address answers."""
        return {"status": "ok" if self.ok else "unhealthy", "problems": list(self.problems), **self.figures}


def look_after(temporary: Path | None = None) -> Health:
    """Look at disk, memory, jobs and failures.

    Parameters
    ----------
    temporary
        Folder for temporary files; the system's if absent.
    """
    folder = temporary or Path(tempfile.gettempdir())
    disk, writable = _disk(folder)
    memory = psutil.virtual_memory()
    process = psutil.Process()
    failure = last_failure()
    figures = {
        "uptime_seconds": round(time.time() - STARTED, 1),
        "temporary_folder": {"writable": writable, "free_bytes": disk},
        "memory": {"free_bytes": int(memory.available), "used_by_server_bytes": int(process.memory_info().rss)},
        "jobs_running": len(running_jobs()),
        "last_failure": None if failure is None else {"reference": failure.reference, "epoch_seconds": failure.at},
        "open_files": process.num_fds() if hasattr(process, "num_fds") else None,
        "threads": process.num_threads(),
    }
    return Health(tuple(_problems(disk, writable, int(memory.available))), figures)


def _disk(folder: Path) -> tuple[int, bool]:
    """Free bytes, and whether a file can be written."""
    try:
        free = int(psutil.disk_usage(str(folder)).free)
    except OSError:
        return 0, False
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix="cnrag-health-") as file:
            file.write(b"\0" * 4096)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        return free, False
    return free, True


def _problems(disk: int, writable: bool, memory: int) -> list[str]:
    problems = []
    if not writable:
        problems.append("The temporary folder cannot be written: builds of larger corpora fail. Free or mend it.")
    needed = UPLOADS_ON_DISK * server_limits().upload_mb * MEGABYTE
    if disk < needed:
        problems.append(f"The temporary folder has {size(disk)} free; the largest upload may need {size(needed)}.")
    if memory < LEAST_MEMORY:
        problems.append(f"{size(memory)} of memory are free; below {size(LEAST_MEMORY)} builds are likely to fail.")
    return problems
