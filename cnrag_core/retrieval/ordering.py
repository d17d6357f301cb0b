"""The best n of many scores, always in the same order: by descending score, ties by node number.

Node numbers follow the sorted ids, so a tie goes to the smallest id.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cnrag_core.types import Scores


def best(scores: Scores, n: int) -> NDArray[np.int64]:
    """Numbers of the `n` nodes with the highest positive scores, best first.

    Parameters
    ----------
    scores
        (n_nodes,) any numbers; nodes at or below 0 are never returned.
    n
        At most this many; 0 or less gives none.

    Examples
    --------
    >>> best(np.array([0.2, 0.9, 0.0, 0.9]), 3).tolist()
    [1, 3, 0]
    """
    positive = np.flatnonzero(scores > 0)
    if n <= 0 or not len(positive):
        return np.empty(0, dtype=np.int64)
    if n < len(positive):
        # a partial sort first, keeping everything that ties with the n-th
        values = scores[positive]
        positive = positive[values >= np.partition(values, -n)[-n]]
    order = np.lexsort((positive, -scores[positive]))
    return positive[order[:n]].astype(np.int64)


def rank_of(scores: Scores, node: int) -> int | None:
    """1-based place of a node in the order of `best`; None where its score is not positive."""
    score = scores[node]
    if score <= 0:
        return None
    return 1 + int((scores > score).sum()) + int((scores[:node] == score).sum())
