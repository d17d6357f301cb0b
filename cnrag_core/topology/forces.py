"""The forces of the layout as array algebra, for graphs small enough for all pairs.

Every node pushes every other away in proportion to their masses and inversely to their distance; every
edge pulls its ends together, by its weight alone or by its weight times their distance. The first shows
communities as islands: how far two groups stand apart follows how few of their possible edges exist
(the LinLog model, Noack 2007, doi:10.7155/jgaa.00154). The second settles fast and gives the outline. A
round moves each node by its force over its stiffness (a Newton step that looks at one node at a time),
at most by a step that shrinks from round to round.

Only sums of element-wise products, no matrix products: a BLAS adds in another order for each number of
threads. Graphs are laid out in batches, padded with nodes of no mass.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from cnrag_core.topology.coarsening import Level
from cnrag_core.types import Progress, silent

Exponent: TypeAlias = Literal[0, 1]
"""Power of the distance in the pull: 1 = a long edge pulls harder, 0 = all edges pull alike."""

_SMALLEST_SQUARE = 1e-9


Step = TypeVar("Step", float, NDArray[np.float64])


def step_length(round_number: int, n_rounds: int, first: Step, last: Step) -> Step:
    """Longest move in a round: falls from `first` to `last` along a parabola (a power would differ by machine)."""
    left = 1 - round_number / max(n_rounds - 1, 1)
    return last + (first - last) * (left * left)


def relax_batch(
    positions: NDArray[np.float64],
    mass: NDArray[np.float64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    weight: NDArray[np.float64],
    *,
    n_rounds: int,
    first_step: NDArray[np.float64],
    last_step: NDArray[np.float64],
    exponent: Exponent,
    progress: Progress = silent,
) -> NDArray[np.float64]:
    """Positions after `n_rounds` rounds.

    Parameters
    ----------
    positions
        (b, n, 2), one graph an entry of the batch.
    mass
        (b, n); 0 = padding.
    left, right, weight
        (m,) edges of all graphs, node i of graph g being number ``g n + i``.
    first_step, last_step
        (b,) longest move of a node in the first and in the last round.
    exponent
        Power of the distance in the pull.
    """
    b, n = mass.shape
    x, y = positions[..., 0].copy(), positions[..., 1].copy()
    push_of_pair = mass[:, :, None] * mass[:, None, :]
    push_of_pair[:, np.arange(n), np.arange(n)] = 0.0
    ends, others = np.concatenate([left, right]), np.concatenate([right, left])
    pull_of_edge = np.tile(weight, 2)
    dx, dy, push, part = (np.empty((b, n, n)) for _ in range(4))
    for round_number in range(n_rounds):
        np.subtract(x[:, :, None], x[:, None, :], out=dx)
        np.subtract(y[:, :, None], y[:, None, :], out=dy)
        np.multiply(dx, dx, out=push)
        np.multiply(dy, dy, out=part)
        np.add(push, part, out=push)
        np.maximum(push, _SMALLEST_SQUARE, out=push)
        np.divide(push_of_pair, push, out=push)
        stiffness = push.sum(axis=2)
        force_x = np.multiply(push, dx, out=dx).sum(axis=2)
        force_y = np.multiply(push, dy, out=dy).sum(axis=2)

        edge_x, edge_y = x.ravel()[ends] - x.ravel()[others], y.ravel()[ends] - y.ravel()[others]
        pull = pull_of_edge
        if exponent == 0:
            pull = pull / np.sqrt(np.maximum(edge_x * edge_x + edge_y * edge_y, _SMALLEST_SQUARE))
        stiffness += np.bincount(ends, pull, minlength=b * n).reshape(b, n)
        force_x -= np.bincount(ends, pull * edge_x, minlength=b * n).reshape(b, n)
        force_y -= np.bincount(ends, pull * edge_y, minlength=b * n).reshape(b, n)

        scale = np.divide(1.0, stiffness, out=np.zeros_like(stiffness), where=stiffness > 0)
        move_x, move_y = force_x * scale, force_y * scale
        length = np.sqrt(move_x * move_x + move_y * move_y)
        longest = step_length(round_number, n_rounds, first_step, last_step)
        cut = np.minimum(1.0, longest[:, None] / np.maximum(length, _SMALLEST_SQUARE))
        x += move_x * cut
        y += move_y * cut
        progress("layout", (round_number + 1) / n_rounds)
    return np.stack([x, y], axis=-1)


def relax_plain(
    positions: NDArray[np.float64],
    level: Level,
    *,
    n_rounds: int,
    first_step: float,
    last_step: float,
    exponent: Exponent,
    progress: Progress = silent,
) -> NDArray[np.float64]:
    """`relax_batch` for the one graph of a level."""
    batch = relax_batch(
        positions[None],
        level.mass[None],
        level.left,
        level.right,
        level.weight,
        n_rounds=n_rounds,
        first_step=np.array([first_step]),
        last_step=np.array([last_step]),
        exponent=exponent,
        progress=progress,
    )
    moved: NDArray[np.float64] = batch[0]
    return moved
