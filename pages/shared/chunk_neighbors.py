"""Another aggregation for one document: what its neighbours become."""

from __future__ import annotations

import streamlit as st

from cnrag_core.config.spec import ChunkingStrategy
from cnrag_core.network import Network
from cnrag_core.similarity.reaggregation import METHODS, components_of_field, reaggregated
from cnrag_core.views.reaggregation_tables import reaggregation_sentence, reaggregation_table
from pages.shared.session import KEPT, literal

IN_WORDS = {
    "mean": "mean of the chunks",
    "weighted_avg": "weighted average: long chunks count more",
    "weighted_mean": "decaying: the first chunk counts most",
    "max_pool": "the largest value in each dimension",
    "sum": "sum of the chunks",
    "first": "the first chunk alone",
    "last": "the last chunk alone",
}


def neighbors_with(network: Network, node_id: str, field: str, strategy: ChunkingStrategy) -> None:
    """Choose an aggregation; the document is embedded again, the stored rows of the others stay."""
    st.subheader("What its neighbours would be", anchor=False)
    names = components_of_field(network, field)
    if not names:
        st.info(
            f"No similarity compares the field {literal(field)} by its chunks; choose another field.",
            icon=":material/content_cut:",
        )
        return
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    aggregation = left.selectbox(
        "Aggregation of these chunks",
        METHODS,
        format_func=lambda method: f"{method} · {IN_WORDS[method]}",
        key="chunk_aggregation",
        persist_state=KEPT,
    )
    component = right.selectbox("In the similarity", names, key="chunk_component")
    found = reaggregated(network, network.graph.index(node_id), component, field, strategy, aggregation)
    st.text(reaggregation_sentence(found, network))
    number = st.column_config.NumberColumn
    st.dataframe(
        reaggregation_table(found, network),
        key="chunk_neighbors",
        hide_index=True,
        column_config={
            "document": st.column_config.TextColumn(width=500),
            "similarity now": number("now", format="%.3f", width=56, help="Combined similarity as it is."),
            "then": number(format="%.3f", width=56, help="Combined similarity with these chunks."),
            "change": number(format="%+.3f", width=64),
            "rank now": number(width=70),
            "rank then": number(width=74),
            "linked": st.column_config.TextColumn(width=76, help=f"At the threshold of {network.graph.threshold:.2f}."),
        },
    )
    st.caption(
        "Now and then: the combined similarity. Only this document is cut and embedded again; the others keep the "
        "rows that they were built with."
    )
