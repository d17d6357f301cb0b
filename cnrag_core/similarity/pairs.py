"""Scored pairs, and what is done to a heap of them: joining, sorting, keeping the strongest.

Enters and leaves: `Pairs`, in the plain order in which they were found or in canonical order (descending
weight, ties ascending by node numbers), the order of graph edges.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cnrag_core.similarity.scoring import TIE_TOLERANCE

FLOOR_STEP = 0.01
"""Floors and suggested thresholds are named on this grid."""

WEIGHT_BINS = 4_096
"""Ranges of weight that are sorted one by one, where all pairs at once would need twice their memory."""


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


class StrongestKept:
    """The strongest of the pairs that come by, as many as fit; its floor rises above what is dropped.

    The set is fixed by the pairs alone (descending weight, ties ascending by node numbers), whatever the
    order in which they come; memory stays within one and a half times `most`.

    Parameters
    ----------
    floor
        Raised while pairs are dropped, so that whoever finds them may skip what would be dropped as well.
    most
        None to keep all.
    """

    def __init__(self, floor: Floor, most: int | None) -> None:
        self.floor, self.most = floor, most
        self._parts: list[Pairs] = []
        self._count, self._dropped = 0, 0.0

    def add(self, part: Pairs) -> None:
        self._parts.append(part)
        self._count += len(part)
        if self.most is not None and self._count > self.most + self.most // 2:
            self._drop(self.most)
            self.floor.value = max(self.floor.value, self._dropped)  # all that is stronger is still found

    def finish(self) -> tuple[Pairs, float]:
        """What is kept, in no order, and the weight of the strongest pair that is not; 0 where all are."""
        if self.most is None:
            return concat_pairs(self._parts), 0.0
        self._drop(self.most)
        return self._parts[0], self._dropped

    def _drop(self, most: int) -> None:
        pairs, below = strongest(concat_pairs(self._parts), most)
        self._parts, self._count, self._dropped = [pairs], len(pairs), max(self._dropped, below)


def merge_canonical(parts: Callable[[], Iterable[Pairs]]) -> Pairs:
    """The pairs of all parts in canonical order, in the memory of the result and of one part.

    Parameters
    ----------
    parts
        Gives the parts from the beginning every time it is called; it is called twice.
    """
    counts = np.zeros(WEIGHT_BINS, dtype=np.int64)
    for part in parts():
        counts += np.bincount(_weight_bins(part.weight), minlength=WEIGHT_BINS)
    stops = np.cumsum(counts)
    free = stops - counts
    total = int(stops[-1])
    merged = Pairs(np.empty(total, np.int32), np.empty(total, np.int32), np.empty(total, np.float64))
    for part in parts():
        bins = _weight_bins(part.weight)
        order = np.argsort(bins, kind="stable")
        ordered = bins[order]
        place = free[ordered] + np.arange(len(order)) - np.searchsorted(ordered, ordered, side="left")
        for target, source in ((merged.left, part.left), (merged.right, part.right), (merged.weight, part.weight)):
            target[place] = source[order]
        free += np.bincount(bins, minlength=WEIGHT_BINS)
    for start, stop in zip((stops - counts).tolist(), stops.tolist(), strict=True):
        chosen = slice(start, stop)
        piece = canonical_pairs(Pairs(merged.left[chosen], merged.right[chosen], merged.weight[chosen]))
        merged.left[chosen], merged.right[chosen], merged.weight[chosen] = piece.left, piece.right, piece.weight
    return merged


def _weight_bins(weight: NDArray[np.float64]) -> NDArray[np.int64]:
    """The bin of each weight, the strongest first: every pair of a bin comes before every pair of the next."""
    bins: NDArray[np.int64] = WEIGHT_BINS - 1 - np.minimum(weight * WEIGHT_BINS, WEIGHT_BINS - 1).astype(np.int64)
    return bins


def _keys(pairs: Pairs) -> NDArray[np.int64]:
    """One number a pair that sorts as (left, right) does."""
    keys: NDArray[np.int64] = (pairs.left.astype(np.int64) << 32) | pairs.right
    return keys
