"""What a person asked to see of the network.

Leaves: `NetworkOptions`, frozen and hashable, so that a picture can be kept under it. Document ids in it
come from the person's own session; nothing of it but names of choices belongs into a link.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from cnrag_core.limits import server_limits
from cnrag_core.views.graph_picture import DEFAULT_NODES
from cnrag_core.views.network_colors import COMMUNITY
from cnrag_core.views.network_ranges import Span

View: TypeAlias = Literal["documents", "around", "path", "communities", "map"]
PathKind: TypeAlias = Literal["fewest hops", "strongest"]

MOST_HOPS = min(3, server_limits().hops)


@dataclass(frozen=True)
class NetworkOptions:
    """One way of looking at the network.

    Attributes
    ----------
    view
        All documents, those around one, a path between two, one node a community, or the map of all.
    color_by, size_by
        Keys of a colour choice and of a measure (or ``constant``).
    only
        Keys of the legend entries to keep; all where empty.
    isolated
        Whether documents that are linked to nothing are drawn.
    hulls, shapes, rings
        Whether communities are outlined, categories have shapes, and the documents around one stand in
        rings by their distance instead of on the map.
    links
        Kinds of typed links drawn.
    budget
        Most documents drawn.
    trail
        For ``around``: the document in the middle, then those whose neighbours were added.
    hops
        For ``around``: how far from the middle.
    ends, path
        For ``path``: the two documents, and which path between them.
    span
        Field, least and greatest value: documents beyond, and those without a value, are not drawn.
    """

    view: View = "documents"
    color_by: str = COMMUNITY
    size_by: str = "degree"
    only: tuple[str, ...] = ()
    isolated: bool = False
    hulls: bool = True
    shapes: bool = True
    rings: bool = False
    links: tuple[str, ...] = ()
    budget: int = DEFAULT_NODES
    trail: tuple[str, ...] = ()
    hops: int = 1
    ends: tuple[str, str] | None = None
    path: PathKind = "fewest hops"
    span: Span | None = None
