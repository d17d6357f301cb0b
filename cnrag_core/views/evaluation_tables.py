"""What judged questions say of the strategies: means with their intervals, question by question.

Enters: an `EvaluationReport`. Leaves: data frames, a plotly figure, a sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pandas as pd

from cnrag_core.corpus.wording import count, percent
from cnrag_core.evaluation.partitions import CommunityQuality
from cnrag_core.evaluation.report import EvaluationReport
from cnrag_core.retrieval.comparison import BASELINE
from cnrag_core.views.figure import base_figure
from cnrag_core.views.palette import CATEGORIES, REST

if TYPE_CHECKING:
    import plotly.graph_objects as go


class TitleView(Protocol):
    """What is read of a network."""

    def title(self, node_id: str) -> str: ...


def strategy_table(report: EvaluationReport) -> pd.DataFrame:
    """One row a strategy: every metric in percent, and milliseconds a question."""
    rows = []
    for row in report.strategies:
        record: dict[str, object] = {"strategy": row.strategy}
        record.update({name: round(100 * value, 1) for name, value in row.metrics.items()})
        record["ms (median)"], record["ms (p95)"] = round(1000 * row.seconds, 2), round(1000 * row.slow_seconds, 2)
        rows.append(record)
    return pd.DataFrame(rows)


def difference_chart(report: EvaluationReport, metric: str) -> go.Figure:
    """Difference of each strategy to plain similarity in points, with its 95 % interval."""
    import plotly.graph_objects as go

    rows = [row for row in report.strategies if row.strategy != BASELINE]
    found = [row.differences[metric] for row in rows]
    colors = [CATEGORIES[2] if d.is_better else CATEGORIES[5] if d.is_worse else REST for d in found]
    figure = base_figure(height=110 + 34 * len(rows))
    figure.add_trace(
        go.Scatter(
            x=[100 * d.mean for d in found],
            y=[row.strategy for row in rows],
            mode="markers",
            marker={"size": 11, "color": colors},
            error_x={
                "type": "data",
                "color": REST,
                "symmetric": False,
                "array": [100 * (d.high - d.mean) for d in found],
                "arrayminus": [100 * (d.mean - d.low) for d in found],
            },
            hovertemplate="%{y}: %{x:+.1f} points<extra></extra>",
        )
    )
    figure.add_vline(x=0, line={"color": REST, "width": 1})
    figure.update_xaxes(title=f"{metric}: points more or less than plain similarity, 95 % interval")
    figure.update_yaxes(autorange="reversed")
    return figure


def difference_table(report: EvaluationReport, metric: str) -> pd.DataFrame:
    """What `difference_chart` draws: points against plain similarity, with the 95 % interval."""
    rows = [row for row in report.strategies if row.strategy != BASELINE]
    found = [row.differences[metric] for row in rows]
    return pd.DataFrame(
        {
            "strategy": [row.strategy for row in rows],
            metric: [round(100 * row.metrics[metric], 1) for row in rows],
            "difference": [round(100 * d.mean, 1) for d in found],
            "low": [round(100 * d.low, 1) for d in found],
            "high": [round(100 * d.high, 1) for d in found],
            "says": ["better" if d.is_better else "worse" if d.is_worse else "may be chance" for d in found],
        }
    )


MEASURES_IN_WORDS = {
    "recall": "share of the relevant documents that are among the first {k} results.",
    "all_evidence": "share of the questions of which all relevant documents are among the first {k} results.",
    "precision": "share of the first {k} places that hold a relevant document.",
    "ndcg": "as recall, but early places and high grades count more; 100 is the best order possible.",
    "mrr": "100 divided by the place of the first relevant document, on average.",
}


def metric_hint(name: str) -> str:
    """What a measure means, in a sentence.

    Examples
    --------
    >>> metric_hint("recall@5")
    'share of the relevant documents that are among the first 5 results.'
    """
    measure, _, k = name.partition("@")
    return MEASURES_IN_WORDS.get(measure, "").format(k=k)


def verdict(report: EvaluationReport, metric: str) -> str:
    """Which strategy is best by a metric, and whether that is more than chance."""
    best = report.of(report.best(metric))
    value = f"{100 * best.metrics[metric]:.1f}"
    if best.strategy == BASELINE:
        return f"Plain similarity is not beaten: {metric} {value} over {count(report.n_queries, 'question')}."
    found = best.differences[metric]
    sure = (
        "more than chance"
        if found.is_better
        else f"which {count(report.n_queries, 'question')} cannot tell from chance"
    )
    return (
        f"Best by {metric} is {best.strategy} with {value}, {100 * found.mean:+.1f} points against plain similarity "
        f"({100 * found.low:+.1f} to {100 * found.high:+.1f}), {sure}."
    )


def question_table(report: EvaluationReport, metric: str) -> pd.DataFrame:
    """One row a question, one column a strategy: the metric in percent."""
    frame = report.queries_frame().pivot_table(
        index=["query_id", "text"], columns="strategy", values=metric, sort=False
    )
    names = [row.strategy for row in report.strategies]
    table = (100 * frame[names]).round(1).reset_index().rename(columns={"query_id": "id", "text": "question"})
    table.columns.name = None
    return table


def answer_table(report: EvaluationReport, query_id: str, network: TitleView) -> pd.DataFrame:
    """What each strategy found and missed for one question, by title."""
    return pd.DataFrame(
        {
            "strategy": [answer.strategy for answer in report.answers(query_id)],
            "found": [" · ".join(map(network.title, answer.found)) for answer in report.answers(query_id)],
            "missed": [_titles(answer.missed, network) for answer in report.answers(query_id)],
        }
    )


def quality_sentence(quality: CommunityQuality, label: str) -> str:
    """How far the communities agree with a label, beside k-means on the same texts."""
    found = count(quality.n_communities, "community", "communities")
    text = (
        f"{found} against {count(quality.n_labels, 'value')} of {label}: adjusted Rand index "
        f"{quality.ari:.2f}, mutual information {quality.nmi:.2f}, {percent(quality.isolated_share)} isolated."
    )
    if quality.kmeans_ari is None or quality.kmeans_nmi is None:
        return text
    return f"{text} k-means on the same texts: {quality.kmeans_ari:.2f} and {quality.kmeans_nmi:.2f}."


def _titles(ids: tuple[str, ...], network: TitleView) -> str:
    from cnrag_core.errors import UnknownNameError

    titles = []
    for node_id in ids:
        try:
            titles.append(network.title(node_id))
        except UnknownNameError:  # judged, but not in the corpus
            titles.append(f"{node_id} (not in the corpus)")
    return " · ".join(titles)
