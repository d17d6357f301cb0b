"""Where to cut: what every threshold leaves of the network, with the present one marked.

Enters: a `ThresholdCurve`, a suggestion, a histogram. Leaves: plotly figures and a data frame of the same
numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from cnrag_core.graph.threshold_suggestion import ThresholdSuggestion
from cnrag_core.graph.thresholds import SimilarityHistogram, ThresholdCurve
from cnrag_core.views.figure import base_figure
from cnrag_core.views.palette import CATEGORIES, REST

if TYPE_CHECKING:
    import plotly.graph_objects as go

Quantity = Literal["shares", "edges", "mean degree", "components", "communities", "modularity"]
LAST_PLACE = 0.85
"""Share of the width beyond which the words of a line have no room to its right."""
ROW = 0.085
"""Height of a line of words above the chart, in its height."""
QUANTITIES: tuple[Quantity, ...] = ("shares", "edges", "mean degree", "components", "communities", "modularity")


def curve_table(curve: ThresholdCurve) -> pd.DataFrame:
    """One row a threshold of the grid: everything that needs no communities."""
    return pd.DataFrame(
        {
            "threshold": curve.thresholds,
            "edges": curve.n_edges,
            "density": curve.density,
            "mean degree": curve.mean_degree,
            "components": curve.n_components,
            "largest component": curve.giant_size,
            "isolated": curve.n_isolates,
        }
    )


def threshold_curve_chart(
    curve: ThresholdCurve,
    *,
    quantity: Quantity = "shares",
    threshold: float | None = None,
    suggestion: ThresholdSuggestion | None = None,
) -> go.Figure:
    """One quantity against the threshold.

    ``shares`` draws the largest component and the isolated documents as shares of all documents, where
    the network falls apart is where they cross. Communities and modularity were found at some
    thresholds only, and are drawn as points there.
    """
    figure = base_figure(height=440)
    n = max(curve.candidates.n_nodes, 1)
    x = curve.thresholds
    if quantity == "shares":
        _line(figure, x, 100 * curve.giant_share, "in the largest component", CATEGORIES[0], unit=" %")
        _line(figure, x, 100 * curve.n_isolates / n, "isolated", CATEGORIES[1], dash="dot", unit=" %")
        figure.update_yaxes(ticksuffix=" %", range=[-2, 105], title="share of the documents")
    elif quantity in ("communities", "modularity"):
        found = curve.n_communities if quantity == "communities" else curve.modularity
        _line(figure, curve.community_thresholds, found, quantity, CATEGORIES[2], mode="lines+markers")
        figure.update_yaxes(title=quantity, rangemode="tozero")
    else:
        values = {"edges": curve.n_edges, "mean degree": curve.mean_degree, "components": curve.n_components}[quantity]
        _line(figure, x, values, quantity, CATEGORIES[0])
        figure.update_yaxes(title=quantity, rangemode="tozero")
        if quantity == "edges":
            figure.update_yaxes(type="log", rangemode="normal")
    last = curve.thresholds[np.flatnonzero(curve.n_edges)[-1]] if curve.n_edges.any() else 1.0
    _mark(figure, threshold, suggestion)
    figure.layout.margin.t, figure.layout.legend.y = 110, 1 + 4.6 * ROW
    figure.update_xaxes(title="similarity threshold", range=[float(curve.floor), min(1.0, float(last) + 0.03)])
    return figure


def histogram_chart(histogram: SimilarityHistogram, *, threshold: float | None = None) -> go.Figure:
    """How many pairs have which similarity; the axis is logarithmic, for most pairs resemble little."""
    import plotly.graph_objects as go

    figure = base_figure(height=260)
    edges = histogram.edges
    middle, width = (edges[:-1] + edges[1:]) / 2, np.diff(edges)
    colors = [CATEGORIES[0] if threshold is None or m >= threshold else REST for m in middle]
    figure.add_trace(
        go.Bar(
            x=middle,
            y=np.where(histogram.counts > 0, histogram.counts, np.nan),
            width=width * 0.92,
            marker={"color": colors},
            hovertemplate="similarity about %{x:.2f}: %{y:,} pairs<extra></extra>",
        )
    )
    _mark(figure, threshold, None)
    figure.update_yaxes(type="log", title="pairs (log)", dtick=1, tickformat=",d")
    filled = np.flatnonzero(histogram.counts)
    last = float(edges[filled[-1] + 1]) if len(filled) else 1.0
    low, high = float(edges[0]), min(1.0, max(last, threshold or 0) + 0.02)
    figure.update_xaxes(title="combined similarity", range=[low, high])
    if threshold is not None and threshold > low + LAST_PLACE * (high - low):
        figure.update_annotations(xanchor="right", xshift=-3)
    return figure


def _line(
    figure: go.Figure,
    x: object,
    y: object,
    name: str,
    color: str,
    *,
    dash: str = "solid",
    mode: str = "lines",
    unit: str = "",
) -> None:
    import plotly.graph_objects as go

    shown = ".3~g" if unit or name == "modularity" else ",.4~r"

    figure.add_trace(
        go.Scatter(
            x=x,
            y=y,
            name=name,
            mode=mode,
            line={"color": color, "width": 2.5, "dash": dash},
            hovertemplate=f"at %{{x:.2f}}: %{{y:{shown}}}{unit}<extra>{name}</extra>",
        )
    )


def _mark(figure: go.Figure, threshold: float | None, suggestion: ThresholdSuggestion | None) -> None:
    """Vertical lines: where we are, what is suggested, where the largest component falls apart.

    Their words stand above the chart, those of a line further to the left higher up: no line runs through any.
    """
    marks = [(threshold, "here", CATEGORIES[5], "solid")]
    if suggestion is not None:
        marks += [
            (suggestion.threshold, "suggested", CATEGORIES[2], "dash"),
            (suggestion.percolation, "falls apart", REST, "dot"),
        ]
    shown = sorted(
        ((value, name, color, dash) for value, name, color, dash in marks if value is not None), reverse=True
    )
    # Set at once: adding lines one by one costs 40 ms each, and the slider waits for them.
    figure.layout.shapes = [
        {
            "type": "line", "x0": value, "x1": value, "y0": 0, "y1": 1 + ROW * (row + 0.8), "xref": "x",
            "yref": "y domain", "line": {"color": color, "dash": dash, "width": 2},
        }
        for row, (value, _, color, dash) in enumerate(shown)
    ]  # fmt: skip
    figure.layout.annotations = [
        {
            "x": value, "y": 1 + ROW * row, "xref": "x", "yref": "paper", "text": f"{name} {value:.2f}",
            "showarrow": False, "font": {"color": color, "size": 12}, "xanchor": "left", "xshift": 3,
            "yanchor": "bottom",
        }
        for row, (value, name, color, _) in enumerate(shown)
    ]  # fmt: skip
