"""The cost of following an edge when the question is known: what a walk of the product uses by default.

Enters: a question as its term index sees it. Leaves: `QueryAwareCost`, an `EdgeCost`. An edge is cheap when
it is strong, when its target resembles the question, and most of all when the target holds words of the
question that the chunk before lacks: what is still to be explained.

    cost = 0.3 / (strength (1 + 4 (similarity + 2 unexplained)))

with strength = sqrt(weight), halved for rare concepts in common and for neighbours, which nobody wrote down as
links. `similarity` is that of the target to the question, `unexplained` its BM25 over the question's terms that
are not in the source, divided by the best BM25 of any chunk. Guide 001 walks by 1 / weight.

The constants are one fixed setting for every corpus, chosen on three collections of multi-hop questions at ten
nodes (`tests/benchmarks/reach.py` prints the figures); they lie on a plateau: halving or doubling any one of them
moves the mean evidence recall by less than two points.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cnrag_core.graph.concept_graph import ConceptEdge
from cnrag_core.retrieval.bm25 import TermIndex

STEP = 0.3
"""Cost of a strong edge to a chunk that has nothing of the question; a seed costs 1 - similarity."""

EMPHASIS = 4.0
"""How much the question counts; 0 ignores it."""

UNEXPLAINED = 2.0
"""How much more the words count that the source lacks."""

STRENGTH_OF_KIND = {"shared_concepts": 0.5, "adjacent": 0.5}
"""Factors of what was found rather than written; 1 for all other kinds."""


@dataclass(frozen=True, eq=False)
class QuestionTerms:
    """A question's terms in every chunk.

    Attributes
    ----------
    number
        Place of each chunk, by id.
    contributions
        (n_chunks, n_terms) float64 BM25 of each term in each chunk, divided by the best sum of any chunk.
    """

    number: Mapping[str, int]
    contributions: NDArray[np.float64]

    @classmethod
    def of(cls, question: str, index: TermIndex, number: Mapping[str, int]) -> QuestionTerms:
        """Look the question up in an index whose texts are the chunks in the order of `number`."""
        terms = index.query_terms(question)
        contributions = np.zeros((index.n_documents, len(terms)))
        for place, (column, count) in enumerate(zip(terms.columns.tolist(), terms.counts.tolist(), strict=True)):
            holders, values = index.column(column)
            contributions[holders, place] = count * values
        best = contributions.sum(axis=1).max(initial=0.0)
        return cls(number, contributions / best if best > 0 else contributions)

    def unexplained(self, source: str, target: str) -> float:
        """What the target says to the terms of the question that the source lacks, in [0, 1]."""
        lacking = self.contributions[self.number[source]] == 0.0
        return float(self.contributions[self.number[target]][lacking].sum())


@dataclass(frozen=True, eq=False)
class QueryAwareCost:
    """Cost of edges for one question; never negative.

    Parameters
    ----------
    similarity
        Of each chunk to the question, in [0, 1]; a chunk that is not named counts 0.
    terms
        Without them only the similarity counts.
    """

    similarity: Mapping[str, float]
    terms: QuestionTerms | None = None
    step: float = STEP
    emphasis: float = EMPHASIS

    def __call__(self, source: str, edge: ConceptEdge) -> float:
        if edge.weight <= 0:
            return math.inf
        strength = math.sqrt(edge.weight) * STRENGTH_OF_KIND.get(edge.kind, 1.0)
        relevance = self.similarity.get(edge.target, 0.0)
        if self.terms is not None:
            relevance += UNEXPLAINED * self.terms.unexplained(source, edge.target)
        return self.step / (strength * (1.0 + self.emphasis * relevance))
