"""The network seen from far away: one disc a community, and the links between communities bundled.

Enters: a network. Leaves: a `GraphPicture` whose nodes are community numbers. Discs stand where the
community stands on the map, so that going in and out keeps one's bearings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cnrag_core.topology.overview import CommunityMap, community_layout
from cnrag_core.views.community_names import community_names
from cnrag_core.views.graph_picture import GraphPicture
from cnrag_core.views.network_colors import community_colors, community_slots

if TYPE_CHECKING:
    from cnrag_core.network import Network

MOST_COMMUNITIES = 80
"""Discs drawn at most, the largest first."""

MOST_BUNDLES = 400
"""Bundles of links drawn at most, those of most links first."""


def community_map(network: Network) -> CommunityMap:
    """Where each community of two or more is drawn, and what links it to others."""
    sizes = network.communities.sizes
    least = max(2, int(sizes[MOST_COMMUNITIES])) if len(sizes) > MOST_COMMUNITIES else 2
    return community_layout(network.layout, network.graph, network.communities.labels, min_size=least)


def overview_picture(network: Network) -> GraphPicture:
    """The picture; an edge is as wide as there are links between two communities."""
    plan = community_map(network)
    names, colors, slots = community_names(network), community_colors(network), community_slots(network)
    numbers = plan.communities[:MOST_COMMUNITIES]
    inside = (plan.left < len(numbers)) & (plan.right < len(numbers))
    strongest = np.flatnonzero(inside)
    strongest = strongest[np.lexsort((plan.right[strongest], plan.left[strongest], -plan.n_edges[strongest]))]
    strongest = strongest[:MOST_BUNDLES]
    count = plan.n_edges[strongest]
    most = int(count.max()) if len(count) else 1
    widest = float(np.median(plan.radii)) * 0.5 if len(plan.radii) else 1.0
    left, right = plan.communities[plan.left[strongest]], plan.communities[plan.right[strongest]]
    weight = plan.weight[strongest]
    return GraphPicture(
        nodes=numbers,
        x=plan.positions[: len(numbers), 0].astype(np.float64),
        y=plan.positions[: len(numbers), 1].astype(np.float64),
        colors=tuple(colors[number] for number in numbers),
        sizes=tuple(float(radius) for radius in plan.radii[: len(numbers)]),
        names=tuple(f"{names[number]} ({plan.sizes[place]:,})" for place, number in enumerate(numbers.tolist())),
        tips=tuple(
            f"{names[number]}\n{plan.sizes[place]:,} documents" for place, number in enumerate(numbers.tolist())
        ),
        edges=np.column_stack([left, right]).astype(np.int64),
        edge_widths=tuple(max(1.0, widest * np.sqrt(n / most)) for n in count.tolist()),
        edge_tips=tuple(
            f"{n:,} links, mean similarity {total / n:.3f}"
            for n, total in zip(count.tolist(), weight.tolist(), strict=True)
        ),
        hulls=(),
        n_nodes_total=network.communities.n_grouped,
        n_edges_total=len(plan.n_edges),
        groups=tuple(f"c{slots[number]}" for number in numbers),
        nodes_are="communities",
        edges_are="bundles of links",
    )


def closest_communities(network: Network, *, at_most: int = 6) -> list[tuple[str, str, int]]:
    """Names of two communities and the number of links between them, those of most links first."""
    plan, names = community_map(network), community_names(network)
    most = np.lexsort((plan.right, plan.left, -plan.n_edges))[:at_most]
    pairs = zip(plan.communities[plan.left[most]].tolist(), plan.communities[plan.right[most]].tolist(), strict=True)
    return [(names[a], names[b], n) for (a, b), n in zip(pairs, plan.n_edges[most].tolist(), strict=True)]
