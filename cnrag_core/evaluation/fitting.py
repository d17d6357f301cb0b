"""Weights of `hybrid` learned from judged questions, and measured on questions that they have not seen.

Enters: a way to search, and judged questions. Leaves: `FittedWeights`. Only weights that come from here
are called learned (design, decision 9).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cnrag_core.config.spec import HybridWeights
from cnrag_core.errors import CorpusError, UnknownNameError
from cnrag_core.evaluation.bootstrap import Difference, paired_differences
from cnrag_core.evaluation.judgements import JudgedQuery
from cnrag_core.evaluation.metrics import measure, metric_names
from cnrag_core.retrieval.boosting import candidates
from cnrag_core.retrieval.hybrid import DEFAULTS, HybridRetrieval, unit_boosts
from cnrag_core.retrieval.ordering import best
from cnrag_core.retrieval.search import Search
from cnrag_core.retrieval.strategy import filtered
from cnrag_core.types import Progress, Scores, silent

GRID: Mapping[str, tuple[float, ...]] = {
    "smoothing": (0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5),
    "community": (0.0, 0.02, 0.05, 0.1, 0.2, 0.4),
    "hub": (0.0, 0.02, 0.05, 0.1, 0.2),
    "bridge": (0.0, 0.02, 0.05, 0.1, 0.2),
}
"""Weights that are tried, one boost after the other, until nothing improves."""

MAX_ROUNDS = 4
MIN_QUERIES = 4


@dataclass(frozen=True)
class FittedWeights:
    """Learned weights, and what they are worth.

    Attributes
    ----------
    weights
        For the configuration's ``retrieval.weights``.
    metric
        What was maximised.
    training, held_out
        Mean of the metric on the questions it was fitted on, and on the others.
    default, similarity
        Mean on the held-out questions of the default weights, and of plain similarity.
    against_default, against_similarity
        Differences on the held-out questions, with intervals.
    n_training, n_held_out
        Numbers of questions.
    """

    weights: HybridWeights
    metric: str
    training: float
    held_out: float
    default: float
    similarity: float
    against_default: Difference
    against_similarity: Difference
    n_training: int
    n_held_out: int

    @property
    def advice(self) -> str:
        """One sentence: whether to keep the learned weights."""
        measured = f"{100 * self.held_out:.1f} against {100 * self.default:.1f} on {self.n_held_out} unseen questions"
        low, high = 100 * self.against_default.low, 100 * self.against_default.high
        if self.against_default.is_better:
            return f"Keep the learned weights: {self.metric} is {measured} ({low:+.1f} to {high:+.1f})."
        if self.against_default.is_worse:
            return f"Keep the default weights: the learned ones are worse, {self.metric} {measured}."
        return f"No difference that these questions could show: {self.metric} {measured} ({low:+.1f} to {high:+.1f})."


@dataclass(frozen=True, eq=False)
class _Parts:
    """One question, reduced to its candidates: what is added to what."""

    query: JudgedQuery
    ids: tuple[str, ...]
    similarity: Scores
    boosts: NDArray[np.float64]

    def ranked(self, weights: NDArray[np.float64], n: int) -> list[str]:
        return [self.ids[place] for place in best(self.similarity + weights @ self.boosts, n)]


def fit_weights(
    search: Callable[[str], Search],
    queries: Iterable[JudgedQuery],
    *,
    metric: str = "ndcg@10",
    training_share: float = 0.5,
    random_state: int = 0,
    progress: Progress = silent,
) -> FittedWeights:
    """Learn the weights of `hybrid` on some of the questions, and measure them on the others.

    Parameters
    ----------
    search
        Makes a `Search` of a question, as ``rag.search`` does.
    metric
        What to maximise, for example ``ndcg@10`` or ``recall@5``.
    training_share
        Share of the questions to learn from, drawn with `random_state`.

    Raises
    ------
    CorpusError
        With fewer than four judged questions.
    UnknownNameError
        For a metric that does not exist.
    """
    asked = tuple(queries)
    k = _k_of(metric)
    if len(asked) < MIN_QUERIES:
        raise CorpusError(
            f"Learning weights needs at least {MIN_QUERIES} judged questions, some to learn from and some to "
            f"measure on; there are {len(asked)}."
        )
    parts = []
    for place, query in enumerate(asked):
        progress("fit", place / len(asked))
        parts.append(_parts(search(query.text), query))
    order = np.random.default_rng(random_state).permutation(len(asked))
    n_training = min(max(round(training_share * len(asked)), 1), len(asked) - 1)
    training = [parts[place] for place in order[:n_training]]
    held_out = [parts[place] for place in order[n_training:]]

    def scores(of: Sequence[_Parts], weights: NDArray[np.float64]) -> Scores:
        return np.array(
            [measure(p.ranked(weights, k), p.query.relevant, (k,), p.query.required_evidence)[metric] for p in of]
        )

    default = np.array(list(DEFAULTS.values()))
    weights, reached = _ascend(lambda tried: float(scores(training, tried).mean()), default)
    progress("fit", 1.0)
    learned, usual, plain = (scores(held_out, w) for w in (weights, default, np.zeros(len(default))))
    return FittedWeights(
        HybridWeights(**dict(zip(DEFAULTS, weights.tolist(), strict=True))),
        metric,
        reached,
        float(learned.mean()),
        float(usual.mean()),
        float(plain.mean()),
        paired_differences(learned[:, None], usual[:, None], random_state=random_state)[0],
        paired_differences(learned[:, None], plain[:, None], random_state=random_state)[0],
        len(training),
        len(held_out),
    )


def _parts(search: Search, query: JudgedQuery) -> _Parts:
    context = search.context(HybridRetrieval.needs)
    mask = candidates(context)
    places = np.flatnonzero(mask)
    boosts = np.stack([values[places] for values in unit_boosts(context, mask).values()])
    return _Parts(query, tuple(context.graph.node_ids[p] for p in places), filtered(context)[places], boosts)


def _ascend(
    value_of: Callable[[NDArray[np.float64]], float], start: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """The best weights of the grid that single changes lead to; a change must improve, so ties keep the default."""
    weights, reached = start.copy(), value_of(start)
    for _ in range(MAX_ROUNDS):
        before = reached
        for place, name in enumerate(DEFAULTS):
            for tried in GRID[name]:
                changed = weights.copy()
                changed[place] = tried
                value = value_of(changed)
                if value > reached + 1e-9:
                    weights, reached = changed, value
        if reached == before:
            break
    return weights, reached


def _k_of(metric: str) -> int:
    """The k of a measure; 10 for one over the whole ranking."""
    name, _, k = metric.partition("@")
    number = int(k) if k.isdecimal() and int(k) > 0 else 10
    if metric not in metric_names((number,)):
        raise UnknownNameError(f"There is no measure {metric!r}; try one of {', '.join(metric_names((5, 10)))}.")
    return number if name != "mrr" else 10
