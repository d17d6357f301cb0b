"""The whole corpus as a map of points, for as many documents as there are; a region of it can be chosen.

Enters: a network and a colouring. Leaves: a plotly figure whose points carry document numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cnrag_core.views.community_names import community_names
from cnrag_core.views.figure import base_figure
from cnrag_core.views.network_colors import Coloring

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from cnrag_core.network import Network

SYMBOLS = {"dot": "circle", "square": "square", "diamond": "diamond"}
INK, INK_ON_DARK = "#262730", "#fafafa"
MOST_NAMES = 14
LEAST_NAMED = 5


def map_figure(
    network: Network,
    coloring: Coloring,
    *,
    only: Sequence[str] = (),
    isolated: bool = False,
    within: NDArray[np.bool_] | None = None,
    dark: bool = False,
) -> go.Figure:
    """One trace a legend entry, WebGL points, names of the largest communities.

    Parameters
    ----------
    within
        (n,) which documents lie in the range that was asked for; all where None.
    dark
        Whether the page is: what is written over the points is light then.
    """
    import plotly.graph_objects as go

    positions = network.layout.positions
    wanted = _wanted(network, coloring, only, isolated, within)
    size = float(np.clip(130 / np.sqrt(max(network.graph.n_nodes, 1)), 3.5, 9))
    figure = base_figure()
    for place, entry in enumerate(coloring.entries):
        at = np.flatnonzero(wanted & (coloring.entry_of == place))
        if not len(at):
            continue
        figure.add_trace(
            go.Scattergl(
                x=positions[at, 0],
                y=-positions[at, 1],
                mode="markers",
                name=_short(entry.label),
                customdata=at,
                text=[escape(network.titles[node]) for node in at],
                hovertemplate="%{text}<extra>" + escape(entry.label) + "</extra>",
                marker={
                    "size": size,
                    "symbol": SYMBOLS[entry.shape],
                    "color": [coloring.colors[node] for node in at],
                    "line": {"width": 0.4, "color": "rgba(128,134,150,0.6)"},
                },
            )
        )
    _names(figure, network, INK_ON_DARK if dark else INK)
    figure.update_layout(
        height=None,
        dragmode="lasso",
        legend={"orientation": "v", "y": 1, "x": 1.01, "yanchor": "top"},
        uirevision="map",
    )
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)  # either axis takes what the canvas has: neither has a unit
    return figure


def map_counts(
    network: Network,
    coloring: Coloring,
    *,
    only: Sequence[str] = (),
    isolated: bool = False,
    within: NDArray[np.bool_] | None = None,
) -> str:
    """How many of the documents are on the map."""
    shown = int(np.count_nonzero(_wanted(network, coloring, only, isolated, within)))
    return f"{shown:,} of {network.graph.n_nodes:,} documents, without their links"


def chosen_numbers(points: Sequence[dict[str, Any]]) -> list[int]:
    """Document numbers of the points that were chosen, ascending, without repeats."""
    found = set()
    for point in points:
        number = point.get("customdata")
        number = number[0] if isinstance(number, (list, tuple)) else number
        if number is not None:
            found.add(int(number))
    return sorted(found)


def _wanted(
    network: Network, coloring: Coloring, only: Sequence[str], isolated: bool, within: NDArray[np.bool_] | None
) -> NDArray[np.bool_]:
    wanted = coloring.matches(only) if within is None else coloring.matches(only) & within
    return wanted if isolated or "isolated" in only else wanted & (network.graph.degree > 0)


def _names(figure: go.Figure, network: Network, ink: str) -> None:
    """Names of the largest communities, each where it covers none that was written before."""
    names, communities, positions = community_names(network), network.communities, network.layout.positions
    if not len(positions):
        return
    per_letter, line = (float(np.ptp(positions[:, axis])) * share for axis, share in ((0, 0.0115), (1, 0.035)))
    taken: list[tuple[float, float, float]] = []
    for number in list(names)[:MOST_NAMES]:
        if communities.sizes[number] < LEAST_NAMED:
            break
        members = positions[communities.members(number)]
        x, y = float(np.median(members[:, 0])), float(np.quantile(members[:, 1], 0.05)) - line / 2
        half = per_letter * len(names[number]) / 2
        if any(abs(x - other) < half + width and abs(y - below) < line for other, below, width in taken):
            continue
        taken.append((x, y, half))
        figure.add_annotation(
            x=x, y=-y, text=f"<b>{escape(names[number])}</b>", showarrow=False,
            font={"size": 12.5, "color": ink, "shadow": "auto"},
        )  # fmt: skip


def _short(label: str) -> str:
    return escape(label if len(label) <= 28 else label[:27] + "…")
