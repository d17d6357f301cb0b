"""Why two documents are similar, as a waterfall: each component's contribution up to their sum.

Enters: a `PairExplanation`. Leaves: a plotly figure and a data frame of the same rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from cnrag_core.similarity.structured import Contribution, PairExplanation
from cnrag_core.views.figure import base_figure
from cnrag_core.views.palette import CATEGORIES, REST

if TYPE_CHECKING:
    import plotly.graph_objects as go

STATUS_IN_WORDS = {"ok": "", "missing": "missing", "below_minimum": "below its minimum"}


def contribution_table(explanation: PairExplanation) -> pd.DataFrame:
    """One row a component, in the order of the configuration, and the sum as the last row."""
    rows = [
        {
            "component": part.name,
            "metric": part.metric,
            "raw": part.raw,
            "similarity": part.similarity,
            "weight": part.weight,
            "contribution": part.contribution,
            "note": STATUS_IN_WORDS[part.status],
            "in common": ", ".join(part.shared),
        }
        for part in explanation.contributions
    ]
    total = {"component": "combined similarity", "weight": 1.0, "contribution": explanation.similarity}
    return pd.DataFrame([*rows, total]).astype({"in common": "string", "note": "string"})


def pair_waterfall(explanation: PairExplanation, *, threshold: float | None = None) -> go.Figure:
    """Bars that add up to the combined similarity, with the threshold as a line.

    Components that are missing or below their own minimum are named as such: they add nothing, and
    their weight is not given to the others.
    """
    import plotly.graph_objects as go

    parts = explanation.contributions
    figure = base_figure(height=90 + 46 * (len(parts) + 1))
    figure.add_trace(
        go.Waterfall(
            orientation="h",
            y=[*(_label(part) for part in parts), "<b>combined</b>"],
            x=[*(part.contribution for part in parts), explanation.similarity],
            measure=[*("relative" for _ in parts), "total"],
            text=[*(_sum(part) for part in parts), f"{explanation.similarity:.3f}"],
            textposition="outside",
            cliponaxis=False,
            increasing={"marker": {"color": CATEGORIES[0]}},
            totals={"marker": {"color": CATEGORIES[2]}},
            connector={"line": {"color": REST, "width": 1}},
            hovertemplate="%{y}: %{x:.3f}<extra></extra>",
        )
    )
    if threshold is not None:
        figure.add_vline(x=threshold, line={"dash": "dash", "color": CATEGORIES[5]})
        figure.add_annotation(
            x=threshold, y=1.0, yref="paper", yanchor="bottom", text=f"threshold {threshold:.2f}", showarrow=False,
            font={"color": CATEGORIES[5]},
        )  # fmt: skip
    widest = max(explanation.similarity, threshold or 0.0, 0.05)
    figure.update_xaxes(title="contribution to the combined similarity", range=[0, min(widest * 1.35, 1.3)])
    figure.update_yaxes(autorange="reversed", showgrid=False)
    figure.update_layout(showlegend=False)
    return figure


def narrow_waterfall(explanation: PairExplanation, *, threshold: float | None = None) -> go.Figure:
    """The same for a narrow pane: weights stand with the names, and bars say only what they add."""
    figure = pair_waterfall(explanation, threshold=threshold)
    parts = explanation.contributions
    figure.update_traces(
        y=[
            *(f"{_label(part)}<br><span style='font-size:10px'>× {part.weight:.2f}</span>" for part in parts),
            "<b>sum</b>",
        ],
        text=[*(f"{part.contribution:.3f}" for part in parts), f"<b>{explanation.similarity:.3f}</b>"],
    )
    figure.update_xaxes(title="similarity")
    return figure


def _label(part: Contribution) -> str:
    from html import escape

    note = STATUS_IN_WORDS[part.status]
    return escape(part.name) + (f" <i>({note})</i>" if note else "")


def _sum(part: Contribution) -> str:
    if part.status == "missing":
        return f"nothing to compare × {part.weight:.2f} = 0.000"
    return f"{part.similarity:.3f} × {part.weight:.2f} = {part.contribution:.3f}"
