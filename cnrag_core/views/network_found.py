"""The results of a question in the picture of the network: which nodes and edges stand out, and what that says.

Enters: a network and a ranking. Leaves: ids for the live component, a sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cnrag_core.retrieval.ranking import RankedResults
from cnrag_core.views.community_names import community_names

if TYPE_CHECKING:
    from cnrag_core.network import Network


def found_highlight(network: Network, results: RankedResults) -> dict[str, list[str]]:
    """Ids of the results and of the edges among them, as the live component takes them."""
    graph = network.graph
    numbers = np.array([graph.index(node_id) for node_id in results.ids], dtype=np.int64)
    among = np.flatnonzero(np.isin(graph.left, numbers) & np.isin(graph.right, numbers))
    return {
        "nodes": [str(number) for number in numbers.tolist()],
        "edges": [f"{graph.left[edge]}-{graph.right[edge]}" for edge in among],
    }


def found_counts(network: Network, results: RankedResults) -> str:
    """How many documents a strategy found, and where they are."""
    if not len(results):
        return results.reason or "Nothing was found."
    graph, names = network.graph, community_names(network)
    labels = network.communities.labels[[graph.index(node_id) for node_id in results.ids]]
    grouped = [int(label) for label in labels if int(label) in names]
    n_alone = len(labels) - len(grouped)
    count = f"{len(results):,} of {graph.n_nodes:,} documents stand out, by strategy {results.strategy}"
    if not grouped:
        return f"{count}: none of them is linked to anything."
    most = max(set(grouped), key=lambda label: (grouped.count(label), -label))
    where = "in one community" if len(set(grouped)) == 1 else f"in {len(set(grouped)):,} communities"
    alone = f", {n_alone:,} linked to nothing" if n_alone else ""
    return f"{count}: {where}, {grouped.count(most):,} of them in “{names[most]}”{alone}."
