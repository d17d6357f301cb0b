"""The strategies side by side: each result says why it is there."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import streamlit as st

from cnrag_core.network import Network
from cnrag_core.retrieval.comparison import StrategyComparison, compare
from cnrag_core.retrieval.context_pack import pack_results
from cnrag_core.retrieval.ranking import ScoredNode
from cnrag_core.retrieval.search import STRATEGIES
from cnrag_core.views.ranking_tables import (
    agreement_sentence,
    boost_line,
    comparison_table,
    found_sentence,
    move_badge,
    overlap_chart,
    overlap_table,
    path_line,
    reasons_apart,
    strategy_hint,
)
from cnrag_core.workspace import Workspace
from pages.shared.network_found import mark_results
from pages.shared.session import ask_question, literal, select_document
from pages.shared.tables import named_by_strategy, row_height

MOST_COLUMNS = 4
CHARACTERS = 44
"""That a line of a title holds in the table of all strategies."""


def one_question(workspace: Workspace, network: Network, question: str, names: Sequence[str], n: int) -> None:
    """Everything about one question."""
    if not question.strip():
        st.info("Ask something in plain words, or pick a judged question.", icon=":material/search:")
        st.stop()
    comparison = compare(network.search(question), names, n)
    relevant = next((query.relevant for query in workspace.queries if query.text == question), {})
    if relevant:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/verified: {literal(found_sentence(comparison, relevant))}", width="content")
            if len(names) < len(STRATEGIES):
                st.button("And the other strategies?", key="try_all", type="tertiary", on_click=_try_all)
    for hint in comparison.hints:
        st.info(literal(hint), icon=":material/filter_alt:")
    if not any(map(len, comparison.results.values())):
        st.info(
            f"{literal(agreement_sentence(comparison))} Try other words or fewer filters.",
            icon=":material/search_off:",
        )
        return
    st.text(agreement_sentence(comparison))
    shown = names[:MOST_COLUMNS]
    common, own = reasons_apart(comparison, shown)
    if common:
        st.caption(literal(common))
    for column, name in zip(st.columns(len(shown), gap="medium"), shown, strict=True):
        with column:
            _ranking(comparison, name, network, relevant, question, own[name])
    _take_along(comparison, network)
    with st.expander("All strategies in one table, and how far they agree", expanded=len(names) > MOST_COLUMNS):
        table = comparison_table(comparison, network)
        st.dataframe(
            table,
            key="comparison",
            hide_index=True,
            placeholder="–",
            row_height=row_height(list(table["document"]), CHARACTERS),
            column_config={
                "document": st.column_config.TextColumn(width=290),
                **named_by_strategy(names),
                "plain rank": st.column_config.NumberColumn(width=78, help="Among all documents."),
                "plain similarity": st.column_config.NumberColumn(width=108, format="%.3f"),
            },
        )
        st.caption("The place of each document with every strategy; a dash where it is not among the results.")
        with st.container(key="parts_overlap"):
            side_by_side = len(names) <= MOST_COLUMNS
            chart, overlap = st.columns([3, 2], gap="large") if side_by_side else (st.container(), st.container())
        chart.plotly_chart(overlap_chart(comparison), key="overlap")
        overlap.dataframe(
            overlap_table(comparison), key="overlap_table", hide_index=True, column_config=named_by_strategy(names)
        )


def _try_all() -> None:
    st.session_state["strategies"] = list(STRATEGIES)


def _ranking(
    comparison: StrategyComparison,
    name: str,
    network: Network,
    relevant: Collection[str],
    question: str,
    reason: str,
) -> None:
    results = comparison.results[name]
    st.markdown(f"**{name}** · {results.seconds * 1000:.0f} ms", help=strategy_hint(name))
    if not len(results):
        st.info(literal(results.reason), icon=":material/search_off:")
        return
    if st.button(
        f"All {len(results)} in the graph",
        key=f"mark_{name}",
        icon=":material/hub:",
        width="stretch",
        help="On the network page these results stand out from the rest.",
    ):
        ask_question(question)
        select_document(None)
        mark_results(name, len(results))
        st.switch_page("pages/1_Network.py")
    if reason:
        st.caption(literal(reason))
    for rank, node in enumerate(results, start=1):
        with st.container(border=True, gap="xsmall"):
            _result(node, rank, name, network, relevant)


def _result(node: ScoredNode, rank: int, strategy: str, network: Network, relevant: Collection[str]) -> None:
    mark = " :green-badge[:material/check: judged relevant]" if node.node_id in relevant else ""
    st.markdown(f"{rank}. **{literal(network.title(node.node_id))}** {move_badge(node, rank)}{mark}")
    st.caption(literal(boost_line(node)))
    if node.matched_terms:
        st.caption("matched: " + literal(", ".join(node.matched_terms)))
    if node.path:
        st.caption(literal(path_line(node, network)))
    if st.button("Show in the network", key=f"show_{strategy}_{rank}", type="tertiary", icon=":material/hub:"):
        select_document(node.node_id)
        st.switch_page("pages/1_Network.py")


def _take_along(comparison: StrategyComparison, network: Network) -> None:
    names = comparison.strategies
    with st.expander("One cited text of the best results, to take along"):
        packed, budget = st.columns([3, 2], vertical_alignment="bottom")
        chosen = packed.segmented_control("Results of", names, default=names[0], key="pack_of") or names[0]
        most = budget.slider("Tokens, at most", 100, 8000, 1500, 100, key="pack_tokens")
        pack = pack_results(comparison.results[chosen], network.scorer, max_tokens=most)
        st.code(pack.text, language=None, wrap_lines=True)
        st.download_button(
            "Download", pack.text, file_name="context.txt", mime="text/plain", key="pack_file", on_click="ignore",
            icon=":material/download:",
        )  # fmt: skip
