"""Where the nodes of one connected component go, by forces, from the coarsest level to the finest.

Enters: the `Level`s of a component. Leaves: positions, of which only the shape counts: size, turn and place are given
to them where the components share a picture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order, shortest_path

from cnrag_core.topology.coarsening import Level
from cnrag_core.topology.forces import Exponent, relax_batch, relax_plain
from cnrag_core.types import Progress, silent

AREA_PER_NODE = 5.0
"""Area of the picture for each node, in squares of the distance that nodes keep."""

COARSEST = 40
"""Nodes of the coarsest level at most."""

_STRESS_ROUNDS = 150
_POWER_ROUNDS = 300
_BATCH_ELEMENTS = 1_000_000  # entries of a batch's pair arrays, which bounds their memory


def arrange(
    levels: Sequence[Level],
    *,
    random: np.random.Generator,
    start: NDArray[np.float64] | None = None,
    compiled: bool = False,
    progress: Progress = silent,
) -> NDArray[np.float64]:
    """(n, 2) positions of a connected graph of at least two nodes.

    Parameters
    ----------
    levels
        The graph and its coarser forms, finest first.
    start
        (n, 2) positions to begin from instead of the coarsest level; only their shape counts.
    compiled
        Whether the finer levels go through the compiled forces.
    """
    relax: Callable[..., NDArray[np.float64]] = relax_plain
    if compiled:
        from cnrag_core.topology.layout_loops import relax_compiled

        relax = relax_compiled
    if start is None:
        return _from_coarse_to_fine(levels, random, relax, progress, compiled=compiled)
    level = levels[0]
    positions = _at_rest_size(start - start.mean(axis=0), level, exponent=0)
    reach = _reach(positions)
    positions = positions + (random.random(positions.shape) - 0.5) * (1e-3 * reach)
    return relax(
        positions,
        level,
        n_rounds=_n_rounds(level),
        first_step=0.1 * reach,
        last_step=0.005 * reach,
        exponent=0,
        progress=progress,
    )


def arrange_small(
    levels: Sequence[Level], *, random: np.random.Generator, starts: Sequence[NDArray[np.float64]] | None = None
) -> list[NDArray[np.float64]]:
    """Positions of many small connected graphs, those of like size in one batch.

    `levels` come by descending number of nodes; without `starts`, nodes begin on a circle.
    """
    shapes: list[NDArray[np.float64]] = []
    at = 0
    while at < len(levels):
        largest = levels[at].n_nodes
        room = max(1, _BATCH_ELEMENTS // (largest * largest))
        batch = [level for level in levels[at : at + room] if 2 * level.n_nodes > largest]
        shapes += _arrange_batch(batch, random, None if starts is None else starts[at : at + len(batch)])
        at += len(batch)
    return shapes


def _arrange_batch(
    levels: Sequence[Level], random: np.random.Generator, starts: Sequence[NDArray[np.float64]] | None
) -> list[NDArray[np.float64]]:
    largest = max(level.n_nodes for level in levels)
    positions = np.zeros((len(levels), largest, 2))
    mass = np.zeros((len(levels), largest))
    for place, level in enumerate(levels):
        n = level.n_nodes
        begin = starts[place] - starts[place].mean(axis=0) if starts is not None else _ring_start(level)
        begin = begin + (random.random((n, 2)) - 0.5) * (1e-2 * _reach(begin))
        positions[place, :n] = _at_rest_size(begin, level, exponent=1)
        mass[place, :n] = level.mass
    reach = np.array([_reach(positions[place, : level.n_nodes]) for place, level in enumerate(levels)])
    left, right = (
        np.concatenate([ends + place * largest for place, ends in enumerate(side)])
        for side in ([level.left for level in levels], [level.right for level in levels])
    )
    weight = np.concatenate([level.weight for level in levels])
    positions = relax_batch(
        positions, mass, left, right, weight, n_rounds=80, first_step=0.2 * reach, last_step=0.005 * reach, exponent=1
    )
    return [positions[place, : level.n_nodes] for place, level in enumerate(levels)]


def _ring_start(level: Level) -> NDArray[np.float64]:
    """Nodes on a square ring in the order of a breadth-first walk, so that neighbours begin near each other."""
    n = level.n_nodes
    links = csr_matrix((np.ones(len(level.left)), (level.left, level.right)), shape=(n, n))
    order = breadth_first_order(links, 0, directed=False, return_predecessors=False)
    along = 4 * np.arange(n) / n  # a square instead of a circle: sine and cosine may differ by machine
    side, part = along.astype(np.int64), along % 1
    x = np.choose(side, [part, np.ones(n), 1 - part, np.zeros(n)])
    y = np.choose(side, [np.zeros(n), part, np.ones(n), 1 - part])
    positions = np.empty((n, 2))
    positions[order] = np.stack([x, y], axis=1) - 0.5
    return positions


def _from_coarse_to_fine(
    levels: Sequence[Level],
    random: np.random.Generator,
    relax: Callable[..., NDArray[np.float64]],
    progress: Progress,
    *,
    compiled: bool,
) -> NDArray[np.float64]:
    positions = _at_rest_size(_stress_start(levels[-1], random, compiled=compiled), levels[-1], exponent=1)
    reach = _reach(positions)
    positions = relax(positions, levels[-1], n_rounds=100, first_step=0.1 * reach, last_step=0.005 * reach, exponent=1)
    total = sum(finer.n_nodes for finer in levels)
    done = levels[-1].n_nodes
    for finer in range(len(levels) - 2, -1, -1):
        group, coarse = levels[finer].group, levels[finer + 1]
        assert group is not None  # only the coarsest level has none
        reach = _reach(positions)
        room = np.sqrt(coarse.mass / coarse.mass.sum()) * reach
        scatter = random.random((len(group), 2)) - 0.5
        part = levels[finer].n_nodes
        positions = relax(
            positions[group] + scatter * (0.5 * room[group])[:, None],
            levels[finer],
            n_rounds=_n_rounds(levels[finer]),
            first_step=0.15 * reach,
            last_step=0.005 * reach,
            exponent=0,
            progress=lambda step, share, done=done, part=part: progress(step, (done + share * part) / total),
        )
        done += part
    return positions


def _n_rounds(level: Level) -> int:
    """150 for up to 10,000 nodes, then fewer, so that a round's growing cost is made up for."""
    return max(50, min(150, 1_500_000 // level.n_nodes))


def _reach(positions: NDArray[np.float64]) -> float:
    """Root mean square distance from the center, never 0."""
    away = positions - positions.mean(axis=0)
    return max(float(np.sqrt((away * away).sum() / len(positions))), 1e-9)


def _at_rest_size(positions: NDArray[np.float64], level: Level, *, exponent: Exponent) -> NDArray[np.float64]:
    """The same shape at the size where, taken together, pushes and pulls cancel.

    Stretched by a share ds, pushes do work sum m_i m_j ds over all pairs, whatever the size, and pulls cost
    sum w d^(1 + exponent) ds over the edges.
    """
    away = positions[level.left] - positions[level.right]
    square = (away * away).sum(axis=1)
    pulled = float((level.weight * (square if exponent == 1 else np.sqrt(square))).sum())
    pushed = float(level.mass.sum() ** 2 - (level.mass * level.mass).sum()) / 2
    if pulled <= 0 or pushed <= 0:
        return positions
    ratio = pushed / pulled
    return positions * (float(np.sqrt(ratio)) if exponent == 1 else ratio)


def _stress_start(level: Level, random: np.random.Generator, *, compiled: bool = False) -> NDArray[np.float64]:
    """Positions whose distances follow the path lengths of a small graph, by stress majorisation.

    An edge is as long as it would be if its two ends were alone. Gansner, Koren and North 2004,
    doi:10.1007/978-3-540-31843-9_25.
    """
    n = level.n_nodes
    if n == 1:
        return np.zeros((1, 2))
    lengths = np.sqrt(level.mass[level.left] * level.mass[level.right] / level.weight)
    distance = shortest_path(csr_matrix((lengths, (level.left, level.right)), shape=(n, n)), directed=False)
    positions = _classical_scaling(distance, random, compiled=compiled)
    if compiled:
        from cnrag_core.topology.layout_loops import majorise

        x, y = positions[:, 0].copy(), positions[:, 1].copy()
        majorise(distance, x, y, _STRESS_ROUNDS)
        return np.stack([x, y], axis=1)
    importance = np.divide(1.0, distance * distance, out=np.zeros((n, n)), where=distance > 0)
    total = importance.sum(axis=1)
    for _ in range(_STRESS_ROUNDS):
        dx = positions[:, None, 0] - positions[None, :, 0]
        dy = positions[:, None, 1] - positions[None, :, 1]
        ratio = distance / np.sqrt(np.maximum(dx * dx + dy * dy, 1e-18))
        x = (importance * (positions[None, :, 0] + ratio * dx)).sum(axis=1) / total
        y = (importance * (positions[None, :, 1] + ratio * dy)).sum(axis=1) / total
        positions = np.stack([x, y], axis=1)
    return positions


def _classical_scaling(
    distance: NDArray[np.float64], random: np.random.Generator, *, compiled: bool
) -> NDArray[np.float64]:
    """The two leading coordinates of points with these distances, by power iteration without a BLAS."""
    square = distance * distance
    center = square.mean(axis=0)
    gram = -0.5 * (square - center[:, None] - center[None, :] + center.mean())
    if compiled:
        from cnrag_core.topology.layout_loops import leading_axes

        pair = random.random((2, len(gram))) - 0.5
        leading_axes(gram, pair, _POWER_ROUNDS)
        return pair.T.copy()
    axes: list[NDArray[np.float64]] = []
    for _ in range(2):
        axis = random.random(len(gram)) - 0.5
        for _ in range(_POWER_ROUNDS):
            axis = (gram * axis[None, :]).sum(axis=1)
            for earlier in axes:
                axis -= earlier * ((axis * earlier).sum() / (earlier * earlier).sum())
            axis /= max(float(np.sqrt((axis * axis).sum())), 1e-300)
        stretch = float((axis * (gram * axis[None, :]).sum(axis=1)).sum())
        axes.append(axis * np.sqrt(max(stretch, 1e-12)))
    return np.stack(axes, axis=1)
