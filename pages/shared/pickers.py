"""Choosing a document, the same way on every page."""

from __future__ import annotations

import streamlit as st

from cnrag_core.network import Network
from cnrag_core.views.title_search import matching_titles

ALL_IN_ONE_LIST = 2000
"""Up to this many documents are offered in one list; beyond it a few words of the title come first."""


def document_picker(label: str, network: Network, *, key: str, chosen: str | None = None) -> str | None:
    """Id of the chosen document, or None.

    Parameters
    ----------
    chosen
        What is chosen at first.
    """
    ids, titles = network.node_ids, network.titles
    if len(ids) <= ALL_IN_ONE_LIST:
        offered = list(range(len(ids)))
    else:
        typed = st.text_input(f"{label}: words of the title", key=f"{key}_words", placeholder="a word or two")
        offered = matching_titles(typed, titles, ids)
        if chosen is not None and network.graph.index(chosen) not in offered:
            offered.insert(0, network.graph.index(chosen))
        if not offered:
            st.caption("No title like that." if typed else "Type a word of the title.")
            return None
    first = offered.index(network.graph.index(chosen)) if chosen is not None else None
    number = st.selectbox(
        label, offered, index=first, format_func=lambda i: titles[i], key=key, placeholder="Choose a document"
    )
    return None if number is None else ids[number]
