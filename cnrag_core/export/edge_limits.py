"""When a graph is too large for the formats of other tools, and which threshold would make it fit.

Enters: the edges that are looked at. Leaves: a sentence, or None. networkx takes about half a kilobyte an
edge and a while, which one visitor of a shared server should not cost the others.
"""

from __future__ import annotations

import math

from cnrag_core.graph.similarity_graph import WeightedEdges
from cnrag_core.limits import server_limits

WORTH_A_WARNING = 300_000
BYTES_AN_EDGE = 500


def refused_export(edges: WeightedEdges, most: int | None = None) -> str | None:
    """Why a graph is not written as GraphML, GEXF, JSON or Pajek on this server; None where it is.

    Examples
    --------
    >>> import networkx as nx
    >>> from cnrag_core.graph.similarity_graph import graph_of_networkx
    >>> refused_export(graph_of_networkx(nx.complete_graph(["a", "b", "c"])), 3) is None
    True
    """
    limit = server_limits().export_edges if most is None else most
    if edges.n_edges <= limit:
        return None
    fits = fitting_threshold(edges, limit)
    advice = "No threshold makes it fit." if fits is None else f"The lowest threshold that fits is {fits:.2f}."
    return f"The network has {edges.n_edges:,} edges; at most {limit:,} are written in the browser. {advice}"


def slow_export(edges: WeightedEdges) -> str | None:
    """A warning where writing takes a while; None where it does not."""
    if edges.n_edges <= WORTH_A_WARNING:
        return None
    needed = edges.n_edges * BYTES_AN_EDGE / 2**20
    return f"The network has {edges.n_edges:,} edges: a file of it takes a while and about {needed:,.0f} MB of memory."


def fitting_threshold(edges: WeightedEdges, most: int) -> float | None:
    """The lowest threshold on a grid of 0.01 at which at most so many edges are left; None where there is none."""
    if edges.n_edges <= most:
        return 0.0
    start = math.floor(100 * float(edges.weight[most]))  # the first edge too many must go
    return next((step / 100 for step in range(start, 101) if edges.n_edges_at(step / 100) <= most), None)
