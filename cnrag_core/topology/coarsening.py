"""A graph in ever fewer nodes, so that a layout can settle the whole before the details.

Enters: a connected weighted graph. Leaves: `Level`s, the finest first; a node of one level stands for a
group of nodes of the level before, with their summed mass and edge weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_N_ROUNDS = 4  # of mutual choice; what is still alone then joins its neighbour's group


@dataclass(frozen=True, eq=False)
class Level:
    """One graph of the hierarchy.

    Attributes
    ----------
    mass
        (n,) float64, how strongly each node pushes others away.
    left, right
        (m,) int64 ends of each edge, ``left < right``.
    weight
        (m,) float64, how strongly each edge pulls.
    group
        (n,) int64 node of the next coarser level that each node belongs to; None at the coarsest.
    """

    mass: NDArray[np.float64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    weight: NDArray[np.float64]
    group: NDArray[np.int64] | None = None

    @property
    def n_nodes(self) -> int:
        return len(self.mass)


def hierarchy(finest: Level, *, smallest: int) -> list[Level]:
    """The graph and its coarser forms, the last of at most `smallest` nodes.

    Every node of a connected graph finds a group, so that each level has at most half as many nodes.
    """
    levels = [finest]
    while (here := levels[-1]).n_nodes > smallest:
        group = _groups(here)
        levels[-1] = Level(here.mass, here.left, here.right, here.weight, group)
        levels.append(_merged(here, group))
    return levels


def _groups(level: Level) -> NDArray[np.int64]:
    """Pairs of nodes that are each other's best neighbour; nodes left over join the group of theirs.

    Best is the greatest weight in relation to the strengths of both ends, which is what modularity
    gains by joining them; ties go to the smaller number.
    """
    n, left, right = level.n_nodes, level.left, level.right
    strength = np.bincount(left, level.weight, minlength=n) + np.bincount(right, level.weight, minlength=n)
    rating = np.tile(level.weight / (strength[left] * strength[right]), 2)
    source, target = np.concatenate([left, right]), np.concatenate([right, left])
    order = np.lexsort((target, -rating, source))
    source, target = source[order], target[order]
    group = np.full(n, -1, dtype=np.int64)
    for _ in range(_N_ROUNDS):
        free = (group[source] < 0) & (group[target] < 0)
        chooser, first = np.unique(source[free], return_index=True)
        best = np.full(n, -1, dtype=np.int64)
        best[chooser] = target[free][first]
        mutual = chooser[(best[best[chooser]] == chooser) & (chooser < best[chooser])]
        if not len(mutual):
            break
        group[mutual] = mutual
        group[best[mutual]] = mutual
    joining = (group[source] < 0) & (group[target] >= 0)
    chooser, first = np.unique(source[joining], return_index=True)
    group[chooser] = group[target[joining][first]]
    alone = np.flatnonzero(group < 0)
    group[alone] = alone
    numbered: NDArray[np.int64] = np.unique(group, return_inverse=True)[1].astype(np.int64)
    return numbered


def _merged(level: Level, group: NDArray[np.int64]) -> Level:
    n_groups = int(group.max()) + 1
    a, b = group[level.left], group[level.right]
    between = a != b
    low, high = np.minimum(a, b)[between], np.maximum(a, b)[between]
    pair, where = np.unique(low * n_groups + high, return_inverse=True)
    return Level(
        np.bincount(group, level.mass, minlength=n_groups).astype(np.float64),
        pair // n_groups,
        pair % n_groups,
        np.bincount(where, level.weight[between], minlength=len(pair)).astype(np.float64),
    )
