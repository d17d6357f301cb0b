"""The map of all documents, and the list of those that were lassoed."""

from __future__ import annotations

import streamlit as st

from cnrag_core.network import Network
from cnrag_core.views.network_colors import color_nodes
from cnrag_core.views.network_map import chosen_numbers, map_counts, map_figure
from cnrag_core.views.network_message import key_of
from cnrag_core.views.network_options import NetworkOptions
from cnrag_core.views.network_tables import node_table
from cnrag_core.views.network_words import MAP_CAUTION
from cnrag_core.workspace import Workspace
from pages.shared.network_kept import kept
from pages.shared.network_ranges import range_fields
from pages.shared.network_state import show_document


def map_view(workspace: Workspace, network: Network, options: NetworkOptions) -> None:
    """Draw a lasso or a box; what is in it is listed, and a row of the list opens its document."""
    coloring = color_nodes(network, options.color_by, workspace.corpus.kinds)
    within = None
    if options.span is not None:
        field, low, high = options.span
        within = range_fields(workspace)[field].inside(low, high)
    dark = st.context.theme.type == "dark"
    with st.container(key="net_map_box"):
        chosen = st.plotly_chart(
            kept(
                f"map-{key_of(network, options)}-{dark}",
                lambda: map_figure(
                    network, coloring, only=options.only, isolated=options.isolated, within=within, dark=dark
                ),
            ),
            key="net_map",
            height="stretch",
            on_select="rerun",
            selection_mode=("points", "box", "lasso"),
            config={"scrollZoom": True, "displaylogo": False},
            alt=f"Map of {network.graph.n_nodes:,} documents by {coloring.title}",
        )
    st.caption(map_counts(network, coloring, only=options.only, isolated=options.isolated, within=within))
    numbers = chosen_numbers(chosen.selection.points)
    if not numbers:
        st.text(f"Draw around documents to list them; click one to read it. {MAP_CAUTION}")
        return
    table = node_table(network, numbers, at_hand=True)
    st.caption(f"{len(numbers):,} documents chosen; choose a row to read it.")
    picked = st.dataframe(
        table, key="net_map_rows", hide_index=True, height=220, on_select="rerun", selection_mode="single-row"
    )
    number = numbers[picked.selection.rows[0]] if picked.selection.rows else numbers[0] if len(numbers) == 1 else None
    if number is not None and st.session_state.get("net_map_shown") != number:
        st.session_state["net_map_shown"] = number
        show_document(network.node_ids[number])
