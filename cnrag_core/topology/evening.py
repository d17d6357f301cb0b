"""A crowded picture spread over its frame: full places widen and empty ones shrink, neighbours stay neighbours.

Forces leave communities as tight islands in much white. Here the density of the nodes flows apart as heat
does, and takes the nodes along (Gastner and Newman 2004, doi:10.1073/pnas.0400280101): a smooth map of the
frame onto itself that tears nothing and folds nothing. It is stopped early, so that islands remain.

Only sums, products and quotients of single numbers: the same bits on every machine.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FLATTEST, TALLEST = 1.35, 1.05
"""Width over height of the frame: as the picture is, within these."""

_MARGIN = 0.04  # of the picture's sides that the frame is larger on each side
_CELLS = (32, 16)  # of the frame's width: the finer for crowds, the coarser for the whole
_ROUNDS = (16, 24)  # on each grid
_STEP = 0.2  # duration of a round; beyond a quarter, heat on a grid swings
_GROUND = 0.8  # density of empty places, in the mean: the larger, the more of the islands stays


def evened(positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Positions in a frame of a screen's shape, its corner at the origin and its height 1.

    Examples
    --------
    >>> crowd = np.array([[0.0, 0.0], [0.1, 0.0], [0.0, 0.1], [0.1, 0.1], [1.0, 0.7]])
    >>> spread = evened(crowd)
    >>> bool(spread[1, 0] - spread[0, 0] > 0.15)  # of the width, the crowd has more than before
    True
    """
    points, width = _in_frame(positions)
    for n_columns, n_rounds in zip(_CELLS, _ROUNDS, strict=True):
        cell = width / n_columns
        n_rows = max(int(np.rint(1.0 / cell)), 1)
        points = _flow(points / cell, (n_columns, n_rows), n_rounds) * cell
    return points


def _in_frame(positions: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """The picture in the middle of a frame of height 1, and the frame's width."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    wide, high_side = np.maximum(high - low, 1e-18) * (1 + 2 * _MARGIN)
    height = max(high_side, wide / FLATTEST)
    width = max(wide, height * TALLEST)
    middle = np.array([width, height]) / 2
    return (positions - (low + high) / 2 + middle) / height, float(width / height)


def _flow(points: NDArray[np.float64], shape: tuple[int, int], n_rounds: int) -> NDArray[np.float64]:
    """Points, in cells, after their density has flowed apart for some rounds; none leaves the grid."""
    n_columns, n_rows = shape
    density = _density(points, shape)
    for _ in range(n_rounds):
        padded = np.pad(density, 1, mode="edge")  # nothing flows through the frame
        along_x = (padded[2:, 1:-1] - padded[:-2, 1:-1]) / 2
        along_y = (padded[1:-1, 2:] - padded[1:-1, :-2]) / 2
        velocity_x, velocity_y = -along_x / density, -along_y / density
        points = np.stack(
            [
                np.clip(points[:, 0] + _STEP * _at(velocity_x, points), 0.0, n_columns),
                np.clip(points[:, 1] + _STEP * _at(velocity_y, points), 0.0, n_rows),
            ],
            axis=1,
        )
        around = padded[2:, 1:-1] + padded[:-2, 1:-1] + padded[1:-1, 2:] + padded[1:-1, :-2]
        density = density + _STEP * (around - 4 * density)
    return points


def _density(points: NDArray[np.float64], shape: tuple[int, int]) -> NDArray[np.float64]:
    """(columns, rows) nodes a cell in relation to the mean, each node shared among the four cells around it."""
    total = np.zeros(shape)
    for place, share in _corners(points, shape):
        total += np.bincount(place, share, minlength=total.size).reshape(shape)
    return total * (total.size / len(points)) + _GROUND


def _at(field: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) values of a field between the middles of its cells."""
    flat, shape = field.ravel(), (field.shape[0], field.shape[1])
    value = np.zeros(len(points))
    for place, share in _corners(points, shape):
        value += flat[place] * share
    return value


def _corners(
    points: NDArray[np.float64], shape: tuple[int, int]
) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Of the four cells whose middles are around each point: their places, and each one's share of the point."""
    n_columns, n_rows = shape
    x = np.clip(points[:, 0] - 0.5, 0.0, n_columns - 1.0)
    y = np.clip(points[:, 1] - 0.5, 0.0, n_rows - 1.0)
    column = np.minimum(x.astype(np.int64), max(n_columns - 2, 0))
    row = np.minimum(y.astype(np.int64), max(n_rows - 2, 0))
    right, below = x - column, y - row
    next_column, next_row = np.minimum(column + 1, n_columns - 1), np.minimum(row + 1, n_rows - 1)
    return [
        (column * n_rows + row, (1 - right) * (1 - below)),
        (next_column * n_rows + row, right * (1 - below)),
        (column * n_rows + next_row, (1 - right) * below),
        (next_column * n_rows + next_row, right * below),
    ]
