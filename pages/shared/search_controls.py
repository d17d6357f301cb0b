"""What a visitor asks of the search: question, strategies, how many results; kept, and carried by the link."""

from __future__ import annotations

import streamlit as st

from cnrag_core.retrieval.search import STRATEGIES
from cnrag_core.views.filter_help import filter_examples
from cnrag_core.views.ranking_tables import strategy_hint
from cnrag_core.workspace import Workspace
from pages.shared.question_row import question_row
from pages.shared.session import KEPT, literal, set_in_link

FIRST = [name for name in ("similarity", "hybrid", "auto", "links") if name in STRATEGIES][:3]
N_FIRST, N_MOST = 8, 100
MEANINGS = "  \n".join(f"**{name}**: {strategy_hint(name)}" for name in STRATEGIES)


def question_of(workspace: Workspace) -> str:
    """The question, typed or picked among those whose answer is known."""
    return question_row(
        {query.text: len(query.relevant) for query in workspace.queries},
        key="question",
        picks="judged_question",
        of="Judged questions of this corpus",
        offer="Pick one whose answer is known",
        placeholder="in plain words; field:value narrows",
        help=_narrowing(workspace),
    )


def _narrowing(workspace: Workspace) -> str:
    """How a question is narrowed, with fields of this corpus; looked up once for it."""
    kept = st.session_state.get("filter_examples")
    if kept is None or kept[0] is not workspace.corpus:
        kept = st.session_state["filter_examples"] = (workspace.corpus, filter_examples(list(workspace.corpus)))
    examples = " or ".join(map(literal, kept[1])) or "field:value"
    return f"A part like {examples} keeps only documents with that value."


def strategy_row() -> tuple[list[str], int]:
    """The strategies, in the order in which they were chosen, and how many results each shall give."""
    state = st.session_state
    if "strategies" not in state:
        named = [name for name in st.query_params.get("s", "").split(",") if name in STRATEGIES]
        state["strategies"] = list(dict.fromkeys(named)) or FIRST
    if "n_results" not in state:
        given = st.query_params.get("n", "")
        meant = given.isascii() and given.isdigit() and 1 <= int(given) <= N_MOST
        state["n_results"] = int(given) if meant else N_FIRST
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        with st.container(width="content"):  # in which the names take two rows where one is too short
            names = st.pills(
                "Strategies",
                list(STRATEGIES),
                selection_mode="multi",
                key="strategies",
                persist_state=KEPT,
                help=MEANINGS,
            )
        n = int(st.number_input("Results", 1, N_MOST, key="n_results", persist_state=KEPT, width=170))
    set_in_link("s", ",".join(names) if names != FIRST else None)
    set_in_link("n", str(n) if n != N_FIRST else None)
    return names, n
