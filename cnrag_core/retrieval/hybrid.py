"""`hybrid`: similarity with a little of everything. Guide 000, "Hybrid Strategy".

The weights are documented defaults, not learned ones; `evaluation.fitting` learns weights from judged
questions and says on which it was measured. Design: decisions 9 and 27.
"""

from __future__ import annotations

import numpy as np

from cnrag_core.config.spec import HybridWeights
from cnrag_core.retrieval.boosting import boost, candidates, community_shares, explained, weight_of
from cnrag_core.retrieval.ranking import RankedResults
from cnrag_core.retrieval.smoothing import neighbor_mean, with_neighbor_paths
from cnrag_core.retrieval.strategy import RetrievalContext, RetrievalStrategy

DEFAULTS = HybridWeights()


class HybridRetrieval(RetrievalStrategy):
    """Similarity + neighbour smoothing + community, hub and bridge boosts.

    Smoothing is not scaled by its maximum: it is a similarity already.
    """

    name = "hybrid"
    needs = frozenset({"communities", "betweenness"})

    def rank(self, context: RetrievalContext, n: int = 10) -> RankedResults:
        mask = candidates(context)
        weights = {rule: weight_of(context, rule, value) for rule, value in DEFAULTS.model_dump().items()}
        smoothed = weights["smoothing"] * neighbor_mean(context.graph, context.similarity)
        boosts = {
            "smoothing": np.where(mask, smoothed, 0.0),
            "community": boost(community_shares(context), weights["community"], mask),
            "hub": boost(context.graph.degree.astype(np.float64), weights["hub"], mask),
            "bridge": boost(context.betweenness, weights["bridge"], mask),
        }
        return with_neighbor_paths(explained(self.name, context, n, boosts, mask=mask), context)
