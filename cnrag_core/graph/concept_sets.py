"""Rare concepts of documents: names and words that few documents share.

Enters: documents and fields. Leaves: `ConceptSets`, and the pairs of documents with most in common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.corpus.document import Document
from cnrag_core.graph.names import Name, Words, phrases_of, usable_names
from cnrag_core.graph.spelling import WrittenForms, keys_of

MIN_LETTERS = 4
"""A shorter word that few documents hold is more often an abbreviation or a slip than a concept."""

MAX_PER_DOCUMENT = 10
MIN_WEIGHT = 0.1
"""Links weaker than this join documents by one of many concepts."""

_BLOCK = 1024


@dataclass(frozen=True, eq=False)
class ConceptSets:
    """Which rare concepts each document holds.

    `held` is (n_documents, n_concepts) CSR, L2-normalised rows of the concepts' rarity
    ln(1 + n / frequency); `concepts` names the columns, with the accents that the texts have.
    """

    concepts: tuple[str, ...]
    held: sp.csr_matrix

    def shared(self, first: int, second: int) -> tuple[str, ...]:
        """Concepts that two documents share, those that say most first."""
        both = self.held[first].multiply(self.held[second]).tocsr()
        order = np.lexsort((both.indices, -both.data))
        return tuple(self.concepts[column] for column in both.indices[order].tolist())


def concept_sets(
    documents: Sequence[Document], fields: Sequence[str], *, max_share: float, skip: Collection[str] = ()
) -> ConceptSets:
    """Concepts that at least two documents hold, and at most `max_share` of all (but two always may).

    A concept is a capitalised phrase, or a word of four letters or more; words of a phrase that is a
    concept itself do not count again. Nor do the words of `skip`: in a small corpus a function word may be rare.
    """
    n = len(documents)
    written = WrittenForms()
    held = [_concepts_of(document, fields, written) for document in documents]
    frequency = Counter(concept for concepts in held for concept in concepts)
    most = max(2, int(max_share * n + 1e-9))
    left_out = {(word,) for word in keys_of(skip)}
    names = usable_names(
        concept for concept, count in frequency.items() if 2 <= count <= most and concept not in left_out
    )
    number = {name: i for i, name in enumerate(names)}
    rows = [sorted(number[c] for c in _without_parts(concepts & number.keys())) for concepts in held]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
    indices = np.array([column for row in rows for column in row], dtype=np.int64)
    rarity = np.log1p(n / np.array([frequency[name] for name in names], dtype=np.float64))
    matrix = sp.csr_matrix((rarity[indices] if len(names) else np.empty(0), indices, indptr), shape=(n, len(names)))
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    matrix.data /= np.repeat(lengths, np.diff(matrix.indptr))
    return ConceptSets(tuple(" ".join(map(written, name)) for name in names), matrix)


def strongest_pairs(
    sets: ConceptSets, *, per_document: int = MAX_PER_DOCUMENT, min_weight: float = MIN_WEIGHT
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Pairs (left < right) that are among the strongest of either document, with their cosine, sorted."""
    n = sets.held.shape[0]
    transposed = sets.held.T.tocsr()
    found = [np.empty((0, 3))]
    for start in range(0, n, _BLOCK):
        block = (sets.held[start : start + _BLOCK] @ transposed).tocsr()
        rows = np.repeat(np.arange(start, start + block.shape[0]), np.diff(block.indptr))
        keep = (block.data >= min_weight) & (rows != block.indices)
        rows, columns, weights = rows[keep], block.indices[keep], block.data[keep]
        order = np.lexsort((columns, -weights, rows))
        place = np.arange(len(order)) - np.searchsorted(rows[order], rows[order], side="left")
        order = order[place < per_document]
        low, high = np.minimum(rows[order], columns[order]), np.maximum(rows[order], columns[order])
        found.append(np.column_stack([low, high, weights[order]]))
    pairs = np.concatenate(found)
    _, first = np.unique(pairs[:, 0] * max(n, 1) + pairs[:, 1], return_index=True)
    pairs = pairs[first]
    # equal sets reach 1 only up to the noise of the norm
    return pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32), np.minimum(pairs[:, 2], 1.0)


def _concepts_of(document: Document, fields: Sequence[str], written: WrittenForms) -> set[Name]:
    concepts: set[Name] = set()
    for name in fields:
        words = Words(document.text(name))
        written.read(words)
        concepts.update((key,) for key in words.keys if len(key) >= MIN_LETTERS)
        concepts.update(phrases_of(words))
    return concepts


def _without_parts(concepts: set[Name]) -> set[Name]:
    """Single words that a longer concept of the same document contains say nothing more."""
    inside = {(word,) for concept in concepts if len(concept) > 1 for word in concept}
    return concepts - inside
