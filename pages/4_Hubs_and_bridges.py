"""Who holds it together? Documents that many resemble, and documents that join communities."""

import streamlit as st

from cnrag_core.export.csv_table import csv_bytes
from cnrag_core.topology.roles import find_bridges, find_hubs
from cnrag_core.views.community_names import community_names
from cnrag_core.views.role_tables import (
    BRIDGE_KINDS,
    bridge_table,
    bridges_sentence,
    degree_limit,
    hub_table,
    hubs_sentence,
    joining,
    joining_sentence,
    role_chart,
)
from pages.shared.network_kept import kept
from pages.shared.session import (
    KEPT,
    current_network,
    keep_within,
    open_workspace,
    select_document,
    shown_errors,
)
from pages.shared.tables import height_of_rows, table_height
from pages.shared.waiting import ready

workspace = open_workspace(
    "Hubs and bridges",
    "Who holds it together? Hubs resemble many documents; bridges lie on the shortest paths between communities.",
    icon=":material/share:",
)


WIDTHS = {
    "neighbours": st.column_config.NumberColumn(width=82),
    "betweenness": st.column_config.NumberColumn(width=90, format="%.3f"),
    "community": st.column_config.TextColumn(width=240),
    "joins": st.column_config.TextColumn(width=332),
    "kind": st.column_config.TextColumn(width=92, help="What each means stands below the table."),
    "summed weight": st.column_config.NumberColumn(width=104, format="%.2f"),
    "participation": st.column_config.NumberColumn(
        width=92, format="%.2f", help="How evenly its links are spread over communities: 0 = all in one."
    ),
}
HEIGHTS = {"hubs": 305, "bridges": 468}
TITLES = {"hubs": 265, "bridges": 178}
CHARACTERS = {"hubs": {"document": 44, "community": 42}, "bridges": {"document": 25, "joins": 46}}
"""That a line of a column holds."""


def linked_table(frame, node_ids, *, key: str) -> None:
    """A table whose chosen row opens the document in the network."""
    height = height_of_rows(frame, CHARACTERS[key])
    event = st.dataframe(
        frame,
        key=key,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        height=table_height(len(frame), height, most=HEIGHTS[key]),
        row_height=height,
        column_config={**WIDTHS, "document": st.column_config.TextColumn(width=TITLES[key])},
    )
    rows = event.selection.rows
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Show in the network", key=f"{key}_show", disabled=not rows, icon=":material/hub:"):
            select_document(node_ids[rows[0]])
            st.switch_page("pages/1_Network.py")
        st.download_button(
            "CSV",
            lambda: csv_bytes(frame),
            file_name=f"{key}.csv",
            mime="text/csv",
            key=f"{key}_csv",
            on_click="ignore",
            icon=":material/download:",
        )
        if not rows:
            st.caption("Choose a row, at its left, to see it in the network.")


def chosen_topics(names: list[str]) -> list[str]:
    """Communities that a bridge shall join; those that the threshold has taken away are forgotten."""
    st.session_state["bridge_topics"] = [name for name in st.session_state.get("bridge_topics", []) if name in names]
    return st.multiselect(
        "Only those that join", names, key="bridge_topics", placeholder="two topics or more", persist_state=KEPT
    )


with shown_errors():
    network = current_network(workspace)
    if not network.graph.n_edges:
        st.info("No two documents are linked at this threshold; lower it to see hubs and bridges.")
        st.page_link("pages/2_Threshold.py", label="Choose the threshold", icon=":material/tune:")
        st.stop()
    if not ready(network, "communities", "tags", key="communities"):
        st.stop()
    labels = network.communities.labels
    st.subheader("Hubs", anchor=False, help="Documents with at least this many neighbours.")
    limit = degree_limit(network.graph)
    keep_within("min_degree", 1, limit.most, limit.start)
    few, said = st.columns([1, 2], gap="large", vertical_alignment="bottom")
    with few:
        least = st.slider("Neighbours, at least", 1, limit.most, key="min_degree", persist_state=KEPT)
    hubs = find_hubs(network.graph, min_degree=least, labels=labels)
    said.text(hubs_sentence(hubs, network))
    linked_table(hub_table(hubs, network), [hub.node_id for hub in hubs], key="hubs")

    st.subheader("Bridges", anchor=False, help="Documents on many shortest paths between others.")
    keep_within("top_bridges", 1, 100, 20)
    few, among = st.columns([1, 2], gap="large", vertical_alignment="bottom")
    with few:
        top = st.slider("How many, highest betweenness first", 1, 100, key="top_bridges", persist_state=KEPT)
    if not ready(network, "betweenness", key="betweenness"):
        st.stop()
    with among:
        topics = chosen_topics(list(community_names(network).values()))
    if topics:
        every = find_bridges(network.graph, network.betweenness, labels, min_betweenness=0.0)
        bridges = joining(every, topics, network)
        st.text(joining_sentence(bridges, topics, network))
        bridges = bridges[:top]
    else:
        bridges = find_bridges(network.graph, network.betweenness, labels, top=top)
        st.text(bridges_sentence(bridges, network))
    linked_table(bridge_table(bridges, network), [bridge.node_id for bridge in bridges], key="bridges")
    with st.expander("What the kinds of bridges mean"):
        for kind, meaning in BRIDGE_KINDS.items():
            st.markdown(f"**{kind}**: {meaning}")

    st.subheader("Degree against betweenness", anchor=False)
    name = f"roles-{network.graph.digest}"
    st.plotly_chart(kept(name, lambda: role_chart(network)), key="roles")
    st.caption("Every point is a linked document, in the colour of its community; point at one to read both names.")
