"""The forces of the layout for large graphs, compiled: what `forces.py` computes, with far groups summed up.

Repulsion of distant nodes is taken from a quadtree, in which a square that looks small from a node
counts as one body (Barnes and Hut 1986, doi:10.1038/324446a0).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.errors import check_room_for_threads
from cnrag_core.similarity.compiling import compiled
from cnrag_core.topology.coarsening import Level
from cnrag_core.topology.forces import Exponent, step_length
from cnrag_core.types import Progress, silent

OPENING = 0.8
"""A square counts as one body where its side is less than this times its distance."""

_DEEPEST = 28  # squares of the root's side / 2^28: bodies closer than that share one
_SMALLEST_SQUARE = 1e-9
_MIN_NODES_FOR_THREADS = 4_000
_STACK = 4 * _DEEPEST + 8


def relax_compiled(
    positions: NDArray[np.float64],
    level: Level,
    *,
    n_rounds: int,
    first_step: float,
    last_step: float,
    exponent: Exponent,
    progress: Progress = silent,
) -> NDArray[np.float64]:
    """Positions of the (n, 2) nodes of a level after `n_rounds` rounds.

    Each node's force is summed by itself in a fixed order, so that threads change nothing but the time.
    """
    n = level.n_nodes
    rows, columns = np.concatenate([level.left, level.right]), np.concatenate([level.right, level.left])
    edges = sp.csr_matrix((np.tile(level.weight, 2), (rows, columns)), shape=(n, n))
    edges.sort_indices()
    indptr, indices, weights = edges.indptr.astype(np.int64), edges.indices.astype(np.int32), edges.data
    x, y = positions[:, 0].copy(), positions[:, 1].copy()
    tree = _Tree(n)
    move_x, move_y = np.empty(n), np.empty(n)
    n_threads = 2 if n >= _MIN_NODES_FOR_THREADS else 1
    bounds = np.linspace(0, n, n_threads + 1).astype(np.int64)

    def find_part(part: int) -> None:
        find_moves(
            int(bounds[part]), int(bounds[part + 1]), x, y, level.mass, indptr, indices, weights, exponent,
            tree.child, tree.next_body, tree.mass, tree.x, tree.y, tree.side, move_x, move_y,
        )  # fmt: skip

    check_room_for_threads(n_threads)
    with ThreadPoolExecutor(max_workers=n_threads) as pool:
        run = pool.map if n_threads > 1 else map  # handing over costs more than the forces of few nodes
        for round_number in range(n_rounds):
            tree.build(x, y, level.mass)
            list(run(find_part, range(n_threads)))
            length = np.sqrt(move_x * move_x + move_y * move_y)
            longest = step_length(round_number, n_rounds, first_step, last_step)
            cut = np.minimum(1.0, longest / np.maximum(length, _SMALLEST_SQUARE))
            x += move_x * cut
            y += move_y * cut
            progress("layout", (round_number + 1) / n_rounds)
    return np.stack([x, y], axis=1)


@compiled
def leading_axes(gram: NDArray[np.float64], axes: NDArray[np.float64], n_rounds: int) -> None:
    """Power iteration: turns the (2, n) axes, in place, into the two leading eigenvectors of a symmetric matrix,
    each times the square root of its eigenvalue."""
    n = len(gram)
    product = np.empty(n)
    for number in range(2):
        axis = axes[number]
        for _ in range(n_rounds):
            for i in range(n):
                total = 0.0
                for j in range(n):
                    total += gram[i, j] * axis[j]
                product[i] = total
            if number == 1:
                both, own = 0.0, 0.0
                for i in range(n):
                    both += product[i] * axes[0, i]
                    own += axes[0, i] * axes[0, i]
                for i in range(n):
                    product[i] -= axes[0, i] * (both / max(own, 1e-300))
            square = 0.0
            for i in range(n):
                square += product[i] * product[i]
            for i in range(n):
                axis[i] = product[i] / max(np.sqrt(square), 1e-300)
        stretch = 0.0
        for i in range(n):
            for j in range(n):
                stretch += axis[i] * gram[i, j] * axis[j]
        for i in range(n):
            axis[i] *= np.sqrt(max(stretch, 1e-12))


@compiled
def majorise(distance: NDArray[np.float64], x: NDArray[np.float64], y: NDArray[np.float64], n_rounds: int) -> None:
    """Stress majorisation, in place: every node goes where its wanted distances from the others pull it."""
    n = len(x)
    new_x, new_y = np.empty(n), np.empty(n)
    for _ in range(n_rounds):
        for i in range(n):
            sum_x, sum_y, total = 0.0, 0.0, 0.0
            for j in range(n):
                wanted = distance[i, j]
                if wanted <= 0.0:
                    continue
                dx, dy = x[i] - x[j], y[i] - y[j]
                importance = 1.0 / (wanted * wanted)
                ratio = wanted / np.sqrt(max(dx * dx + dy * dy, 1e-18))
                sum_x += importance * (x[j] + ratio * dx)
                sum_y += importance * (y[j] + ratio * dy)
                total += importance
            new_x[i], new_y[i] = sum_x / total, sum_y / total
        x[:] = new_x
        y[:] = new_y


class _Tree:
    """Quadtree over bodies, its arrays reused from round to round.

    `child` (cells, 4): -1 = empty, below n = the number of a body, else n + the number of a cell;
    `next_body` chains the bodies that share a deepest square; `mass`, `x`, `y` are a cell's sum and
    center, `side` is that of the root.
    """

    def __init__(self, n: int) -> None:
        self.side = 1.0
        self.next_body = np.empty(n, np.int32)
        self._reserve(4 * n + 64)

    def _reserve(self, n_cells: int) -> None:
        self.child = np.empty((n_cells, 4), np.int32)
        self.mass, self.x, self.y = np.empty(n_cells), np.empty(n_cells), np.empty(n_cells)

    def build(self, x: NDArray[np.float64], y: NDArray[np.float64], mass: NDArray[np.float64]) -> None:
        """Puts all bodies into a root square that just holds them."""
        left, low = float(x.min()), float(y.min())
        self.side = side = max(float(x.max()) - left, float(y.max()) - low, 1e-6) * (1 + 1e-9)
        while build_tree(x, y, mass, left, low, side, self.child, self.next_body, self.mass, self.x, self.y) < 0:
            self._reserve(2 * len(self.mass))


@compiled
def build_tree(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    mass: NDArray[np.float64],
    left: float,
    low: float,
    side: float,
    child: NDArray[np.int32],
    next_body: NDArray[np.int32],
    cell_mass: NDArray[np.float64],
    cell_x: NDArray[np.float64],
    cell_y: NDArray[np.float64],
) -> int:
    """Fills the quadtree; returns its number of cells, or -1 where the arrays are too short."""
    n = len(x)
    n_cells = 1
    child[0, :] = -1
    cell_mass[0], cell_x[0], cell_y[0] = 0.0, 0.0, 0.0
    for body in range(n):
        next_body[body] = -1
        bx, by, bm = x[body], y[body], mass[body]
        cell, depth = 0, 0
        half = 0.5 * side
        middle_x, middle_y = left + half, low + half
        while True:
            cell_mass[cell] += bm
            cell_x[cell] += bm * bx
            cell_y[cell] += bm * by
            quarter = 0
            half *= 0.5
            if bx >= middle_x:
                quarter += 1
                middle_x += half
            else:
                middle_x -= half
            if by >= middle_y:
                quarter += 2
                middle_y += half
            else:
                middle_y -= half
            found = child[cell, quarter]
            if found == -1:
                child[cell, quarter] = body
                break
            if found >= n:
                cell = found - n
                depth += 1
                continue
            if depth >= _DEEPEST:
                next_body[body] = found
                child[cell, quarter] = body
                break
            if n_cells == len(cell_mass):
                return -1
            new = n_cells
            n_cells += 1
            child[new, :] = -1
            other_mass = mass[found]
            cell_mass[new] = other_mass
            cell_x[new] = other_mass * x[found]
            cell_y[new] = other_mass * y[found]
            other_quarter = 0
            if x[found] >= middle_x:
                other_quarter += 1
            if y[found] >= middle_y:
                other_quarter += 2
            child[new, other_quarter] = found
            child[cell, quarter] = n + new
            cell = new
            depth += 1
    for cell in range(n_cells):
        if cell_mass[cell] > 0.0:
            cell_x[cell] /= cell_mass[cell]
            cell_y[cell] /= cell_mass[cell]
    return n_cells


@compiled
def find_moves(
    start: int,
    end: int,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    mass: NDArray[np.float64],
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[np.float64],
    exponent: int,
    child: NDArray[np.int32],
    next_body: NDArray[np.int32],
    cell_mass: NDArray[np.float64],
    cell_x: NDArray[np.float64],
    cell_y: NDArray[np.float64],
    side: float,
    move_x: NDArray[np.float64],
    move_y: NDArray[np.float64],
) -> None:
    """Writes force over stiffness of the nodes from `start` to `end`."""
    n = len(x)
    stack = np.empty(_STACK, np.int32)
    stack_side = np.empty(_STACK)
    for node in range(start, end):
        here_x, here_y, own_mass = x[node], y[node], mass[node]
        force_x, force_y, stiffness = 0.0, 0.0, 0.0
        stack[0], stack_side[0] = 0, side
        top = 1
        while top > 0:
            top -= 1
            cell, cell_side = stack[top], stack_side[top]
            dx, dy = here_x - cell_x[cell], here_y - cell_y[cell]
            square = dx * dx + dy * dy
            if cell_side * cell_side < OPENING * OPENING * square:
                push = own_mass * cell_mass[cell] / square
                force_x += push * dx
                force_y += push * dy
                stiffness += push
                continue
            for quarter in range(4):
                found = child[cell, quarter]
                if found >= n:
                    stack[top], stack_side[top] = found - n, 0.5 * cell_side
                    top += 1
                    continue
                while found >= 0:
                    if found != node:
                        dx, dy = here_x - x[found], here_y - y[found]
                        push = own_mass * mass[found] / max(dx * dx + dy * dy, _SMALLEST_SQUARE)
                        force_x += push * dx
                        force_y += push * dy
                        stiffness += push
                    found = next_body[found]
        for at in range(indptr[node], indptr[node + 1]):
            other = indices[at]
            dx, dy = here_x - x[other], here_y - y[other]
            pull = weights[at]
            if exponent == 0:
                pull /= np.sqrt(max(dx * dx + dy * dy, _SMALLEST_SQUARE))
            force_x -= pull * dx
            force_y -= pull * dy
            stiffness += pull
        scale = 1.0 / stiffness if stiffness > 0.0 else 0.0
        move_x[node] = force_x * scale
        move_y[node] = force_y * scale
