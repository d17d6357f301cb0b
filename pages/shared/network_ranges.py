"""A range over a date or a number: the time slider of the network."""

from __future__ import annotations

import numpy as np
import streamlit as st

from cnrag_core.network import Network
from cnrag_core.views.network_ahead import ranges_to_choose
from cnrag_core.views.network_ranges import RangeField
from cnrag_core.workspace import Workspace
from pages.shared.session import literal

MOST_STOPS = 400
"""Places where a slider may stand; of more different values every so manieth is one."""


def range_fields(workspace: Workspace) -> dict[str, RangeField]:
    """Fields with a range, by name."""
    return ranges_to_choose(workspace.network, workspace.corpus.kinds)


def range_choice(workspace: Workspace) -> None:
    """The box that says which field has a slider."""
    fields = range_fields(workspace)
    if not fields:
        return
    st.selectbox(
        "Only a range of",
        list(fields),
        index=None,
        key="net_span_field",
        placeholder="a date or a number",
        on_change=_forget,
        help="A slider above the graph: documents beyond it disappear, and the others stay where they are.",
    )


def range_row(workspace: Workspace, network: Network) -> None:
    """The slider over the chosen field, with what it leaves, and the way back."""
    name = st.session_state["net_span_field"]
    field = range_fields(workspace).get(name)
    if field is None:
        return
    stops = _stops(field)
    kept = st.session_state["net_span"] or (stops[0], stops[-1])
    low, high = (_nearest(stops, value) for value in kept)
    with st.container(key="net_range_row"):
        slider, counts, away = st.columns([5, 2.4, 1.1], vertical_alignment="center", gap="small")
    low, high = slider.select_slider(
        literal(name), stops, value=(low, high), key="net_span_slider", format_func=field.in_words
    )
    st.session_state["net_span"] = (low, high)
    n_inside = int(np.count_nonzero(field.inside(low, high)))
    without = f", {field.n_missing:,} have none" if field.n_missing else ""
    counts.caption(f"{n_inside:,} of {network.graph.n_nodes:,} documents in {field.words(low, high)}{without}")
    away.button("All values", key="net_span_all", on_click=_no_range, width="stretch", help="Take the slider away")


def _stops(field: RangeField) -> list[float]:
    places = np.linspace(0, len(field.stops) - 1, min(len(field.stops), MOST_STOPS)).round().astype(np.int64)
    return [float(value) for value in field.stops[places]]


def _nearest(stops: list[float], value: float) -> float:
    return min(stops, key=lambda stop: abs(stop - value))


def _forget() -> None:
    st.session_state["net_span"] = None


def _no_range() -> None:
    st.session_state["net_span_field"] = st.session_state["net_span"] = None
