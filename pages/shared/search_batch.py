"""Many questions at once: given as lines, as a file or as the judged ones, asked in the background."""

from __future__ import annotations

import streamlit as st

from cnrag_core.corpus.wording import count
from cnrag_core.errors import CNRagError
from cnrag_core.evaluation.batch import BatchAnswer, ask_all
from cnrag_core.evaluation.judgements import JudgedQuery, read_questions_bytes
from cnrag_core.export.csv_table import csv_bytes
from cnrag_core.network import Network
from cnrag_core.views.batch_tables import batch_results, batch_sentence, batch_table
from cnrag_core.workspace import Workspace
from pages.shared.background import start_job
from pages.shared.job_progress import result_of
from pages.shared.session import KEPT, ask_question, literal
from pages.shared.tables import named_by_strategy, number_in_front, row_height, table_height

WAYS = ("Written here", "A file", "The judged questions of this corpus")
PATIENCE = 1.0
"""Seconds that the page waits for the answers without a bar."""

QUESTION, WHY = 50, 46
"""Characters that a line of a question, and of why a result is there, holds."""

ONE, MANY = "One question", "Many questions"


def many_questions(workspace: Workspace, network: Network, names: list[str], n: int) -> None:
    """Where the questions come from, the button that asks them, and what came of it."""
    questions = _questions(workspace)
    can_ask = bool(questions)
    if st.button(
        f"Ask {count(len(questions), 'question')}" if can_ask else "Ask",
        key="batch_ask", type="primary", disabled=not can_ask, icon=":material/play_arrow:",
    ):  # fmt: skip
        start_job("batch", "questions", lambda step: ask_all(network.search, questions, names, n, progress=step))
    if "batch" not in st.session_state:
        st.info("Give some questions and ask them; every strategy that is chosen answers each.", icon=":material/list:")
    answers = result_of("batch", patience=PATIENCE)
    if answers is not None:
        _answers(answers, network)


def _questions(workspace: Workspace) -> tuple[JudgedQuery, ...]:
    """The questions that were given; none where there are none yet, or where they cannot be read."""
    ways = WAYS if workspace.queries else WAYS[:2]
    way = st.segmented_control("Questions", ways, default=ways[0], key="batch_way", persist_state=KEPT) or ways[0]
    if way == WAYS[2]:
        return workspace.queries
    if way == WAYS[1]:
        file = st.file_uploader(
            "Questions", key="batch_file", type=["txt", "csv", "tsv", "json", "jsonl"],
            help="One question a line, or a table with the column text; with relevant, finds are counted.",
        )  # fmt: skip
        data, name = (file.getvalue(), file.name) if file is not None else (b"", "")
    else:
        text = st.text_area(
            "One question a line, or CSV with the column text", key="batch_text", height=140, persist_state=KEPT
        )
        data, name = text.encode("utf-8", "replace"), "What is written here"
    if not data.strip():
        return ()
    try:
        return read_questions_bytes(data, name)
    except CNRagError as error:
        st.error(literal(str(error)), icon=":material/error:")
        return ()


def _answers(answers: tuple[BatchAnswer, ...], network: Network) -> None:
    st.text(batch_sentence(answers))
    table = batch_table(answers)
    st.caption("Choose a row to open its question.")
    height = row_height(list(table["question"]), QUESTION, most_lines=4)
    event = st.dataframe(
        table,
        key="batch_rows",
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        row_height=height,
        height=table_height(len(table), height, most=420),
        column_config={
            "id": st.column_config.TextColumn(width=48),
            "question": st.column_config.TextColumn(width=320),
            "agreement": st.column_config.NumberColumn(
                width=84, format="percent", help="Share of the returned documents that every strategy returned."
            ),
            **named_by_strategy(
                table.columns[3:], st.column_config.Column, help="Judged documents that it finds, or results."
            ),
        },
    )
    if event.selection.rows:
        picked = answers[event.selection.rows[0]].query.text
        st.button(
            f"Open “{literal(picked)}”", key="batch_open", icon=":material/open_in_new:", on_click=_open, args=(picked,)
        )
        _results(tuple(answer for answer in answers if answer.query.text == picked), network)
    results = batch_results(answers, network)
    with st.container(horizontal=True):
        st.download_button(
            f"All {len(results):,} results (CSV)", lambda: csv_bytes(results), file_name="results.csv",
            mime="text/csv", key="batch_results_csv", on_click="ignore", icon=":material/download:",
            help="Question, strategy, rank, document, score and why; cells that a spreadsheet would run are quoted.",
        )  # fmt: skip
        st.download_button(
            "This table (CSV)", lambda: csv_bytes(table), file_name="questions.csv", mime="text/csv",
            key="batch_table_csv", on_click="ignore", icon=":material/download:",
        )  # fmt: skip


def _results(answers: tuple[BatchAnswer, ...], network: Network) -> None:
    table = batch_results(answers, network).drop(columns=["id", "question", "document id"])
    st.dataframe(
        table,
        key="batch_result_rows",
        hide_index=True,
        height=400,
        row_height=row_height(list(table["why"]), WHY, most_lines=3),
        column_config={
            "strategy": st.column_config.TextColumn(width=84, pinned=True),
            "rank": number_in_front(width=44),
            "document": st.column_config.TextColumn(width=220),
            "score": st.column_config.NumberColumn(width=56, format="%.3f"),
            "similarity": st.column_config.NumberColumn(width=74, format="%.3f"),
            "judged": st.column_config.TextColumn(width=70),
            "why": st.column_config.TextColumn(width=330),
        },
    )


def _open(question: str) -> None:
    st.session_state["question"] = question
    st.session_state["search_what"] = ONE
    ask_question(question)
