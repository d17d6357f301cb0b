"""Rectangles side by side without overlap: how the components of a graph share one picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def pack(sizes: NDArray[np.float64], *, width: float) -> NDArray[np.float64]:
    """(n, 2) lower left corners of rectangles packed upwards into a strip.

    Each rectangle, in the order given, goes where its lower edge comes to lie lowest, and there leftmost
    (the "skyline" rule). Given by descending height they form tidy rows.

    Parameters
    ----------
    sizes
        (n, 2) widths and heights.
    width
        Of the strip; a wider rectangle gets the strip's beginning to itself.

    Examples
    --------
    >>> pack(np.array([[2.0, 2.0], [1.0, 1.0], [1.0, 1.0]]), width=3.0).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0]]
    """
    corners = np.zeros_like(sizes, dtype=np.float64)
    width = max(width, float(sizes[:, 0].max())) if len(sizes) else width
    skyline = [(0.0, width, 0.0)]  # (begin, end, height) of what is already filled, left to right
    for number, (wide, high) in enumerate(sizes.tolist()):
        x, y = _lowest_place(skyline, wide, width)
        corners[number] = x, y
        skyline = _raised(skyline, x, x + wide, y + high)
    return corners


def _lowest_place(skyline: list[tuple[float, float, float]], wide: float, width: float) -> tuple[float, float]:
    best = (np.inf, np.inf)
    slack = 1e-9 * width
    for begin, _, _ in skyline:
        if begin + wide > width + slack:
            break
        end = begin + wide - slack
        height = max(h for b, e, h in skyline if e > begin + slack and b < end)
        best = min(best, (height, begin))
    return best[1], best[0]


def _raised(
    skyline: list[tuple[float, float, float]], begin: float, end: float, height: float
) -> list[tuple[float, float, float]]:
    """The skyline after filling from `begin` to `end` up to `height`; neighbours of equal height join."""
    pieces = [(b, min(e, begin), h) for b, e, h in skyline if b < begin]
    pieces.append((begin, end, height))
    pieces += [(max(b, end), e, h) for b, e, h in skyline if e > end]
    joined: list[tuple[float, float, float]] = []
    for b, e, h in pieces:
        if e - b <= 0:
            continue
        if joined and joined[-1][2] == h:
            joined[-1] = (joined[-1][0], e, h)
        else:
            joined.append((b, e, h))
    return joined
