"""Reading in a child process with limits on its time and memory; what it tells, and that it was stopped."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

from cnrag_core.corpus.readers.source import Source
from cnrag_core.errors import CorpusError

_CHILD = Path(__file__).with_name("limited_child.py")
_PATIENCE = 6
"""Wall-clock seconds for each allowed second of processor time: the machine may be busy."""


def told_by_child(task: Literal["pdf", "parquet"], source: Source, *numbers: int) -> list[dict[str, Any]]:
    """What the child says of a file, message by message; the last is ``{"finished": True}`` unless it was stopped.

    Raises
    ------
    CorpusError
        If it did not end in time.
    """
    limits = source.limits
    arguments = [task, limits.child_seconds, limits.child_memory_bytes, *numbers]
    # -P keeps the child's folder out of the import path, where our module names could stand in for others
    command = [sys.executable, "-P", str(_CHILD), *map(str, arguments)]
    try:
        child = subprocess.run(
            command,
            input=source.data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE * limits.child_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise stopped(source) from None
    messages = []
    for line in child.stdout.splitlines():
        try:
            messages.append(json.loads(line))
        except ValueError:
            break  # the child was stopped in the middle of a line
    return messages


def stopped(source: Source) -> CorpusError:
    """The error of a file whose reader was stopped."""
    limits = source.limits
    return CorpusError(
        f"{source.name}: reading this file took more than {limits.child_seconds} seconds or "
        f"{limits.child_memory_bytes // 2**20:,} MB of memory; it was stopped."
    )
