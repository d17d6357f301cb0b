"""Memory that nobody holds any more, given back to the system.

Enters: nothing. Leaves: a smaller process. The C library keeps what large work has freed for the next such work, which
may never come; beside a build in another process, or on a server whose crowd has left, others need it.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache


def give_back() -> None:
    """Return what the C library keeps of freed memory; milliseconds, and nothing where it cannot be asked."""
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None  # glibc alone has it
