"""How was this text cut? The chunks of a field, the methods and the aggregations compared."""

import streamlit as st

from cnrag_core.chunking.chunker import TextChunker
from cnrag_core.config.spec import ChunkingStrategy
from cnrag_core.views.chunk_tables import (
    METHODS,
    aggregation_chart,
    aggregation_table,
    chunk_table,
    chunking_sentence,
    method_table,
)
from cnrag_core.views.document_text import conversation_turns, text_fields_of
from pages.shared.chunk_neighbors import neighbors_with
from pages.shared.document_view import conversation
from pages.shared.pickers import document_picker
from pages.shared.session import (
    KEPT,
    current_network,
    keep_within,
    open_workspace,
    select_document,
    selected_document,
    shown_errors,
)
from pages.shared.tables import number_in_front, row_height, table_height

workspace = open_workspace(
    "Chunks",
    "How was this text cut? Try the methods on any field, and see what combining the chunks makes of it.",
    icon=":material/content_cut:",
)


CHARACTERS = 50
"""That a line of a chunk holds beside the controls."""


def chosen_strategy() -> ChunkingStrategy:
    """The method and its sizes."""
    method = st.selectbox("Method", METHODS, index=METHODS.index("sentences"), key="chunk_method", persist_state=KEPT)
    if method == "recursive":
        most = st.slider("Characters, at most", 50, 4000, 1000, 50, key="max_chars", persist_state=KEPT)
        keep_within("overlap_chars", 0, most - 1, min(200, most // 5))
        overlap = st.slider("Overlap in characters", 0, most - 1, key="overlap_chars", persist_state=KEPT)
        return ChunkingStrategy(method=method, max_chars=most, overlap_chars=overlap)
    most = st.slider(
        "Tokens, at most", 8, 1024, 64, 8, key="max_tokens", persist_state=KEPT, help="A token is 1.3 words."
    )
    keep_within("overlap", 0, most - 1, 0)
    overlap = st.slider("Overlap in tokens", 0, most - 1, key="overlap", persist_state=KEPT)
    return ChunkingStrategy(method=method, max_tokens=most, overlap=overlap)


with shown_errors():
    network = current_network(workspace)
    chosen = selected_document(workspace) or network.longest_document
    with st.container(key="parts_cut"):
        controls, result = st.columns([1, 2], gap="large")
    with controls:
        node_id = document_picker("Document", network, key="chunk_document", chosen=chosen)
        if node_id is None:
            st.stop()
        if node_id != chosen:
            select_document(node_id)
        document = network.document(node_id)
        field = st.selectbox("Field", text_fields_of(document, workspace.config), key="chunk_field")
        strategy = chosen_strategy()
    text = document.text(field) if field else ""
    chunks = TextChunker(strategy).spans(text)
    with result:
        st.text(chunking_sentence(chunks, text))
        height = row_height([chunk.text for chunk in chunks], CHARACTERS)
        st.dataframe(
            chunk_table(chunks),
            key="chunks",
            hide_index=True,
            row_height=height,
            height=table_height(len(chunks), height),
            column_config={
                "chunk": number_in_front(width=52),
                "start": number_in_front(width=52, help="First character of the field, from 0."),
                "end": number_in_front(width=52, help="The character after its last."),
                "tokens": number_in_front(width=60, help="Words times 1.3."),
                "text": st.column_config.TextColumn(width=345),
            },
        )
        if conversation_turns(document):
            whole = isinstance(document.fields.get(field), (list, tuple))
            with st.expander("The conversation, turn by turn", expanded=whole):
                conversation(document)
    if field and chunks:
        neighbors_with(network, node_id, field, strategy)
    with st.container(key="parts_methods"):
        methods, aggregations = st.columns(2, gap="large")
    with methods:
        st.subheader("The methods on this text", anchor=False)
        st.dataframe(
            method_table(text, strategy),
            key="methods",
            hide_index=True,
            column_config={
                "method": st.column_config.TextColumn(width=100),
                **{
                    name: st.column_config.NumberColumn(width=64)
                    for name in ("chunks", "smallest", "largest", "in all")
                },
            },
        )
        st.caption("Smallest, largest and in all: tokens of the chunks.")
    with aggregations:
        st.subheader("The aggregations of these chunks", anchor=False)
        part = next(iter(network.embedded.values()), None)
        chart = None if part is None else aggregation_chart(chunks, part.provider)
        if chart is None:
            st.info(
                "Choose smaller chunks: one chunk alone is its own aggregate."
                if part is not None
                else "Nothing of this corpus is compared as text, so there are no rows to combine.",
                icon=":material/content_cut:",
            )
        else:
            st.caption("Cosine between what every two of them make of the chunks; 1 = the choice does not matter here.")
            st.plotly_chart(chart, key="aggregations")
            with st.expander("The same as a table"):
                table = aggregation_table(chart)
                cosine = st.column_config.NumberColumn(format="%.3f")
                st.dataframe(
                    table,
                    key="aggregation_table",
                    hide_index=True,
                    column_config={
                        **dict.fromkeys(table.columns[1:], cosine),
                        "aggregation": st.column_config.TextColumn(pinned=True),
                    },
                )
