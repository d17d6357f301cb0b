"""How does it hang together? List, graph and document side by side, and everything in them linked."""

import streamlit as st

from pages.shared.network_controls import choices_of, control_row, view_row
from pages.shared.network_drawing import drawing_now, middle_pane
from pages.shared.network_panel import panel
from pages.shared.network_state import begin, keep, options_now
from pages.shared.network_tables import below
from pages.shared.page_style import fill_window
from pages.shared.session import current_network, open_workspace, shown_errors, sidebar_figures
from pages.shared.title_box import send_titles
from pages.shared.waiting import ready

workspace = open_workspace(
    "Network", "How does it hang together? Click, search, filter; what you look at is explained on the right."
)
fill_window()


@st.fragment
def explore() -> None:
    """Controls and panes, and the figures in the sidebar; a click reruns only this."""
    with shown_errors():
        sidebar_figures(workspace)
        network, whole = current_network(workspace), workspace.network
        if ready(network, "communities", "tags", key="communities"):
            st.session_state["net_shown"] = network
        else:  # what was shown before stays until the communities at this threshold are found
            before = st.session_state.get("net_shown", whole)
            network = before if (before.base or before) is whole else whole
        colors = choices_of(workspace)
        begin(workspace, colors)
        control_row(workspace, network, colors)
        options = options_now()
        view_row(workspace, network, options)
        options = options_now()  # a slider in that row has its first value only now
        with st.container(key="net_panes"):
            graph, document = st.columns([2.5, 1], gap="small")
        with graph:
            drawn, drawing = drawing_now(workspace, network, options)
        with document, st.container(key="net_panel", border=True):  # before the graph, which marks a click by itself
            panel(workspace, network, options, drawing)
        with graph:
            middle_pane(workspace, network, drawn, drawing)
        keep(workspace)  # before what shows the link
        below(workspace, network, options, drawing)


explore()
with shown_errors():
    send_titles(workspace.network)  # last: nobody searches before there is something to see
