"""The picture of the network for one way of looking at it.

Enters: a network and `NetworkOptions`. Leaves: a `Drawing`: the picture, what its colours mean, the list
beside it, and the counts of what was left out. Positions come from the layout of the network as built and
stay when the threshold, the colours or the selection change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cnrag_core.config.spec import FieldKind
from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.topology.neighborhood import Path
from cnrag_core.topology.overview import community_hulls
from cnrag_core.views.community_names import ISOLATED, community_names
from cnrag_core.views.graph_picture import GraphPicture, Hull, choose_of_each, picture_of, sizes_of
from cnrag_core.views.network_around import hops_around, nearest_first, ring_positions, similarity_to
from cnrag_core.views.network_colors import (
    COMMUNITY,
    DISTINCT,
    Coloring,
    LegendEntry,
    color_nodes,
    community_colors,
    community_slots,
)
from cnrag_core.views.network_links import link_lines
from cnrag_core.views.network_measures import CONSTANT, MEASURES, measure_of
from cnrag_core.views.network_options import NetworkOptions
from cnrag_core.views.network_overview import overview_picture
from cnrag_core.views.network_paths import find_path, path_ids
from cnrag_core.views.network_ranges import range_field
from cnrag_core.views.palette import REST

if TYPE_CHECKING:
    from cnrag_core.network import Network

SMALLEST, LARGEST = 0.17, 0.5
"""Radius of the least and the most important document, in the distance that linked documents keep."""

LEAST_RADIUS = 7.0
"""Radius of the least important document, at least: a map of many would be dust otherwise."""

EDGE_WIDTH = 0.05
"""Width of the weakest edge, in the same."""

LEAST_OUTLINED = 3
"""Documents of a community that gets an outline; of more than twenty communities the largest get one."""

ROOM_IN_RINGS = 0.42
"""The same for documents in rings, whose names stand between them."""

GREATEST_ROOM = 4.0
"""How much larger documents are drawn, at most, where only a part of them is."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """A picture and what belongs beside it.

    Attributes
    ----------
    picture, coloring
        What is drawn, and what the colours of the whole network mean.
    order, values, list_title
        Numbers of the nodes in the order of the list, what it says of each, and what that is called.
    n_folded
        Documents left out because they are linked to nothing.
    outside
        What was left out because it lies outside the range, in words.
    chosen_by
        The measure by which documents were chosen where not all could be drawn.
    path, highlight
        The path that was asked for, if there is one, and its ids for the live component.
    """

    picture: GraphPicture
    coloring: Coloring
    order: tuple[int, ...]
    values: tuple[str, ...]
    list_title: str
    n_folded: int = 0
    outside: str = ""
    chosen_by: str = ""
    path: Path | None = None
    highlight: Mapping[str, Sequence[str]] | None = None

    @property
    def counts(self) -> str:
        """What is drawn of what there is, how it was chosen, and what was folded away."""
        chosen = f"; of each community those of greatest {self.chosen_by}" if self.chosen_by else ""
        folded = f"; {self.n_folded:,} linked to nothing are folded away" if self.n_folded else ""
        outside = f"; {self.outside}" if self.outside else ""
        return self.picture.counts + chosen + folded + outside

    @property
    def legend(self) -> tuple[LegendEntry, ...]:
        """The entries that the network has any document of."""
        return tuple(entry for entry in self.coloring.entries if entry.n)


def draw(
    network: Network, options: NetworkOptions, kinds: Mapping[str, FieldKind], *, keep: Sequence[str] = ()
) -> Drawing:
    """The drawing of a network as the options ask for.

    Parameters
    ----------
    kinds
        Kind of each field of the corpus, for colours.
    keep
        Ids that are drawn in any case: what is selected or was searched for.
    """
    if options.view == "communities":
        return _overview(network)
    graph, coloring = network.graph, color_nodes(network, options.color_by, kinds)
    chosen_by = "degree" if options.size_by == CONSTANT else options.size_by
    importance = measure_of(network, chosen_by)
    wanted = coloring.matches(options.only)
    linked = graph.degree > 0
    folded, n_anywhere = 0, int(np.count_nonzero(wanted & linked))
    within, outside = _within(network, options, kinds, wanted & linked)
    wanted = wanted & within
    if not (options.isolated or "isolated" in options.only):
        folded = int(np.count_nonzero(wanted & ~linked))
        wanted = wanted & linked
    kept = [graph.index(node_id) for node_id in keep]
    path: Path | None = None
    values: list[str] | None = None
    list_title, distance = "", None
    if options.view == "around" and options.trail:
        folded = 0
        distance = hops_around(graph, options.trail, options.hops)
        order = nearest_first(distance, similarity_to(graph, graph.index(options.trail[0])))
        order = order[np.isin(order, np.flatnonzero(wanted | (distance == 0)))][: options.budget]
        shown = np.sort(order)
        values, list_title = _nearness(graph, order, distance, options), "similarity"
    else:
        if options.view == "path" and options.ends is not None:
            path = find_path(graph, options.ends, options.path)
            kept += [graph.index(node_id) for node_id in (path.node_ids if path else options.ends)]
        groups = np.minimum(network.communities.labels, network.communities.n_grouped)  # the isolated are one group
        shown = choose_of_each(importance, groups, options.budget, keep=kept, among=wanted)
        order = shown[np.lexsort((shown, -importance[shown]))]
        if path is not None:
            order = np.array([graph.index(node_id) for node_id in path.node_ids], dtype=np.int64)
            values, list_title = [f"{step}" for step in range(1, len(order) + 1)], "step"
    if values is None:
        values, list_title = _list_values(network, coloring, options, order)
    n_shown = len(shown) if options.span is None else min(n_anywhere, options.budget)
    return Drawing(
        _picture(network, options, coloring, shown, distance, importance, n_shown),
        coloring,
        tuple(order.tolist()),
        tuple(values),
        list_title,
        folded,
        outside,
        chosen_by if options.view != "around" and int(np.count_nonzero(wanted)) > options.budget else "",
        path,
        path_ids(path, graph.index_of) if path is not None and path.n_hops else None,
    )


def _overview(network: Network) -> Drawing:
    picture = overview_picture(network)
    sizes = network.communities.sizes
    order = picture.nodes.tolist()
    return Drawing(
        picture,
        color_nodes(network, COMMUNITY, {}),
        tuple(order),
        tuple(f"{sizes[number]:,}" for number in order),
        "documents",
        network.communities.n_single,
    )


def _within(
    network: Network, options: NetworkOptions, kinds: Mapping[str, FieldKind], otherwise: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], str]:
    """(n,) which documents lie in the range, and what it hides of those that would be drawn otherwise."""
    if options.span is None:
        return np.ones(network.graph.n_nodes, dtype=np.bool_), ""
    name, low, high = options.span
    field = range_field(network.documents, kinds, name)
    inside = field.inside(low, high)
    n_without = int(np.count_nonzero(otherwise & ~np.isfinite(field.values)))
    n_beyond = int(np.count_nonzero(otherwise & ~inside)) - n_without
    parts = [f"{n_beyond:,} beyond {name} {field.words(low, high)}"] if n_beyond else []
    parts += [f"{n_without:,} without {name}"] if n_without else []
    return inside, (" and ".join(parts) + (" are" if n_beyond + n_without != 1 else " is") + " hidden") if parts else ""


def _picture(
    network: Network,
    options: NetworkOptions,
    coloring: Coloring,
    shown: NDArray[np.int64],
    distance: NDArray[np.int64] | None,
    importance: NDArray[np.float64],
    n_shown: int,
) -> GraphPicture:
    """`n_shown` says how large documents are: a range that hides some changes no size."""
    graph, layout = network.graph, network.layout
    n_linked = max(graph.n_nodes - layout.n_isolated, 1)
    room = layout.spacing * min(GREATEST_ROOM, max(1.0, np.sqrt(n_linked / max(n_shown, 1)) / 2))
    positions = layout.positions.astype(np.float64)
    in_rings = options.rings and distance is not None
    if in_rings and distance is not None:
        middle = int(np.flatnonzero(distance[shown] == 0)[0])
        room = layout.spacing * ROOM_IN_RINGS
        positions[shown] = ring_positions(positions[shown], distance[shown], middle, spacing=layout.spacing)
    size_values = importance if options.size_by != CONSTANT else np.ones(graph.n_nodes)
    visible = np.zeros(graph.n_nodes, dtype=np.bool_)
    visible[shown] = True
    names = community_names(network)
    tips = [""] * graph.n_nodes
    for node in shown.tolist():
        tips[node] = _tip(network, coloring, names, node)
    keys = [entry.key for entry in coloring.entries]
    return picture_of(
        graph,
        positions.astype(np.float32),
        shown=shown,
        colors=coloring.colors,
        sizes=sizes_of(
            size_values,
            smallest=max(SMALLEST * room, LEAST_RADIUS),
            largest=max(LARGEST * room, 2.2 * LEAST_RADIUS),
        ),
        names=network.titles,
        tips=tips,
        shapes=coloring.shapes if options.shapes else (),
        groups=[keys[place] for place in coloring.entry_of],
        hulls=_hulls(network, visible, colored=coloring.key == COMMUNITY) if options.hulls and not in_rings else (),
        links=link_lines(network.links, options.links, visible) if options.links else (),
        width=EDGE_WIDTH * room,
    )


def _hulls(network: Network, visible: NDArray[np.bool_], *, colored: bool) -> list[Hull]:
    """Outlines of the largest communities that are drawn; a name on the largest part of each.

    They are grey where colours stand for something else.
    """
    names, colors, slots = community_names(network), community_colors(network), community_slots(network)
    labels, sizes = network.communities.labels, network.communities.sizes
    drawn = set(labels[visible].tolist())
    hulls, named = [], set()
    least = max(LEAST_OUTLINED, int(sizes[DISTINCT - 1]) if len(sizes) >= DISTINCT else 0)
    for hull in community_hulls(network.layout, labels, min_size=least):
        if hull.community in drawn and hull.community in names:
            name = "" if hull.community in named else names[hull.community]
            named.add(hull.community)
            points = tuple((float(x), float(y)) for x, y in hull.polygon)
            color = colors[hull.community] if colored else REST
            hulls.append(Hull(points, color, name, f"c{slots[hull.community]}"))
    return hulls


def _tip(network: Network, coloring: Coloring, names: Mapping[int, str], node: int) -> str:
    """What hovering says: title, community, neighbours, and the value of the colour."""
    community = names.get(int(network.communities.labels[node]), ISOLATED)
    lines = [network.titles[node], f"community: {community}", f"neighbours: {int(network.graph.degree[node]):,}"]
    if coloring.key not in ("community", "degree"):
        lines.append(f"{coloring.title}: {coloring.values[node]}")
    return "\n".join(lines)


def _list_values(
    network: Network, coloring: Coloring, options: NetworkOptions, order: NDArray[np.int64]
) -> tuple[list[str], str]:
    if options.size_by == CONSTANT:
        return [coloring.values[node] for node in order.tolist()], coloring.title
    measure = MEASURES[options.size_by]
    values = measure_of(network, options.size_by)
    return [measure.in_words(float(values[node])) for node in order.tolist()], measure.name


def _nearness(
    graph: SimilarityGraph, order: NDArray[np.int64], distance: NDArray[np.int64], options: NetworkOptions
) -> list[str]:
    similarity = similarity_to(graph, graph.index(options.trail[0]))
    words = []
    for node in order.tolist():
        if distance[node] == 0:
            words.append("middle")
        elif similarity[node]:
            words.append(f"{similarity[node]:.3f}")
        else:
            words.append(f"{distance[node]} hops")
    return words
