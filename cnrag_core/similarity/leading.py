"""Shorter dense rows whose inner products are never smaller than those of the whole rows.

Enters: dense rows and the threshold that a sum of their products must reach. Leaves: rows of their leading
principal coordinates and, as one more number, the norm of the rest. By Cauchy and Schwarz the products of
the rests are at most the product of their norms, so that short rows bound the products of whole ones; pairs
that reach the threshold are scored with the whole rows. How many coordinates are cheapest is measured on a
sample of pairs: too few let pairs through that must be scored, too many cost multiplications for every pair.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LEAST_ROWS = 8_192
"""Fewer rows are compared whole before their principal directions are known."""

SAMPLE_ROWS, SAMPLE_COLUMNS = 512, 2_048

SCORE = 4_000
"""Multiplications and additions in a matrix product that take as long as scoring one candidate exactly."""

SHARES = (1 / 8, 1 / 6, 1 / 4, 1 / 3, 5 / 12, 1 / 2, 7 / 12, 2 / 3, 3 / 4)
"""Of the coordinates, to choose from."""

WORTHWHILE = 0.85
"""Shorter rows must cost less than this share of whole ones."""

ROTATION_NOISE = 1e-5
"""Float32 noise of a product of unit rows in other coordinates, on top of that of the product itself."""

ROWS_AT_ONCE = 8_192


def shortened(matrices: Sequence[NDArray[np.float32]], least: float) -> list[NDArray[np.float32]] | None:
    """Rows that bound the products of the given ones; None where whole rows cost less.

    Parameters
    ----------
    matrices
        (n, d) rows, one matrix for each dense column, whose norms are at most 1. A column whose product is
        negative counts as 0.
    least
        What the sum over the columns must reach.

    Returns
    -------
    list or None
        (n, k + 1) float32 rows for each matrix, k < d.
    """
    if not matrices or len(matrices[0]) < LEAST_ROWS or least <= 0.0:
        return None
    directions = [_principal_directions(rows) for rows in matrices]
    share = _cheapest_share(matrices, directions, least)
    if share is None:
        return None
    return [_short_rows(rows, axes, _kept(rows, share)) for rows, axes in zip(matrices, directions, strict=True)]


def _principal_directions(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """(d, d) orthonormal columns, those along which the rows are largest first."""
    _, axes = np.linalg.eigh((rows.T @ rows).astype(np.float64))
    return np.ascontiguousarray(axes[:, ::-1], dtype=np.float32)


def _cheapest_share(
    matrices: Sequence[NDArray[np.float32]], directions: Sequence[NDArray[np.float32]], least: float
) -> float | None:
    """The share of the coordinates with which a pair costs least, by a sample; None where that is nearly all."""
    n = len(matrices[0])
    left, right = (np.linspace(0, n - 1, size).astype(np.int64) for size in (SAMPLE_ROWS, SAMPLE_COLUMNS))
    other = left[:, None] != right
    sampled = [(rows[left] @ axes, rows[right] @ axes) for rows, axes in zip(matrices, directions, strict=True)]

    def cost(share: float) -> float:
        bound, numbers = np.zeros((SAMPLE_ROWS, SAMPLE_COLUMNS), dtype=np.float32), 0
        for rows, (a, b) in zip(matrices, sampled, strict=True):
            k = _kept(rows, share)
            bound += np.maximum(0.0, _with_rest(a, k) @ _with_rest(b, k).T)
            numbers += k + 1
        return float(numbers + SCORE * np.mean(bound >= least, where=other))

    costs = [cost(share) for share in SHARES]
    cheapest = int(np.argmin(costs))
    return SHARES[cheapest] if costs[cheapest] < WORTHWHILE * cost(1.0) else None


def _kept(rows: NDArray[np.float32], share: float) -> int:
    return max(1, int(share * rows.shape[1]))


def _short_rows(rows: NDArray[np.float32], axes: NDArray[np.float32], k: int) -> NDArray[np.float32]:
    short = np.empty((len(rows), k + 1), dtype=np.float32)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        short[start : start + ROWS_AT_ONCE] = _with_rest(rows[start : start + ROWS_AT_ONCE] @ axes, k)
    return short


def _with_rest(rotated: NDArray[np.float32], k: int) -> NDArray[np.float32]:
    """(n, k + 1): the first k coordinates and the norm of the others."""
    return np.column_stack([rotated[:, :k], np.linalg.norm(rotated[:, k:], axis=1)])
