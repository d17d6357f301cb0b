"""Path scoring: documents that a good match leads to, by the names it mentions.

Enters: a question, its similarities, and the names of the corpus. Leaves: `PathScores`: what each
document gains because a match p leads to it. Many questions need two documents that do not resemble
each other ("Where was the director of Angi Vera born?"): p answers one half, and names what the other
half is about.

A path leads from p to d over a *bridge*, a name in the text of p that is the title of d, or part of its
title, or rare and in its text. Its score is ``s(p) / s(best) x bridge x (1 + 3 x reduced)``, where

- s is the similarity, plus 1.5 times the rarity of each title that the question names;
- bridge is the rarity of the name; up to half as much again when the sentence of p that holds it speaks
  of the question; 0.4 of that where the name is not the whole title; half of it where the name is
  nothing new, being p's own title or in the question already;
- reduced is the BM25 score of d on the terms of the question that p does *not* contain: what is still
  to be explained.

The best path of each document is added from the ten best matches, and once more (0.6 of it) from the
five best of the result, which reaches documents two steps away. References and neighbours in a
conversation are bridges too, as strong as a title that one document names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cnrag_core.graph.links import TypedLinks
from cnrag_core.retrieval.bm25 import QueryTerms
from cnrag_core.retrieval.bridges import BridgeFinder
from cnrag_core.retrieval.ordering import best
from cnrag_core.retrieval.path_setting import PATHS, PathSetting
from cnrag_core.retrieval.query import QueryScorer
from cnrag_core.retrieval.ranking import PathStep
from cnrag_core.types import Scores


@dataclass(frozen=True, eq=False)
class PathScores:
    """What path scoring adds to each document, and how it came about.

    Attributes
    ----------
    title
        (n,) gained because the question names the document.
    path
        (n,) gained over paths, all rounds together.
    via
        One (n,) array a round: the document that each one's best path comes from, -1 where none does.
    """

    title: Scores
    path: Scores
    via: tuple[NDArray[np.int64], ...] = field(repr=False)
    finder: BridgeFinder = field(repr=False)
    _gained: tuple[Scores, ...] = field(repr=False)

    def steps(self, document: int) -> tuple[PathStep, ...]:
        """The best path to a document, step by step from the match where it starts; empty where none leads there."""
        rounds = [r for r in range(len(self.via)) if self.via[r][document] >= 0]
        if not rounds:
            return ()
        last = max(rounds, key=lambda r: (self._gained[r][document], -r))
        start = int(self.via[last][document])
        path = [self.finder.step(start, document)]
        # a start of a later round may itself have been reached over a path
        if last > 0 and self.via[0][start] >= 0 and self._gained[0][start] > 0:
            origin = int(self.via[0][start])
            if origin != document:
                path.insert(0, self.finder.step(origin, start))
        return tuple(path)


def score_paths(
    question: str,
    similarity: Scores,
    scorer: QueryScorer,
    links: TypedLinks | None = None,
    *,
    setting: PathSetting = PATHS,
) -> PathScores:
    """What every document gains over paths from the best matches.

    Parameters
    ----------
    question
        Without filters.
    similarity
        (n,) in [0, 1], by any of the query modes.
    scorer
        Source of texts, terms and names.
    links
        Typed links; references and neighbours among them are followed too.
    setting
        The constants.
    """
    terms = scorer.index.query_terms(question)
    named = scorer.names.named_in_question(question)
    finder = BridgeFinder(scorer, links, terms, named, setting)
    contributions = relative_contributions(scorer, terms)
    title = setting.title * named_titles(scorer, named)
    path = np.zeros(len(similarity))
    via, gains = [], []
    for n_starts, weight in setting.rounds:
        gained, came_from = _round(similarity + title + path, n_starts, finder, contributions, setting)
        path = path + weight * gained
        via.append(came_from)
        gains.append(weight * gained)
    return PathScores(title, path, tuple(via), finder, tuple(gains))


def _round(
    scores: Scores, n_starts: int, finder: BridgeFinder, contributions: NDArray[np.float32], setting: PathSetting
) -> tuple[Scores, NDArray[np.int64]]:
    """(n,) score of the best path to each document from the best ones, and where it starts."""
    gained = np.zeros(len(scores))
    came_from = np.full(len(scores), -1, dtype=np.int64)
    starts = best(scores, n_starts).tolist()
    for start in starts:
        bridges = finder.of(start)
        missing = contributions[:, start] == 0
        reduced = contributions[np.ix_(missing, bridges.targets)].sum(axis=0, dtype=np.float64)
        values = scores[start] / scores[starts[0]] * bridges.weights * (1 + setting.reduced * reduced)
        better = values > gained[bridges.targets]
        gained[bridges.targets[better]] = values[better]
        came_from[bridges.targets[better]] = start
    return gained, came_from


def relative_contributions(scorer: QueryScorer, terms: QueryTerms) -> NDArray[np.float32]:
    """(n_terms, n) BM25 of each term in each document, as a share of the best full score."""
    index = scorer.index
    contributions = np.zeros((len(terms), index.n_documents), dtype=np.float32)
    for row, (column, count) in enumerate(zip(terms.columns, terms.counts, strict=True)):
        documents, values = index.column(column)
        contributions[row, documents] = count * values
    best_score = contributions.sum(axis=0).max(initial=0.0)
    return contributions / best_score if best_score > 0 else contributions


def named_titles(scorer: QueryScorer, named: Mapping[int, bool]) -> Scores:
    """(n,) rarity of the titles that a question names.

    A title that the question writes without capitals may be a common word ("film"), so it counts no
    more than the rarest of its words does in the texts, however written.
    """
    names, index = scorer.names, scorer.index
    gained = np.zeros(len(scorer.documents))
    for name, capital in named.items():
        rarity = float(names.rarity[name])
        if not capital:
            columns = [index.vocabulary[t] for t in index.analyzer.terms(names.names[name]) if t in index.vocabulary]
            frequency = index.document_frequency[columns].min() if columns else 1
            n = index.n_documents
            rarity = min(rarity, float(np.log1p(n / frequency) / np.log1p(n)))
        gained[names.titled.of(name)] += rarity
    return gained
