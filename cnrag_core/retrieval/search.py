"""Asking: one question, refined step by step, and the strategies that may answer it.

Enters: a question and a `SearchSource` (what a build produced). Leaves: `RankedResults`.

::

    rag.search("graph learning").with_strategy("hybrid").filter(tags=["ml"], year=(2015, 2020)).top(10)
    rag.search("graph learning tags:ml year:2015..2020").top(10)
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from rapidfuzz.process import extractOne

from cnrag_core.arguments import checked_number, checked_question, checked_text, checked_whole
from cnrag_core.config.spec import PipelineConfig
from cnrag_core.corpus.wording import shown
from cnrag_core.errors import ConfigError, EmbeddingError, UnknownNameError
from cnrag_core.graph.links import TypedLinks
from cnrag_core.graph.similarity_graph import SimilarityGraph, graph_of_networkx
from cnrag_core.retrieval.auto import AutoRetrieval
from cnrag_core.retrieval.bridge import BridgeRetrieval
from cnrag_core.retrieval.community import CommunityRetrieval
from cnrag_core.retrieval.filter_hints import filter_hints, value_hints
from cnrag_core.retrieval.filters import Condition, allowed_by, conditions_of, parse_query
from cnrag_core.retrieval.hub import HubRetrieval
from cnrag_core.retrieval.hybrid import HybridRetrieval
from cnrag_core.retrieval.links import LinksRetrieval
from cnrag_core.retrieval.pagerank import PageRankRetrieval
from cnrag_core.retrieval.query import QueryMode, QueryScorer, QueryScores
from cnrag_core.retrieval.ranking import RankedResults
from cnrag_core.retrieval.similarity import SimilarityRetrieval
from cnrag_core.retrieval.smoothing import SmoothingRetrieval
from cnrag_core.retrieval.strategy import RetrievalContext, RetrievalStrategy

if TYPE_CHECKING:
    from cnrag_core.retrieval.comparison import StrategyComparison

STRATEGIES: dict[str, RetrievalStrategy] = {
    strategy.name: strategy
    for strategy in (
        SimilarityRetrieval(),
        CommunityRetrieval(),
        HubRetrieval(),
        BridgeRetrieval(),
        HybridRetrieval(),
        SmoothingRetrieval(),
        PageRankRetrieval(),
        LinksRetrieval(),
        AutoRetrieval(),
    )
}
"""Every strategy by its name; add your own here to make it known everywhere."""

WEIGHT_NAMES = ("smoothing", "community", "hub", "bridge", "pagerank")
"""Boosts whose weight a caller may set."""

ALL_NEEDS = frozenset({"communities", "betweenness"})


class _Labels(Protocol):
    @property
    def labels(self) -> NDArray[np.int64]: ...


class _Values(Protocol):
    @property
    def values(self) -> NDArray[np.float64]: ...


class SearchSource(Protocol):
    """What a search asks: a built network. Each part is read only by the strategies that need it."""

    @property
    def config(self) -> PipelineConfig: ...
    @property
    def graph(self) -> SimilarityGraph: ...
    @property
    def scorer(self) -> QueryScorer: ...
    @property
    def communities(self) -> _Labels: ...
    @property
    def betweenness(self) -> _Values: ...
    @property
    def links(self) -> TypedLinks: ...


@dataclass(frozen=True, eq=False)
class Search:
    """A question on its way to an answer; every step returns a new `Search`.

    Nothing is computed before `top` or `compare`.
    """

    query: str
    source: SearchSource
    strategy: RetrievalStrategy | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    conditions: tuple[Condition, ...] = ()
    mode: QueryMode | None = None

    def __post_init__(self) -> None:
        checked_question(self.query)

    def with_strategy(self, strategy: str | RetrievalStrategy) -> Search:
        """Order by this strategy; `UnknownNameError` for a name that is not in `STRATEGIES`."""
        return replace(self, strategy=strategy_named(strategy))

    def with_weights(self, weights: Mapping[str, float] | None = None, /, **more: float) -> Search:
        """Set weights of boosts by name, for example ``with_weights(community=0.1, hub=0)``."""
        if weights is not None and not isinstance(weights, Mapping):
            raise ConfigError(f"Weights should be a mapping of boosts to numbers, found {shown(weights)}.")
        given = {**(weights or {}), **more}
        for name, weight in given.items():
            if name not in WEIGHT_NAMES:
                boosts = ", ".join(WEIGHT_NAMES)
                raise ConfigError(f"There is no boost {name!r} to weigh; the boosts are {boosts}.")
            checked_number(weight, name)
        return replace(self, weights={**self.weights, **given})

    def with_query_mode(self, mode: QueryMode) -> Search:
        """Compare the question by ``bm25``, ``cosine``, ``fused`` or ``auto`` instead of as configured."""
        return replace(self, mode=mode)

    def filter(self, **filters: Any) -> Search:
        """Narrow the candidates: ``filter(tags=["ml"], year=(2015, 2020))``; see `retrieval.filters`."""
        return replace(self, conditions=self.conditions + conditions_of(filters))

    def top(self, n: int = 10) -> RankedResults:
        """The best `n` documents, each explained; empty with a reason where nothing matches."""
        strategy = self.strategy or strategy_named(default_strategy(self.source.config))
        n = checked_whole(n, "n")
        start = time.perf_counter()
        context = self.context(strategy.needs, strategy.name)
        results = strategy.rank(context, n)
        return results.finished(time.perf_counter() - start, context.hints)

    def compare(self, strategies: Sequence[str | RetrievalStrategy] | None = None, n: int = 10) -> StrategyComparison:
        """Several strategies on this question, side by side."""
        from cnrag_core.retrieval.comparison import compare

        return compare(self, strategies, n)

    def context(self, needs: frozenset[str] = ALL_NEEDS, strategy: str = "") -> RetrievalContext:
        """What strategies read, with the costly parts that `needs` names.

        The configuration's weights belong to ``hybrid``; weights set on the search itself to any strategy.
        """
        scorer, graph = self.source.scorer, self.source.graph
        text, typed = parse_query(self.query, scorer.fields)
        conditions = self.conditions + typed
        allowed = allowed_by(scorer.documents, conditions)
        nothing_passes = allowed is not None and not bool(allowed.any())
        hints = filter_hints(self.query, scorer.fields, nothing_passes=nothing_passes)
        if nothing_passes:
            hints += value_hints(conditions, scorer.documents)
        scores = scorer.score(text, self.mode)
        if not text.strip() and allowed is not None:
            # only filters: every document that passes is an equally good answer
            scores = QueryScores(allowed.astype(np.float64), {}, "filter", f"all documents with {_and(conditions)}")
        configured = self.source.config.retrieval.weights.model_dump() if strategy in ("", "hybrid") else {}
        n = graph.n_nodes
        return RetrievalContext(
            query=self.query,
            similarity=scores.similarity,
            graph=graph,
            communities=self.source.communities.labels if "communities" in needs else np.zeros(n, dtype=np.int64),
            betweenness=self.source.betweenness.values if "betweenness" in needs else np.zeros(n),
            allowed=allowed,
            links=lambda: self.source.links,
            matched_terms=scores.matched_terms,
            weights={**configured, **self.weights},
            texts=scorer,
            reason=scores.reason,
            question=text,
            hints=hints,
        )


def strategy_named(strategy: str | RetrievalStrategy) -> RetrievalStrategy:
    """The strategy of a name; a strategy passes unchanged.

    Raises
    ------
    UnknownNameError
        Naming the strategies that exist, and the nearest one.
    """
    if isinstance(strategy, RetrievalStrategy):
        return strategy
    found = STRATEGIES.get(checked_text(strategy, "strategy", what="the name of a strategy"))
    if found is None:
        nearest = extractOne(str(strategy), list(STRATEGIES), score_cutoff=60)
        hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
        raise UnknownNameError(f"There is no strategy {strategy!r}; the strategies are {', '.join(STRATEGIES)}.{hint}")
    return found


def default_strategy(config: PipelineConfig) -> str:
    """The strategy that a configuration asks for."""
    return config.retrieval.strategy


def context_of_embeddings(
    query_embedding: NDArray[np.float32],
    embeddings: Mapping[str, NDArray[np.float32]],
    graph: nx.Graph[str] | SimilarityGraph,
    *,
    needs: frozenset[str] = ALL_NEEDS,
) -> RetrievalContext:
    """A context from vectors and a graph alone, as guide 002 calls strategies.

    Parameters
    ----------
    query_embedding
        (d,) or (1, d) vector of the question.
    embeddings
        (d,) vector by node id; nodes of the graph without one are similar to nothing, vectors of
        nodes that are not in the graph are not asked.
    graph
        networkx or array form.
    needs
        Costly parts to compute: ``communities``, ``betweenness``.

    Raises
    ------
    EmbeddingError
        If the vectors differ in length.
    """
    arrays = graph if isinstance(graph, SimilarityGraph) else graph_of_networkx(graph)
    query = np.asarray(query_embedding, dtype=np.float64).ravel()
    similarity = np.zeros(arrays.n_nodes)
    for node_id, vector in embeddings.items():
        node = arrays.index_of.get(str(node_id))
        if node is None:
            continue
        row = np.asarray(vector, dtype=np.float64).ravel()
        if row.shape != query.shape:
            raise EmbeddingError(
                f"The question has {len(query)} dimensions, document {node_id!r} has {len(row)}; embed both alike."
            )
        length = float(np.linalg.norm(query) * np.linalg.norm(row))
        similarity[node] = max(0.0, float(query @ row) / length) if length > 0 else 0.0
    n = arrays.n_nodes
    communities, betweenness = np.zeros(n, dtype=np.int64), np.zeros(n)
    if "communities" in needs:
        from cnrag_core.topology.communities import find_communities

        communities = find_communities(arrays).labels
    if "betweenness" in needs:
        from cnrag_core.topology.centrality import betweenness as betweenness_of

        betweenness = betweenness_of(arrays).values
    return RetrievalContext("", similarity, arrays, communities, betweenness)


def _and(conditions: Sequence[Condition]) -> str:
    return " and ".join(map(str, conditions))
