"""How does it hang together? List, graph and document side by side, and everything in them linked."""

import streamlit as st

from cnrag_core.views.network_colors import color_choices
from cnrag_core.views.network_words import interpretation_of
from pages.shared.graph_component import graph_view
from pages.shared.network_controls import around_row, control_row, path_row
from pages.shared.network_drawing import component_of, drawing_of
from pages.shared.network_map import map_view
from pages.shared.network_panel import panel
from pages.shared.network_state import (
    GRAPH,
    begin,
    keep,
    on_expand,
    on_legend,
    on_select,
    options_now,
)
from pages.shared.network_tables import downloads, tables
from pages.shared.page_style import HEIGHT, fill_window
from pages.shared.session import current_network, current_threshold, open_workspace, shown_errors

workspace = open_workspace(
    "Network", "How does it hang together? Click, search, filter; what you look at is explained on the right."
)
fill_window()


@st.fragment
def explore(shown_at: float | None) -> None:
    """Controls and panes; a click reruns only this."""
    if current_threshold(workspace) != shown_at:
        st.rerun()  # the figures in the sidebar are of the old threshold
    network = current_network(workspace)
    colors = color_choices(network, workspace.corpus.kinds)
    begin(workspace, colors)
    control_row(workspace, network, colors)
    options = options_now()
    if options.view == "around":
        around_row(network)
    elif options.view == "path":
        path_row(network)
    options = options_now()
    drawing = drawing_of(workspace, network, options)
    graph, document = st.columns([2.5, 1], gap="small")
    with graph:
        if options.view == "map":
            map_view(workspace, network, options)
        else:
            graph_view(
                component_of(workspace, network, options, drawing),
                key=GRAPH,
                height=HEIGHT,
                on_select=lambda: on_select(workspace),
                on_expand=lambda: on_expand(workspace),
                on_legend=on_legend,
            )
    with document, st.container(key="net_panel", border=True):
        panel(workspace, network, options, drawing)
    st.caption(drawing.counts)
    st.text(interpretation_of(network, options, drawing))
    downloads(workspace, network, drawing)
    tables(network, options, drawing)
    keep(workspace)


with shown_errors():
    explore(current_threshold(workspace))
