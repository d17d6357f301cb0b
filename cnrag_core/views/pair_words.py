"""Two documents in words: what makes them alike, and who else is near.

Enters: an explanation, a network. Leaves: a sentence, a table.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import pandas as pd

from cnrag_core.graph.similarity_graph import TIE_TOLERANCE, CandidateEdges, SimilarityGraph
from cnrag_core.similarity.structured import PairExplanation

N_NEAREST = 15


class PairView(Protocol):
    """What is read of a network."""

    @property
    def graph(self) -> SimilarityGraph: ...
    @property
    def candidates(self) -> CandidateEdges: ...
    def title(self, node_id: str) -> str: ...


def pair_sentence(explanation: PairExplanation, network: PairView) -> str:
    """How similar two documents are, what adds most, and whether that links them here."""
    score = explanation.similarity
    adding = sorted(
        (part for part in explanation.contributions if part.contribution > 0), key=lambda p: -p.contribution
    )
    if not adding:
        return "Nothing that is compared is alike in these two, so no threshold above 0 links them."
    most = max(adding, key=lambda part: part.contribution)
    share = f"{most.name} adds most, {most.contribution:.3f}"
    words = f" ({', '.join(most.shared[:5])})" if most.shared else ""
    graph = network.graph
    a, b = sorted((graph.index(explanation.a), graph.index(explanation.b)))
    linked = bool(np.any((graph.left == a) & (graph.right == b)))
    verdict = "they are linked here" if linked else "they are not linked here"
    if not linked and score + TIE_TOLERANCE < graph.threshold:
        verdict += f"; a threshold of {score:.2f} would link them"
    return f"Combined similarity {score:.3f}: {share}{words}. With this rule ({graph.rule}) {verdict}."


def nearest_table(network: PairView, node_id: str) -> pd.DataFrame:
    """The most similar documents among the candidate pairs, best first, indexed by id; the document itself if none."""
    edges = network.candidates
    node = edges.index(node_id)
    at = np.flatnonzero((edges.left == node) | (edges.right == node))[:N_NEAREST]
    others = (edges.left[at].astype(np.int64) + edges.right[at] - node).tolist()
    rows = [
        {"document": network.title(edges.node_ids[other]), "similarity": round(float(weight), 4)}
        for other, weight in zip(others, edges.weight[at], strict=True)
    ]
    if not rows:
        return pd.DataFrame([{"document": network.title(node_id), "similarity": 1.0}], index=[node_id])
    return pd.DataFrame(rows, index=[edges.node_ids[other] for other in others])
