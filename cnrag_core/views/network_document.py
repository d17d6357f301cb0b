"""One document in the network: where it belongs, what it holds together, and whom it resembles.

Enters: a network and a document id. Leaves: `DocumentFacts`, plain values for a panel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cnrag_core.views.community_names import ISOLATED, community_names
from cnrag_core.views.network_measures import (
    MEASURES,
    betweenness_at_hand,
    betweenness_words,
    measure_at_hand,
    measure_of,
    rank_of,
)

if TYPE_CHECKING:
    from cnrag_core.network import Network

N_NEIGHBORS = 8
"""Neighbours named in a panel; all of them are in the table."""

FEW = 0.05
"""Share of the documents, the first ten at least, that count as hubs or bridges in a sentence."""

N_WORDS = 4
"""Shared words that a neighbour is shown with."""


@dataclass(frozen=True)
class Neighbor:
    """A linked document: how similar, and in which words."""

    node_id: str
    title: str
    similarity: float
    words: tuple[str, ...]
    community: str


@dataclass(frozen=True)
class DocumentFacts:
    """What a panel says of a document.

    Attributes
    ----------
    node_id, title, source
        Its id, what it is called, and the file and row it came from.
    community, community_number, community_size, tags
        Where it belongs; the number is None for a document that is linked to nothing.
    figures
        (name, value, rank, explanation) of what it counts as in the network.
    roles
        Sentences: hub, bridge, or neither.
    neighbors
        The most similar of its neighbours, best first.
    n_neighbors
        How many it has.
    """

    node_id: str
    title: str
    source: str
    community: str
    community_number: int | None
    community_size: int
    tags: tuple[str, ...]
    figures: tuple[tuple[str, str, str, str], ...]
    roles: tuple[str, ...]
    neighbors: tuple[Neighbor, ...]
    n_neighbors: int


def document_facts(network: Network, node_id: str) -> DocumentFacts:
    """The facts of one document; `UnknownNameError` where there is none of that id."""
    graph, communities = network.graph, network.communities
    node = graph.index(node_id)
    number = int(communities.labels[node])
    names = community_names(network)
    alone = number not in names
    return DocumentFacts(
        node_id,
        network.title(node_id),
        str(network.documents[node].provenance),
        names.get(number, ISOLATED),
        None if alone else number,
        int(communities.sizes[number]),
        () if alone else tuple(network.tags.get(number, [])),
        _figures(network, node),
        _roles(network, node, names),
        _neighbors(network, node, names),
        int(graph.degree[node]),
    )


def _figures(network: Network, node: int) -> tuple[tuple[str, str, str, str], ...]:
    figures = []
    for name, measure in MEASURES.items():
        if not measure_at_hand(network, name):
            continue
        values = measure_of(network, name)
        rank = f"{ordinal(rank_of(values, node))} of {len(values):,}" if values[node] > 0 else ""
        how = f" Here: {betweenness_words(network)}." if name == "betweenness" else ""
        shown = f"{name} (estimated)" if how and not network.betweenness.exact else name
        figures.append((shown, measure.in_words(float(values[node])), rank, measure.meaning + how))
    return tuple(figures)


def _roles(network: Network, node: int, names: Mapping[int, str]) -> tuple[str, ...]:
    graph = network.graph
    if not graph.degree[node]:
        return ("It is linked to nothing here.",)
    few = max(10, int(FEW * graph.n_nodes))
    roles = []
    degree_rank = rank_of(graph.degree.astype(np.float64), node)
    if degree_rank <= few and graph.degree[node] > 2:
        roles.append(f"Hub: {ordinal(degree_rank)} of {graph.n_nodes:,} by neighbours.")
    joined = _joined(network, node, names)
    if len(joined) > 1:
        roles.append(_bridge_words(network, node, few) + f" {_listed(joined)}.")
    return tuple(roles)


def _bridge_words(network: Network, node: int, few: int) -> str:
    if betweenness_at_hand(network):
        values = network.betweenness.values
        rank = rank_of(values, node)
        if rank <= few and values[node] > 0:
            return f"Bridge: {ordinal(rank)} by betweenness, joins"
    return "It has neighbours in"


def _joined(network: Network, node: int, names: Mapping[int, str]) -> list[str]:
    """Names of the communities of its neighbours, those of most neighbours first."""
    graph = network.graph
    near = network.communities.labels[graph.adjacency[[node]].indices]
    numbers, links = np.unique(near, return_counts=True)
    order = np.lexsort((numbers, -links))
    return [f"“{names[number]}”" for number in numbers[order].tolist() if number in names]


def _neighbors(network: Network, node: int, names: Mapping[int, str]) -> tuple[Neighbor, ...]:
    graph = network.graph
    row = graph.adjacency[[node]]
    order = np.lexsort((row.indices, -row.data))[:N_NEIGHBORS]
    found = []
    for other, weight in zip(row.indices[order].tolist(), row.data[order].tolist(), strict=True):
        explanation = network.similarity.explain(graph.node_ids[node], graph.node_ids[other])
        parts = sorted(explanation.contributions, key=lambda part: -part.contribution)
        words = dict.fromkeys(word for part in parts if part.contribution > 0 for word in part.shared)
        found.append(
            Neighbor(
                graph.node_ids[other],
                network.titles[other],
                weight,
                tuple(words)[:N_WORDS],
                names.get(int(network.communities.labels[other]), ISOLATED),
            )
        )
    return tuple(found)


def ordinal(number: int) -> str:
    """A place in words.

    Examples
    --------
    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 1002)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '1,002nd']
    """
    tail = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{tail}"


def _listed(names: list[str]) -> str:
    shown = names[:3]
    more = f" and {len(names) - len(shown):,} more" if len(names) > len(shown) else ""
    if more or len(shown) == 1:
        return ", ".join(shown) + more
    return ", ".join(shown[:-1]) + f" and {shown[-1]}"
