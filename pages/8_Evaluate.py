"""Which strategy is best here? Judged questions, measured, with intervals instead of impressions."""

import streamlit as st

from cnrag_core.config.loader import to_yaml
from cnrag_core.evaluation.fitting import fit_weights
from cnrag_core.evaluation.judgements import read_judgements_bytes
from cnrag_core.evaluation.partitions import community_quality
from cnrag_core.evaluation.report import evaluate
from cnrag_core.export.csv_table import csv_bytes
from cnrag_core.retrieval.search import STRATEGIES
from cnrag_core.views.evaluation_tables import (
    answer_table,
    difference_chart,
    quality_sentence,
    question_table,
    strategy_table,
    verdict,
)
from pages.shared.session import KEPT, current_network, literal, open_workspace, shown_errors

workspace = open_workspace(
    "Evaluate",
    "Which strategy is best here? Questions with known answers decide, not impressions.",
    icon=":material/analytics:",
)


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


with shown_errors():
    network = current_network(workspace)
    queries = judged_questions()
    if not queries:
        st.info("Load judged questions to measure the strategies on your documents.", icon=":material/rule:")
        st.stop()
    names = st.pills(
        "Strategies",
        list(STRATEGIES),
        default=list(STRATEGIES),
        selection_mode="multi",
        key="measured_strategies",
        persist_state=KEPT,
    )
    bar = st.progress(0.0, text=f"Asking {len(queries)} questions")
    report = evaluate(
        network.search, queries, names or None, progress=lambda step, share: bar.progress(share, text=literal(step))
    )
    bar.empty()
    metrics = report.metric_names
    metric = st.selectbox(
        "Measure",
        metrics,
        index=metrics.index("recall@5") if "recall@5" in metrics else 0,
        key="metric",
        persist_state=KEPT,
    )
    for note in report.notes:
        st.warning(literal(note), icon=":material/warning:")
    st.text(verdict(report, metric))
    st.plotly_chart(difference_chart(report, metric), key="differences")
    table = strategy_table(report)
    st.dataframe(table, key="strategy_table", hide_index=True)
    st.download_button(
        "CSV",
        lambda: csv_bytes(table),
        file_name="evaluation.csv",
        mime="text/csv",
        key="evaluation_csv",
        on_click="ignore",
    )

    st.subheader("Question by question", anchor=False)
    rows = question_table(report, metric)
    event = st.dataframe(
        rows, key="questions", hide_index=True, on_select="rerun", selection_mode="single-row", height=280
    )
    if event.selection.rows:
        chosen = str(rows["id"].iloc[event.selection.rows[0]])
        st.dataframe(answer_table(report, chosen, network), key="answers", hide_index=True)
    else:
        st.caption("Choose a row to see what each strategy found and missed.")

    label = workspace.config.display.color
    if label is not None:
        st.subheader("Do the communities follow a known label?", anchor=False)
        rows = next((part.rows for part in network.embedded.values()), None)
        quality = community_quality(network.documents, network.communities.labels, label, rows=rows)
        st.text(quality_sentence(quality, label))

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
        )
