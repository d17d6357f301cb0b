"""A graph ready to be drawn: what is shown, where, in which colour and size, with honest counts.

Enters: a similarity graph, positions, and one value a node for colour and size. Leaves: a
`GraphPicture`; from it the data of the live component, through a pyvis network, or a standalone page.
Node ids in a picture are numbers as text, so that nothing of a document is ever an identifier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.limits import server_limits

if TYPE_CHECKING:
    from pyvis.network import Network as PyvisNetwork

MOST_NODES = server_limits().drawn
DEFAULT_NODES = min(500, MOST_NODES)
MOST_EDGES = 6000
"""Edges drawn at most, strongest first: beyond that a picture is a smear, and a browser slow."""

EDGE = "#8086a0"
"""Colour of similarity; other links have colours of their own."""

SMALLEST, LARGEST = 9.0, 30.0
"""Radius of the least and the most important node, in layout units."""


@dataclass(frozen=True)
class Hull:
    """The outline of a community: its points, colour and name, and the legend entry it belongs to."""

    points: tuple[tuple[float, float], ...]
    color: str
    label: str
    group: str = ""


@dataclass(frozen=True)
class LinkLine:
    """A link other than similarity, as it is drawn: between two node numbers, in its own colour and dashes.

    `dashes` are lengths of strokes and gaps, empty for a solid line. `arrow` is whether it points at `target`.
    """

    id: str
    source: int
    target: int
    color: str
    tip: str
    dashes: tuple[int, ...] = ()
    arrow: bool = False


@dataclass(frozen=True, eq=False)
class GraphPicture:
    """What is drawn of a graph.

    Attributes
    ----------
    nodes
        (k,) int64 numbers of the nodes shown, ascending.
    x, y
        (k,) positions; y grows downwards.
    colors, sizes, names, tips, shapes, groups
        One a node shown; a group is the legend entry that the node belongs to.
    edges
        (m, 2) int64 node numbers.
    edge_widths, edge_tips
        One an edge shown, strongest first.
    links
        Links other than similarity.
    hulls
        Outlines of communities.
    n_nodes_total, n_edges_total
        Of the whole graph, for the counts beside the picture.
    nodes_are
        What a node stands for, in the plural.
    edges_are
        The same of an edge.
    edges_cut
        Whether weaker edges between the nodes shown were left out.
    """

    nodes: NDArray[np.int64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    colors: tuple[str, ...]
    sizes: tuple[float, ...]
    names: tuple[str, ...]
    tips: tuple[str, ...]
    edges: NDArray[np.int64]
    edge_widths: tuple[float, ...]
    edge_tips: tuple[str, ...]
    hulls: tuple[Hull, ...]
    n_nodes_total: int
    n_edges_total: int
    shapes: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    links: tuple[LinkLine, ...] = ()
    nodes_are: str = "documents"
    edges_are: str = "edges"
    edges_cut: bool = False

    @property
    def counts(self) -> str:
        """``500 of 12,340 documents, 1,830 of 9,911 edges (strongest first)``."""
        shown, edges = len(self.nodes), len(self.edges)
        text = f"{shown:,} of {self.n_nodes_total:,} {self.nodes_are}, "
        text += f"{edges:,} of {self.n_edges_total:,} {self.edges_are}"
        text += " (strongest first)" if self.edges_cut else ""
        return text + (f", {len(self.links):,} other links" if self.links else "")


def sizes_of(
    values: NDArray[np.float64], *, smallest: float = SMALLEST, largest: float = LARGEST
) -> NDArray[np.float64]:
    """Radii whose areas grow with the values; a constant value gives one middling size."""
    clean = np.where(np.isfinite(values), values, 0.0)
    low, high = (float(clean.min()), float(clean.max())) if clean.size else (0.0, 0.0)
    share = np.sqrt((clean - low) / (high - low)) if high > low else np.full(clean.shape, 0.35)
    return smallest + (largest - smallest) * share


def choose_nodes(
    importance: NDArray[np.float64], limit: int, *, keep: Sequence[int] = (), among: NDArray[np.bool_] | None = None
) -> NDArray[np.int64]:
    """Numbers of the `limit` most important nodes, `keep` always among them, ties by number."""
    allowed = np.flatnonzero(among) if among is not None else np.arange(len(importance))
    order = allowed[np.lexsort((allowed, -importance[allowed]))]
    kept = list(dict.fromkeys(keep))
    rest = [int(i) for i in order if i not in set(kept)]
    return np.array(sorted([*kept, *rest[: max(limit - len(kept), 0)]]), dtype=np.int64)


def choose_of_each(
    importance: NDArray[np.float64],
    groups: NDArray[np.int64],
    limit: int,
    *,
    keep: Sequence[int] = (),
    among: NDArray[np.bool_] | None = None,
) -> NDArray[np.int64]:
    """Numbers of at most `limit` nodes, of each group its share: the most important ones, ties by number.

    Without it the best connected group would fill a small picture alone. `keep` are always among them,
    beyond the limit if need be.

    Examples
    --------
    >>> choose_of_each(np.array([9.0, 8.0, 7.0, 6.0, 1.0, 2.0]), np.array([0, 0, 0, 0, 1, 1]), 3).tolist()
    [0, 1, 5]
    """
    allowed = np.flatnonzero(among) if among is not None else np.arange(len(importance))
    if len(allowed) > limit:
        sizes = np.bincount(groups[allowed])
        share = limit * sizes / len(allowed)
        quota = np.floor(share).astype(np.int64)
        by_rest = np.lexsort((np.arange(len(quota)), -(share - quota)))
        quota[by_rest[: limit - int(quota.sum())]] += 1
        order = allowed[np.lexsort((allowed, -importance[allowed], groups[allowed]))]
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        place = np.arange(len(order)) - starts[groups[order]]
        allowed = order[place < quota[groups[order]]]
    return np.unique(np.concatenate([allowed, np.array(list(keep), dtype=np.int64)])).astype(np.int64)


def picture_of(
    graph: SimilarityGraph,
    positions: NDArray[np.float32],
    *,
    shown: NDArray[np.int64],
    colors: Sequence[str],
    sizes: NDArray[np.float64],
    names: Sequence[str],
    tips: Sequence[str],
    shapes: Sequence[str] = (),
    groups: Sequence[str] = (),
    hulls: Sequence[Hull] = (),
    links: Sequence[LinkLine] = (),
    max_edges: int = MOST_EDGES,
    width: float = 1.0,
) -> GraphPicture:
    """The shown nodes and the strongest edges among them.

    Parameters
    ----------
    positions
        (n, 2) of the whole graph.
    colors, sizes, names, tips, shapes, groups
        One a node of the whole graph; the last two may be left out.
    links
        Links other than similarity; those between shown nodes are drawn as well.
    width
        Of the weakest edge, in layout units; the strongest is five times as wide.
    """
    visible = np.zeros(graph.n_nodes, dtype=bool)
    visible[shown] = True
    among = np.flatnonzero(visible[graph.left] & visible[graph.right])
    cut, among = len(among) > max_edges, among[:max_edges]
    left, right, weight = graph.left[among], graph.right[among], graph.weight[among]
    low = float(weight.min()) if weight.size else 0.0
    high = float(weight.max()) if weight.size else 0.0
    span = high - low or 1.0
    return GraphPicture(
        nodes=shown,
        x=positions[shown, 0].astype(np.float64),
        y=positions[shown, 1].astype(np.float64),
        colors=tuple(colors[i] for i in shown),
        sizes=tuple(float(sizes[i]) for i in shown),
        names=tuple(names[i] for i in shown),
        tips=tuple(tips[i] for i in shown),
        edges=np.column_stack([left, right]).astype(np.int64),
        edge_widths=tuple(width * (1 + 4 * (float(w) - low) / span) for w in weight),
        edge_tips=tuple(f"similarity {float(w):.3f}" for w in weight),
        hulls=tuple(hulls),
        n_nodes_total=graph.n_nodes,
        n_edges_total=graph.n_edges,
        shapes=tuple(shapes[i] for i in shown) if shapes else (),
        groups=tuple(groups[i] for i in shown) if groups else (),
        links=tuple(link for link in links if visible[link.source] and visible[link.target]),
        edges_cut=cut,
    )


def pyvis_network(picture: GraphPicture, *, height: int = 640, dark: bool = False) -> PyvisNetwork:
    """The picture as a pyvis network: positions given, physics off, every text plain.

    pyvis shows all tooltips as HTML as soon as one of them contains the letters ``href``, so a
    zero-width space parts them; nothing is passed through its unescaped heading or menus.
    """
    from pyvis.network import Network

    background, text = ("#0e1117", "#fafafa") if dark else ("#ffffff", "#262730")
    network = Network(height=f"{height}px", width="100%", bgcolor=background, font_color=text, cdn_resources="in_line")
    network.toggle_physics(False)
    for i, node in enumerate(picture.nodes):
        network.add_node(
            str(int(node)),
            label=plain(picture.names[i]) or " ",
            title=plain(picture.tips[i]),
            x=round(float(picture.x[i]), 1),
            y=round(float(picture.y[i]), 1),
            color=picture.colors[i],
            size=round(picture.sizes[i], 1),
            shape=picture.shapes[i] if picture.shapes else "dot",
            physics=False,
        )
    # Straight into the list: add_edge compares with every edge before it, which is quadratic.
    network.edges.extend(
        {
            "id": f"{int(a)}-{int(b)}",
            "from": str(int(a)),
            "to": str(int(b)),
            "width": round(picture.edge_widths[i], 2),
            "title": plain(picture.edge_tips[i]),
            "color": EDGE,
        }
        for i, (a, b) in enumerate(picture.edges)
    )
    width = round(float(np.median(picture.edge_widths)), 2) if picture.edge_widths else 1.5
    network.edges.extend(
        {
            "id": link.id,
            "from": str(link.source),
            "to": str(link.target),
            "width": width,
            "title": plain(link.tip),
            "color": link.color,
            "dashes": list(link.dashes) or False,
            "arrows": "to" if link.arrow else "",
        }
        for link in picture.links
    )
    return network


def component_data(
    picture: GraphPicture,
    *,
    revision: str,
    layout: str,
    view: str,
    focus: int | None = None,
    highlight: Mapping[str, Sequence[str]] | None = None,
    alt: str = "",
) -> dict[str, Any]:
    """The picture for the live component: columns instead of rows, coordinates rounded.

    Parameters
    ----------
    revision, layout, view
        Change of nodes or edges; of positions; name under which the browser keeps zoom and pan.
    focus
        Number of the node to centre and select.
    highlight
        ``{"nodes": [...], "edges": [...]}`` ids to stand out from the rest.
    """
    network = pyvis_network(picture)
    node_keys = ("id", "title", "x", "y", "color", "size", "shape")
    edge_keys = ("id", "from", "to", "width", "title", "color")
    nodes = {key: [node[key] for node in network.nodes] for key in node_keys}
    nodes["name"] = list(picture.names)
    nodes["group"] = list(picture.groups) or [""] * len(network.nodes)
    edges = {key: [edge[key] for edge in network.edges] for key in edge_keys}
    edges["dashes"] = [edge.get("dashes", False) for edge in network.edges]
    edges["arrows"] = [edge.get("arrows", "") for edge in network.edges]
    return {
        "nodes": nodes,
        "edges": edges,
        "hulls": [
            {
                "points": [[round(x, 1), round(y, 1)] for x, y in hull.points],
                "color": hull.color,
                "label": hull.label,
                "group": hull.group,
            }
            for hull in picture.hulls
        ],
        "rev": revision,
        "layout": layout,
        "view": view,
        "focus": None if focus is None else str(focus),
        "highlight": None if highlight is None else {key: list(ids) for key, ids in highlight.items()},
        "alt": alt or picture.counts,
    }


def plain(text: str) -> str:
    """Text that pyvis cannot take for a link; it reads the same."""
    return text.replace("href", "hr\u200bef").replace("HREF", "HR\u200bEF")
