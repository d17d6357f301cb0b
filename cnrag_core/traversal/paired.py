"""Whether one way is better than another on the same questions: the paired bootstrap.

Enters: the difference of the two on every question. Leaves: an `Interval`. Questions are drawn with
replacement, so the interval says what other questions of the same kind would have shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

N_RESAMPLES = 2_000
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """Mean difference and its confidence interval; `excludes_zero` where the sign is certain enough."""

    mean: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        return f"{100 * self.mean:+.1f} points [{100 * self.low:+.1f}, {100 * self.high:+.1f}]"


def paired_interval(differences: Sequence[float], *, n_resamples: int = N_RESAMPLES, random_state: int = 0) -> Interval:
    """95 % percentile bootstrap interval of the mean difference; zeros for no questions.

    Examples
    --------
    >>> paired_interval([0.5, 0.5, 0.5])
    Interval(mean=0.5, low=0.5, high=0.5)
    """
    values = np.asarray(differences, dtype=np.float64)
    if not len(values):
        return Interval(0.0, 0.0, 0.0)
    drawn = np.random.default_rng(random_state).integers(0, len(values), size=(n_resamples, len(values)))
    # element-wise sums in a fixed order: a BLAS would add in another order for each number of threads
    means = values[drawn].mean(axis=1)
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(float(values.mean()), float(low), float(high))
