"""Which strategy is best here? Judged questions, measured, with intervals instead of impressions."""

import hashlib

import streamlit as st

from cnrag_core.config.loader import to_yaml
from cnrag_core.corpus.wording import count
from cnrag_core.evaluation.fitting import fit_weights
from cnrag_core.evaluation.judgements import read_judgements_bytes
from cnrag_core.evaluation.partitions import community_quality
from cnrag_core.evaluation.report import EvaluationReport, evaluate
from cnrag_core.export.csv_table import csv_bytes
from cnrag_core.retrieval.search import STRATEGIES
from cnrag_core.views.evaluation_tables import (
    answer_table,
    difference_chart,
    difference_table,
    metric_hint,
    quality_sentence,
    question_table,
    strategy_table,
    verdict,
)
from pages.shared.background import start_job
from pages.shared.job_progress import result_of
from pages.shared.search_controls import MEANINGS
from pages.shared.session import KEPT, current_network, literal, open_workspace, shown_errors
from pages.shared.tables import WRAPPED, named_by_strategy, row_height, table_height

workspace = open_workspace(
    "Evaluate",
    "Which strategy is best here? Questions with known answers decide, not impressions.",
    icon=":material/analytics:",
)
CHARACTERS = 38
"""That a line of a question holds beside nine strategies."""
PATIENCE = 1.5  # seconds that the page waits for a report without a bar


def judged_questions():
    """The questions of the workspace, or those that the visitor uploads."""
    with st.expander("Use other judged questions", expanded=not workspace.queries):
        st.caption("JSON Lines or CSV with id, text and relevant (document ids); or questions with TREC qrels.")
        left, right = st.columns(2)
        questions = left.file_uploader("Judged questions", key="questions_file")
        qrels = right.file_uploader("TREC qrels (optional)", key="qrels_file")
    if questions is None:
        return workspace.queries
    return read_judgements_bytes(questions.getvalue(), questions.name, qrels.getvalue() if qrels is not None else None)


def report_of(queries, names) -> EvaluationReport | None:
    """The measurements, taken once for the same questions, strategies and graph."""
    asked = repr((network.graph.digest, [(q.id, q.text, sorted(q.relevant.items())) for q in queries], names))
    key = hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()
    if st.session_state.get("evaluation_of") != key:
        job = st.session_state.pop("evaluation", None)
        if job is not None:
            job.cancel()
        st.session_state["evaluation_of"] = key
        start_job("evaluation", "evaluation", lambda step: evaluate(network.search, queries, names, progress=step))
    return result_of("evaluation", patience=PATIENCE)


def percents(metrics) -> dict:
    """Columns of the measures, each with what it means; names stay in view while the rest is scrolled."""
    return {
        name: st.column_config.NumberColumn(
            name.replace("all_evidence", "all ev.").replace("precision", "prec."),
            format="%.1f",
            help=metric_hint(name),
            width="small",
        )
        for name in metrics
    } | {
        "strategy": st.column_config.TextColumn(width=84, pinned=True),
        **{name: st.column_config.NumberColumn(format="%.1f", width=84) for name in ("ms (median)", "ms (p95)")},
    }


def questions_in_detail(report: EvaluationReport, metric: str) -> None:
    """One row a question; a chosen one says what each strategy found and missed."""
    st.subheader("Question by question", anchor=False)
    rows = question_table(report, metric)
    height = row_height(list(rows["question"]), CHARACTERS, most_lines=4)
    event = st.dataframe(
        rows,
        key="questions",
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        height=table_height(len(rows), height, most=370),
        row_height=height,
        column_order=[*rows.columns[1:], "id"],
        column_config={
            "id": st.column_config.TextColumn(width=44),
            "question": st.column_config.TextColumn(width=258),
            **named_by_strategy(rows.columns[2:], format="%.0f", help=metric),
        },
    )
    if event.selection.rows:
        chosen = str(rows["id"].iloc[event.selection.rows[0]])
        st.dataframe(
            answer_table(report, chosen, network),
            key="answers",
            hide_index=True,
            row_height=WRAPPED,
            column_config={
                name: st.column_config.TextColumn(width=width)
                for name, width in {"strategy": 90, "found": 540, "missed": 230}.items()
            },
        )
    else:
        st.caption("Choose a row to see what each strategy found and missed.")


with shown_errors():
    network = current_network(workspace)
    queries = judged_questions()
    if not queries:
        st.info(
            "No question of this corpus is judged yet. Load some above: each with its text and the ids of the "
            "documents that answer it. Ten make a first impression, fifty a measurement.",
            icon=":material/rule:",
        )
        st.page_link("pages/6_Search.py", label="Ask without judgements", icon=":material/search:")
        st.stop()
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        chosen_strategies, chosen_measure = st.container(width="content"), st.container(width=190)
    names = chosen_strategies.pills(
        "Strategies",
        list(STRATEGIES),
        default=list(STRATEGIES),
        selection_mode="multi",
        key="measured_strategies",
        persist_state=KEPT,
        help=MEANINGS,
        width="content",
    )
    report = report_of(queries, names or None)
    if report is None:
        st.stop()
    metrics = report.metric_names
    metric = chosen_measure.selectbox(
        "Measure",
        metrics,
        index=metrics.index("recall@5") if "recall@5" in metrics else 0,
        key="metric",
        persist_state=KEPT,
        help="  \n".join(f"**{name}**: {metric_hint(name)}" for name in metrics),
    )
    for note in report.notes:
        st.warning(literal(note), icon=":material/warning:")
    st.text(verdict(report, metric))
    st.plotly_chart(difference_chart(report, metric), key="differences")
    with st.expander("The same as a table"):
        signed = st.column_config.NumberColumn(format="%+.1f")
        st.dataframe(
            difference_table(report, metric),
            key="difference_table",
            hide_index=True,
            column_config={
                **dict.fromkeys(("difference", "low", "high"), signed),
                metric: st.column_config.NumberColumn(format="%.1f"),
            },
        )
    table = strategy_table(report)
    asked = count(report.n_queries, "question")
    st.caption(f"Percent, in the mean of {asked}; the columns on the right say how long one takes.")
    st.dataframe(table, key="strategy_table", hide_index=True, column_config=percents(metrics))
    st.download_button(
        "All measures (CSV)", lambda: csv_bytes(table), file_name="evaluation.csv", mime="text/csv",
        key="evaluation_csv", on_click="ignore", icon=":material/download:",
    )  # fmt: skip
    questions_in_detail(report, metric)

    label = workspace.config.display.color
    if label is not None:
        st.subheader("Do the communities follow a known label?", anchor=False)
        rows = next((part.rows for part in network.embedded.values()), None)
        quality = community_quality(network.documents, network.communities.labels, label, rows=rows)
        st.text(quality_sentence(quality, label))
        st.caption(
            "1 = the same groups. A Rand index of 0 = no more in common than by chance; mutual information is high "
            "also where there are many small groups."
        )

    st.subheader("Learn the weights of hybrid", anchor=False)
    st.caption("On half of the questions; reported on the other half, which it has not seen.")
    if st.button("Learn", key="fit"):
        fitted = fit_weights(network.search, queries)
        st.text(fitted.advice)
        retrieval = workspace.config.retrieval.model_copy(update={"weights": fitted.weights})
        st.download_button(
            "Configuration with these weights",
            lambda: to_yaml(workspace.config.model_copy(update={"retrieval": retrieval})),
            file_name="fitted.yaml",
            mime="application/yaml",
            key="fitted_yaml",
            on_click="ignore",
            icon=":material/download:",
        )
