"""`auto`: chooses the strategy by what the corpus offers, and says which and why.

- Documents that name each other (at least one mention of another's title in five documents): `links`;
- else a graph that links at least half of the documents: `smoothing`;
- else `similarity`.

These are the strategies that measured best on each kind of corpus; hub and bridge boosts never were.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cnrag_core.retrieval.boosting import nothing
from cnrag_core.retrieval.links import LinksRetrieval
from cnrag_core.retrieval.query import QueryScorer
from cnrag_core.retrieval.ranking import RankedResults
from cnrag_core.retrieval.similarity import SimilarityRetrieval
from cnrag_core.retrieval.smoothing import SmoothingRetrieval
from cnrag_core.retrieval.strategy import RetrievalContext, RetrievalStrategy

MIN_MENTIONS = 0.2
"""Mentions of other documents' titles, a document: far below what encyclopedic texts have (0.3 to 0.7),
far above what reports, news and abstracts have (0 to 0.05)."""

MIN_LINKED = 0.5
"""Share of documents with a neighbour, below which smoothing would favour the few that have one."""


@dataclass(frozen=True)
class Choice:
    """A strategy, and the sentence that says why."""

    strategy: RetrievalStrategy
    reason: str


class AutoRetrieval(RetrievalStrategy):
    """The strategy that suits the corpus; nothing to tune."""

    name = "auto"

    def rank(self, context: RetrievalContext, n: int = 10) -> RankedResults:
        if not context.similarity.any():
            return nothing(self.name, context, n)
        if context.texts is not None and not context.question.strip():
            # filters alone: every document is as good as the next
            return replace(SimilarityRetrieval().rank(context, n), strategy=self.name)
        choice = choose(context)
        results = choice.strategy.rank(context, n)
        reason = f"{choice.strategy.name}: {choice.reason}. {context.reason}".rstrip() if len(results) else ""
        return replace(results, strategy=self.name, reason=reason or results.reason)


def choose(context: RetrievalContext) -> Choice:
    """The strategy for a corpus; the question does not matter."""
    if isinstance(context.texts, QueryScorer):
        mentions = context.texts.mentions_per_document
        if mentions >= MIN_MENTIONS:
            return Choice(LinksRetrieval(), f"documents name each other ({mentions:.2f} mentions a document)")
    degree = context.graph.degree
    linked = float(np.count_nonzero(degree)) / len(degree) if len(degree) else 0.0
    if linked >= MIN_LINKED:
        return Choice(
            SmoothingRetrieval(), f"documents seldom name each other, and {100 * linked:.0f} % have neighbours"
        )
    return Choice(
        SimilarityRetrieval(), f"documents seldom name each other, and only {100 * linked:.0f} % have neighbours"
    )
