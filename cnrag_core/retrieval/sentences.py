"""Sentences of the texts, as sets of terms: how much of a question each holds.

Cut when first asked for and kept for the documents that questions keep coming back to.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cnrag_core.chunking.sentences import sentence_spans
from cnrag_core.corpus.document import Document
from cnrag_core.retrieval.bm25 import TermIndex

MAX_KEPT = 20_000
"""Texts whose sentences are kept; about 2 kB each."""


@dataclass(frozen=True, eq=False)
class Sentences:
    """Sentences of one text: where each starts and ends, and the columns of its terms in the index."""

    spans: tuple[tuple[int, int], ...]
    terms: tuple[frozenset[int], ...]

    def at(self, position: int) -> int:
        """Number of the sentence that holds a character, -1 before the first."""
        return bisect_right(self.spans, position, key=lambda span: span[0]) - 1

    def shares(self, share_of_term: Mapping[int, float]) -> list[float]:
        """How much of a question each sentence holds, by the share that each of its terms has."""
        return [sum(share for column, share in share_of_term.items() if column in held) for held in self.terms]


class SentenceReader:
    """Sentences by document and field.

    Parameters
    ----------
    documents
        In the order of their numbers.
    index
        Whose terms and columns are used.
    """

    def __init__(self, documents: Sequence[Document], index: TermIndex) -> None:
        self._documents = documents
        self._index = index
        self._kept: dict[tuple[int, str], Sentences] = {}

    def of(self, document: int, field: str) -> Sentences:
        """The sentences of a field of a document."""
        key = (document, field)
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) >= MAX_KEPT:
                self._kept.clear()
            text = self._documents[document].text(field)
            spans = tuple(sentence_spans(text))
            found = self._kept[key] = Sentences(spans, tuple(self._columns(text[a:b]) for a, b in spans))
        return found

    def _columns(self, text: str) -> frozenset[int]:
        known = self._index.vocabulary
        return frozenset(known[term] for term in self._index.analyzer.terms(text) if term in known)
