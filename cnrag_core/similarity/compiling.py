"""One decorator for compiled loops: cached where that is possible, and working where it is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a loop to machine code that runs without the interpreter's lock.

    The machine code is kept beside the module, or in the person's cache folder, for the next start. Where
    neither can be written (a read-only installation) it is compiled again in every process instead.
    """
    return cast(Function, _njit(function, {}))


def compiled_fast(function: Function) -> Function:
    """As `compiled`, and floating-point sums may be reordered: for bounds that allow for rounding only."""
    return cast(Function, _njit(function, {"fastmath": True}))


def _njit(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    try:
        return njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # numba found no place that it may write to
        return njit(nogil=True, **options)(function)
