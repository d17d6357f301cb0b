"""Why are these two alike? Any two documents, field by field."""

import streamlit as st

from cnrag_core.network import Network
from cnrag_core.views.pair_waterfall import contribution_table, pair_waterfall
from cnrag_core.views.pair_words import nearest_table, pair_sentence
from pages.shared.document_view import document_text
from pages.shared.pickers import document_picker
from pages.shared.session import (
    current_network,
    literal,
    open_workspace,
    select_document,
    selected_document,
    set_in_link,
    shown_errors,
)
from pages.shared.tables import WRAPPED

workspace = open_workspace(
    "Similarity",
    "Why are these two alike? Choose any two documents, linked or not, and see what each field adds.",
    icon=":material/compare_arrows:",
)


def kept_partner(network: Network, first: str | None) -> str | None:
    """The second document that the visitor chose before, here or in the link, unless it is the first."""
    kept = st.session_state.get("with", st.query_params.get("with"))
    return kept if kept != first and kept in network.graph.index_of else None


def keep_partner(node_id: str | None) -> None:
    """Remember the second document where it is another than the page would choose by itself."""
    st.session_state["with"] = node_id
    set_in_link("with", node_id)


def take_nearest(ids: list[str]) -> None:
    """Compare with the document of the chosen row."""
    rows = st.session_state["nearest"]["selection"]["rows"]
    if rows:
        keep_partner(ids[rows[0]])
        st.session_state.pop("pair_second", None)


with shown_errors():
    network = current_network(workspace)
    chosen = selected_document(workspace) or network.most_connected
    left, right = st.columns(2, gap="large")
    with left:
        first = document_picker("First document", network, key="pair_first", chosen=chosen)
    nearest = nearest_table(network, first) if first else None
    closest = nearest.index[0] if nearest is not None else None
    with right:
        second = document_picker(
            "Second document", network, key="pair_second", chosen=kept_partner(network, first) or closest
        )
    if first is None or second is None or network.graph.n_nodes < 2:
        st.info(
            "Choose two documents to compare."
            if network.graph.n_nodes > 1
            else "There is only one document here; two are needed to compare.",
            icon=":material/compare_arrows:",
        )
        st.stop()
    if first != chosen:
        select_document(first)
    keep_partner(second if second != closest else None)

    explanation = network.similarity.explain(first, second)
    st.text(pair_sentence(explanation, network))
    st.plotly_chart(pair_waterfall(explanation, threshold=network.cut_at), key="waterfall")
    with st.expander("The same as a table"):
        st.dataframe(
            contribution_table(explanation),
            key="contributions",
            hide_index=True,
            placeholder="–",
            row_height=WRAPPED,
            column_config={
                "component": st.column_config.TextColumn(width=145),
                "metric": st.column_config.TextColumn(width=70),
                "similarity": st.column_config.NumberColumn(width=76, format="%.3f"),
                "note": st.column_config.TextColumn(width=110),
                "in common": st.column_config.TextColumn(width=250),
                "raw": st.column_config.NumberColumn(
                    width=54, format="%.3f", help="Before the component's own minimum."
                ),
                "weight": st.column_config.NumberColumn(
                    width=60, format="%.3f", help="Normalised: all weights sum to 1."
                ),
                "contribution": st.column_config.NumberColumn(width=88, format="%.3f", help="Similarity times weight."),
            },
        )

    for column, node_id in zip(st.columns(2, gap="large"), (first, second), strict=True):
        with column, st.container(border=True):
            st.markdown(f"**{literal(network.title(node_id))}**")
            document_text(network.document(node_id), workspace.config)

    st.subheader("Nearest to the first document", anchor=False)
    st.caption("Choose a row to compare it with the first document.")
    st.dataframe(
        nearest,
        key="nearest",
        hide_index=True,
        on_select=lambda: take_nearest(list(nearest.index)),
        selection_mode="single-row",
        column_config={
            "document": st.column_config.TextColumn(width="large"),
            "similarity": st.column_config.ProgressColumn(width=130, format="%.3f", min_value=0.0, max_value=1.0),
        },
    )
