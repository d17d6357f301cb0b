"""`pagerank`: what a reader would come across who starts at the best matches and follows edges.

Personalised PageRank over similarity edges and typed links together. Where `links` scores single paths,
this sums over all of them, so a document that many good matches lead to rises even where each leads
there weakly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from cnrag_core.graph.links import TypedLinks
from cnrag_core.retrieval.boosting import explained, nothing, weight_of
from cnrag_core.retrieval.ordering import best
from cnrag_core.retrieval.ranking import PathStep, RankedResults
from cnrag_core.retrieval.strategy import RetrievalContext, RetrievalStrategy
from cnrag_core.types import Scores

PAGERANK_WEIGHT = 2.0
RESTART = 0.3
N_STARTS = 30
START_POWER = 4
LINK_WEIGHT = 3.0
"""A typed link counts as three similarity edges of weight 1: it was written, not computed."""

TOLERANCE = 1e-5
PUSH_TOLERANCE = 1e-6
PUSH_ABOVE = 300_000
"""Stored edges above which a compiled forward push replaces whole-graph rounds."""


class PageRankRetrieval(RetrievalStrategy):
    """Adds the personalised PageRank, as a share of the largest and twice, to the similarity."""

    name = "pagerank"

    def rank(self, context: RetrievalContext, n: int = 10) -> RankedResults:
        if not context.similarity.any():
            return nothing(self.name, context, n)
        starts = best(context.similarity, N_STARTS)
        restart = np.zeros(len(context.similarity))
        restart[starts] = context.similarity[starts] ** START_POWER
        restart /= restart.sum()
        ways = transitions(context)
        visits = personalised_pagerank(ways, restart)
        weight = weight_of(context, "pagerank", PAGERANK_WEIGHT)
        results = explained(self.name, context, n, {"pagerank": weight * visits / visits.max()})
        return _with_paths(results, context, restart, ways)


@dataclass(frozen=True, eq=False)
class Transitions:
    """Where a reader goes next: `steps` is (n, n) CSR whose rows sum to 1, or to 0 where nothing leads on."""

    steps: sp.csr_matrix

    @cached_property
    def arriving(self) -> sp.csr_matrix:
        """(n, n) CSR: row d holds the shares with which other nodes lead to d."""
        return self.steps.T.tocsr()


def transitions(context: RetrievalContext) -> Transitions:
    """Similarity edges and typed links in shares of their weight; kept on the graph, once a set of links."""
    links = context.typed_links
    kept: dict[int, tuple[TypedLinks | None, Transitions]] = context.graph.__dict__.setdefault("_transitions", {})
    if id(links) not in kept:
        weights = context.graph.adjacency
        if links is not None and len(links):
            weights = (weights + LINK_WEIGHT * links.adjacency).tocsr()
        out = np.asarray(weights.sum(axis=1)).ravel()
        shares = np.divide(1.0, out, out=np.zeros_like(out), where=out > 0)
        # the links are kept too, so that no other object can take their identity
        kept[id(links)] = (links, Transitions((sp.diags_array(shares) @ weights).tocsr()))
    return kept[id(links)][1]


def personalised_pagerank(transitions: Transitions, restart: Scores) -> Scores:
    """(n,) share of time spent at each node, starting over at `restart` with probability 0.3 a step.

    Parameters
    ----------
    transitions
        From a node without a way on, the reader starts over.
    restart
        (n,) distribution of the starts; it sums to 1.

    Notes
    -----
    Whole-graph rounds until less than 1e-5 changes; on large graphs forward push (Andersen, Chung and
    Lang 2006, doi:10.1109/FOCS.2006.44), whose work depends on the starts and not on the graph.
    """
    steps = transitions.steps
    if steps.nnz > PUSH_ABOVE:
        from cnrag_core.retrieval.forward_push import forward_push

        return forward_push(steps.indptr, steps.indices, steps.data, restart, RESTART, PUSH_TOLERANCE)
    stuck_at = np.flatnonzero(np.diff(steps.indptr) == 0)
    visits, change = restart, 1.0
    while change >= TOLERANCE:
        stuck = visits[stuck_at].sum()
        updated = RESTART * restart + (1 - RESTART) * (transitions.arriving @ visits + stuck * restart)
        change = float(np.abs(updated - visits).sum())
        visits = updated
    return visits


def _with_paths(results: RankedResults, context: RetrievalContext, restart: Scores, ways: Transitions) -> RankedResults:
    """The results, those that similarity alone would not have found with the start that leads there most."""
    graph, arriving = context.graph, ways.arriving
    nodes = list(results)
    for place, node in enumerate(nodes):
        if node.base_rank is not None:
            continue
        target = graph.index_of[node.node_id]
        row = slice(arriving.indptr[target], arriving.indptr[target + 1])
        sources, shares = arriving.indices[row], arriving.data[row]
        flow = restart[sources] * shares
        if len(flow) and flow.max() > 0:
            nodes[place] = replace(node, path=(_step(context, int(sources[int(np.argmax(flow))]), target),))
    return replace(results, nodes=tuple(nodes))


def _step(context: RetrievalContext, source: int, target: int) -> PathStep:
    """The edge from one node to the next: a typed link where there is one, else the similarity edge."""
    ids = context.graph.node_ids
    links = context.typed_links
    if links is not None:
        for number in links.around(source):
            link = links[number]
            if target in (links.source[number], links.target[number]):
                return PathStep(ids[source], ids[target], link.kind, link.weight, link.evidence, link.sentence)
    weight = float(context.graph.adjacency[source, target])
    return PathStep(ids[source], ids[target], "similarity", weight)
