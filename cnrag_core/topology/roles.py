"""Who holds the graph together: hubs, which many documents resemble, and bridges, which join communities.

Enters: a `SimilarityGraph`, its betweenness and community labels. Leaves: rows for a table, strongest
first. Guide 000, "Hub Identification" and "Bridge Identification".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cnrag_core.arguments import checked_number, checked_whole
from cnrag_core.errors import ConfigError
from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.topology.centrality import Betweenness, links_to_communities, participation, weighted_degree

BridgeKind: TypeAlias = Literal["pure", "integrative", "evolutionary"]

MANY_LINKS_QUANTILE = 0.9
"""A bridge whose degree is in the top tenth of the linked documents is `evolutionary`."""


@dataclass(frozen=True)
class Hub:
    """A document that many resemble.

    Attributes
    ----------
    node_id, degree, weighted_degree
        The document, its number of neighbours, and the summed weight of its edges.
    community
        Its community, or None where no labels were given.
    share
        Share of all other documents that are its neighbours.
    """

    node_id: str
    degree: int
    weighted_degree: float
    community: int | None
    share: float


@dataclass(frozen=True)
class Bridge:
    """A document through which paths between others lead.

    Attributes
    ----------
    node_id, betweenness, degree
        The document, its normalised betweenness, and its number of neighbours.
    standard_error
        Of the betweenness where it is an estimate; 0 where it is exact.
    participation
        How evenly its edges spread over communities, 0 to 1.
    community
        Its own community.
    joins
        (community, number of neighbours in it), most neighbours first: what it holds together.
    kind
        ``pure``: no more neighbours than the median linked document, a thread between parts that
        would otherwise be farther apart. ``evolutionary``: a degree in the top tenth, a hub that the
        parts have in common. ``integrative``: between the two.
    """

    node_id: str
    betweenness: float
    degree: int
    standard_error: float
    participation: float
    community: int
    joins: tuple[tuple[int, int], ...]
    kind: BridgeKind

    @property
    def communities(self) -> tuple[int, ...]:
        """Numbers of the communities that its neighbours lie in, ascending."""
        return tuple(sorted(community for community, _ in self.joins))


def find_hubs(
    graph: SimilarityGraph,
    *,
    min_degree: int = 10,
    top: int | None = None,
    labels: NDArray[np.int64] | None = None,
) -> tuple[Hub, ...]:
    """Documents with at least `min_degree` neighbours, or the `top` ones whatever the minimum.

    Returns
    -------
    tuple of Hub
        By descending degree, then weighted degree, then id. A document without neighbours is none.

    Raises
    ------
    ConfigError
        If `min_degree` or `top` is negative.
    """
    _check_top(top)
    if checked_number(min_degree, "min_degree") < 0:
        raise ConfigError(f"Hubs: min_degree must be at least 0, got {min_degree}.")
    strength = weighted_degree(graph)
    ranked = np.lexsort((np.arange(graph.n_nodes), -np.round(strength, 9), -graph.degree))
    chosen = _cut(ranked, graph.degree, min_degree, top)
    return tuple(
        Hub(
            graph.node_ids[node],
            int(graph.degree[node]),
            float(strength[node]),
            None if labels is None else int(labels[node]),
            int(graph.degree[node]) / max(graph.n_nodes - 1, 1),
        )
        for node in chosen
    )


def find_bridges(
    graph: SimilarityGraph,
    betweenness: Betweenness,
    labels: NDArray[np.int64],
    *,
    min_betweenness: float = 0.1,
    top: int | None = None,
) -> tuple[Bridge, ...]:
    """Documents with at least this betweenness, or the `top` ones whatever the minimum.

    Beyond a few thousand documents nobody reaches 0.1: ask for `top` there.

    Returns
    -------
    tuple of Bridge
        By descending betweenness, then id. A document on no shortest path is none.

    Raises
    ------
    ConfigError
        If `min_betweenness` is not in [0, 1] or `top` is negative.
    """
    _check_top(top)
    if not 0 <= checked_number(min_betweenness, "min_betweenness") <= 1:
        raise ConfigError(f"Bridges: min_betweenness must lie in [0, 1], got {min_betweenness}.")
    values = np.round(betweenness.values, 12)  # so that float noise does not rank equals
    ranked = np.lexsort((np.arange(graph.n_nodes), -values))
    chosen = _cut(ranked, values, min_betweenness, top)
    spread = participation(graph, labels)
    joins = _joins(graph, labels, set(chosen))
    few, many = _few_and_many(graph.degree)
    return tuple(
        Bridge(
            graph.node_ids[node],
            float(betweenness.values[node]),
            degree := int(graph.degree[node]),
            float(betweenness.standard_error[node]),
            float(spread[node]),
            int(labels[node]),
            joins[node],
            "pure" if degree <= few else "evolutionary" if degree >= many else "integrative",
        )
        for node in chosen
    )


def _cut(ranked: NDArray[np.int64], values: NDArray[Any], minimum: float, top: int | None) -> list[int]:
    """The nodes of a ranking to show: the first `top`, or all with at least the minimum; never those of value 0."""
    positive: list[int] = ranked[values[ranked] > 0].tolist()
    if top is not None:
        return positive[:top]
    return [node for node in positive if values[node] >= minimum]


def _check_top(top: int | None) -> None:
    if top is not None and checked_whole(top, "top") < 0:
        raise ConfigError(f"top must be at least 0, got {top}.")


def _few_and_many(degree: NDArray[np.int64]) -> tuple[float, float]:
    linked = degree[degree > 0]
    if not len(linked):
        return 0.0, 0.0
    return float(np.median(linked)), float(np.quantile(linked, MANY_LINKS_QUANTILE))


def _joins(
    graph: SimilarityGraph, labels: NDArray[np.int64], chosen: set[int]
) -> dict[int, tuple[tuple[int, int], ...]]:
    nodes, communities, links = links_to_communities(graph, labels)
    found: dict[int, list[tuple[int, int]]] = {node: [] for node in chosen}
    wanted = np.isin(nodes, np.fromiter(sorted(chosen), dtype=np.int64, count=len(chosen)))
    for node, community, count in zip(
        nodes[wanted].tolist(), communities[wanted].tolist(), links[wanted].tolist(), strict=True
    ):
        found[node].append((community, int(count)))
    return {node: tuple(sorted(pairs, key=lambda pair: (-pair[1], pair[0]))) for node, pairs in found.items()}
