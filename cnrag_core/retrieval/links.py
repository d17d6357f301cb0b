"""`links`: follows the names that good matches mention, and scores the paths. See `retrieval.paths`.

The strategy for questions that need several documents, on corpora whose documents name each other.
"""

from __future__ import annotations

from dataclasses import replace

from cnrag_core.retrieval.boosting import explained, nothing
from cnrag_core.retrieval.paths import score_paths
from cnrag_core.retrieval.query import QueryScorer
from cnrag_core.retrieval.ranking import RankedResults
from cnrag_core.retrieval.strategy import RetrievalContext, RetrievalStrategy


class LinksRetrieval(RetrievalStrategy):
    """Adds to the similarity what the question names, and what the best matches lead to."""

    name = "links"

    def rank(self, context: RetrievalContext, n: int = 10) -> RankedResults:
        if not isinstance(context.texts, QueryScorer):
            return explained(self.name, context, n, {}, reason="There are no texts to find names in; similarity alone.")
        if not context.similarity.any():
            return nothing(self.name, context, n)
        links = context.typed_links
        if links is not None and links.name_index is not None:
            context.texts.adopt_names(links.name_index)
        scores = score_paths(context.question, context.similarity, context.texts, links)
        results = explained(self.name, context, n, {"title": scores.title, "path": scores.path})
        index_of = context.graph.index_of
        nodes = tuple(
            replace(node, path=scores.steps(index_of[node.node_id])) if "path" in node.boosts else node
            for node in results
        )
        return replace(results, nodes=nodes)
