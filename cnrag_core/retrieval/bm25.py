"""BM25 over the texts of a corpus: an index of terms, and what each term contributes to each document.

Enters: texts and a `TermAnalyzer`. Leaves: `TermIndex`, whose scores come from bm25s (Lucene's variant).
Contributions are kept apart by term, because path scoring asks for the score on *some* of a question's
terms, and explanations name the words that matched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.retrieval.language import detect_language
from cnrag_core.retrieval.terms import TermAnalyzer
from cnrag_core.types import Scores


@dataclass(frozen=True, eq=False)
class QueryTerms:
    """A question seen through an index.

    Attributes
    ----------
    words
        Words of the question that occur in the corpus, as written, one a term.
    columns
        (n_terms,) their columns in the index, without repeats, in order of first use.
    counts
        (n_terms,) how often the question says each.
    """

    words: tuple[str, ...]
    columns: NDArray[np.int64]
    counts: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.words)


class TermIndex:
    """BM25 contributions as a (n_documents, n_terms) CSC matrix.

    Parameters
    ----------
    texts
        One text a document; blank ones match nothing.
    analyzer
        How texts become terms; by default for the language that the texts are found to be in.

    Notes
    -----
    contribution(t, d) = idf(t) tf / (tf + k1 (1 - b + b |d| / mean |d|)), idf(t) = ln(1 + (N - df + .5) / (df + .5)),
    with k1 = 1.5 and b = 0.75: the variant of Apache Lucene, computed by bm25s (Lu 2024, arXiv:2407.03618).
    """

    def __init__(self, texts: Sequence[str], analyzer: TermAnalyzer | None = None) -> None:
        self.analyzer = analyzer or TermAnalyzer(detect_language(texts))
        self.n_documents = len(texts)
        terms = [self.analyzer.terms(text) for text in texts]
        # sorted, so that nothing depends on the order in which terms are met
        self.vocabulary = {term: i for i, term in enumerate(sorted({t for document in terms for t in document}))}
        self.matrix = self._contributions(terms)
        self.document_frequency = np.diff(self.matrix.indptr)
        n, df = self.n_documents, self.document_frequency
        self.idf: NDArray[np.float64] = np.log1p((n - df + 0.5) / (df + 0.5))

    def _contributions(self, terms: Sequence[Sequence[str]]) -> sp.csc_matrix:
        shape = (self.n_documents, len(self.vocabulary))
        if not self.vocabulary:
            return sp.csc_matrix(shape, dtype=np.float32)
        import bm25s

        lookup = self.vocabulary
        index = bm25s.BM25()
        ids = [[lookup[term] for term in document] for document in terms]
        index.index((ids, dict(lookup)), create_empty_token=False, show_progress=False)
        scores = index.scores
        matrix = sp.csc_matrix((scores["data"], scores["indices"], scores["indptr"]), shape=shape)
        matrix.sort_indices()
        return matrix

    def query_terms(self, text: str) -> QueryTerms:
        """The terms of a question that the corpus knows."""
        words: dict[int, str] = {}
        counts: dict[int, int] = {}
        for word, term in self.analyzer.question_terms(text):
            column = self.vocabulary.get(term)
            if column is not None:
                words.setdefault(column, word)
                counts[column] = counts.get(column, 0) + 1
        return QueryTerms(
            tuple(words.values()),
            np.fromiter(words, dtype=np.int64, count=len(words)),
            np.fromiter(counts.values(), dtype=np.float64, count=len(counts)),
        )

    def score(self, terms: QueryTerms) -> Scores:
        """(n,) BM25 of every document; 0 where no term occurs."""
        scores = np.zeros(self.n_documents)
        for column, count in zip(terms.columns, terms.counts, strict=True):
            documents, contributions = self.column(column)
            scores[documents] += count * contributions
        return scores

    def column(self, column: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Documents that contain a term, ascending, and what it contributes to each."""
        start, end = self.matrix.indptr[column], self.matrix.indptr[column + 1]
        return self.matrix.indices[start:end], self.matrix.data[start:end]

    def words_in(self, terms: QueryTerms, document: int) -> tuple[str, ...]:
        """The question's words that a document contains, in the question's order."""
        found = []
        for word, column in zip(terms.words, terms.columns, strict=True):
            documents, _ = self.column(column)
            place = int(np.searchsorted(documents, document))
            if place < len(documents) and documents[place] == document:
                found.append(word)
        return tuple(found)
