"""`bridge`: prefers documents between topics. Guide 000, "Bridge Strategy"."""

from __future__ import annotations

from cnrag_core.retrieval.boosting import boost, candidates, explained, weight_of
from cnrag_core.retrieval.ranking import RankedResults
from cnrag_core.retrieval.strategy import RetrievalContext, RetrievalStrategy

BRIDGE_WEIGHT = 0.2


class BridgeRetrieval(RetrievalStrategy):
    """Boosts a node by its betweenness: how many shortest paths of the graph lead through it."""

    name = "bridge"
    needs = frozenset({"betweenness"})

    def rank(self, context: RetrievalContext, n: int = 10) -> RankedResults:
        mask = candidates(context)
        weight = weight_of(context, "bridge", BRIDGE_WEIGHT)
        return explained(self.name, context, n, {"bridge": boost(context.betweenness, weight, mask)}, mask=mask)
