"""How two partitions of the same nodes compare, and which community of one is which of the other.

Enters: label arrays, one number a node. Leaves: agreement in [-1, 1] or [0, 1], and a matching that keeps
the colours of communities where they are while a threshold or a resolution moves.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.errors import ConfigError
from cnrag_core.topology.communities import Communities


def adjusted_rand(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Adjusted Rand index: agreement over pairs of nodes, 0 at chance, 1 for equal partitions.

    Returns
    -------
    float
        In [-0.5, 1]; 1 for fewer than two nodes.

    Notes
    -----
    Hubert and Arabie 1985, doi:10.1007/BF01908075.
    """
    counts, rows, columns = _contingency(first, second)
    pairs = _n_pairs(np.array([rows.sum()]))
    both, in_first, in_second = _n_pairs(counts.data), _n_pairs(rows), _n_pairs(columns)
    expected = in_first * in_second / pairs if pairs else 0.0
    largest = (in_first + in_second) / 2
    return 1.0 if largest == expected else (both - expected) / (largest - expected)


def normalized_mutual_information(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Mutual information over the mean of the two entropies, in [0, 1]; 1 for equal partitions.

    It is generous to partitions of many small communities: read it beside `adjusted_rand`.
    """
    counts, rows, columns = _contingency(first, second)
    n = rows.sum()
    entropy = (_entropy(rows, n) + _entropy(columns, n)) / 2
    if entropy == 0.0:
        return 1.0
    cells = counts.tocoo()
    shared = cells.data / n
    information = float((shared * np.log(shared * n * n / (rows[cells.row] * columns[cells.col]))).sum())
    return min(max(information / entropy, 0.0), 1.0)


def match_labels(previous: NDArray[Any], current: NDArray[Any], *, n_current: int | None = None) -> NDArray[np.int64]:
    """For each community of `current`, the number it should be shown as: that of its forerunner.

    Pairs of communities are joined greedily by the number of nodes they share, largest first; a
    community without a forerunner takes the smallest number that no one has. Numbers are unique.

    Parameters
    ----------
    previous, current
        (n,) labels of the same nodes, counted from 0.
    n_current
        Number of communities of `current`, where some of them have none of these nodes.

    Returns
    -------
    (n_current,) int64

    Examples
    --------
    The two communities change places in size; shown as before, they keep their colours:

    >>> match_labels(np.array([0, 0, 0, 1, 1]), np.array([1, 1, 2, 0, 0]))
    array([1, 0, 2])
    """
    counts, _, _ = _contingency(previous, current)
    cells = counts.tocoo()
    shown = np.full(max(counts.shape[1], n_current or 0), -1, dtype=np.int64)
    taken: set[int] = set()
    for cell in np.lexsort((cells.col, cells.row, -cells.data)).tolist():
        before, now = int(cells.row[cell]), int(cells.col[cell])
        if shown[now] < 0 and before not in taken:
            shown[now] = before
            taken.add(before)
    free = (number for number in itertools.count() if number not in taken)
    for now in np.flatnonzero(shown < 0).tolist():
        shown[now] = next(free)
    return shown


def match_communities(previous: Communities, current: Communities) -> NDArray[np.int64]:
    """`match_labels` over the nodes that both have, for graphs between which documents came or went."""
    common = sorted(set(previous.node_ids) & set(current.node_ids))
    before = np.array([previous.of(node_id) for node_id in common], dtype=np.int64)
    now = np.array([current.of(node_id) for node_id in common], dtype=np.int64)
    return match_labels(before, now, n_current=current.n_communities)


def _contingency(
    first: NDArray[Any], second: NDArray[Any]
) -> tuple[sp.csr_matrix, NDArray[np.int64], NDArray[np.int64]]:
    """Nodes in each pair of communities, and the sizes of the communities of either side."""
    if len(first) != len(second):
        raise ConfigError(f"Two partitions of the same nodes are needed, got {len(first)} and {len(second)} labels.")
    shape = (int(first.max()) + 1, int(second.max()) + 1) if len(first) else (0, 0)
    counts = sp.csr_matrix((np.ones(len(first), dtype=np.int64), (first, second)), shape=shape)
    counts.sum_duplicates()
    return counts, np.bincount(first, minlength=shape[0]), np.bincount(second, minlength=shape[1])


def _n_pairs(counts: NDArray[np.int64]) -> float:
    counts = counts.astype(np.float64)
    return float((counts * (counts - 1) / 2).sum())


def _entropy(sizes: NDArray[np.int64], n: int) -> float:
    share = sizes[sizes > 0] / n
    return -float((share * np.log(share)).sum())
