"""Home: what have I got? Choose or upload a corpus, say how it is compared, build, see what was built."""

import streamlit as st

from cnrag_core.views.weight_bars import weight_bars
from cnrag_core.views.workspace_tables import build_table, community_table, figures_of_workspace
from pages.shared.load import load_panel, own_documents
from pages.shared.session import current_network, literal, open_workspace, shown_errors
from pages.shared.tables import height_of_rows, number_in_front, table_height
from pages.shared.tour import tour_invitation
from pages.shared.waiting import ready

workspace = open_workspace(
    "cnrag", "A pile of documents becomes a graph that you explore, tune and question.", icon=":material/hub:"
)

tour_invitation()

with shown_errors():
    network = current_network(workspace)
    st.subheader(literal(workspace.name), anchor=False)
    if not ready(network, "communities", "tags", key="communities"):
        st.stop()
    with st.container(key="parts_some_figures"):
        figures = st.columns(6)
    for column, (name, value, explanation) in zip(figures, figures_of_workspace(network), strict=True):
        column.metric(name, value, help=explanation)
    own_documents(workspace)
    notes = [note for note in network.warnings if note in workspace.config.notes]
    for warning in network.warnings:
        if warning not in notes:
            st.info(literal(warning), icon=":material/info:")

    with st.container(key="parts_home"):
        communities, comparison = st.columns([2, 1], gap="large")
    with communities:
        st.markdown("**The largest communities**")
        largest = community_table(network)
        if len(largest):
            height = height_of_rows(largest, {"tags": 32, "best connected": 31})
            st.dataframe(
                largest,
                key="home_communities",
                hide_index=True,
                column_config={
                    "community": number_in_front("#", width=36),
                    "documents": number_in_front(width=82),
                    "tags": st.column_config.TextColumn(width=225),
                    "best connected": st.column_config.TextColumn(width=215),
                },
                row_height=height,
                height=table_height(len(largest), height, most=520),
            )
        else:
            st.text("No two documents are linked at this threshold; lower it to see communities.")
        with st.container(horizontal=True):
            st.page_link("pages/1_Network.py", label="Explore the network", icon=":material/hub:")
            st.page_link("pages/2_Threshold.py", label="Choose the threshold", icon=":material/tune:")
            st.page_link("pages/6_Search.py", label="Ask a question", icon=":material/search:")
    with comparison:
        st.markdown("**How documents are compared**")
        st.plotly_chart(weight_bars(workspace.config.normalized_weights), key="weights")
        if notes:
            with st.expander(f"How the fields were understood ({len(notes)})"):
                st.markdown("\n".join(f"- {literal(note)}" for note in notes))
        with st.expander("What the build did"):
            st.dataframe(build_table(network), key="build_steps", hide_index=True)

    st.divider()
    load_panel(workspace)
