"""Hubs and bridges as tables, sentences and a chart.

Enters: rows of `topology.roles` and a network. Leaves: data frames, sentences, a plotly figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cnrag_core.corpus.wording import count
from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.topology.centrality import Betweenness
from cnrag_core.topology.communities import Communities
from cnrag_core.topology.roles import Bridge, Hub
from cnrag_core.views.community_names import ISOLATED, community_names
from cnrag_core.views.figure import base_figure
from cnrag_core.views.palette import category_color
from cnrag_core.views.traversal_steps import shortened

if TYPE_CHECKING:
    import plotly.graph_objects as go

BRIDGE_KINDS: Mapping[str, str] = {
    "pure": "few neighbours and much betweenness: a narrow passage between groups.",
    "integrative": "an ordinary number of neighbours, spread over several communities.",
    "evolutionary": "many neighbours and much betweenness: a hub that joins communities as well.",
}
MOST_POINTS = 5000
MOST_NAMED = 6
"""Of the points, the strongest bridges that have their names beside them."""
LONGEST_NAME = 40
USUAL_HUB = 10
"""Neighbours that make a hub, in the guide."""


class RoleView(Protocol):
    """What is read of a network."""

    @property
    def graph(self) -> SimilarityGraph: ...
    @property
    def communities(self) -> Communities: ...
    @property
    def betweenness(self) -> Betweenness: ...
    @property
    def tags(self) -> Mapping[int, list[str]]: ...
    def title(self, node_id: str) -> str: ...


@dataclass(frozen=True)
class DegreeLimit:
    """Range of a slider over degrees: the largest degree, and where it starts."""

    most: int
    start: int


def degree_limit(graph: SimilarityGraph) -> DegreeLimit:
    """A slider that starts where about a tenth of the linked documents are hubs.

    At 10 neighbours where that makes at most a quarter of them hubs, as the guide has it.
    """
    linked = graph.degree[graph.degree > 0]
    if not linked.size:
        return DegreeLimit(2, 1)
    most = max(2, int(linked.max()))
    tenth = int(max(1, np.quantile(linked, 0.9)))
    ten_is_few = np.count_nonzero(linked >= USUAL_HUB) <= linked.size / 4
    return DegreeLimit(most, min(USUAL_HUB, tenth) if ten_is_few else tenth)


def hub_table(hubs: Sequence[Hub], network: RoleView) -> pd.DataFrame:
    """One row a hub."""
    names = community_names(network)
    return pd.DataFrame(
        {
            "document": [network.title(hub.node_id) for hub in hubs],
            "neighbours": [hub.degree for hub in hubs],
            "community": [names.get(hub.community, ISOLATED) if hub.community is not None else "" for hub in hubs],
            "summed weight": [round(hub.weighted_degree, 3) for hub in hubs],
        }
    )


def bridge_table(bridges: Sequence[Bridge], network: RoleView) -> pd.DataFrame:
    """One row a bridge, with the communities that it joins."""
    names = community_names(network)
    return pd.DataFrame(
        {
            "document": [network.title(bridge.node_id) for bridge in bridges],
            "betweenness": [round(bridge.betweenness, 5) for bridge in bridges],
            "joins": [" · ".join(names.get(c, ISOLATED) for c in bridge.communities) for bridge in bridges],
            "kind": [bridge.kind for bridge in bridges],
            "neighbours": [bridge.degree for bridge in bridges],
            "participation": [round(bridge.participation, 3) for bridge in bridges],
        }
    )


def hubs_sentence(hubs: Sequence[Hub], network: RoleView) -> str:
    """How many hubs there are and which is the largest."""
    if not hubs:
        return "No document has that many neighbours."
    first = hubs[0]
    return (
        f"{len(hubs):,} of {count(network.graph.n_nodes, 'document')}. The most connected is "
        f"“{network.title(first.node_id)}” with {count(first.degree, 'neighbour')}."
    )


def bridges_sentence(bridges: Sequence[Bridge], network: RoleView) -> str:
    """Which bridge is the strongest, what it joins, and whether betweenness is exact."""
    found = network.betweenness
    how = "exact" if found.exact else f"estimated from {count(found.n_sources, 'source')}"
    if not bridges:
        return f"No document lies on a shortest path between two others (betweenness, {how})."
    first = bridges[0]
    joined = len(set(first.communities))
    return (
        f"The strongest is “{network.title(first.node_id)}”, with neighbours in {joined} "
        f"{'community' if joined == 1 else 'communities'}. Betweenness by hops, {how}."
    )


def joining_sentence(bridges: Sequence[Bridge], topics: Sequence[str], network: RoleView) -> str:
    """Which document is the strongest bridge between some communities, and how many others there are."""
    named = " and ".join(f"“{topic}”" for topic in topics)
    if not bridges:
        return f"No document has neighbours in {named}; a lower threshold may make one a bridge."
    others = len(bridges) - 1
    rest = "no other does" if not others else f"{others:,} other{'s do' if others > 1 else ' does'}"
    return f"“{network.title(bridges[0].node_id)}” is the strongest bridge that joins {named}; {rest}."


def joining(bridges: Sequence[Bridge], topics: Sequence[str], network: RoleView) -> list[Bridge]:
    """The bridges with neighbours in all of these communities, named as `community_names` names them."""
    wanted = {number for number, name in community_names(network).items() if name in topics}
    return [bridge for bridge in bridges if wanted <= set(bridge.communities)]


def role_chart(network: RoleView) -> go.Figure:
    """Every linked document by neighbours and betweenness: hubs lie to the right, bridges at the top."""
    import plotly.graph_objects as go

    graph, labels, values = network.graph, network.communities.labels, network.betweenness.values
    names = community_names(network)
    linked = np.flatnonzero(graph.degree > 0)
    order = linked[np.lexsort((linked, -values[linked]))][:MOST_POINTS]
    figure = base_figure(height=420)
    figure.add_trace(
        go.Scattergl(
            x=graph.degree[order],
            y=values[order],
            mode="markers",
            marker={"color": [category_color(int(labels[i])) for i in order], "size": 8, "opacity": 0.8},
            text=[escape(network.title(graph.node_ids[i])) for i in order],
            customdata=[escape(names.get(int(labels[i]), ISOLATED)) for i in order],
            hovertemplate="%{text}<br>%{customdata}<br>%{x} neighbours, betweenness %{y:.4f}<extra></extra>",
        )
    )
    named = _named_points(graph.degree, values, order)
    figure.add_trace(
        go.Scatter(
            x=graph.degree[named],
            y=values[named],
            mode="text",
            text=[f"\u2002{escape(shortened(network.title(graph.node_ids[i]), LONGEST_NAME))}\u2002" for i in named],
            textposition=["middle left" if graph.degree[i] > graph.degree.max() / 2 else "middle right" for i in named],
            textfont={"size": 11},
            hoverinfo="skip",
        )
    )
    figure.update_layout(showlegend=False)
    figure.update_xaxes(title="neighbours (degree)")
    figure.update_yaxes(title="betweenness")
    return figure


def _named_points(degree: NDArray[np.int64], values: NDArray[np.float64], order: NDArray[np.int64]) -> list[int]:
    """The strongest bridges and the largest hub, as far as their names do not stand on each other."""
    height = max(float(values[order].max()), 1e-12) if len(order) else 1.0
    hub = order[np.lexsort((order, -degree[order]))][:1]
    named: list[int] = []
    for i in map(int, [*hub, *order[:MOST_NAMED]]):
        if all(
            abs(values[i] - values[other]) > 0.045 * height or abs(degree[i] - degree[other]) > 0.4 * degree[hub[0]]
            for other in named
        ):
            named.append(i)
    return named
