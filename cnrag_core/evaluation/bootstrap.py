"""How sure a difference is: paired bootstrap over the questions.

Two strategies answered the same questions. Drawing questions with replacement, many times, shows how
far their mean difference depends on which questions happened to be asked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

N_RESAMPLES = 2000
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Difference:
    """Mean difference to the baseline, and the interval that holds 95 % of the resampled means."""

    mean: float
    low: float
    high: float

    @property
    def is_better(self) -> bool:
        """Whether the whole interval lies above 0."""
        return self.low > 0

    @property
    def is_worse(self) -> bool:
        """Whether the whole interval lies below 0."""
        return self.high < 0


def paired_differences(
    values: NDArray[np.float64],
    baseline: NDArray[np.float64],
    *,
    random_state: int = 0,
    n_resamples: int = N_RESAMPLES,
) -> list[Difference]:
    """Differences of several measures at once, resampled with the same questions.

    Parameters
    ----------
    values, baseline
        (n_questions, n_measures): what each question scored.

    Notes
    -----
    Percentile bootstrap (Efron and Tibshirani 1993, chapter 13).
    """
    differences = values - baseline
    n = len(differences)
    if n == 0:
        return [Difference(0.0, 0.0, 0.0)] * differences.shape[1]
    drawn = np.random.default_rng(random_state).multinomial(n, np.full(n, 1 / n), size=n_resamples)
    means = np.round(drawn @ differences / n, 12)
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    centre = differences.mean(axis=0)
    return [Difference(float(m), float(a), float(b)) for m, a, b in zip(centre, low, high, strict=True)]
