"""What a retrieval strategy may use, and what it must return.

Enters: a `RetrievalContext` (similarities of one query to every node, the graph and its topology).
Leaves: `RankedResults`. Guide 002, "Retrieval"; guide 000, "Retrieval Strategies".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from cnrag_core.graph.links import TypedLinks
from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.retrieval.ranking import RankedResults
from cnrag_core.types import Scores


@dataclass(frozen=True, eq=False)
class RetrievalContext:
    """One query against one graph; arrays follow the order of ``graph.node_ids``.

    Attributes
    ----------
    query
        The question as typed, filters included.
    question
        The same without filters; empty where only filters were given.
    similarity
        (n,) base similarity to the query; 0 = nothing in common.
    graph
        The similarity graph.
    communities
        (n,) int community numbers, largest community 0.
    betweenness
        (n,) normalised betweenness, exact or sampled.
    allowed
        (n,) bool, or None: nodes that pass the caller's filters.
    links
        The typed links of the corpus, or a function that finds them; None where there are none. Read
        them through `typed_links`, so that they are found only by strategies that follow them.
    matched_terms
        Node number -> words of the query found in that node; filled for display, may be partial.
    weights
        Boost weights that override a strategy's defaults.
    texts
        Source of titles, sentences and index structures for strategies over typed links; see
        `retrieval.query`.
    reason
        How the question was compared, or why nothing is similar where nothing is.
    hints
        What in the question looks like a filter and was read otherwise; see `retrieval.filter_hints`.
    """

    query: str
    similarity: Scores
    graph: SimilarityGraph
    communities: NDArray[np.int64]
    betweenness: NDArray[np.float64]
    allowed: NDArray[np.bool_] | None = None
    links: TypedLinks | Callable[[], TypedLinks] | None = None
    matched_terms: Mapping[int, tuple[str, ...]] | None = None
    weights: Mapping[str, float] | None = None
    texts: Any = None
    reason: str = ""
    question: str = ""
    hints: tuple[str, ...] = ()

    @property
    def typed_links(self) -> TypedLinks | None:
        """The typed links, found now if they were not before."""
        return self.links() if callable(self.links) else self.links


class RetrievalStrategy(ABC):
    """Orders nodes for a query.

    `needs` names the parts of the context that cost something to compute and that `rank` reads:
    ``communities``, ``betweenness``. Parts that are not named may be zeros.
    """

    name: str
    needs: frozenset[str] = frozenset()

    @abstractmethod
    def rank(self, context: RetrievalContext, n: int = 10) -> RankedResults:
        """The best `n` nodes, each explained; empty with a reason where nothing matches."""

    def retrieve(
        self,
        query_embedding: NDArray[np.float32],
        embeddings: Mapping[str, NDArray[np.float32]],
        graph: nx.Graph[str] | SimilarityGraph,
        n: int = 10,
    ) -> list[str]:
        """Ids of the best `n` nodes for an embedded query (the signature of guide 002)."""
        from cnrag_core.retrieval.search import context_of_embeddings

        context = context_of_embeddings(query_embedding, embeddings, graph, needs=self.needs)
        return self.rank(context, n).ids


def filtered(context: RetrievalContext) -> Scores:
    """Similarities with everything that the filters exclude set to 0."""
    return context.similarity if context.allowed is None else np.where(context.allowed, context.similarity, 0.0)
