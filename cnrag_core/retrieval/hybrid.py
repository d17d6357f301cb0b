"""`hybrid`: similarity with a little of everything. Guide 000, "Hybrid Strategy".

The weights are documented defaults, not learned ones; `evaluation.fitting` learns weights from judged
questions and says on which it was measured. Design: decisions 9 and 27.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cnrag_core.config.spec import HybridWeights
from cnrag_core.retrieval.boosting import boost, candidates, community_shares, explained, weight_of
from cnrag_core.retrieval.ranking import RankedResults
from cnrag_core.retrieval.smoothing import neighbor_mean, with_neighbor_paths
from cnrag_core.retrieval.strategy import RetrievalContext, RetrievalStrategy
from cnrag_core.types import Scores

DEFAULTS: dict[str, float] = HybridWeights().model_dump()
"""Weight of each rule unless the configuration or the caller says otherwise."""


class HybridRetrieval(RetrievalStrategy):
    """Similarity + neighbour smoothing + community, hub and bridge boosts.

    Smoothing is not scaled by its maximum: it is a similarity already.
    """

    name = "hybrid"
    needs = frozenset({"communities", "betweenness"})

    def rank(self, context: RetrievalContext, n: int = 10) -> RankedResults:
        mask = candidates(context)
        boosts = {
            rule: weight_of(context, rule, default) * values
            for (rule, values), default in zip(unit_boosts(context, mask).items(), DEFAULTS.values(), strict=True)
        }
        return with_neighbor_paths(explained(self.name, context, n, boosts, mask=mask), context)


def unit_boosts(context: RetrievalContext, mask: NDArray[np.bool_]) -> dict[str, Scores]:
    """(n,) what each rule adds at weight 1, within the candidates; in the order of `DEFAULTS`."""
    return {
        "smoothing": np.where(mask, neighbor_mean(context), 0.0),
        "community": boost(community_shares(context), 1.0, mask),
        "hub": boost(context.graph.degree.astype(np.float64), 1.0, mask),
        "bridge": boost(context.betweenness, 1.0, mask),
    }
