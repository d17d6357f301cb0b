"""What answers my question? Several strategies side by side, each result saying why it is there."""

import streamlit as st

from cnrag_core.retrieval.search import STRATEGIES
from pages.shared.search_batch import MANY, ONE, many_questions
from pages.shared.search_controls import question_of, strategy_row
from pages.shared.search_results import one_question
from pages.shared.session import KEPT, current_network, open_workspace, shown_errors
from pages.shared.waiting import ready

workspace = open_workspace(
    "Search",
    "What answers my question? Compare strategies on the same question and see why each result is there.",
    icon=":material/search:",
)

with shown_errors():
    network = current_network(workspace)
    if "search_what" not in st.session_state:
        st.session_state["search_what"] = ONE
    what = st.segmented_control(
        "Ask", (ONE, MANY), key="search_what", required=True, label_visibility="collapsed", persist_state=KEPT
    )
    question = question_of(workspace) if what == ONE else ""
    names, n = strategy_row()
    if not names:
        st.info("Choose at least one strategy to see results.", icon=":material/checklist:")
        st.stop()
    parts = sorted(frozenset().union(*(STRATEGIES[name].needs for name in names)))
    if (question or what == MANY) and not ready(network, "index", *parts, key="parts"):
        st.stop()
    if what == MANY:
        many_questions(workspace, network, names, n)
    else:
        one_question(workspace, network, question, names, n)
