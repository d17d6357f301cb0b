"""What somebody sees first of a network: its documents, or its communities where a picture of documents says nothing.

Enters: a network. Leaves: the view to open with, the share of the documents that would stand alone in the picture of
documents, and a sentence that says why. Of a hundred thousand documents the picture holds five hundred; where they come
from hundreds of communities hardly two of them are linked, and a picture of them would be dust.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from cnrag_core.corpus.wording import percent
from cnrag_core.views.graph_picture import DEFAULT_NODES, choose_of_each
from cnrag_core.views.kept_with import kept_with
from cnrag_core.views.network_options import NetworkOptions, View

if TYPE_CHECKING:
    from cnrag_core.network import Network

FIRST_LOOK = NetworkOptions(rings=True)
"""What the page shows to whoever asked for nothing, where documents say something."""

MOST_ALONE = 0.5
"""Share of the documents drawn that may be linked to no other that is drawn; beyond it communities come first."""

LEAST_COMMUNITIES = 3
"""Of two or more documents, for an overview that says more."""


def first_look(network: Network) -> NetworkOptions:
    """What the page shows to whoever asked for nothing."""
    return replace(FIRST_LOOK, view=first_view(network))


def first_view(network: Network) -> View:
    """The view to open with: of the network as built, whatever the threshold is now."""
    origin = network.base or network
    if origin.graph.n_nodes <= DEFAULT_NODES or origin.communities.n_grouped < LEAST_COMMUNITIES:
        return "documents"
    return "communities" if share_alone(origin) > MOST_ALONE else "documents"


def share_alone(network: Network) -> float:
    """Of the documents that the first picture of documents holds, the share that is linked to none of the others."""
    return kept_with(network, "share alone", lambda: _share_alone(network))


def why_communities(network: Network) -> str:
    """Why communities come first, in one line; nothing where documents do."""
    origin = network.base or network
    if first_view(origin) == "documents":
        return ""
    alone = percent(share_alone(origin))
    return (
        f"One picture holds {DEFAULT_NODES:,} of {origin.graph.n_nodes:,} documents, and {alone} of those would stand "
        "there without a link: these are the communities instead."
    )


def _share_alone(network: Network) -> float:
    graph, communities = network.graph, network.communities
    groups = np.minimum(communities.labels, communities.n_grouped)
    linked = graph.degree > 0
    shown = choose_of_each(graph.degree.astype(np.float64), groups, DEFAULT_NODES, among=linked)
    if not len(shown):
        return 0.0
    drawn = np.zeros(graph.n_nodes, dtype=np.bool_)
    drawn[shown] = True
    among = drawn[graph.left] & drawn[graph.right]
    neighbored = np.zeros(graph.n_nodes, dtype=np.bool_)
    neighbored[graph.left[among]] = neighbored[graph.right[among]] = True
    return float(np.mean(~neighbored[shown]))
