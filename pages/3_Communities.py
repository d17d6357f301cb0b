"""What are the topics? Communities with their words, their centre, how tight and how stable they are."""

import streamlit as st

from cnrag_core.corpus.wording import count
from cnrag_core.export.csv_table import csv_bytes
from cnrag_core.views.community_cards import (
    card_of,
    community_frame,
    field_breakdown,
    gap_table,
    member_table,
    shown_communities,
    stability_sentence,
    topics_sentence,
)
from pages.shared.session import (
    KEPT,
    current_network,
    keep_within,
    literal,
    open_workspace,
    select_document,
    shown_errors,
)
from pages.shared.tables import height_of_rows, number_in_front, table_height
from pages.shared.waiting import ready

workspace = open_workspace(
    "Communities",
    "What are the topics? Groups of documents that are linked more among themselves than with others.",
    icon=":material/bubble_chart:",
)
CARDS_A_ROW = 3
CHARACTERS = 28
"""That a line of a community's name holds in the table of gaps."""


@st.cache_data(max_entries=8, show_spinner="Looking for communities ten times over …")
def _stability(key: str, _network) -> str:
    return stability_sentence(_network)


with shown_errors():
    network = current_network(workspace)
    keep_within("resolution", 0.2, 3.0, float(workspace.config.communities.resolution))
    resolution = st.slider(
        "Resolution",
        0.2,
        3.0,
        step=0.1,
        key="resolution",
        persist_state=KEPT,
        help="Below 1 gives fewer and larger communities, above 1 more and smaller ones.",
    )
    network = network.with_resolution(resolution)
    if not ready(network, "communities", "tags", key="communities"):
        st.stop()
    shown = shown_communities(network)
    st.text(topics_sentence(network))
    if not shown:
        st.info("No two documents are linked at this threshold; lower it to see communities.")
        st.page_link("pages/2_Threshold.py", label="Choose the threshold", icon=":material/tune:")
        st.stop()

    for start in range(0, len(shown), CARDS_A_ROW):
        with st.container(key=f"parts_some_{start}"):
            columns = st.columns(CARDS_A_ROW)
        for column, number in zip(columns, shown[start : start + CARDS_A_ROW], strict=False):
            card = card_of(network, number)
            with column, st.container(border=True, height="stretch", gap="small"):
                st.markdown(f"**{literal(card.name)}** · {count(card.size, 'document')}")
                st.caption(literal(card.tags))
                for node_id, title in card.central:
                    if st.button(literal(title), key=f"open_{number}_{node_id}", type="tertiary", width="stretch"):
                        select_document(node_id)
                        st.switch_page("pages/1_Network.py")
                st.caption(literal(card.cohesion))

    st.subheader("All communities", anchor=False)
    frame = community_frame(network)
    height = height_of_rows(frame, {"tags": 34, "nearest community": 26})
    number, words = st.column_config.NumberColumn, st.column_config.TextColumn
    st.dataframe(
        frame,
        key="communities",
        hide_index=True,
        row_height=height,
        height=table_height(len(frame), height, most=437),
        column_config={
            "community": number_in_front("#", width=36),
            "documents": number_in_front(width=82),
            "tags": words(width=235),
            "density inside": number("density", width=70, format="%.3f", help="Share of its pairs that are linked."),
            "mean similarity inside": number(
                "similarity", width=76, format="%.3f", help="Mean similarity of its linked pairs."
            ),
            "weight that stays inside": number(
                "stays inside", width=90, format="%.3f", help="Share of the weight of its links that stays inside."
            ),
            "nearest community": words(width=180),
        },
    )
    st.download_button(
        "CSV",
        lambda: csv_bytes(frame),
        file_name="communities.csv",
        mime="text/csv",
        key="communities_csv",
        on_click="ignore",
        icon=":material/download:",
    )

    with st.container(key="parts_more"):
        one, other = st.columns(2, gap="large")
    with one:
        st.subheader("One community", anchor=False)
        chosen = st.selectbox("Community", shown, format_func=lambda c: card_of(network, c).name, key="community")
        members = member_table(network, chosen)
        height = height_of_rows(members, {"document": 46})
        st.dataframe(
            members,
            key="members",
            hide_index=True,
            height=table_height(len(members), height, most=370),
            row_height=height,
            column_config={
                "document": st.column_config.TextColumn(width=300),
                "neighbours": st.column_config.NumberColumn(width=84),
            },
        )
    with other:
        breakdown = field_breakdown(network, workspace.config, chosen)
        if breakdown is not None:
            st.subheader("Beside all documents", anchor=False, help="Share of the documents with each value.")
            st.dataframe(breakdown, key="breakdown", hide_index=True)
        st.subheader("Stability", anchor=False)
        if st.button("How stable are they?", key="stability", help="Finds communities ten times and compares them."):
            key = f"{network.graph.digest}-{resolution}"
            st.text(_stability(key, network))
    st.subheader("Gaps", anchor=False, help="Communities that use the same words and hardly link.")
    gaps = gap_table(network)
    if len(gaps):
        height = height_of_rows(gaps, dict.fromkeys(("one", "other"), CHARACTERS))
        widths = {"one": 200, "other": 200, "words in common": 300, "edges": 60, "resemblance": 90}
        st.dataframe(
            gaps,
            key="gaps",
            hide_index=True,
            row_height=height,
            height=table_height(len(gaps), height, most=437),
            column_config={
                **{name: st.column_config.Column(width=width) for name, width in widths.items()},
                "resemblance": st.column_config.NumberColumn(width=widths["resemblance"], format="%.3f"),
            },
        )
    else:
        st.text("No two communities resemble each other without being linked.")
