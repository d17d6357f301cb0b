"""Nodes that lie on top of each other, moved apart with as little change to the picture as possible."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from cnrag_core.topology.coarsening import Level

_N_NEIGHBORS = 16  # nearest discs that push a disc; bounds the work where thousands lie on one spot
_LONGEST_MOVE = 0.5  # in diameters, so that a crowd loosens from its rim instead of exploding
_ROOM = 0.62  # radius of the disc that holds a crowd of n discs of radius 0.5, over sqrt(n)
_CROWD = 8  # nodes of a group from which it is stretched where it is crowded
_LARGE_CROWD = 250  # nodes from which crowded groups are moved apart too; smaller ones stay rounder without
_N_ROUNDS_OF_GROUPS = 30


def loosen(positions: NDArray[np.float64], levels: Sequence[Level], *, n_rounds: int) -> NDArray[np.float64]:
    """Positions in which discs of diameter 1 around the nodes hardly overlap.

    First the coarse groups that are crowded into less room than their nodes need are moved apart and
    stretched as a whole, then the finer ones within them, at last the nodes: so a crowd of any size unfolds
    in few rounds.

    Parameters
    ----------
    positions
        (n, 2).
    levels
        The hierarchy of the graph, finest first.
    n_rounds
        At most so many rounds for the nodes themselves.
    """
    memberships = [np.arange(len(positions), dtype=np.int64)]
    for level in levels[:-1]:
        assert level.group is not None  # only the coarsest level has none
        memberships.append(level.group[memberships[-1]])
    for group in memberships[:0:-1]:
        size = np.bincount(group).astype(np.float64)
        center = np.stack([np.bincount(group, positions[:, axis]) / size for axis in (0, 1)], axis=1)
        away = positions - center[group]
        extent = np.sqrt(np.bincount(group, (away * away).sum(axis=1)) / size)
        room = _ROOM * np.sqrt(size)
        large = np.flatnonzero((size >= _LARGE_CROWD) & (extent < room))
        center[large] = spread(center[large], radii=room[large], n_rounds=_N_ROUNDS_OF_GROUPS)
        # a full disc extends over 1 / sqrt(2) of its radius
        stretch = np.where(size >= _CROWD, np.maximum(1.0, room / np.sqrt(2) / np.maximum(extent, 1e-9)), 1.0)
        positions = center[group] + away * stretch[group, None]
    return spread(positions, radii=0.5, n_rounds=n_rounds)


def spread(positions: NDArray[np.float64], *, radii: NDArray[np.float64] | float, n_rounds: int) -> NDArray[np.float64]:
    """Positions in which discs around the points hardly overlap.

    Parameters
    ----------
    positions
        (n, 2).
    radii
        (n,) radii of the discs, or one for all.
    n_rounds
        In each, a disc moves half of its overlap away from each of its nearest neighbours; fewer rounds
        are made where no two overlap any more.

    Examples
    --------
    >>> spread(np.array([[0.0, 0.0], [0.5, 0.0]]), radii=0.5, n_rounds=50).round(2).tolist()
    [[-0.25, 0.0], [0.75, 0.0]]
    """
    n = len(positions)
    if n < 2:
        return positions.copy()
    points = positions.copy()
    radius = np.broadcast_to(np.asarray(radii, dtype=np.float64), (n,))
    longest = _LONGEST_MOVE * 2 * radius
    n_near = min(n - 1, _N_NEIGHBORS)
    own = np.arange(n)[:, None]
    for _ in range(n_rounds):
        near = cKDTree(points).query(points, k=n_near + 1)[1]
        dx, dy = points[own, 0] - points[near, 0], points[own, 1] - points[near, 1]
        distance = np.sqrt(dx * dx + dy * dy)
        same_place = (distance < 1e-9) & (near != own)
        if same_place.any():  # which way to part is decided by the smaller number
            side = np.where(own < near, 1.0, -1.0)[same_place]
            turn = (np.minimum(own, near) % 7)[same_place] / 3 - 1
            dx[same_place], dy[same_place], distance[same_place] = side, side * turn, np.sqrt(1 + turn * turn)
        overlap = radius[own] + radius[near] - np.where(same_place, 0.0, distance)
        overlap[(overlap < 2e-3 * radius[own]) | (near == own)] = 0.0
        if not overlap.any():
            break
        share = 0.5 * overlap / np.maximum(distance, 1e-12)
        move_x, move_y = (share * dx).sum(axis=1), (share * dy).sum(axis=1)
        length = np.sqrt(move_x * move_x + move_y * move_y)
        cut = np.minimum(1.0, longest / np.maximum(length, 1e-12))
        points[:, 0] += move_x * cut
        points[:, 1] += move_y * cut
    return points
