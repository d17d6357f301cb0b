"""`similarity`: the plain order, and the baseline of every comparison. Guide 000, "Similarity Strategy"."""

from __future__ import annotations

from cnrag_core.retrieval.boosting import explained
from cnrag_core.retrieval.ranking import RankedResults
from cnrag_core.retrieval.strategy import RetrievalContext, RetrievalStrategy


class SimilarityRetrieval(RetrievalStrategy):
    """Nodes in the order of their similarity to the query; the graph is not asked."""

    name = "similarity"

    def rank(self, context: RetrievalContext, n: int = 10) -> RankedResults:
        return explained(self.name, context, n, {})
