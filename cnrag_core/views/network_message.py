"""The drawing of a network as the live component takes it, made once for each way of looking.

Enters: a network, options, a drawing. Leaves: a `PictureMessage` under a revision that says what it shows.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from cnrag_core.views.graph_picture import component_data
from cnrag_core.views.live_message import PictureMessage, split_message
from cnrag_core.views.network_options import NetworkOptions
from cnrag_core.views.network_picture import Drawing
from cnrag_core.views.network_side import side_data

if TYPE_CHECKING:
    from cnrag_core.network import Network

GRAPH = "net_graph"
"""Name of the live graph of the network page."""


def key_of(network: Network, options: NetworkOptions) -> str:
    """Short name of one way of looking at one network."""
    text = repr((network.graph.digest, network.config.communities.resolution, options))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def revision_of(network: Network, options: NetworkOptions, drawing: Drawing) -> str:
    """Name of what is drawn: another where documents were added to the drawing."""
    nodes = drawing.picture.nodes
    return f"{key_of(network, options)}-{len(nodes)}-{hash(nodes.tobytes())}"


def picture_message(network: Network, options: NetworkOptions, drawing: Drawing) -> PictureMessage:
    """The message, without what changes with every click."""
    data = component_data(drawing.picture, revision=revision_of(network, options, drawing), layout="", view="")
    counts = network.links.counts if options.links else {}
    return split_message({**data, **side_data(drawing, options, counts)}, GRAPH)
