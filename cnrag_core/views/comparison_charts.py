"""What another threshold or configuration changes: the flow of documents between communities, edges, ranks.

Enters: a `GraphComparison`, two networks. Leaves: plotly figures, tables, sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Protocol

import pandas as pd

from cnrag_core.corpus.wording import count
from cnrag_core.retrieval.ranking import RankedResults
from cnrag_core.topology.comparison import EdgeChange, GraphComparison
from cnrag_core.views.community_names import ISOLATED, TaggedView, community_names
from cnrag_core.views.figure import base_figure
from cnrag_core.views.palette import ISOLATED as ISOLATED_COLOR
from cnrag_core.views.palette import category_color

if TYPE_CHECKING:
    import plotly.graph_objects as go

MOST_COMMUNITIES = 15
"""On either side of the alluvial chart; smaller ones are one band."""

OTHERS = "smaller ones"


class TitleView(Protocol):
    """What is read of a network."""

    def title(self, node_id: str) -> str: ...


def comparison_sentence(found: GraphComparison) -> str:
    """What changes, in a sentence."""
    same = "the same" if found.adjusted_rand > 0.999 else f"alike to {found.adjusted_rand:.2f} (adjusted Rand index)"
    return (
        f"{count(found.n_common, 'edge is', 'edges are')} in both, {found.n_gained:,} "
        f"{'is' if found.n_gained == 1 else 'are'} gained and {found.n_lost:,} lost; "
        f"the communities are {same}, mutual information {found.mutual_information:.2f}."
    )


def alluvial_chart(found: GraphComparison, first: TaggedView, second: TaggedView, *, dark: bool = False) -> go.Figure:
    """Where the documents of each community of the first network are in the second; names in ink or in chalk."""
    import plotly.graph_objects as go

    order_left, order_right, links = _flows(found, first, second)
    place_left = {name: number for number, name in enumerate(order_left)}
    place_right = {name: len(order_left) + number for number, name in enumerate(order_right)}
    left_colors = dict(zip(order_left, _colors(order_left), strict=True))
    colors = [*left_colors.values(), *(_color_of_origin(name, links, left_colors) for name in order_right)]
    figure = base_figure(height=max(360, 34 * max(len(order_left), len(order_right)) + 80))
    figure.add_trace(
        go.Sankey(
            arrangement="snap",
            textfont={"color": "#fafafa" if dark else "#262730", "size": 12, "shadow": "none"},
            node={"label": [*map(escape, order_left), *map(escape, order_right)], "color": colors, "pad": 10},
            link={
                "source": [place_left[a] for a, _ in links],
                "target": [place_right[b] for _, b in links],
                "value": list(links.values()),
                "color": [_faint(colors[place_left[a]]) for a, _ in links],
                "hovertemplate": "%{source.label} → %{target.label}: %{value:,} documents<extra></extra>",
            },
        )
    )
    return figure


def flow_table(found: GraphComparison, first: TaggedView, second: TaggedView) -> pd.DataFrame:
    """What `alluvial_chart` draws: how many documents go from which community into which."""
    _, _, links = _flows(found, first, second)
    pairs = sorted(links, key=lambda pair: (-links[pair], pair))
    return pd.DataFrame(
        {
            "in the first": [before for before, _ in pairs],
            "in the second": [after for _, after in pairs],
            "documents": [links[pair] for pair in pairs],
        }
    )


def _flows(
    found: GraphComparison, first: TaggedView, second: TaggedView
) -> tuple[list[str], list[str], dict[tuple[str, str], int]]:
    """Bands on the left, bands on the right, and the number of documents from one to the other."""
    left, right = _bands(first), _bands(second)
    order_left, order_right = list(dict.fromkeys(left.values())), list(dict.fromkeys(right.values()))
    links: dict[tuple[str, str], int] = {}
    for before, after, n in found.flows.tolist():
        pair = (left.get(before, ISOLATED), right.get(after, ISOLATED))
        links[pair] = links.get(pair, 0) + n
    order_left += [ISOLATED] * (ISOLATED not in order_left and any(a == ISOLATED for a, _ in links))
    order_right += [ISOLATED] * (ISOLATED not in order_right and any(b == ISOLATED for _, b in links))
    return order_left, order_right, links


def _color_of_origin(name: str, links: Mapping[tuple[str, str], int], colors: Mapping[str, str]) -> str:
    """A band on the right has the colour of the band on the left that most of its documents come from."""
    if name in (ISOLATED, OTHERS):
        return ISOLATED_COLOR
    origins = {before: count for (before, after), count in links.items() if after == name}
    return colors[max(origins, key=lambda before: (origins[before], before))] if origins else ISOLATED_COLOR


def edge_change_table(changes: Sequence[EdgeChange], network: TitleView) -> pd.DataFrame:
    """The strongest edges that are in one network only."""
    return pd.DataFrame(
        {
            "one": [network.title(change.a) for change in changes],
            "other": [network.title(change.b) for change in changes],
            "similarity": [round(change.weight, 4) for change in changes],
        }
    )


def rank_change_table(first: RankedResults, second: RankedResults, network: TitleView) -> pd.DataFrame:
    """One question asked of both networks: the rank of each document before and after."""
    before = {node.node_id: rank for rank, node in enumerate(first, start=1)}
    after = {node.node_id: rank for rank, node in enumerate(second, start=1)}
    ids = sorted({*before, *after}, key=lambda i: (after.get(i, 10**6), before.get(i, 10**6)))
    frame = pd.DataFrame(
        {
            "document": [network.title(node_id) for node_id in ids],
            "rank in the first": [before.get(node_id) for node_id in ids],
            "rank in the second": [after.get(node_id) for node_id in ids],
        }
    )
    return frame.astype({"rank in the first": "Int64", "rank in the second": "Int64"})


def _bands(network: TaggedView) -> dict[int, str]:
    """Band of each community of two or more, by its number: its name, or that of the rest."""
    names = community_names(network)
    return {number: name if number < MOST_COMMUNITIES else OTHERS for number, name in names.items()}


def _colors(names: Sequence[str]) -> list[str]:
    return [ISOLATED_COLOR if name in (ISOLATED, OTHERS) else category_color(rank) for rank, name in enumerate(names)]


def _faint(color: str) -> str:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.35)"
