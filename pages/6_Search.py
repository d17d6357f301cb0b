"""What answers my question? Several strategies side by side, each result saying why it is there."""

import streamlit as st

from cnrag_core.retrieval.comparison import compare
from cnrag_core.retrieval.context_pack import pack_results
from cnrag_core.retrieval.search import STRATEGIES
from cnrag_core.views.ranking_tables import (
    agreement_sentence,
    boost_line,
    comparison_table,
    move_badge,
    overlap_chart,
    path_line,
    strategy_hint,
)
from pages.shared.session import (
    KEPT,
    ask_question,
    asked_question,
    current_network,
    literal,
    open_workspace,
    select_document,
    shown_errors,
)

workspace = open_workspace(
    "Search",
    "What answers my question? Compare strategies on the same question and see why each result is there.",
    icon=":material/search:",
)
MOST_COLUMNS = 4


def ask() -> tuple[str, list[str], int]:
    """The question, the strategies and how many results."""
    judged = {query.text: query for query in workspace.queries}
    if "question" not in st.session_state:
        st.session_state["question"] = asked_question() or next(iter(judged), "")
    typed, picked = st.columns([3, 2], vertical_alignment="bottom")
    with picked:
        if judged:
            st.selectbox(
                "Judged questions of this corpus",
                list(judged),
                index=None,
                key="judged_question",
                placeholder="Pick one whose answer is known",
                on_change=take_judged,
            )
    with typed:
        question = st.text_input(
            "Question",
            key="question",
            placeholder="in plain words; field:value narrows",
            on_change=lambda: ask_question(st.session_state["question"]),
            help="A part like tags:genetics or year:2010..2020 keeps only documents with that value.",
        )
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    with left:
        default = [name for name in ("similarity", "hybrid", "auto", "links") if name in STRATEGIES][:3]
        names = st.pills(
            "Strategies",
            list(STRATEGIES),
            default=default,
            selection_mode="multi",
            key="strategies",
            persist_state=KEPT,
        )
    with right:
        n = st.number_input("Results", 1, 100, 8, key="n_results", persist_state=KEPT)
    return question, names, int(n)


def take_judged() -> None:
    """Ask the judged question that was picked."""
    picked = st.session_state["judged_question"]
    if picked:
        st.session_state["question"] = picked
        ask_question(picked)


with shown_errors():
    network = current_network(workspace)
    question, names, n = ask()
    if not question.strip():
        st.info("Ask something in plain words, or pick a judged question.", icon=":material/search:")
        st.stop()
    if not names:
        st.info("Choose at least one strategy to see results.", icon=":material/checklist:")
        st.stop()
    comparison = compare(network.search(question), names, n)
    st.text(agreement_sentence(comparison))
    relevant = next((query.relevant for query in workspace.queries if query.text == question), {})

    shown = names[:MOST_COLUMNS]
    for column, name in zip(st.columns(len(shown), gap="medium"), shown, strict=True):
        results = comparison.results[name]
        with column:
            st.markdown(f"**{name}** · {results.seconds * 1000:.0f} ms", help=strategy_hint(name))
            if not len(results):
                st.info(literal(results.reason), icon=":material/search_off:")
            elif results.reason:
                st.caption(literal(results.reason))
            for rank, node in enumerate(results, start=1):
                with st.container(border=True):
                    mark = " :green-badge[:material/check: judged relevant]" if node.node_id in relevant else ""
                    st.markdown(f"{rank}. **{literal(network.title(node.node_id))}** {move_badge(node, rank)}{mark}")
                    st.caption(literal(boost_line(node)))
                    if node.matched_terms:
                        st.caption("matched: " + literal(", ".join(node.matched_terms)))
                    if node.path:
                        st.caption(literal(path_line(node, network)))
                    if st.button(
                        "Show in the network", key=f"show_{name}_{rank}", type="tertiary", icon=":material/hub:"
                    ):
                        select_document(node.node_id)
                        st.switch_page("pages/1_Network.py")

    with st.expander("One cited text of the best results, to take along"):
        packed, budget = st.columns([3, 2], vertical_alignment="bottom")
        chosen = packed.segmented_control("Results of", names, default=names[0], key="pack_of") or names[0]
        most = budget.slider("Tokens, at most", 100, 8000, 1500, 100, key="pack_tokens")
        pack = pack_results(comparison.results[chosen], network.scorer, max_tokens=most)
        st.code(pack.text, language=None, wrap_lines=True)
        st.download_button(
            "Download",
            lambda: pack.text,
            file_name="context.txt",
            mime="text/plain",
            key="pack_file",
            on_click="ignore",
        )

    with st.expander("All strategies in one table, and how far they agree", expanded=len(names) > MOST_COLUMNS):
        table, overlap = st.columns([3, 2], gap="large")
        table.dataframe(comparison_table(comparison, network), key="comparison", hide_index=True)
        overlap.plotly_chart(overlap_chart(comparison), key="overlap")
