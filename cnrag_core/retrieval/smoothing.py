"""`smoothing`: a document whose neighbours match is more likely to match. Guide 000, "Network Topology".

score = similarity + 0.5 x weighted mean of the similarities of its ten strongest neighbours. The safe
general strategy where documents do not name each other: +0.9 to +3.3 nDCG@10 over BM25 on most
single-hop collections it was measured on.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.retrieval.boosting import explained, neighbors, weight_of
from cnrag_core.retrieval.ranking import PathStep, RankedResults
from cnrag_core.retrieval.strategy import RetrievalContext, RetrievalStrategy
from cnrag_core.types import Scores

SMOOTHING_WEIGHT = 0.5
SMOOTHING_NEIGHBORS = 10


class SmoothingRetrieval(RetrievalStrategy):
    """Adds half the mean similarity of a node's ten strongest neighbours."""

    name = "smoothing"

    def rank(self, context: RetrievalContext, n: int = 10) -> RankedResults:
        weight = weight_of(context, "smoothing", SMOOTHING_WEIGHT)
        added = weight * neighbor_mean(context.graph, context.similarity)
        results = explained(self.name, context, n, {"smoothing": added})
        return with_neighbor_paths(results, context)


def neighbor_mean(graph: SimilarityGraph, similarity: Scores) -> Scores:
    """(n,) mean similarity of each node's ten strongest neighbours, weighted by the edges; 0 without any."""
    return np.asarray(nearest_neighbors(graph) @ similarity)


def nearest_neighbors(graph: SimilarityGraph, k: int = SMOOTHING_NEIGHBORS) -> sp.csr_matrix:
    """(n, n) CSR with rows that sum to 1: each node's `k` strongest neighbours by share of their weight.

    Ties go to the neighbour with the smallest id. Kept on the graph, which never changes.
    """
    kept: dict[int, sp.csr_matrix] = graph.__dict__.setdefault("_nearest_neighbors", {})
    if k not in kept:
        kept[k] = _row_shares(graph.adjacency, k)
    return kept[k]


def _row_shares(adjacency: sp.csr_matrix, k: int) -> sp.csr_matrix:
    n = adjacency.shape[0]
    rows: NDArray[np.int64] = np.repeat(np.arange(n), np.diff(adjacency.indptr))
    order = np.lexsort((adjacency.indices, -adjacency.data, rows))
    place = np.arange(len(rows)) - adjacency.indptr[rows]
    keep = order[place < k]
    matrix = sp.csr_matrix((adjacency.data[keep], (rows[keep], adjacency.indices[keep])), shape=(n, n))
    sums = np.asarray(matrix.sum(axis=1)).ravel()
    matrix.data /= np.repeat(sums, np.diff(matrix.indptr))
    matrix.sort_indices()
    return matrix


def with_neighbor_paths(results: RankedResults, context: RetrievalContext) -> RankedResults:
    """The results, with a path for those that plain similarity would not have found: from their best neighbour."""
    similarity, graph = context.similarity, context.graph
    nodes = list(results.nodes)
    for place, node in enumerate(nodes):
        if node.base_rank is None:
            around, weights = neighbors(graph, graph.index_of[node.node_id])
            if len(around):
                strongest = int(np.argmax(similarity[around] * weights))
                step = PathStep(
                    graph.node_ids[around[strongest]], node.node_id, "similarity", float(weights[strongest])
                )
                nodes[place] = replace(node, path=(step,))
    return replace(results, nodes=tuple(nodes))
