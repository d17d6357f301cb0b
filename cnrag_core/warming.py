"""Compiled loops made ready before anybody needs them.

Enters: nothing. Leaves: loops in memory and, where a folder can be written, on disk for the next start. A server
calls `warm_up_in_background` once after it started, so that the first visitor with a large corpus does not wait
for a compiler.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress

_LOCK = threading.Lock()
_started: list[threading.Thread] = []

COMPILE_SECONDS = 300.0
"""A compiler that takes longer than this is left alone."""


def warm_up() -> None:
    """Compile, or load, every loop that a large corpus goes through."""
    import numpy as np

    from cnrag_core.graph.sweep import union_find_pass
    from cnrag_core.retrieval import forward_push
    from cnrag_core.similarity import search
    from cnrag_core.topology import warm_up as topology

    search.warm_up()
    union_find_pass(3, np.array([0, 1], dtype=np.int32), np.array([1, 2], dtype=np.int32))
    topology.warm_up()
    forward_push.warm_up()


def warm_up_in_background() -> threading.Thread:
    """Start `warm_up` beside everything else, once a process; the thread ends with the process.

    What was never compiled on this machine is compiled by a process of its own, at a low priority, which leaves
    the results in the cache: a compiler in this process would keep its visitors waiting. Where no cache can be
    written, it is compiled here after all.
    """
    with _LOCK:
        if not _started:
            _started.append(threading.Thread(target=_warm_up_quietly, name="warm-up", daemon=True))
            _started[0].start()
        return _started[0]


def _warm_up_quietly() -> None:
    from cnrag_core.similarity.kernels import are_compiled

    if not are_compiled():
        with suppress(OSError, subprocess.SubprocessError):
            subprocess.run(
                [sys.executable, "-m", "cnrag_core.warming"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                timeout=COMPILE_SECONDS, check=False,
            )  # fmt: skip
    warm_up()


if __name__ == "__main__":
    os.nice(10) if hasattr(os, "nice") else None
    warm_up()
