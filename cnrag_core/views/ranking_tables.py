"""Rankings side by side: who moved, what moved them, how far strategies agree.

Enters: `RankedResults` and a `StrategyComparison`. Leaves: short lines, tables, a chart.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Protocol

import pandas as pd

from cnrag_core.corpus.wording import count
from cnrag_core.retrieval.comparison import StrategyComparison
from cnrag_core.retrieval.ranking import ScoredNode
from cnrag_core.views.figure import base_figure

if TYPE_CHECKING:
    import plotly.graph_objects as go

HINTS = {
    "similarity": "Plain similarity to the question: the baseline.",
    "community": "Lifts documents in the communities of the best matches.",
    "hub": "Lifts well connected documents: overviews and foundations.",
    "bridge": "Lifts documents that join communities.",
    "hybrid": "Similarity, smoothed over neighbours, with small community, hub and bridge boosts.",
    "smoothing": "A document also scores by its neighbours' matches.",
    "pagerank": "A random walk from the best matches over similarity and typed links.",
    "links": "Follows titles, names and rare concepts from the best matches to what they point at.",
    "auto": "Chooses and combines by what the corpus offers, and says what it chose.",
}


class TitleView(Protocol):
    """What is read of a network."""

    def title(self, node_id: str) -> str: ...


def strategy_hint(name: str) -> str:
    """What a strategy does, in a sentence; a name of somebody's own has none."""
    return HINTS.get(name, "A strategy of your own.")


def move_badge(node: ScoredNode, rank: int) -> str:
    """How far a result rose or fell against plain similarity, as a Markdown badge; empty where it stayed."""
    if node.base_rank is None:
        return ":violet-badge[:material/add: new]"
    move = node.base_rank - rank
    if not move:
        return ""
    up, down = f":blue-badge[:material/arrow_upward: {move}]", f":gray-badge[:material/arrow_downward: {-move}]"
    return up if move > 0 else down


def boost_line(node: ScoredNode) -> str:
    """``score 0.81 = similarity 0.72 + community 0.09``."""
    boosts = "".join(
        f" {'+' if value >= 0 else '−'} {name} {abs(value):.3f}"
        for name, value in node.boosts.items()
        if abs(value) >= 0.0005
    )
    return f"score {node.score:.3f} = similarity {node.similarity:.3f}{boosts}"


def path_line(node: ScoredNode, network: TitleView) -> str:
    """The way from the match that brought a result in, with the words that made each step."""
    steps = []
    for step in node.path:
        words = f" “{', '.join(step.evidence)}”" if step.evidence else ""
        steps.append(f"{network.title(step.source)} —{step.kind}{words}→")
    return "via " + " ".join([*steps, network.title(node.path[-1].target)]) if node.path else ""


def agreement_sentence(comparison: StrategyComparison) -> str:
    """What the strategies agree on, in a sentence."""
    names = comparison.strategies
    if len(names) < 2:
        only = comparison.results[names[0]]
        return f"{count(len(only), 'document')} from {names[0]}." if len(only) else only.reason
    ids = [set(results.ids) for results in comparison.results.values()]
    common, every = set.intersection(*ids), set.union(*ids)
    if not every:
        return next(iter(comparison.results.values())).reason
    returned = count(len(every), "document")
    return f"The {len(names)} strategies return {returned} together and agree on {len(common)} of them."


def reasons_apart(comparison: StrategyComparison, names: Sequence[str]) -> tuple[str, dict[str, str]]:
    """What all of these strategies say of their results, to be said once, and what each says besides.

    The first is empty where they agree on nothing, or where one strategy is alone.
    """
    said = {name: comparison.results[name].reason for name in names}
    common = min(said.values(), key=len, default="")
    if len(said) < 2 or not all(reason.endswith(common) for reason in said.values()):
        return "", said
    return common, {name: reason.removesuffix(common).strip() for name, reason in said.items()}


def found_sentence(comparison: StrategyComparison, relevant: Collection[str]) -> str:
    """Which strategies return all the documents that are judged to answer the question, and who lacks how many."""
    names: dict[int, list[str]] = {}
    for name, results in comparison.results.items():
        names.setdefault(len(set(results.ids) & set(relevant)), []).append(name)
    n = len(relevant)
    parts = []
    for found in sorted(names, reverse=True):
        verb = "find" if len(names[found]) > 1 else "finds"
        what = ("it" if n == 1 else "both" if n == 2 else f"all {n}") if found == n else f"{found}" if found else "none"
        parts.append(f"{listed(names[found])} {verb} {what}")
    who = "1 document answers" if n == 1 else f"{n} documents answer"
    return f"{who} this question by judgement: {'; '.join(parts)}."


def listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them.

    Examples
    --------
    >>> listed(["hub"]), listed(["hub", "links", "auto"])
    ('hub', 'hub, links and auto')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def comparison_table(comparison: StrategyComparison, network: TitleView) -> pd.DataFrame:
    """One row a document: its place in each strategy, and what plain similarity makes of it among all documents."""
    frame = comparison.to_frame()
    frame.insert(0, "document", [network.title(node_id) for node_id in frame["node_id"]])
    frame = frame.rename(columns={"base_rank": "plain rank", "similarity": "plain similarity"})
    frame = frame.rename(columns={f"{name}_rank": name for name in comparison.strategies})
    return frame[["document", *comparison.strategies, "plain rank", "plain similarity"]]


def overlap_table(comparison: StrategyComparison) -> pd.DataFrame:
    """The overlap of every two strategies in percent: what the grid shows."""
    names = list(comparison.strategies)
    rows = {name: (100 * comparison.overlap[:, place]).round().astype(int) for place, name in enumerate(names)}
    return pd.DataFrame({"in common, %": names, **rows})


def overlap_chart(comparison: StrategyComparison) -> go.Figure:
    """Jaccard overlap of every two strategies' documents, as a labelled grid."""
    import plotly.graph_objects as go

    names = list(comparison.strategies)
    figure = base_figure(height=110 + 44 * len(names))
    figure.add_trace(
        go.Heatmap(
            z=comparison.overlap,
            x=names,
            y=names,
            zmin=0,
            zmax=1,
            colorscale="Blues",
            texttemplate="%{z:.0%}",
            hovertemplate="%{y} and %{x}: %{z:.0%} in common<extra></extra>",
            showscale=False,
        )
    )
    figure.update_yaxes(autorange="reversed")
    figure.update_layout(title={"text": "documents in common", "font": {"size": 13}})
    return figure
