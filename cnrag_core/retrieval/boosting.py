"""What the boosting strategies share: the candidates, the size of a boost, the explained ranking.

A boost adds ``weight x value / max(value over the candidates)`` to the similarity, so a weight is the
most that the rule can move a node, in shares of the best match. Design: decision 27.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cnrag_core.errors import ConfigError
from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.retrieval.ordering import best, rank_of
from cnrag_core.retrieval.ranking import PathStep, RankedResults, ScoredNode
from cnrag_core.retrieval.strategy import RetrievalContext, filtered
from cnrag_core.types import Scores

TOP_MATCHES = 10
"""The matches whose neighbours become candidates and whose communities are boosted."""


def candidates(context: RetrievalContext) -> NDArray[np.bool_]:
    """(n,) nodes that a boost may move: similar to the query, or linked to one of its ten best matches."""
    similarity = filtered(context)
    mask = similarity > 0
    for node in best(similarity, TOP_MATCHES):
        mask[neighbors(context.graph, int(node))[0]] = True
    return mask if context.allowed is None else mask & context.allowed


def neighbors(graph: SimilarityGraph, node: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Node numbers next to a node, ascending, and the weights of the edges."""
    adjacency = graph.adjacency
    start, end = adjacency.indptr[node], adjacency.indptr[node + 1]
    return adjacency.indices[start:end], adjacency.data[start:end]


def boost(values: NDArray[np.float64], weight: float, mask: NDArray[np.bool_]) -> Scores:
    """``weight x values / max``, the maximum taken over the candidates; 0 outside them and where all are 0."""
    inside = np.where(mask, values, 0.0)
    largest = inside.max(initial=0.0)
    return weight * inside / largest if largest > 0 else np.zeros(len(values))


def community_shares(context: RetrievalContext) -> NDArray[np.float64]:
    """(n,) share of the ten best matches that lie in the node's community."""
    top = best(filtered(context), TOP_MATCHES)
    if not len(top):
        return np.zeros(len(context.similarity))
    counts = np.bincount(context.communities[top], minlength=int(context.communities.max(initial=0)) + 1)
    return counts[context.communities] / len(top)


def weight_of(context: RetrievalContext, name: str, default: float) -> float:
    """The caller's weight of a rule, or its default."""
    weight = float((context.weights or {}).get(name, default))
    if not np.isfinite(weight) or weight < 0:
        raise ConfigError(f"The weight of {name!r} is {weight}; it must be a number of at least 0.")
    return weight


def explained(
    strategy: str,
    context: RetrievalContext,
    n: int,
    boosts: Mapping[str, Scores],
    *,
    mask: NDArray[np.bool_] | None = None,
    paths: Mapping[int, Sequence[PathStep]] | None = None,
    reason: str = "",
) -> RankedResults:
    """The best `n` nodes by similarity plus boosts, each with the boosts that moved it.

    Parameters
    ----------
    boosts
        Rule -> (n,) amount it adds to each node.
    mask
        (n,) nodes that may be returned; all that pass the filters by default.
    paths
        Node number -> the edges that brought it in.
    """
    similarity = filtered(context)
    scores = similarity + sum(boosts.values()) if boosts else similarity
    if mask is None:
        mask = context.allowed
    if mask is not None:
        scores = np.where(mask, scores, 0.0)
    top = best(scores, n)
    if not len(top):
        return nothing(strategy, context, n)
    terms = context.matched_terms or {}
    nodes = tuple(
        ScoredNode(
            node_id=context.graph.node_ids[node],
            score=float(scores[node]),
            similarity=float(similarity[node]),
            boosts={rule: float(values[node]) for rule, values in boosts.items() if values[node]},
            base_rank=rank_of(similarity, node),
            path=tuple((paths or {}).get(node, ())),
            matched_terms=terms.get(node, ()),
        )
        for node in top.tolist()
    )
    return RankedResults(context.query, strategy, nodes, reason or context.reason)


def nothing(strategy: str, context: RetrievalContext, n: int) -> RankedResults:
    """No results, and why."""
    if n <= 0:
        reason = f"{n} results were asked for."
    elif not context.graph.n_nodes:
        reason = "There are no documents."
    elif context.allowed is not None and not context.allowed.any():
        reason = "No document passes the filters."
    elif context.allowed is not None and context.similarity.any():
        reason = "No document that passes the filters matches the question."
    else:
        reason = (not context.similarity.any() and context.reason) or "Nothing in the documents matches the question."
    return RankedResults(context.query, strategy, (), reason)
