"""Everything that a picture shows, as tables.

Enters: a network and a drawing, or the whole network. Leaves: data frames of documents and of links.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cnrag_core.views.community_names import ISOLATED, community_names
from cnrag_core.views.network_links import STYLES, link_number
from cnrag_core.views.network_measures import MEASURES, betweenness_at_hand, measure_of
from cnrag_core.views.network_picture import Drawing

if TYPE_CHECKING:
    from cnrag_core.network import Network

DECIMALS = 6


def node_table(network: Network, nodes: Sequence[int], *, at_hand: bool = False) -> pd.DataFrame:
    """One row a document: id, title, community, and every measure.

    Parameters
    ----------
    at_hand
        Leave out a betweenness that nobody has waited for yet.
    """
    names, labels = community_names(network), network.communities.labels
    at = np.asarray(nodes, dtype=np.int64)
    columns: dict[str, object] = {
        "id": [network.node_ids[node] for node in at],
        "title": [network.titles[node] for node in at],
        "community": labels[at],
        "community name": [names.get(int(labels[node]), ISOLATED) for node in at],
    }
    for name in MEASURES:
        if at_hand and name == "betweenness" and not betweenness_at_hand(network):
            continue
        values = measure_of(network, name)[at]
        columns[name] = values.astype(np.int64) if name == "degree" else np.round(values, DECIMALS)
    return pd.DataFrame(columns)


def edge_table(network: Network, drawing: Drawing) -> pd.DataFrame:
    """One row a link that is drawn: similarity, strongest first, then typed links with their evidence."""
    ends = drawing.picture.edges
    weights = _weights(network, ends)
    rows = pd.DataFrame(
        {
            "from": [network.titles[node] for node in ends[:, 0]],
            "to": [network.titles[node] for node in ends[:, 1]],
            "type": "similarity",
            "weight": np.round(weights, DECIMALS),
            "evidence": "",
            "from id": [network.node_ids[node] for node in ends[:, 0]],
            "to id": [network.node_ids[node] for node in ends[:, 1]],
        }
    )
    return pd.concat([rows, _typed(network, drawing)], ignore_index=True) if drawing.picture.links else rows


def all_edges(network: Network) -> pd.DataFrame:
    """One row an edge of the whole similarity graph, strongest first."""
    graph = network.graph
    return pd.DataFrame(
        {
            "from": [network.titles[node] for node in graph.left],
            "to": [network.titles[node] for node in graph.right],
            "type": "similarity",
            "weight": np.round(graph.weight, DECIMALS),
            "from id": [network.node_ids[node] for node in graph.left],
            "to id": [network.node_ids[node] for node in graph.right],
        }
    )


def all_communities(network: Network) -> pd.DataFrame:
    """One row a community of two or more: name, words, size."""
    names = community_names(network)
    return pd.DataFrame(
        {
            "community": list(names),
            "name": list(names.values()),
            "documents": network.communities.sizes[list(names)],
            "tags": [", ".join(network.tags.get(number, [])) for number in names],
        }
    )


def community_overview_table(network: Network, drawing: Drawing) -> pd.DataFrame:
    """One row a community drawn in the overview."""
    names = community_names(network)
    numbers = list(drawing.order)
    return pd.DataFrame(
        {
            "community": numbers,
            "name": [names[number] for number in numbers],
            "documents": network.communities.sizes[numbers],
            "tags": [", ".join(network.tags.get(number, [])) for number in numbers],
        }
    )


def bundle_table(network: Network, drawing: Drawing) -> pd.DataFrame:
    """One row a bundle of links between two communities."""
    names = community_names(network)
    ends = drawing.picture.edges
    return pd.DataFrame(
        {
            "from": [names[number] for number in ends[:, 0].tolist()],
            "to": [names[number] for number in ends[:, 1].tolist()],
            "links": list(drawing.picture.edge_tips),
        }
    )


def _weights(network: Network, ends: np.ndarray) -> np.ndarray:
    if not len(ends):
        return np.empty(0)
    return np.asarray(network.graph.adjacency[ends[:, 0], ends[:, 1]]).ravel()


def _typed(network: Network, drawing: Drawing) -> pd.DataFrame:
    numbers = [number for line in drawing.picture.links if (number := link_number(line.id)) is not None]
    links = [network.links[number] for number in numbers]
    return pd.DataFrame(
        {
            "from": [network.title(link.source) for link in links],
            "to": [network.title(link.target) for link in links],
            "type": [STYLES[link.kind].name for link in links],
            "weight": [round(link.weight, DECIMALS) for link in links],
            "evidence": [link.sentence or ", ".join(link.evidence) for link in links],
            "from id": [link.source for link in links],
            "to id": [link.target for link in links],
        }
    )
