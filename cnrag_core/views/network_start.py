"""Documents worth beginning with: the ones that hold the network together, and pairs that reach across it.

Enters: a network. Leaves: headings with their explanation and a few documents each; pairs of documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from cnrag_core.corpus.wording import count
from cnrag_core.topology.roles import find_bridges, find_hubs
from cnrag_core.views.network_measures import betweenness_at_hand, betweenness_words

if TYPE_CHECKING:
    from cnrag_core.network import Network

N_EACH = 4
N_PAIRS = 3

StartingPoints: TypeAlias = list[tuple[str, str, list[tuple[str, str]]]]
"""(heading, explanation, [(id, words)])."""


def starting_points(network: Network) -> StartingPoints:
    """Hubs and bridges, with the figure that makes each of them one; nothing where nothing is linked."""
    graph, labels = network.graph, network.communities.labels
    if not graph.n_edges:
        return []
    hubs = find_hubs(graph, labels=labels, top=N_EACH)
    found: StartingPoints = [
        ("Hubs", "They have most neighbours.", [(hub.node_id, count(hub.degree, "neighbour")) for hub in hubs])
    ]
    if not betweenness_at_hand(network):
        return found
    ranked = find_bridges(graph, network.betweenness, labels, top=4 * N_EACH)
    bridges = [bridge for bridge in ranked if len(bridge.communities) > 1][:N_EACH]
    if bridges:
        how = f"Many shortest paths between other documents lead through them ({betweenness_words(network)})."
        found.append(
            ("Bridges", how, [(bridge.node_id, f"joins {len(bridge.communities)} communities") for bridge in bridges])
        )
    return found


def pairs_across(network: Network) -> list[tuple[str, str, float]]:
    """Ids and similarity of the most similar documents of different communities: one pair for any two of them."""
    graph, labels = network.graph, network.communities.labels
    one, other = labels[graph.left], labels[graph.right]
    across = np.flatnonzero(one != other)
    joined = np.minimum(one, other)[across] * np.int64(graph.n_nodes) + np.maximum(one, other)[across]
    first = across[np.sort(np.unique(joined, return_index=True)[1])[:N_PAIRS]]  # edges come strongest first
    ids = graph.node_ids
    return [(ids[graph.left[edge]], ids[graph.right[edge]], float(graph.weight[edge])) for edge in first.tolist()]
