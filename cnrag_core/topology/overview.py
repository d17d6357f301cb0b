"""The map behind the map: one point a community, and the outline of each on the layout.

Enters: a `Layout`, the graph, community labels. Leaves: `CommunityMap` for the overview of a large corpus,
and `Hull` polygons to draw around communities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.spatial import ConvexHull, cKDTree

from cnrag_core.errors import ConfigError
from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.topology.communities import numbered_by_size
from cnrag_core.topology.layout import HALF_SIDE, Layout
from cnrag_core.topology.overlaps import spread

FILLED_SHARE = 0.25
"""Share of the overview's frame that its discs fill together."""

_CROWD_REACH = 2.5  # nodes that near each other, in the layout's spacing, stand in one crowd
_CROWD_SHARE = 0.1  # of a community's nodes that a crowd beside its largest needs for an outline of its own
_N_CORNERS = 16  # of the polygon that stands for a circle around a node


@dataclass(frozen=True, eq=False)
class CommunityMap:
    """Communities as discs, and the edges between them.

    Attributes
    ----------
    communities
        (k,) int64 community numbers, ascending; smaller ones than asked for are left out.
    positions
        (k, 2) float32 in [-1000, 1000].
    radii
        (k,) float32, in the same units; areas grow with the number of nodes.
    sizes
        (k,) int64 number of nodes.
    left, right
        (m,) int64 places in `communities` that an edge joins, ``left < right``.
    weight
        (m,) float64 summed weight of the edges between two communities.
    n_edges
        (m,) int64 number of them.
    """

    communities: NDArray[np.int64]
    positions: NDArray[np.float32]
    radii: NDArray[np.float32]
    sizes: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    weight: NDArray[np.float64]
    n_edges: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Hull:
    """An outline around a community, or around one part of it where it is drawn in several places.

    `polygon` is (m, 2) float32, counter-clockwise where y grows upwards; `n_nodes` are inside.
    """

    community: int
    polygon: NDArray[np.float32]
    n_nodes: int


def community_layout(
    layout: Layout, graph: SimilarityGraph, labels: NDArray[np.int64], *, min_size: int = 2
) -> CommunityMap:
    """One disc a community of at least `min_size` nodes, near where its nodes are drawn, none on another.

    Raises
    ------
    ConfigError
        If there is not one label a node.
    """
    _check_labels(layout, labels)
    sizes = np.bincount(labels) if len(labels) else np.empty(0, dtype=np.int64)
    chosen = np.flatnonzero(sizes >= min_size)
    members = _members(labels, chosen)
    middle = np.array([np.median(layout.positions[nodes], axis=0) for nodes in members]).reshape(-1, 2)
    radii = np.sqrt(sizes[chosen].astype(np.float64))
    positions, scale = _without_overlap(middle.astype(np.float64), radii)
    place = np.full(len(sizes), -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    left, right, weight, n_edges = _edges_between(graph, labels, place, len(chosen))
    return CommunityMap(
        chosen.astype(np.int64),
        positions.astype(np.float32),
        (radii * scale).astype(np.float32),
        sizes[chosen].astype(np.int64),
        left,
        right,
        weight,
        n_edges,
    )


def community_hulls(
    layout: Layout,
    labels: NDArray[np.int64],
    *,
    min_size: int = 3,
    padding: float | None = None,
) -> tuple[Hull, ...]:
    """Rounded convex outlines of the communities of at least `min_size` nodes.

    A community gets an outline for each crowd of its nodes that holds a tenth of them or more, and one in
    any case; single stray documents are left outside, or one of them would stretch the outline over
    its neighbours.

    Parameters
    ----------
    padding
        Distance that the outline keeps from the nodes; by default the layout's spacing.

    Returns
    -------
    tuple of Hull
        By community number, the largest part of each first.

    Raises
    ------
    ConfigError
        If there is not one label a node.
    """
    _check_labels(layout, labels)
    sizes = np.bincount(labels) if len(labels) else np.empty(0, dtype=np.int64)
    chosen = np.flatnonzero(sizes >= min_size)
    ring = _circle() * (layout.spacing if padding is None else padding)
    hulls = []
    for community, nodes in zip(chosen.tolist(), _members(labels, chosen), strict=True):
        points = layout.positions[nodes].astype(np.float64)
        crowds = numbered_by_size(_crowds(points, _CROWD_REACH * layout.spacing))
        for crowd, size in enumerate(np.bincount(crowds).tolist()):
            if crowd and (size < 3 or size < _CROWD_SHARE * len(nodes)):
                break
            cloud = (points[crowds == crowd][:, None, :] + ring[None, :, :]).reshape(-1, 2)
            hulls.append(Hull(community, cloud[ConvexHull(cloud).vertices].astype(np.float32), size))
    return tuple(hulls)


def _check_labels(layout: Layout, labels: NDArray[np.int64]) -> None:
    if len(labels) != len(layout.node_ids):
        raise ConfigError(f"{len(labels)} community labels were given for {len(layout.node_ids)} documents.")


def _members(labels: NDArray[np.int64], chosen: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    order = np.argsort(labels, kind="stable")
    ordered = labels[order]
    starts, ends = np.searchsorted(ordered, chosen), np.searchsorted(ordered, chosen, side="right")
    return [order[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def _without_overlap(middle: NDArray[np.float64], radii: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Centers in [-1000, 1000] of discs that do not overlap, and the length of a unit of radius."""
    if len(middle) == 0:
        return middle, 1.0
    scale = float(np.sqrt(FILLED_SHARE * (2 * HALF_SIDE) ** 2 / (np.pi * (radii * radii).sum())))
    scale = min(scale, 0.25 * HALF_SIDE / float(radii.max()))
    apart = middle + np.arange(len(middle))[:, None] * np.array([1e-4, 1e-4])  # no two at one place
    apart = spread(apart, radii=1.1 * radii * scale, n_rounds=300)
    low, high = (apart - (radii * scale)[:, None]).min(axis=0), (apart + (radii * scale)[:, None]).max(axis=0)
    shrink = min(1.0, 2 * HALF_SIDE / max(float((high - low).max()), 1e-9))
    return (apart - (low + high) / 2) * shrink, scale * shrink


def _edges_between(
    graph: SimilarityGraph, labels: NDArray[np.int64], place: NDArray[np.int64], k: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    a, b = place[labels[graph.left]], place[labels[graph.right]]
    between = (a != b) & (a >= 0) & (b >= 0)
    low, high = np.minimum(a, b)[between], np.maximum(a, b)[between]
    pair, where = np.unique(low * max(k, 1) + high, return_inverse=True)
    weight = np.bincount(where, graph.weight[between], minlength=len(pair)).astype(np.float64)
    count = np.bincount(where, minlength=len(pair)).astype(np.int64)
    return pair // max(k, 1), pair % max(k, 1), weight, count


def _crowds(points: NDArray[np.float64], reach: float) -> NDArray[np.int64]:
    """Labels of the groups into which points fall when those within reach of each other are joined."""
    pairs = cKDTree(points).query_pairs(reach, output_type="ndarray")
    n = len(points)
    near = sp.csr_matrix((np.ones(len(pairs), dtype=np.int8), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    labels: NDArray[np.int64] = connected_components(near, directed=False)[1].astype(np.int64)
    return labels


def _circle() -> NDArray[np.float64]:
    angle = 2 * np.pi * np.arange(_N_CORNERS) / _N_CORNERS
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)
