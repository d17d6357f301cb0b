"""Louvain's method over a CSR adjacency, compiled.

Enters: a symmetric weighted adjacency. Leaves: one label a node. Nodes move to the neighbouring community that
raises modularity most until none can; the communities become the nodes of a smaller graph, and so on. On the
way back every level's nodes may move once more, which repairs what was right only for the whole community.

Only nodes with a neighbour that has moved are looked at again (a queue), and a graph is three flat arrays:
that makes it faster than libraries whose graph must first be filled edge by edge. Everything random is the
order in which nodes are tried, and sums run in a fixed order: the same input gives the same labels everywhere.

Blondel et al. 2008, doi:10.1088/1742-5468/2008/10/P10008; the queue after Traag et al. 2019,
doi:10.1038/s41598-019-41695-z; the way back after Rotta and Noack 2011, doi:10.1145/1963190.1970376.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cnrag_core.similarity.compiling import compiled

LEAST_GAIN = 1e-12
"""A move must gain more than this share of a node's strength, so that rounding cannot move nodes forever."""


MAX_ROUNDS = 10
"""Times that the levels are walked up and down at most; on most graphs nothing moves any more the second time."""


@dataclass(frozen=True, eq=False)
class _Level:
    """A graph of nodes or of communities; edges within a node count in its strength only."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    weight: NDArray[np.float64]
    strength: NDArray[np.float64]

    @property
    def n_nodes(self) -> int:
        return len(self.strength)


def louvain(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weight: NDArray[np.float64],
    *,
    resolution: float,
    random_state: int,
) -> NDArray[np.int64]:
    """(n,) labels of connected communities; no single node's move improves them.

    Parameters
    ----------
    indptr, indices, weight
        Symmetric CSR without a diagonal; positive weights.
    resolution
        Above 1: more and smaller communities.
    random_state
        Chooses the order in which nodes are tried.
    """
    random = np.random.default_rng(random_state)
    n = len(indptr) - 1
    strength = np.bincount(np.repeat(np.arange(n), np.diff(indptr)), weight, minlength=n).astype(np.float64)
    finest = _Level(indptr, indices, weight, strength)
    share = resolution / float(strength.sum())
    labels = np.arange(n, dtype=np.int32)
    _moved(finest, labels, share, random)
    for _ in range(MAX_ROUNDS):
        labels, n_moves = _up_and_down(finest, labels, share, random)
        if not n_moves:
            break
    return _connected(indptr, indices, labels)


def _up_and_down(
    finest: _Level, labels: NDArray[np.int32], share: float, random: np.random.Generator
) -> tuple[NDArray[np.int32], int]:
    """Communities moved as wholes, then communities of these, then their members once more; and how many moves."""
    levels, members, n_moves = [finest], [], 0
    while (n_communities := _renumbered(labels)) < levels[-1].n_nodes:
        level = levels[-1]
        joined = _joined(level.indptr, level.indices, level.weight, level.strength, labels, n_communities)
        levels.append(_Level(*joined))
        members.append(labels)
        labels = np.arange(n_communities, dtype=np.int32)
        moves = _moved(levels[-1], labels, share, random)
        n_moves += moves
        if not moves:
            break
    for level, of_level in zip(levels[: len(members)][::-1], members[::-1], strict=True):
        labels = labels[of_level]
        if n_moves:
            n_moves += _moved(level, labels, share, random)
    return labels, n_moves


def _moved(level: _Level, labels: NDArray[np.int32], share: float, random: np.random.Generator) -> int:
    order = random.permutation(level.n_nodes).astype(np.int32)
    return _move_nodes(level.indptr, level.indices, level.weight, level.strength, labels, order, share)


@compiled
def _move_nodes(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weight: NDArray[np.float64],
    strength: NDArray[np.float64],
    labels: NDArray[np.int32],
    order: NDArray[np.int32],
    share: float,
) -> int:
    """Move nodes, in place, as long as a move gains; returns how many moves there were.

    `order` holds every node once and is used up as the queue. `share` is the resolution over the summed
    strengths: joining community c gains the weight towards c less share x strength x strength of c.
    """
    n = len(labels)
    of_community = np.zeros(n)
    for node in range(n):
        of_community[labels[node]] += strength[node]
    towards = np.zeros(n)
    met = np.empty(n, np.int32)
    is_waiting = np.ones(n, np.uint8)
    first, n_waiting, n_moves = 0, n, 0
    while n_waiting:
        node = order[first]
        first = first + 1 if first + 1 < n else 0
        n_waiting -= 1
        is_waiting[node] = 0
        own = labels[node]
        n_met = 0
        for at in range(indptr[node], indptr[node + 1]):
            community = labels[indices[at]]
            if towards[community] == 0.0:
                met[n_met] = community
                n_met += 1
            towards[community] += weight[at]
        mine = strength[node]
        of_community[own] -= mine
        best, best_gain = own, towards[own] - share * mine * of_community[own]
        least = LEAST_GAIN * mine
        for place in range(n_met):
            community = met[place]
            gain = towards[community] - share * mine * of_community[community]
            towards[community] = 0.0
            if gain > best_gain + least:
                best, best_gain = community, gain
        of_community[best] += mine
        if best == own:
            continue
        labels[node] = best
        n_moves += 1
        for at in range(indptr[node], indptr[node + 1]):
            other = indices[at]
            if labels[other] != best and not is_waiting[other]:
                is_waiting[other] = 1
                free = first + n_waiting
                order[free if free < n else free - n] = other
                n_waiting += 1
    return n_moves


@compiled
def _renumbered(labels: NDArray[np.int32]) -> int:
    """Number the communities from 0 in the order of their first nodes, in place; returns how many there are."""
    number = np.full(len(labels), -1, np.int32)
    count = 0
    for node in range(len(labels)):
        if number[labels[node]] < 0:
            number[labels[node]] = count
            count += 1
        labels[node] = number[labels[node]]
    return count


@compiled
def _joined(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weight: NDArray[np.float64],
    strength: NDArray[np.float64],
    labels: NDArray[np.int32],
    n_communities: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]:
    """The graph whose nodes are the communities: its CSR without a diagonal, and its strengths."""
    n = len(labels)
    start = np.zeros(n_communities + 1, np.int64)
    joined_strength = np.zeros(n_communities)
    for node in range(n):
        start[labels[node] + 1] += 1
        joined_strength[labels[node]] += strength[node]
    for community in range(n_communities):
        start[community + 1] += start[community]
    member, free = np.empty(n, np.int32), start[:n_communities].copy()
    for node in range(n):
        member[free[labels[node]]] = node
        free[labels[node]] += 1
    joined_indptr = np.zeros(n_communities + 1, np.int64)
    joined_indices, joined_weight = np.empty(len(indices), np.int32), np.empty(len(indices))
    towards = np.zeros(n_communities)
    end = 0
    for community in range(n_communities):
        begin = end
        for place in range(start[community], start[community + 1]):
            node = member[place]
            for at in range(indptr[node], indptr[node + 1]):
                other = labels[indices[at]]
                if other == community:
                    continue
                if towards[other] == 0.0:
                    joined_indices[end] = other
                    end += 1
                towards[other] += weight[at]
        for at in range(begin, end):
            joined_weight[at] = towards[joined_indices[at]]
            towards[joined_indices[at]] = 0.0
        joined_indptr[community + 1] = end
    return joined_indptr, joined_indices[:end].copy(), joined_weight[:end].copy(), joined_strength


@compiled
def _connected(indptr: NDArray[np.int64], indices: NDArray[np.int32], labels: NDArray[np.int32]) -> NDArray[np.int64]:
    """The partition with every community that is not connected cut into its pieces, by union-find."""
    n = len(labels)
    parent = np.arange(n)
    for node in range(n):
        for at in range(indptr[node], indptr[node + 1]):
            a, b = node, int(indices[at])
            if b > a or labels[b] != labels[a]:
                continue
            while parent[a] != a:
                parent[a] = parent[parent[a]]
                a = parent[a]
            while parent[b] != b:
                parent[b] = parent[parent[b]]
                b = parent[b]
            if a < b:
                a, b = b, a
            parent[a] = b
    for node in range(n):  # a parent is never greater than its child
        parent[node] = parent[parent[node]]
    return parent
