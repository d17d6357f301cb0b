"""What all charts have in common: margins, a transparent ground that fits either theme, fonts left to the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import plotly.graph_objects as go

GRID = "rgba(128,134,150,0.22)"


def base_figure(*, height: int = 320) -> go.Figure:
    """An empty figure of a height in pixels."""
    import plotly.graph_objects as go

    axis = {"gridcolor": GRID, "zerolinecolor": GRID, "automargin": True}
    # One dictionary instead of updates: plotly checks those key by key, which costs more than the rest of a page.
    return go.Figure(
        layout={
            "height": height,
            "margin": {"l": 8, "r": 16, "t": 28, "b": 8},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "hoverlabel": {"namelength": -1},
            "legend": {"orientation": "h", "y": 1.12, "x": 0},
            "xaxis": dict(axis),
            "yaxis": dict(axis),
        }
    )
