"""`community`: prefers the topics that the best matches belong to. Guide 000, "Community Strategy"."""

from __future__ import annotations

from cnrag_core.retrieval.boosting import boost, candidates, community_shares, explained, weight_of
from cnrag_core.retrieval.ranking import RankedResults
from cnrag_core.retrieval.strategy import RetrievalContext, RetrievalStrategy

COMMUNITY_WEIGHT = 0.2


class CommunityRetrieval(RetrievalStrategy):
    """Boosts a node by the share of the ten best matches that lie in its community.

    Useful for results that stay on one topic; it seldom finds more of what was asked for.
    """

    name = "community"
    needs = frozenset({"communities"})

    def rank(self, context: RetrievalContext, n: int = 10) -> RankedResults:
        mask = candidates(context)
        weight = weight_of(context, "community", COMMUNITY_WEIGHT)
        return explained(
            self.name, context, n, {"community": boost(community_shares(context), weight, mask)}, mask=mask
        )
