"""A document as people read it: a conversation turn by turn, everything else field by field."""

from __future__ import annotations

import streamlit as st

from cnrag_core.config.spec import PipelineConfig
from cnrag_core.corpus.document import Document
from cnrag_core.views.document_text import conversation_turns, shown_fields
from pages.shared.session import literal

SHORT = 90
"""Characters up to which a field stands on a line with its name."""

ASKING = ("user", "human")
"""What those who ask are called in conversations."""


def document_text(document: Document, config: PipelineConfig) -> None:
    """Its conversation, if it is one, and its other fields."""
    turns = conversation(document)
    said = {"\n".join(words for _, words in turns), *(words for _, words in turns)}
    for name, words in shown_fields(document, config):
        if words in said:
            continue
        if len(words) <= SHORT:
            st.markdown(f":gray[{literal(name)}]  {literal(words)}")
        else:
            st.caption(literal(name))
            st.text(words)


def conversation(document: Document) -> list[tuple[str, str]]:
    """The turns of a conversation, each with who speaks; what was shown."""
    turns = conversation_turns(document)
    for speaker, words in turns:
        with st.chat_message("user" if speaker in ASKING else "assistant"):
            if speaker not in ("user", "assistant"):
                st.caption(literal(speaker))
            st.text(words)
    return turns
