"""Why are these two alike? Any two documents, field by field."""

import streamlit as st

from cnrag_core.network import Network
from cnrag_core.views.document_text import shown_fields
from cnrag_core.views.pair_waterfall import contribution_table, pair_waterfall
from cnrag_core.views.pair_words import nearest_table, pair_sentence
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
    if first is None or second is None:
        st.info("Choose two documents to compare.", icon=":material/compare_arrows:")
        st.stop()
    if first != chosen:
        select_document(first)
    keep_partner(second if second != closest else None)

    explanation = network.similarity.explain(first, second)
    st.text(pair_sentence(explanation, network))
    st.plotly_chart(pair_waterfall(explanation, threshold=network.graph.threshold), key="waterfall")
    with st.expander("The same as a table"):
        st.dataframe(contribution_table(explanation), key="contributions", hide_index=True)

    for column, node_id in zip(st.columns(2, gap="large"), (first, second), strict=True):
        with column, st.container(border=True):
            st.markdown(f"**{literal(network.title(node_id))}**")
            for name, text in shown_fields(network.document(node_id), workspace.config):
                st.caption(literal(name))
                st.text(text)

    st.subheader("Nearest to the first document", anchor=False)
    st.dataframe(nearest, key="nearest", hide_index=True)
