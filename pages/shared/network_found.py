"""The results of a question in the graph: they stand out, are listed beside it, and can be let go."""

from __future__ import annotations

import streamlit as st

from cnrag_core.network import Network
from cnrag_core.retrieval.ranking import RankedResults
from cnrag_core.views.network_found import found_counts
from pages.shared.network_link import mark_of_link, mark_text
from pages.shared.network_state import show_document
from pages.shared.session import asked_question, literal


def mark_results(strategy: str, n: int) -> None:
    """Let the results of the question that was asked last stand out in the graph."""
    state = st.session_state
    state["marked"] = (strategy, n)
    state["net_pair"] = None
    if "network_view" in state:
        state["network_view"]["net_view"] = "documents"


def unmark() -> None:
    """Let every document look as it did."""
    st.session_state["marked"] = None


def found_now(network: Network) -> RankedResults | None:
    """The results that stand out; None where nobody asked for any."""
    mark, question = mark_of_link(), asked_question()
    if mark is None or not question:
        return None
    kept = st.session_state.setdefault("marked_results", {})
    key = (network.graph.digest, question, mark_text(mark))
    if key not in kept:
        kept.clear()
        kept[key] = network.search(question).with_strategy(mark[0]).top(mark[1])
    return kept[key]


def found_panel(network: Network, results: RankedResults) -> None:
    """The results as a list whose titles lead to their documents."""
    st.markdown("##### What answers the question", anchors=False)
    st.text(results.query)
    st.caption(literal(found_counts(network, results)))
    with st.container(horizontal=True):
        st.page_link("pages/6_Search.py", label="Why each is there", icon=":material/search:")
        st.button("Let them go", key="net_found_away", type="tertiary", icon=":material/close:", on_click=unmark)
    for rank, node in enumerate(results, start=1):
        st.button(
            f"{rank}. {literal(network.title(node.node_id))} · {node.score:.2f}", key=f"net_found_{rank}",
            type="tertiary", on_click=show_document, args=(node.node_id,), wrap=True,
        )  # fmt: skip


def found_bar(network: Network, results: RankedResults) -> None:
    """One line above the panel while a single document is looked at."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(literal(f"{len(results):,} results of “{results.query}” stand out."))
        st.button("List them", key="net_found_list", type="tertiary", on_click=show_document, args=(None,))
        st.button("Let them go", key="net_found_away", type="tertiary", on_click=unmark)
