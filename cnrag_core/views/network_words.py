"""The picture in one sentence, and what to do where there is nothing to see.

Enters: a network, options, a drawing. Leaves: sentences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cnrag_core.corpus.wording import count, percent
from cnrag_core.views.community_names import community_names
from cnrag_core.views.network_options import NetworkOptions
from cnrag_core.views.network_paths import missing_path, path_sentence
from cnrag_core.views.network_picture import Drawing

if TYPE_CHECKING:
    from cnrag_core.network import Network

MAP_CAUTION = "Only who is near whom means something: far distances and directions do not."


def interpretation_of(network: Network, options: NetworkOptions, drawing: Drawing) -> str:
    """What the picture shows, in one sentence."""
    if options.view == "path":
        if options.ends is None:
            return "Choose two documents to see how they hang together."
        if drawing.path is None:
            return missing_path(network, options.ends)[0]
        return path_sentence(drawing.path, network, options.path)
    if options.view == "around" and options.trail:
        return _around(network, options, drawing)
    if options.view == "communities":
        return _overview(network)
    return _whole(network)


def _whole(network: Network) -> str:
    graph, communities = network.graph, network.communities
    if not graph.n_edges:
        return f"Nothing is linked at {graph.threshold:.2f}."
    pieces = graph.component_sizes
    names = community_names(network)
    largest = f"the largest is “{names[0]}” with {int(communities.sizes[0]):,}"
    n_groups = communities.n_grouped
    if n_groups == 1:
        largest = f"“{names[0]}” with {count(int(communities.sizes[0]), 'document')}"
    groups = "one community, " if n_groups == 1 else f"{n_groups:,} communities; "
    whole = "All documents hang together" if len(pieces) == 1 else f"{_share(pieces[0], graph.n_nodes)} hang together"
    return f"{whole}. There {'is' if n_groups == 1 else 'are'} {groups}{largest}."


def _share(part: int, whole: int) -> str:
    return f"In the largest piece {percent(part / whole)} of the documents"


def _around(network: Network, options: NetworkOptions, drawing: Drawing) -> str:
    graph = network.graph
    middle = graph.index(options.trail[0])
    degree = int(graph.degree[middle])
    title = network.titles[middle]
    if not degree:
        return f"“{title}” is linked to nothing at {graph.threshold:.2f}; a lower threshold may attach it."
    labels = network.communities.labels[drawing.picture.nodes]
    within = "" if options.hops == 1 else f", {len(drawing.picture.nodes) - 1:,} documents within {options.hops} hops"
    communities = len(np.unique(labels))
    where = "all in one community" if communities == 1 else f"in {communities:,} communities"
    return f"“{title}” has {degree:,} neighbour{'s' if degree > 1 else ''}{within}, {where}."


def _overview(network: Network) -> str:
    graph, labels = network.graph, network.communities.labels
    if not graph.n_edges:
        return f"Nothing is linked at {graph.threshold:.2f}."
    inside = float(np.mean(labels[graph.left] == labels[graph.right]))
    return (
        f"{percent(inside)} of the links stay inside a community; the rest are the bundles drawn here. "
        "Double click a community to see its documents."
    )
