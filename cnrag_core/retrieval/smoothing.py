"""`smoothing`: a document whose neighbours match is more likely to match. Guide 000, "Network Topology".

score = similarity + 0.5 x weighted mean of the similarities of its ten strongest neighbours. The safe
general strategy where documents do not name each other. The turns before and after in a conversation,
or the parts before and after in a document, are neighbours as well where the configuration links them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.config.spec import AdjacentLinks
from cnrag_core.graph.links import TypedLinks
from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.retrieval.boosting import explained, weight_of
from cnrag_core.retrieval.query import QueryScorer
from cnrag_core.retrieval.ranking import PathStep, RankedResults
from cnrag_core.retrieval.strategy import RetrievalContext, RetrievalStrategy
from cnrag_core.types import Scores

SMOOTHING_WEIGHT = 0.5
SMOOTHING_NEIGHBORS = 10
ADJACENT_WEIGHT = 1.0
"""Of the turn before and after, beside similarity edges of at most 1."""


class SmoothingRetrieval(RetrievalStrategy):
    """Adds half the mean similarity of a node's ten strongest neighbours."""

    name = "smoothing"

    def rank(self, context: RetrievalContext, n: int = 10) -> RankedResults:
        weight = weight_of(context, "smoothing", SMOOTHING_WEIGHT)
        results = explained(self.name, context, n, {"smoothing": weight * neighbor_mean(context)})
        return with_neighbor_paths(results, context)


def neighbor_mean(context: RetrievalContext) -> Scores:
    """(n,) mean similarity of each node's ten strongest neighbours, weighted by the edges; 0 without any."""
    return np.asarray(neighborhood(context) @ context.similarity)


def neighborhood(context: RetrievalContext) -> sp.csr_matrix:
    """(n, n) CSR with rows that sum to 1: each node's neighbours by share of their weight.

    Kept on the graph, which never changes, once for each set of links.
    """
    adjacent = _adjacent_links(context)
    kept: dict[int, tuple[TypedLinks | None, sp.csr_matrix]] = context.graph.__dict__.setdefault("_neighborhood", {})
    if id(adjacent) not in kept:
        weights = strongest_neighbors(context.graph)
        if adjacent is not None:
            weights = (weights + ADJACENT_WEIGHT * adjacent.of_kind("adjacent").adjacency).tocsr()
            weights.sort_indices()
        sums = np.asarray(weights.sum(axis=1)).ravel()
        weights.data /= np.repeat(sums, np.diff(weights.indptr))
        # the links are kept too, so that no other object can take their identity
        kept[id(adjacent)] = (adjacent, weights)
    return kept[id(adjacent)][1]


def strongest_neighbors(graph: SimilarityGraph, k: int = SMOOTHING_NEIGHBORS) -> sp.csr_matrix:
    """(n, n) CSR of the weights of each node's `k` strongest edges; ties go to the smallest id."""
    adjacency, n = graph.adjacency, graph.n_nodes
    rows: NDArray[np.int64] = np.repeat(np.arange(n), np.diff(adjacency.indptr))
    order = np.lexsort((adjacency.indices, -adjacency.data, rows))
    place = np.arange(len(rows)) - adjacency.indptr[rows]
    keep = order[place < k]
    matrix = sp.csr_matrix((adjacency.data[keep], (rows[keep], adjacency.indices[keep])), shape=(n, n))
    matrix.sort_indices()
    return matrix


def _adjacent_links(context: RetrievalContext) -> TypedLinks | None:
    """The typed links, where the configuration links neighbours in a conversation or document."""
    if not isinstance(context.texts, QueryScorer):
        return None
    asked = any(isinstance(link, AdjacentLinks) for link in context.texts.config.links)
    return context.typed_links if asked else None


def with_neighbor_paths(results: RankedResults, context: RetrievalContext) -> RankedResults:
    """The results, with a path for those that plain similarity would not have found: from their best neighbour."""
    graph, near = context.graph, neighborhood(context)
    nodes = list(results.nodes)
    for place, node in enumerate(nodes):
        if node.base_rank is not None:
            continue
        target = graph.index_of[node.node_id]
        row = slice(near.indptr[target], near.indptr[target + 1])
        around, shares = near.indices[row], near.data[row]
        if len(around):
            source = int(around[int(np.argmax(context.similarity[around] * shares))])
            nodes[place] = replace(node, path=(_step(context, source, target),))
    return replace(results, nodes=tuple(nodes))


def _step(context: RetrievalContext, source: int, target: int) -> PathStep:
    """The edge between two neighbours: of similarity, else of a conversation."""
    ids = context.graph.node_ids
    weight = float(context.graph.adjacency[source, target])
    if weight > 0:
        return PathStep(ids[source], ids[target], "similarity", weight)
    return PathStep(ids[source], ids[target], "adjacent", ADJACENT_WEIGHT)
