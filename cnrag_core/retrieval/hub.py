"""`hub`: prefers well-connected documents, often overviews. Guide 000, "Hub Strategy"."""

from __future__ import annotations

import numpy as np

from cnrag_core.retrieval.boosting import boost, candidates, explained, weight_of
from cnrag_core.retrieval.ranking import RankedResults
from cnrag_core.retrieval.strategy import RetrievalContext, RetrievalStrategy

HUB_WEIGHT = 0.2


class HubRetrieval(RetrievalStrategy):
    """Boosts a node by its number of neighbours."""

    name = "hub"

    def rank(self, context: RetrievalContext, n: int = 10) -> RankedResults:
        mask = candidates(context)
        degree = context.graph.degree.astype(np.float64)
        weight = weight_of(context, "hub", HUB_WEIGHT)
        return explained(self.name, context, n, {"hub": boost(degree, weight, mask)}, mask=mask)
