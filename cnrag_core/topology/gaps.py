"""Gaps: pairs of communities that talk about the same things and hardly link.

Enters: the graph, community labels, and one row of words or of an embedding a document. Leaves: `Gap`s,
widest first. A gap is a lead for a reader (two fields that do not cite each other, two teams that
solve one problem), not a fault of the graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.errors import ConfigError
from cnrag_core.graph.similarity_graph import SimilarityGraph

MAX_COMMUNITIES = 300
"""Only the largest are compared with each other."""

N_SHARED_TERMS = 5


@dataclass(frozen=True)
class Gap:
    """Two communities that resemble each other more than they link.

    Attributes
    ----------
    first, second
        Community numbers, ``first < second``.
    similarity
        Cosine of the mean rows of the two communities, in [-1, 1].
    n_edges
        Edges between them.
    link_share
        Weight of those edges over the weight that chance would put there, given how strongly the nodes
        of both are linked at all: 0 = none, 1 = as by chance.
    score
        similarity x (1 - link_share), which orders the gaps.
    shared_terms
        What they have in common, strongest first; empty where the columns of the rows have no names.
    """

    first: int
    second: int
    similarity: float
    n_edges: int
    link_share: float
    score: float
    shared_terms: tuple[str, ...] = ()


def gaps(
    graph: SimilarityGraph,
    labels: NDArray[np.int64],
    rows: NDArray[np.floating[Any]] | sp.csr_matrix,
    *,
    terms: Sequence[str] | None = None,
    min_size: int = 3,
    n_gaps: int = 10,
) -> tuple[Gap, ...]:
    """The widest gaps between communities.

    Parameters
    ----------
    graph, labels
        The graph and the community number of each of its nodes.
    rows
        (n, d) embedding or term rows of the documents, dense or CSR, zero where a text is missing.
    terms
        Names of the d columns, to say what two communities share.
    min_size
        Smaller communities are left out.
    n_gaps
        How many at most.

    Returns
    -------
    tuple of Gap
        By descending score, ties by community numbers. Only pairs that resemble each other at least as
        much as the mean pair does, and that link less than by chance.

    Raises
    ------
    ConfigError
        If there is not one row a node.
    """
    if rows.shape[0] != graph.n_nodes or len(labels) != graph.n_nodes:
        raise ConfigError(
            f"One row and one label a document are needed: the network has {graph.n_nodes} documents, "
            f"but there are {rows.shape[0]} rows and {len(labels)} labels."
        )
    sizes = np.bincount(labels) if len(labels) else np.empty(0, dtype=np.int64)
    k = min(int(np.count_nonzero(sizes >= min_size)), MAX_COMMUNITIES)
    if k < 2:
        return ()
    center = _mean_rows(rows, labels, k)
    similarity = _dense(center @ center.T)
    n_edges, share = _links_against_chance(graph, labels, k)
    first, second = np.triu_indices(k, 1)
    alike, linked = similarity[first, second], share[first, second]
    score = np.round(alike * (1 - linked), 9)
    wanted = (alike >= alike.mean() - 1e-12) & (alike > 0) & (linked < 1)
    ranked = np.lexsort((second, first, -score))
    chosen = ranked[wanted[ranked]][:n_gaps]
    return tuple(
        Gap(
            int(a := first[pair]),
            int(b := second[pair]),
            float(alike[pair]),
            int(n_edges[a, b]),
            float(linked[pair]),
            float(score[pair]),
            _shared_terms(center, a, b, terms),
        )
        for pair in chosen.tolist()
    )


def _mean_rows(
    rows: NDArray[np.floating[Any]] | sp.csr_matrix, labels: NDArray[np.int64], k: int
) -> NDArray[np.float64] | sp.csr_matrix:
    """(k, d) mean row of each of the first k communities, L2-normalised; zero where all rows are."""
    inside = np.flatnonzero(labels < k)
    member = sp.csr_matrix((np.ones(len(inside)), (labels[inside], inside)), shape=(k, len(labels)))
    total = member @ (rows.astype(np.float64))
    square = total.multiply(total) if sp.issparse(total) else total * total
    length = np.sqrt(np.asarray(square.sum(axis=1)).ravel())
    scale = sp.diags_array(np.divide(1.0, length, out=np.zeros(k), where=length > 0))
    scaled = scale @ total
    return sp.csr_matrix(scaled) if sp.issparse(scaled) else np.asarray(scaled)


def _dense(matrix: Any) -> NDArray[np.float64]:
    return np.asarray(matrix.toarray() if sp.issparse(matrix) else matrix, dtype=np.float64)


def _links_against_chance(
    graph: SimilarityGraph, labels: NDArray[np.int64], k: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(k, k) edges between communities, and their weight over the weight S_a S_b / 2W of a random graph."""
    left, right = labels[graph.left], labels[graph.right]
    n = int(labels.max()) + 1
    strength = np.bincount(left, graph.weight, minlength=n) + np.bincount(right, graph.weight, minlength=n)
    both = (left < k) & (right < k)
    cell = left[both] * k + right[both]
    counts = np.bincount(cell, minlength=k * k).reshape(k, k)
    weight = np.bincount(cell, graph.weight[both], minlength=k * k).reshape(k, k)
    expected = np.outer(strength[:k], strength[:k]) / max(strength.sum(), 1e-300)
    weight = weight + weight.T
    share = np.divide(weight, expected, out=np.zeros((k, k)), where=expected > 0)
    return counts + counts.T, share


def _shared_terms(center: Any, a: int, b: int, terms: Sequence[str] | None) -> tuple[str, ...]:
    if terms is None:
        return ()
    shared = _dense(center[[a]]).ravel() * _dense(center[[b]]).ravel()
    best = np.lexsort((np.arange(len(shared)), -np.round(shared, 12)))[:N_SHARED_TERMS]
    return tuple(terms[term] for term in best.tolist() if shared[term] > 0)
