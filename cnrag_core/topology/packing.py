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


def pack_around(
    points: NDArray[np.float64], sizes: NDArray[np.float64], *, gap: float, aspect: float
) -> NDArray[np.float64]:
    """(n, 2) lower left corners of rectangles around a crowd of points: in its bays and corners, near its middle.

    Each rectangle, in the order given, goes where the picture of that aspect around the crowd's middle has to
    grow least. What lies between points of the crowd, left and right as well as above and below, is the crowd's own.

    Parameters
    ----------
    points
        (m, 2), none below or left of the origin.
    sizes
        (n, 2) widths and heights.
    gap
        Between a rectangle and the nearest point.
    aspect
        Width over height of the picture.

    Examples
    --------
    >>> crowd = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
    >>> pack_around(crowd, np.array([[2.0, 2.0]]), gap=1.0, aspect=1.0).tolist()  # the fourth corner
    [[2.0, 2.0]]
    """
    if not len(sizes):
        return np.zeros((0, 2))
    margin = int(np.ceil(np.sqrt(sizes.prod(axis=1).sum()) + sizes.max() + 2 * gap)) + 1
    extent = np.ceil(points.max(axis=0)).astype(np.int64) + 1
    taken = _own_room(points, extent, margin, gap)
    middle = margin + points.max(axis=0) / 2
    corners = np.zeros_like(sizes, dtype=np.float64)
    for number, size in enumerate(sizes):
        wide, high = (int(np.ceil(side)) for side in size)
        below = np.zeros((taken.shape[0] + 1, taken.shape[1] + 1), dtype=np.int64)
        below[1:, 1:] = taken.cumsum(axis=0).cumsum(axis=1)
        covered = below[wide:, high:] - below[:-wide, high:] - below[wide:, :-high] + below[:-wide, :-high]
        x, y = np.arange(covered.shape[0]), np.arange(covered.shape[1])
        reach_x = np.maximum(np.abs(x - middle[0]), np.abs(x + wide - middle[0])) / aspect
        reach_y = np.maximum(np.abs(y - middle[1]), np.abs(y + high - middle[1]))
        reach = np.maximum(reach_x[:, None], reach_y[None, :]) + 1e-3 * (reach_x[:, None] + reach_y[None, :])
        column, row = divmod(int(np.argmin(np.where(covered == 0, reach, np.inf))), covered.shape[1])
        taken[column : column + wide, row : row + high] = True
        corners[number] = column - margin, row - margin
    return corners


def _own_room(points: NDArray[np.float64], extent: NDArray[np.int64], margin: int, gap: float) -> NDArray[np.bool_]:
    """Cells of side 1 that belong to a crowd: those near a point, and those between such."""
    near = np.zeros(tuple(extent + 2 * margin), dtype=bool)
    reach = int(np.ceil(gap))
    column, row = (points.astype(np.int64) + margin).T
    for right in range(-reach, reach + 1):
        for up in range(-reach, reach + 1):
            near[column + right, row + up] = True
    from_left, from_right = np.maximum.accumulate(near, axis=0), np.maximum.accumulate(near[::-1], axis=0)[::-1]
    from_below, from_above = np.maximum.accumulate(near, axis=1), np.maximum.accumulate(near[:, ::-1], axis=1)[:, ::-1]
    between: NDArray[np.bool_] = from_left & from_right & from_below & from_above
    return between | near
