"""Nodes that lie on top of each other, moved apart with as little change to the picture as possible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

_LONGEST_MOVE = 0.5  # in distances, so that a crowd loosens from its rim instead of exploding


def spread(positions: NDArray[np.float64], *, radii: NDArray[np.float64] | float, n_rounds: int) -> NDArray[np.float64]:
    """Positions in which discs around the nodes hardly overlap.

    Parameters
    ----------
    positions
        (n, 2), no two the same.
    radii
        (n,) radii of the discs, or one for all.
    n_rounds
        In each, overlapping discs push each other half of their overlap away; fewer rounds are made
        where no two overlap any more.

    Examples
    --------
    >>> spread(np.array([[0.0, 0.0], [0.5, 0.0]]), radii=0.5, n_rounds=50).round(3).tolist()
    [[-0.25, 0.0], [0.75, 0.0]]
    """
    x, y = positions[:, 0].copy(), positions[:, 1].copy()
    n = len(x)
    radius = np.broadcast_to(np.asarray(radii, dtype=np.float64), (n,))
    reach = 2 * float(radius.max()) if n else 0.0
    for _ in range(n_rounds):
        pairs = cKDTree(np.stack([x, y], axis=1)).query_pairs(reach, output_type="ndarray")
        if not len(pairs):
            break
        pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]  # sums in a fixed order
        a, b = pairs[:, 0], pairs[:, 1]
        dx, dy = x[a] - x[b], y[a] - y[b]
        distance = np.sqrt(dx * dx + dy * dy)
        overlap = radius[a] + radius[b] - distance
        touching = overlap > 1e-3 * reach
        if not touching.any():
            break
        a, b = a[touching], b[touching]
        share = 0.5 * overlap[touching] / np.maximum(distance[touching], 1e-12)
        push_x, push_y = share * dx[touching], share * dy[touching]
        move_x = np.bincount(a, push_x, minlength=n) - np.bincount(b, push_x, minlength=n)
        move_y = np.bincount(a, push_y, minlength=n) - np.bincount(b, push_y, minlength=n)
        length = np.sqrt(move_x * move_x + move_y * move_y)
        cut = np.minimum(1.0, _LONGEST_MOVE * reach / np.maximum(length, 1e-12))
        x += move_x * cut
        y += move_y * cut
    return np.stack([x, y], axis=1)
