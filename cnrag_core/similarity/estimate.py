"""How many pairs a threshold would keep, before any are kept.

Enters: columns. Leaves: `PairEstimate`, made from a fixed random sample of pairs. It decides where the
floor of the candidate edges goes, and refuses a threshold that would cost too much memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cnrag_core.similarity.components import ComponentColumn, n_rows
from cnrag_core.similarity.pairs import FLOOR_STEP
from cnrag_core.similarity.pairwise import score_listed
from cnrag_core.similarity.scoring import TIE_TOLERANCE

N_SAMPLED = 400_000
"""Pairs looked at. A threshold kept by one pair in 10,000 is then estimated to within a sixth."""


@dataclass(frozen=True, eq=False)
class PairEstimate:
    """Similarities of sampled pairs, standing for all pairs.

    Attributes
    ----------
    n_pairs
        Number of all pairs.
    scores
        (n_sampled,) float64, ascending; with ``n_sampled == n_pairs`` every count is exact.
    """

    n_pairs: int
    scores: NDArray[np.float64]

    @property
    def is_exact(self) -> bool:
        """Whether every pair was looked at."""
        return len(self.scores) == self.n_pairs

    def count_above(self, threshold: float) -> int:
        """About how many pairs are at or above a threshold, and above 0."""
        if not self.n_pairs:
            return 0
        below = np.searchsorted(self.scores, threshold - TIE_TOLERANCE, side="left")
        at_zero = np.searchsorted(self.scores, 0.0, side="right")
        share = (len(self.scores) - max(int(below), int(at_zero))) / len(self.scores)
        return round(share * self.n_pairs)

    def lowest_threshold(self, max_pairs: int) -> float | None:
        """The lowest threshold on a grid of 0.01 that keeps about `max_pairs` at most; None where even 1 keeps more."""
        for step in range(101):
            if self.count_above(step * FLOOR_STEP) <= max_pairs:
                return round(step * FLOOR_STEP, 2)
        return None


def estimate_pairs(
    columns: Sequence[ComponentColumn], *, n_sampled: int = N_SAMPLED, random_state: int = 0
) -> PairEstimate:
    """Score a fixed random sample of pairs, or all of them where there are no more than that.

    Parameters
    ----------
    columns
        What is compared.
    n_sampled
        How many pairs to look at; they are drawn with replacement.
    random_state
        Fixes which; the documents' order decides it too, and node order is the sorted order of the ids.
    """
    n = n_rows(columns)
    n_pairs = n * (n - 1) // 2
    if n_pairs <= n_sampled:
        left, right = (part.astype(np.int64) for part in np.triu_indices(n, 1))
    else:
        rng = np.random.default_rng(random_state)
        left = rng.integers(0, n, n_sampled)
        right = (left + rng.integers(1, n, n_sampled)) % n  # any other document, all equally likely
        together = np.argsort(left, kind="stable")  # pairs that share a document are scored three times as fast
        left, right = left[together], right[together]
    return PairEstimate(n_pairs, np.sort(score_listed(columns, left, right)))
