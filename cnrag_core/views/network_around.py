"""The neighbourhood of one document: who is near, in how many steps, and where it stands in the picture.

Enters: a graph, the document in the middle, and those whose neighbours were added to it. Leaves: the
distance of every document drawn, an order for the list, and positions in rings.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.topology.neighborhood import rings

FAR = -1
"""Distance of a document that is not in the neighbourhood."""


def hops_around(graph: SimilarityGraph, trail: Sequence[str], hops: int) -> NDArray[np.int64]:
    """(n,) steps from the middle of each document in the neighbourhood, -1 for all others.

    Parameters
    ----------
    trail
        The document in the middle, then those that were expanded: their neighbours join as well, one
        step further out than they are.
    hops
        How far from the middle.
    """
    distance = np.full(graph.n_nodes, FAR, dtype=np.int64)
    for step, ring in enumerate(rings(graph, trail[0], hops)):
        distance[ring] = step
    for node_id in trail[1:]:
        node = graph.index(node_id)
        if distance[node] == FAR:
            distance[node] = hops + 1
        near = graph.adjacency[[node]].indices
        distance[near[distance[near] == FAR]] = distance[node] + 1
    return distance


def similarity_to(graph: SimilarityGraph, node: int) -> NDArray[np.float64]:
    """(n,) weight of each document's edge to one document; 0 without an edge."""
    row = graph.adjacency[[node]]
    values = np.zeros(graph.n_nodes)
    values[row.indices] = row.data
    return values


def nearest_first(distance: NDArray[np.int64], similarity: NDArray[np.float64]) -> NDArray[np.int64]:
    """Numbers of the documents in the neighbourhood: the middle, then by steps, then by similarity to it."""
    near = np.flatnonzero(distance != FAR)
    return near[np.lexsort((near, -similarity[near], distance[near]))]


def ring_positions(
    positions: NDArray[np.float64], distance: NDArray[np.int64], middle: int, *, spacing: float
) -> NDArray[np.float64]:
    """(k, 2) positions in rings around the middle, a ring a step; who stood in which direction stays there.

    Parameters
    ----------
    positions, distance
        (k, 2) on the map and (k,) steps, of the documents drawn.
    middle
        Row of the document in the middle.
    spacing
        Room that a document takes up.
    """
    placed = np.zeros_like(positions)
    directions = positions - positions[middle]
    angles = np.arctan2(directions[:, 1], directions[:, 0])
    radius = 0.0
    for step in range(1, int(distance.max(initial=0)) + 1):
        ring = np.flatnonzero(distance == step)
        if not len(ring):
            continue
        radius = max(radius + 2.4 * spacing, len(ring) * 1.15 * spacing / (2 * np.pi))
        ordered = ring[np.lexsort((ring, angles[ring]))]
        even = angles[ordered[0]] + 2 * np.pi * np.arange(len(ordered)) / len(ordered)
        placed[ordered] = radius * np.column_stack([np.cos(even), np.sin(even)])
    return placed
