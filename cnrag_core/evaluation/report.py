"""Strategies measured on judged questions, with intervals against plain similarity.

Enters: a way to search, and judged questions. Leaves: `EvaluationReport`: one row a strategy, and for
each question what each strategy found and missed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from cnrag_core.arguments import checked_several, checked_whole
from cnrag_core.corpus.wording import shown
from cnrag_core.errors import ConfigError, CorpusError, UnknownNameError
from cnrag_core.evaluation.bootstrap import Difference, paired_differences
from cnrag_core.evaluation.judgements import JudgedQuery, unknown_documents
from cnrag_core.evaluation.metrics import measure, metric_names
from cnrag_core.retrieval.comparison import BASELINE
from cnrag_core.retrieval.search import STRATEGIES, Search, strategy_named
from cnrag_core.retrieval.strategy import RetrievalStrategy
from cnrag_core.types import Progress, silent

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_KS = (2, 5, 10)
_SHOWN_UNKNOWN = 3


@dataclass(frozen=True)
class QueryResult:
    """What one strategy answered to one question.

    `missed` are relevant documents that were not returned; `seconds` includes comparing the question.
    """

    query_id: str
    text: str
    strategy: str
    found: tuple[str, ...]
    missed: tuple[str, ...]
    metrics: Mapping[str, float]
    seconds: float


@dataclass(frozen=True)
class StrategyResult:
    """One strategy over all questions.

    `metrics` are means; `differences` compare them with plain similarity; `n_unanswered` counts
    questions without any result; `seconds` and `slow_seconds` are the median and the 95th percentile.
    """

    strategy: str
    metrics: Mapping[str, float]
    differences: Mapping[str, Difference]
    seconds: float
    slow_seconds: float
    n_unanswered: int


@dataclass(frozen=True)
class EvaluationReport:
    """The measured strategies, in the order they were asked for; plain similarity is always among them."""

    strategies: tuple[StrategyResult, ...]
    results: tuple[QueryResult, ...]
    ks: tuple[int, ...]
    n_queries: int
    notes: tuple[str, ...] = ()

    @property
    def metric_names(self) -> tuple[str, ...]:
        return metric_names(self.ks)

    def of(self, strategy: str) -> StrategyResult:
        """The row of a strategy; `UnknownNameError` where it was not measured."""
        for row in self.strategies:
            if row.strategy == strategy:
                return row
        measured = ", ".join(row.strategy for row in self.strategies)
        raise UnknownNameError(f"{strategy!r} was not measured; measured were {measured}.")

    def answers(self, query_id: str) -> tuple[QueryResult, ...]:
        """What each strategy answered to one question."""
        return tuple(result for result in self.results if result.query_id == query_id)

    def best(self, metric: str) -> str:
        """The strategy with the highest mean of a measure; of equals, the first."""
        if metric not in self.metric_names:
            raise UnknownNameError(f"{metric!r} was not measured; measured were {', '.join(self.metric_names)}.")
        return max(self.strategies, key=lambda row: row.metrics[metric]).strategy

    def to_frame(self) -> pd.DataFrame:
        """One row a strategy: means, differences with their intervals, latency in milliseconds."""
        import pandas as pd

        records = []
        for row in self.strategies:
            record: dict[str, object] = {"strategy": row.strategy, **row.metrics}
            for name, difference in row.differences.items():
                record[f"{name} difference"] = difference.mean
                record[f"{name} low"], record[f"{name} high"] = difference.low, difference.high
            record["median ms"], record["p95 ms"] = 1000 * row.seconds, 1000 * row.slow_seconds
            records.append(record)
        return pd.DataFrame(records)

    def queries_frame(self) -> pd.DataFrame:
        """One row a question and strategy: measures, documents found and missed."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"query_id": r.query_id, "text": r.text, "strategy": r.strategy, **r.metrics}
                | {"found": " ".join(r.found), "missed": " ".join(r.missed), "ms": 1000 * r.seconds}
                for r in self.results
            ]
        )

    def to_text(self, metrics: Sequence[str] | None = None) -> str:
        """A table for the console: means in percent, the interval of the difference to similarity beside them."""
        shown = tuple(metrics or (f"recall@{self.ks[-1]}", f"ndcg@{self.ks[-1]}", "mrr"))
        lines = [f"{'strategy':<12}" + "".join(f"{name:>26}" for name in shown) + f"{'median ms':>12}"]
        for row in self.strategies:
            cells = [_cell(row.metrics[name], row.differences[name], row.strategy) for name in shown]
            lines.append(f"{row.strategy:<12}" + "".join(f"{c:>26}" for c in cells) + f"{1000 * row.seconds:>12.1f}")
        return "\n".join([*lines, *self.notes])


def evaluate(
    search: Callable[[str], Search],
    queries: Iterable[JudgedQuery],
    strategies: Sequence[str | RetrievalStrategy] | None = None,
    k: Sequence[int] = DEFAULT_KS,
    *,
    random_state: int = 0,
    progress: Progress = silent,
) -> EvaluationReport:
    """Measure strategies on judged questions.

    Parameters
    ----------
    search
        Makes a `Search` of a question, as ``rag.search`` does; its filters and weights are kept.
    strategies
        Names or strategies; all registered ones if None. Plain similarity is measured in any case.
    k
        Places at which recall, all-evidence recall, precision and nDCG are taken.
    random_state
        Of the resampling behind the intervals.

    Raises
    ------
    CorpusError
        If there is no judged question, or none of the judged documents is in the corpus.
    """
    asked = tuple(checked_several(queries, "queries", of="judged questions"))
    if not asked:
        raise CorpusError("There are no judged questions to measure on.")
    if other := next((query for query in asked if not isinstance(query, JudgedQuery)), None):
        raise CorpusError(
            f"A judged question should be a JudgedQuery, found {shown(other)}; `judged_queries` makes them."
        )
    ks = tuple(sorted({checked_whole(place, "k") for place in checked_several(k, "k", of="whole numbers")}))
    if not ks or ks[0] < 1:
        raise ConfigError(f"k must be whole numbers of at least 1; got {list(k)}.")
    names = STRATEGIES if strategies is None else checked_several(strategies, "strategies", of="names of strategies")
    chosen = [strategy_named(strategy) for strategy in names]
    if all(strategy.name != BASELINE for strategy in chosen):
        chosen.insert(0, STRATEGIES[BASELINE])
    notes = _notes(asked, search(asked[0].text).source.graph.node_ids)
    needs = frozenset().union(*(strategy.needs for strategy in chosen))
    search(asked[0].text).compare(chosen, ks[-1])  # builds indexes and topology, which are no part of a question's time
    results: list[QueryResult] = []
    for place, query in enumerate(asked):
        progress("Asking the judged questions", place / len(asked))
        results.extend(_answers(search(query.text), query, chosen, needs, ks))
    progress("Asking the judged questions", 1.0)
    return EvaluationReport(_summaries(results, chosen, ks, random_state), tuple(results), ks, len(asked), notes)


def _answers(
    search: Search,
    query: JudgedQuery,
    strategies: Sequence[RetrievalStrategy],
    needs: frozenset[str],
    ks: Sequence[int],
) -> list[QueryResult]:
    """One question, compared once and answered by every strategy."""
    start = time.perf_counter()
    context = search.context(needs)
    compared = time.perf_counter() - start
    own = replace(context, weights=search.weights)
    answers = []
    for strategy in strategies:
        start = time.perf_counter()
        ids = strategy.rank(context if strategy.name == "hybrid" else own, ks[-1]).ids
        seconds = compared + time.perf_counter() - start
        missed = tuple(document for document in query.relevant if document not in ids)
        metrics = measure(ids, query.relevant, ks, query.required_evidence)
        answers.append(QueryResult(query.id, query.text, strategy.name, tuple(ids), missed, metrics, seconds))
    return answers


def _summaries(
    results: Sequence[QueryResult], strategies: Sequence[RetrievalStrategy], ks: Sequence[int], random_state: int
) -> tuple[StrategyResult, ...]:
    names = metric_names(ks)
    by_strategy = {s.name: [result for result in results if result.strategy == s.name] for s in strategies}
    values = {
        strategy: np.array([[result.metrics[name] for name in names] for result in answers])
        for strategy, answers in by_strategy.items()
    }
    rows = []
    for strategy, answers in by_strategy.items():
        means = values[strategy].mean(axis=0)
        differences = paired_differences(values[strategy], values[BASELINE], random_state=random_state)
        seconds = [result.seconds for result in answers]
        rows.append(
            StrategyResult(
                strategy,
                dict(zip(names, means.tolist(), strict=True)),
                dict(zip(names, differences, strict=True)),
                float(np.median(seconds)),
                float(np.quantile(seconds, 0.95)),
                sum(not result.found for result in answers),
            )
        )
    return tuple(rows)


def _notes(queries: Sequence[JudgedQuery], node_ids: Sequence[str]) -> tuple[str, ...]:
    judged = {document for query in queries for document in query.relevant}
    unknown = unknown_documents(queries, node_ids)
    if judged and len(unknown) == len(judged):
        raise CorpusError(
            f"None of the {len(judged)} judged documents is in the corpus, for example {unknown[0]!r}; "
            "do the judgements belong to it?"
        )
    if not unknown:
        return ()
    shown = ", ".join(map(repr, unknown[:_SHOWN_UNKNOWN])) + (" ..." if len(unknown) > _SHOWN_UNKNOWN else "")
    are, they = ("is", "it counts") if len(unknown) == 1 else ("are", "they count")
    missed = f"{len(unknown)} of {len(judged)} judged documents {are} not in the corpus ({shown}); {they} as missed."
    return (missed,)


def _cell(mean: float, difference: Difference, strategy: str) -> str:
    if strategy == BASELINE:
        return f"{100 * mean:.1f}"
    return f"{100 * mean:.1f} [{100 * difference.low:+.1f}, {100 * difference.high:+.1f}]"
