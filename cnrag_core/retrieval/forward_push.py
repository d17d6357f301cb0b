"""Forward push, compiled: personalised PageRank that only visits where the starts lead.

Imported only for graphs that are large enough to need it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cnrag_core.similarity.compiling import compiled
from cnrag_core.types import Scores


def forward_push(
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    shares: NDArray[np.float64],
    restart: Scores,
    probability: float,
    tolerance: float,
) -> Scores:
    """(n,) visits of a reader who starts over with `probability` at each step.

    Parameters
    ----------
    indptr, indices, shares
        CSR of the steps; rows sum to 1, or to 0 where the reader starts over at once.
    restart
        (n,) distribution of the starts.
    tolerance
        A node keeps what it holds when that is less than this for each of its edges.
    """
    starts = np.flatnonzero(restart)
    return _push(
        indptr.astype(np.int64), indices.astype(np.int32, copy=False), shares, starts, restart[starts], probability,
        tolerance, len(restart),
    )  # fmt: skip


def warm_up() -> None:
    """Compile, or load, the loop."""
    path = np.array([0, 1, 2], dtype=np.int32)
    forward_push(path, np.array([1, 0], dtype=np.int32), np.ones(2), np.array([1.0, 0.0]), 0.3, 1e-6)


@compiled
def _push(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    shares: NDArray[np.float64],
    starts: NDArray[np.int64],
    start_shares: NDArray[np.float64],
    probability: float,
    tolerance: float,
    n: int,
) -> NDArray[np.float64]:
    visits = np.zeros(n)
    waiting = np.zeros(n)
    queued = np.zeros(n, dtype=np.bool_)
    queue = np.empty(n, dtype=np.int64)  # a ring: each node stands in it at most once
    head, size = 0, 0
    for i in range(len(starts)):
        waiting[starts[i]] = start_shares[i]
        queue[size] = starts[i]
        queued[starts[i]] = True
        size += 1
    while size > 0:
        node = queue[head]
        head = (head + 1) % n
        size -= 1
        queued[node] = False
        held = waiting[node]
        waiting[node] = 0.0
        first, last = indptr[node], indptr[node + 1]
        if first == last:  # nowhere to go: over to the starts, what would have moved on
            visits[node] += probability * held
            for i in range(len(starts)):
                other = starts[i]
                waiting[other] += (1.0 - probability) * held * start_shares[i]
                if waiting[other] >= tolerance * max(1, indptr[other + 1] - indptr[other]) and not queued[other]:
                    queue[(head + size) % n] = other
                    queued[other] = True
                    size += 1
            continue
        visits[node] += probability * held
        for edge in range(first, last):
            other = indices[edge]
            waiting[other] += (1.0 - probability) * held * shares[edge]
            if waiting[other] >= tolerance * max(1, indptr[other + 1] - indptr[other]) and not queued[other]:
                queue[(head + size) % n] = other
                queued[other] = True
                size += 1
    return visits + probability * waiting
