"""How much each component counts, as bars: what a person wrote as 3:5:2 and what is used.

Enters: normalised weights. Leaves: a plotly figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

from cnrag_core.views.figure import base_figure
from cnrag_core.views.palette import category_color

if TYPE_CHECKING:
    import plotly.graph_objects as go


def weight_bars(weights: Mapping[str, float]) -> go.Figure:
    """One bar a component, in the order of the configuration; the shares sum to 1."""
    import plotly.graph_objects as go

    figure = base_figure(height=60 + 34 * len(weights))
    figure.add_trace(
        go.Bar(
            orientation="h",
            y=[escape(name) for name in weights],
            x=[100 * share for share in weights.values()],
            text=[f"{100 * share:.0f} %" for share in weights.values()],
            textposition="outside",
            marker={"color": [category_color(rank) for rank in range(len(weights))]},
            hovertemplate="%{y}: %{x:.1f} %<extra></extra>",
        )
    )
    figure.update_xaxes(range=[0, 104], ticksuffix=" %", title="share of the combined similarity")
    figure.update_yaxes(autorange="reversed")
    return figure
