"""Where every document is drawn: a layout computed once, the same to the bit on every run.

Enters: a `SimilarityGraph`. Leaves: `Layout`. Large connected components are laid out by forces, each
from its coarsest form to the finest (`arrangement.py`), so that communities stand as islands; small ones
are packed around them; isolated documents are folded into one block and marked.

Only neighbourhoods carry meaning: distances between far islands and the axes themselves do not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from cnrag_core.errors import ConfigError
from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.topology.arrangement import AREA_PER_NODE, COARSEST, arrange, arrange_small
from cnrag_core.topology.coarsening import Level, hierarchy
from cnrag_core.topology.communities import numbered_by_size
from cnrag_core.topology.evening import FLATTEST, evened
from cnrag_core.topology.overlaps import loosen
from cnrag_core.topology.packing import pack, pack_around
from cnrag_core.types import Progress, silent

HALF_SIDE = 1000.0
"""Positions lie in [-1000, 1000]."""

LARGEST_SPACING = 120.0
"""A graph of few nodes stays smaller than the frame instead of being blown up to fill it."""

MAX_PLAIN_WORK = 1_000_000
"""Pairs of nodes in all large components up to which array algebra beats waiting for the compiler."""

_WORK_OF_A_COMPONENT = 20_000  # what each large component costs beside its pairs, in the same
_SMALL = 32  # components up to this many nodes are laid out together in one batch
_GAP = 1.6  # between components, in the distance that nodes keep
_EDGE_LENGTH = 2.0  # mean length of the edges of a small or sparse component, in the same
_ASPECT = 1.25  # width over height of a picture of many components
_MAX_AROUND = 300  # components that find their places one by one
_ISOLATED_SHARE = 0.12  # of the picture's height that the block of isolated documents may take


@dataclass(frozen=True, eq=False)
class Layout:
    """Positions of all nodes.

    Attributes
    ----------
    node_ids
        Sorted ids; row i of the arrays belongs to ``node_ids[i]``.
    positions
        (n, 2) float32, x and y in [-1000, 1000].
    isolated
        (n,) bool, nodes without an edge: they stand in a block beyond the largest y, and a view may leave
        them out.
    component
        (n,) int64 connected component, numbered by size, 0 the largest.
    spacing
        Distance that linked nodes keep, in the units of the positions: discs of at most this diameter
        hardly overlap.
    """

    node_ids: tuple[str, ...]
    positions: NDArray[np.float32]
    isolated: NDArray[np.bool_]
    component: NDArray[np.int64]
    spacing: float

    def __post_init__(self) -> None:
        for array in (self.positions, self.isolated, self.component):
            array.flags.writeable = False

    @property
    def n_isolated(self) -> int:
        """Number of documents without an edge."""
        return int(np.count_nonzero(self.isolated))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of ids and positions."""
        digest = hashlib.sha256("\0".join(self.node_ids).encode("utf-8", "surrogatepass"))
        digest.update(self.positions.tobytes())
        return digest.hexdigest()


def compute_layout(
    graph: SimilarityGraph,
    *,
    start: NDArray[np.floating] | None = None,
    random_state: int = 0,
    progress: Progress = silent,
) -> Layout:
    """Positions for every node of a graph.

    Parameters
    ----------
    graph
        Stronger edges pull their ends closer.
    start
        (n, 2) positions to begin from: two coordinates of the embedding, or an earlier layout. A row of
        NaN is a node that has none yet. Only their shape within each component counts.
    random_state
        Scatters nodes that begin at the same place.
    progress
        May raise to cancel.

    Returns
    -------
    Layout
        The same bits for the same graph, start and random state, whatever the number of threads.

    Raises
    ------
    ConfigError
        If `start` has not one row of two numbers a node.

    Notes
    -----
    Up to about 1,000 linked nodes the forces are array algebra over all pairs, beyond it compiled loops
    over a quadtree; see `forces.py` for the model.
    """
    n = graph.n_nodes
    if start is not None and np.shape(start) != (n, 2):
        raise ConfigError(f"A start needs one row of two numbers a document: {n} rows, got shape {np.shape(start)}.")
    isolated = graph.degree == 0
    component = _components(graph)
    shapes = _arrange_all(graph, component, start, np.random.default_rng(random_state), progress)
    positions, width, height = _packed(n, shapes)
    _fold_isolated(positions, np.flatnonzero(isolated), width, height)
    positions, scale = _framed(positions)
    return Layout(graph.node_ids, positions.astype(np.float32), isolated, component, float(scale))


def restored_layout(graph: SimilarityGraph, positions: NDArray[np.floating], spacing: float | None = None) -> Layout:
    """The layout with these positions, as saved from an earlier one of the same graph.

    Without a `spacing`, it is taken from how near the nearest linked nodes stand.

    Raises
    ------
    ConfigError
        If there is not one row of two numbers a node.
    """
    if np.shape(positions) != (graph.n_nodes, 2):
        raise ConfigError(f"{graph.n_nodes} documents need as many positions, got shape {np.shape(positions)}.")
    isolated = graph.degree == 0
    if spacing is None:
        linked = np.asarray(positions, dtype=np.float64)[~isolated]
        nearest = cKDTree(linked).query(linked, k=2)[0][:, 1] if len(linked) > 1 else np.array([LARGEST_SPACING])
        spacing = float(np.quantile(nearest, 0.1))
    return Layout(graph.node_ids, np.array(positions, dtype=np.float32), isolated, _components(graph), spacing)


def _components(graph: SimilarityGraph) -> NDArray[np.int64]:
    n = graph.n_nodes
    links = sp.csr_matrix((np.ones(graph.n_edges, dtype=np.int8), (graph.left, graph.right)), shape=(n, n))
    return numbered_by_size(connected_components(links, directed=False)[1])


def _arrange_all(
    graph: SimilarityGraph,
    component: NDArray[np.int64],
    start: NDArray[np.floating] | None,
    random: np.random.Generator,
    progress: Progress,
) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Node numbers and positions of each component of at least two nodes, the largest first."""
    sizes = np.bincount(component) if len(component) else np.empty(0, dtype=np.int64)
    n_linked = int(np.count_nonzero(sizes > 1))
    n_large = int(np.count_nonzero(sizes > _SMALL))
    plain_work = int((sizes[:n_large].astype(np.int64) ** 2).sum()) + _WORK_OF_A_COMPONENT * n_large
    compiled = plain_work > MAX_PLAIN_WORK
    members = np.split(np.argsort(component, kind="stable"), np.cumsum(sizes)[:-1])[:n_linked]
    edges = _edges_by_component(graph, component, n_linked)
    levels = [_level(nodes, *edge) for nodes, edge in zip(members, edges, strict=True)]
    starts = _completed(graph, start) if start is not None else None
    n_done, n_total = 0, max(int(sizes[:n_linked].sum()), 1)
    shapes = []
    for nodes, level in zip(members[:n_large], levels[:n_large], strict=True):
        share = len(nodes) / n_total
        coarser_and_coarser = hierarchy(level, smallest=COARSEST)
        shape = arrange(
            coarser_and_coarser,
            random=random,
            start=None if starts is None else starts[nodes],
            compiled=compiled,
            progress=lambda step, part, done=n_done / n_total, share=share: progress(step, done + part * share),  # type: ignore[misc]
        )
        n_done += len(nodes)
        shapes.append(_at_unit_spacing(shape, coarser_and_coarser, turn=start is None))
    small_starts = None if starts is None else [starts[nodes] for nodes in members[n_large:]]
    small = arrange_small(levels[n_large:], random=random, starts=small_starts)
    for shape, level in zip(small, levels[n_large:], strict=True):
        shapes.append(_at_unit_spacing(shape, [level], turn=start is None))
    progress("layout", 1.0)
    return list(zip(members, shapes, strict=True))


def _edges_by_component(
    graph: SimilarityGraph, component: NDArray[np.int64], n_linked: int
) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]]:
    """Edges of each component in the order of node numbers, so that weights a hair apart change nothing else."""
    order = np.lexsort((graph.right, graph.left, component[graph.left]))
    left, right = graph.left[order].astype(np.int64), graph.right[order].astype(np.int64)
    weight = np.round(graph.weight[order], 9)
    ends = np.cumsum(np.bincount(component[left], minlength=n_linked))[:-1]
    if not n_linked:
        return []
    return list(zip(np.split(left, ends), np.split(right, ends), np.split(weight, ends), strict=True))


def _level(
    nodes: NDArray[np.int64], left: NDArray[np.int64], right: NDArray[np.int64], weight: NDArray[np.float64]
) -> Level:
    """A component as a system of forces whose mean mass is 1, whatever the scale of the similarities.

    A quarter of a node's mass is its own, the rest grows with the weight of its edges: with the first alone
    hubs crowd the middle, with the second alone leaves sit on top of their only neighbour.
    """
    n = len(nodes)
    left, right = np.searchsorted(nodes, left), np.searchsorted(nodes, right)
    strength = np.bincount(left, weight, minlength=n) + np.bincount(right, weight, minlength=n)
    mean = float(strength.mean())
    mass = (0.25 + 0.75 * strength / mean).astype(np.float64)
    return Level(mass, left, right, weight / mean)


def _completed(graph: SimilarityGraph, start: NDArray[np.floating]) -> NDArray[np.float64]:
    """The start with nodes that have no position put between their neighbours that have one, ring by ring."""
    positions = np.array(start, dtype=np.float64)
    known = np.isfinite(positions).all(axis=1)
    positions[~known] = 0.0
    while True:
        step = graph.adjacency @ sp.diags_array(known.astype(np.float64))
        weight = np.asarray(step.sum(axis=1)).ravel()
        reached = ~known & (weight > 0)
        if not reached.any():
            return positions
        positions[reached] = (step @ positions)[reached] / weight[reached, None]
        known |= reached


def _at_unit_spacing(shape: NDArray[np.float64], levels: Sequence[Level], *, turn: bool) -> NDArray[np.float64]:
    """The shape at the size where nodes at distance 1 have room, its long axis flat, its corner at the origin."""
    if turn:
        shape = _long_axis_flat(shape)
    edges = shape[levels[0].left] - shape[levels[0].right]
    by_edges = _EDGE_LENGTH / max(float(np.sqrt((edges * edges).sum(axis=1)).mean()), 1e-18)
    if len(shape) <= _SMALL:
        scale = by_edges
    else:
        shape = evened(_outliers_drawn_in(shape))
        scale = float(np.sqrt(AREA_PER_NODE * len(shape) / FLATTEST))
    spaced = loosen(shape * scale, levels, n_rounds=50 if len(shape) < 20_000 else 25)
    cornered: NDArray[np.float64] = spaced - spaced.min(axis=0)
    return cornered


def _outliers_drawn_in(shape: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same directions from the middle, the outermost tenth of the nodes never beyond 1.5 times the rest.

    A few documents on long tethers would otherwise shrink everything else to a spot.
    """
    away = shape - np.median(shape, axis=0)
    radius = np.sqrt((away * away).sum(axis=1))
    usual = float(np.sort(radius)[int(0.9 * (len(radius) - 1))])
    beyond = np.maximum(radius - usual, 0.0)
    drawn_in = np.minimum(radius, usual) + beyond / (1 + beyond / (0.5 * max(usual, 1e-18)))
    share = np.divide(drawn_in, radius, out=np.ones_like(radius), where=radius > 0)
    moved: NDArray[np.float64] = away * share[:, None]
    return moved


def _long_axis_flat(shape: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turned so that the direction of greatest variance is horizontal; square roots only, no angles."""
    centered: NDArray[np.float64] = shape - shape.mean(axis=0)
    x, y = centered[:, 0], centered[:, 1]
    xx, yy, xy = float((x * x).sum()), float((y * y).sum()), float((x * y).sum())
    half = (xx - yy) / 2
    root = float(np.sqrt(half * half + xy * xy))
    if root <= 1e-12 * (xx + yy):
        return centered
    cosine = float(np.sqrt((1 + half / root) / 2))
    sine = float(np.sqrt(max((1 - half / root) / 2, 0.0))) * (1.0 if xy >= 0 else -1.0)
    return np.stack([cosine * x + sine * y, cosine * y - sine * x], axis=1)


def _packed(
    n: int, shapes: list[tuple[NDArray[np.int64], NDArray[np.float64]]]
) -> tuple[NDArray[np.float64], float, float]:
    """All components in one picture, and its width and height."""
    positions = np.zeros((n, 2))
    if not shapes:
        return positions, 0.0, 0.0
    boxes = np.array([shape.max(axis=0) + _GAP for _, shape in shapes])
    if len(boxes) > _MAX_AROUND:
        corners = _corners(boxes)
    else:  # the others find room around the largest
        around = pack_around(shapes[0][1], boxes[1:], gap=1.0, aspect=_ASPECT)
        corners = np.concatenate([np.zeros((1, 2)), around + _GAP / 2])
    for (nodes, shape), corner in zip(shapes, corners, strict=True):
        positions[nodes] = shape + corner
    linked = np.concatenate([nodes for nodes, _ in shapes])
    positions[linked] -= positions[linked].min(axis=0)
    width, height = positions[linked].max(axis=0).tolist()
    return positions, width, height


def _corners(boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where the boxes of very many components go: in rows."""
    # the largest component first, the others by height, so that rows come out even
    order = np.concatenate([[0], 1 + np.lexsort((np.arange(1, len(boxes)), -np.round(boxes[1:, 1], 6)))])
    narrowest = max(float(boxes[:, 0].max()), float(np.sqrt(_ASPECT * boxes.prod(axis=1).sum())))
    corners = np.empty_like(boxes)
    corners[order] = pack(boxes[order], width=narrowest)
    return corners


def _fold_isolated(positions: NDArray[np.float64], nodes: NDArray[np.int64], width: float, height: float) -> None:
    """Puts the isolated nodes into rows beyond the picture, closer together the more they are."""
    n = len(nodes)
    if not n:
        return
    if width == 0:
        n_columns, step = int(np.ceil(np.sqrt(n))), 1.0
    else:
        step = min(1.0, float(np.sqrt(_ISOLATED_SHARE * width * max(height, width / 4) / n)))
        n_columns = max(1, int(width / step) + 1)
    positions[nodes, 0] = (np.arange(n) % n_columns) * step
    positions[nodes, 1] = height + (2 * _GAP if width else 0.0) + (np.arange(n) // n_columns) * step


def _framed(positions: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Positions centered in [-1000, 1000], and how many units a distance of 1 became."""
    if not len(positions):
        return positions, LARGEST_SPACING
    low, high = positions.min(axis=0), positions.max(axis=0)
    half = float((high - low).max()) / 2
    scale = min(LARGEST_SPACING, HALF_SIDE / half) if half > 0 else LARGEST_SPACING
    return (positions - (low + high) / 2) * scale, scale
