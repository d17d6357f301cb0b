"""Where names occur: in which titles, in which texts, at which characters.

Enters: documents, the field that names them, and the fields to read. Leaves: `NameIndex`, from which
mention links, shared names and the bridges of path scoring are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from cnrag_core.corpus.document import Document
from cnrag_core.graph.names import (
    Name,
    NameMatcher,
    Words,
    may_hold_names,
    phrase_spans,
    phrases_of,
    title_name,
    usable_names,
)
from cnrag_core.graph.word_stream import CutTexts, Spellings, WordStream, cut
from cnrag_core.types import Progress, silent

MAX_SAME_TITLE = 50
"""A title that more documents share (Introduction, Letters) names none of them."""

MIN_DOCUMENTS_OF_PHRASE = 2
MENTION_SAMPLE = 1000
_DOCUMENTS_AT_ONCE = 5_000
"""Documents whose words are looked at together: an array of them takes a few megabytes."""


@dataclass(frozen=True, eq=False)
class Postings:
    """Documents by name: those of name i are ``documents[indptr[i]:indptr[i + 1]]``, ascending."""

    indptr: NDArray[np.int64]
    documents: NDArray[np.int32]

    def of(self, name: int) -> NDArray[np.int32]:
        return self.documents[self.indptr[name] : self.indptr[name + 1]]

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """(n_names,) how many documents each name has."""
        return np.diff(self.indptr)


@dataclass(frozen=True, eq=False)
class NameIndex:
    """Names of a corpus and where they occur.

    Attributes
    ----------
    names
        Words of each name, joined by spaces, in sorted order.
    n_documents
        Number of documents; arrays below hold their numbers.
    title_field, fields
        The field that names a document, and those that were read.
    titled
        Documents whose title is the name.
    in_titles
        Documents whose title contains the name and more.
    in_texts
        Documents whose text contains the name, alone or within a longer name.
    document, name, field, start, end
        (n_occurrences,) int32: longest matches in the texts, in the order of documents, fields and
        places; `field` counts within the fields that were read.
    partial
        (n_occurrences,) bool: a single word within a longer capitalised run.
    own
        Names in each document's own title.
    """

    names: tuple[str, ...]
    n_documents: int
    title_field: str | None
    fields: tuple[str, ...]
    titled: Postings
    in_titles: Postings
    in_texts: Postings
    document: NDArray[np.int32]
    name: NDArray[np.int32]
    field: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    partial: NDArray[np.bool_]
    own: tuple[frozenset[int], ...]
    matcher: NameMatcher

    @cached_property
    def frequency(self) -> NDArray[np.int64]:
        """(n_names,) documents that contain each name, in title or text."""
        n = len(self.names)
        numbers = np.arange(n, dtype=np.int64)
        parts = (self.titled, self.in_titles, self.in_texts)
        keys = np.concatenate([np.repeat(numbers, p.counts) * self.n_documents + p.documents for p in parts])
        return np.bincount(np.unique(keys) // max(self.n_documents, 1), minlength=n)

    @cached_property
    def rarity(self) -> NDArray[np.float64]:
        """(n_names,) ln(1 + n / frequency) / ln(1 + n), in (0, 1]: 1 for a name in one document only."""
        n = max(self.n_documents, 1)
        rarity: NDArray[np.float64] = np.log1p(n / np.maximum(self.frequency, 1)) / np.log1p(n)
        return rarity

    @cached_property
    def _bounds(self) -> NDArray[np.int64]:
        return np.searchsorted(self.document, np.arange(self.n_documents + 1))

    def occurrences(self, document: int) -> range:
        """Places in the occurrence arrays that belong to a document."""
        return range(int(self._bounds[document]), int(self._bounds[document + 1]))

    def named_in_question(self, question: str) -> dict[int, bool]:
        """Names in a question, in reading order, and whether the question writes them with a capital."""
        words = Words(question)
        named: dict[int, bool] = {}
        for match in self.matcher.find(words, any_case=True):
            named[match.name] = named.get(match.name, False) or match.capital
        return named

    @cached_property
    def mentions(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
        """Mention links: source and target documents, and the first occurrence that makes each.

        Sorted by source and target. A name that stands in the source's own title links nothing, nor
        does a partial occurrence.
        """
        counts = self.titled.counts[self.name]
        pairs = zip(self.name.tolist(), self.document.tolist(), strict=True)
        own = np.array([name in self.own[document] for name, document in pairs], dtype=bool)
        places = np.flatnonzero((counts > 0) & ~own & ~self.partial)
        repeat = counts[places]
        occurrence = np.repeat(places, repeat)
        targets = np.concatenate(
            [self.titled.of(name) for name in self.name[places].tolist()] or [np.empty(0, dtype=np.int32)]
        )
        sources = self.document[occurrence]
        keep = sources != targets
        sources, targets, occurrence = sources[keep], targets[keep], occurrence[keep]
        order = np.lexsort((occurrence, targets, sources))
        sources, targets, occurrence = sources[order], targets[order], occurrence[order]
        first = np.ones(len(sources), dtype=bool)
        first[1:] = (np.diff(sources) != 0) | (np.diff(targets) != 0)
        return sources[first], targets[first].astype(np.int32), occurrence[first].astype(np.int64)


def index_names(
    documents: Sequence[Document],
    *,
    title_field: str | None,
    text_fields: Sequence[str],
    phrases: bool = True,
    progress: Progress = silent,
) -> NameIndex:
    """Find names in the texts of documents.

    Parameters
    ----------
    documents
        In the order of the node numbers.
    title_field
        Field that names a document; None takes the first capitalised phrase of each text instead.
    text_fields
        Fields to read.
    phrases
        Whether capitalised phrases that occur in two or more documents count as names beside titles.
    """
    if title_field is not None:
        titles = [title_name(document.text(title_field)) for document in documents]
    else:
        titles = [_first_phrase(document, text_fields) for document in documents]
    titles = _telling(titles)
    known = set(titles)
    spellings = Spellings()
    parts: list[_Part] = []
    uses: Counter[Name] = Counter()
    for first in range(0, len(documents), _DOCUMENTS_AT_ONCE):
        part = _cut(documents[first : first + _DOCUMENTS_AT_ONCE], first, text_fields, spellings)
        parts.append(part)
        if phrases:
            uses.update(_phrases_by_document(part))
        progress("names", 0.5 * first / len(documents))
    known.update(name for name, count in uses.items() if count >= MIN_DOCUMENTS_OF_PHRASE)
    names = usable_names(known)
    matcher = NameMatcher(names)
    found = [np.empty((6, 0), dtype=np.int32)]  # six numbers an occurrence; tuples would take 30 times the room
    starts = matcher.starts(spellings)
    for done, part in enumerate(parts):
        matches = matcher.find_in_stream(WordStream(part.texts), starts)
        of_text = (part.document[matches.text], matches.name, part.field[matches.text])
        found.append(np.array([*of_text, matches.start, matches.end, matches.partial], dtype=np.int32))
        progress("names", 0.5 + 0.5 * done / len(parts))
    columns = np.concatenate(found, axis=1)
    own = [frozenset(matcher.parts(title)) for title in titles]
    whole = [matcher.number.get(title) for title in titles]
    index = NameIndex(
        names=tuple(" ".join(name) for name in names),
        n_documents=len(documents),
        title_field=title_field,
        fields=tuple(text_fields),
        titled=_postings(((n, d) for d, n in enumerate(whole) if n is not None), len(names)),
        in_titles=_postings(((n, d) for d, held in enumerate(own) for n in held if n != whole[d]), len(names)),
        in_texts=_in_texts(columns[0], columns[1], names, matcher),
        document=columns[0],
        name=columns[1],
        field=columns[2],
        start=columns[3],
        end=columns[4],
        partial=columns[5].astype(bool),
        own=tuple(own),
        matcher=matcher,
    )
    progress("names", 1.0)
    return index


@dataclass(frozen=True, eq=False)
class _Part:
    """The texts of some documents that may hold names, and of which document and field each is."""

    texts: CutTexts
    document: NDArray[np.int32]
    field: NDArray[np.int32]


def _cut(documents: Sequence[Document], first: int, fields: Sequence[str], spellings: Spellings) -> _Part:
    """The words of the documents that are numbered from `first` on."""
    texts = [
        (first + place, number, text)
        for place, document in enumerate(documents)
        for number, name in enumerate(fields)
        if may_hold_names(text := document.text(name))
    ]
    owners = np.array([text[:2] for text in texts], dtype=np.int32).reshape(-1, 2)
    return _Part(cut((text for *_, text in texts), spellings), owners[:, 0], owners[:, 1])


def _phrases_by_document(part: _Part) -> Iterator[Name]:
    """The phrases of each document, each once."""
    words = WordStream(part.texts)
    spans = np.array(list(phrase_spans(words)), dtype=np.int64).reshape(-1, 2)
    document = part.document[words.text_of(spans[:, 0])]
    named = zip(document.tolist(), (words.keys[a:b] for a, b in spans.tolist()), strict=True)
    return (name for _, name in dict.fromkeys(named))


def mention_rate(
    documents: Sequence[Document], *, title_field: str, text_fields: Sequence[str], sample: int = MENTION_SAMPLE
) -> float:
    """Titles of other documents that a document names, on average over a sample spread evenly.

    Tells at little cost whether an index of names is worth building.
    """
    if not documents:
        return 0.0
    titles = _telling([title_name(document.text(title_field)) for document in documents])
    matcher = NameMatcher(usable_names(titles))
    step = max(1, len(documents) // sample)
    asked = range(0, len(documents), step)
    n_named = 0
    for place in asked:
        own = set(matcher.parts(titles[place]))
        texts = _telling_texts(documents[place], text_fields)
        named = {match.name for text in texts for match in matcher.find(Words(text)) if not match.partial}
        n_named += len(named - own)
    return n_named / len(asked)


def _telling(titles: Sequence[Name]) -> list[Name]:
    """The titles, those that many documents share emptied."""
    shared = Counter(titles)
    return [title if shared[title] <= MAX_SAME_TITLE else () for title in titles]


def _first_phrase(document: Document, fields: Sequence[str]) -> Name:
    """The first capitalised phrase of a document: what it is most likely about."""
    return next((phrase for text in _telling_texts(document, fields) for phrase in phrases_of(Words(text))), ())


def _telling_texts(document: Document, fields: Sequence[str]) -> Iterator[str]:
    """The texts of a document that may hold names."""
    return filter(may_hold_names, map(document.text, fields))


def _in_texts(
    documents: NDArray[np.int32], found: NDArray[np.int32], names: Sequence[Name], matcher: NameMatcher
) -> Postings:
    """Documents whose text contains each name, alone or within a longer one that was found there."""
    distinct, which = np.unique(found, return_inverse=True)
    parts = [matcher.parts(names[name]) for name in distinct.tolist()]
    n_parts = np.array([len(part) for part in parts], dtype=np.int64)
    flat = np.array([name for part in parts for name in part], dtype=np.int64)
    start = np.cumsum(n_parts) - n_parts
    counts = n_parts[which]
    place = (
        np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(start[which], counts)
    )
    return _postings_of(flat[place], np.repeat(documents, counts).astype(np.int64), len(names))


def _postings(pairs: Iterable[tuple[int, int]], n_names: int) -> Postings:
    """Postings of (name, document) pairs, without repeats."""
    numbers = np.fromiter(chain.from_iterable(pairs), dtype=np.int64).reshape(-1, 2)
    return _postings_of(numbers[:, 0], numbers[:, 1], n_names)


def _postings_of(names: NDArray[np.int64], documents: NDArray[np.int64], n_names: int) -> Postings:
    width = int(documents.max(initial=0)) + 1
    keys = np.unique(names * width + documents)
    return Postings(np.searchsorted(keys // width, np.arange(n_names + 1)), (keys % width).astype(np.int32))
