"""The decorator of compiled loops.

Modules that use it are imported only when a graph is large enough to need them, so that nobody waits
for a compiler who has few documents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function, compiled on first use and kept on disk where a folder for it can be written.

    Strict float rules (no re-ordering, no fused multiply-add), so that the same input gives the same
    bits on every machine; the interpreter lock is released, so that threads run side by side.
    """
    try:
        loop = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # neither the package's folder nor the user's cache can be written
        loop = numba.njit(nogil=True)(function)
    return cast("Callable[P, R]", loop)
