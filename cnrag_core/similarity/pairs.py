"""Scored pairs, and what is done to a heap of them: joining, sorting, keeping the strongest.

Enters and leaves: `Pairs`, in the plain order in which they were found or in canonical order (descending
weight, ties ascending by node numbers), the order of graph edges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cnrag_core.similarity.scoring import TIE_TOLERANCE

FLOOR_STEP = 0.01
"""Floors and suggested thresholds are named on this grid."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Scored pairs of node numbers.

    Attributes
    ----------
    left, right
        (n_pairs,) int32, ``left < right``.
    weight
        (n_pairs,) float64 combined similarity, greater than 0 and at most 1.
    """

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    weight: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.weight)

    def at_least(self, threshold: float) -> Pairs:
        """The pairs of at least this weight, in the same order."""
        keep = self.weight >= threshold - TIE_TOLERANCE
        return Pairs(self.left[keep], self.right[keep], self.weight[keep])


@dataclass
class Floor:
    """A threshold that whoever collects the pairs may raise while they are still being found."""

    value: float


def concat_pairs(parts: Sequence[Pairs]) -> Pairs:
    """The pairs of all parts, one after the other."""
    return Pairs(
        np.concatenate([part.left for part in parts] or [np.zeros(0, np.int32)]),
        np.concatenate([part.right for part in parts] or [np.zeros(0, np.int32)]),
        np.concatenate([part.weight for part in parts] or [np.zeros(0, np.float64)]),
    )


def unique_pairs(pairs: Pairs) -> Pairs:
    """Each pair once, ascending by (left, right)."""
    _, first = np.unique(_keys(pairs), return_index=True)
    return Pairs(pairs.left[first], pairs.right[first], pairs.weight[first])


def next_floor(weight: float) -> float:
    """The first value on the grid of 0.01 that a pair of this weight does not reach."""
    step = math.floor(weight / FLOOR_STEP)
    while step * FLOOR_STEP - TIE_TOLERANCE <= weight:
        step += 1
    return round(step * FLOOR_STEP, 2)


def canonical_pairs(pairs: Pairs) -> Pairs:
    """The pairs by descending weight, ties ascending by (left, right): the order of graph edges."""
    order = np.argsort(-pairs.weight)  # several times faster than sorting by three keys
    weight = pairs.weight[order]
    tied = np.zeros(len(order), dtype=bool)
    tied[1:] = weight[1:] == weight[:-1]
    tied[:-1] |= tied[1:]
    places = np.flatnonzero(tied)
    among = order[places]
    order[places] = among[np.lexsort((_keys(pairs)[among], -weight[places]))]
    return Pairs(pairs.left[order], pairs.right[order], weight)


def strongest(pairs: Pairs, count: int) -> tuple[Pairs, float]:
    """The first `count` pairs of the canonical order, themselves in no order.

    Returns
    -------
    Pairs
        What is kept.
    float
        Weight of the strongest pair that is not; 0 where all are kept.
    """
    if len(pairs) <= count:
        return pairs, 0.0
    if count == 0:
        return concat_pairs([]), float(pairs.weight.max())
    weakest = np.partition(pairs.weight, len(pairs) - count)[len(pairs) - count]
    keep = pairs.weight > weakest
    ties = np.flatnonzero(pairs.weight == weakest)
    first = np.argsort(_keys(pairs)[ties])[: count - int(np.count_nonzero(keep))]
    keep[ties[first]] = True
    return Pairs(pairs.left[keep], pairs.right[keep], pairs.weight[keep]), float(pairs.weight[~keep].max())


def _keys(pairs: Pairs) -> NDArray[np.int64]:
    """One number a pair that sorts as (left, right) does."""
    keys: NDArray[np.int64] = (pairs.left.astype(np.int64) << 32) | pairs.right
    return keys
