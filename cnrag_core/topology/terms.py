"""The words of documents, in a form in which tags can be counted.

Enters: documents and the fields that describe them. Leaves: a `TermTable`: which document uses which term how
strongly. Terms are words (their forms collapsed to one stem), two or three words that recur side by
side, whole items of list fields, and character sequences of scripts without spaces.
"""

from __future__ import annotations

import html
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.chunking.scripts import SPACELESS
from cnrag_core.corpus.document import Document
from cnrag_core.topology.languages import NEUTRAL, Language, language_of

MAX_CHARACTERS = 20_000
"""Of each field only the beginning is read: what a document is about is said early."""

MAX_SPACELESS = 2_000
"""The same for scripts without spaces, where every position begins several sequences."""

MAX_ITEM_WORDS = 5
MAX_ITEM_CHARACTERS = 60
"""A longer item of a list is a sentence rather than a name, and is read as text."""

# Vowel signs of Indic and Semitic writing, which Python's \w leaves out.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff"
)
_PUNCTUATION = r"[.,;:!?()\[\]{}\"“”„«»/|•\n。，、；：！？（）]"
_ASCII_TOKEN = re.compile(rf"[a-z0-9]+(?:'[a-z0-9]+)?|{_PUNCTUATION}")  # twice as fast as the next
_TOKEN = re.compile(rf"[\w{_MARKS}]+(?:['’][\w{_MARKS}]+)?|{_PUNCTUATION}")
_SPACELESS = re.compile(f"[{SPACELESS}]+")
_MARKUP = re.compile(r"<[^<>]{1,500}>")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|[\w.+-]{1,64}@[\w-]{1,64}\.[\w.]{1,64}")
_STOCK_PHRASE = re.compile(r"state[ -]of[ -]the[ -]art")
_POSSESSIVE = re.compile(r"['’]s$")
_NUMBER_LIKE = re.compile(r"[\d.,]+(?:st|nd|rd|th|s|k|m|bn|am|pm|px|kg|km|cm|mm|gb|mb)?$")

_SEQUENCE_SIZES = (2, 3, 4)
_NEVER_AT_THE_EDGE = "的了是与與及也而这這那其之被把吗嗎呢吧啊并並但且很还還又はがをにでとものやへ"
_PLURAL_ACRONYM = re.compile(r"^([bcdfghjklmnpqrstvwxz]{3,})s$")  # "rnns", which no stemmer takes for a plural
_N_TOKENS_FOR_LANGUAGE = 250
_BREAK = -1  # between two words that are not side by side


@dataclass(frozen=True)
class Term:
    """How a term is written, and the stems it is made of (none in a script without spaces)."""

    text: str
    stems: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class TermTable:
    """Which document uses which term.

    Attributes
    ----------
    terms
        One a column.
    values
        (n_documents, n_terms) CSR float64 in (0, 1]: 1 for an item of a list, tf / (tf + 1) for what occurs
        tf times in the texts.
    """

    terms: tuple[Term, ...]
    values: sp.csr_matrix

    @property
    def n_documents(self) -> int:
        return int(self.values.shape[0])

    @property
    def texts(self) -> tuple[str, ...]:
        """How each term is written."""
        return tuple(term.text for term in self.terms)

    def weighted(self) -> sp.csr_matrix:
        """(n_documents, n_terms) CSR: `values` times log(n / df), so that common words weigh little."""
        df = np.bincount(self.values.indices, minlength=len(self.terms))
        idf = np.log(max(self.n_documents, 1) / np.maximum(df, 1))
        return sp.csr_matrix(self.values @ sp.diags_array(idf))


def term_table(documents: Sequence[Document], fields: Sequence[str]) -> TermTable:
    """Terms of the documents in the named fields; a field that a document lacks is empty."""
    reader = _Reader()
    for number, document in enumerate(documents):
        reader.read(number, document, fields)
    entries = _Entries()
    _add_words(entries, reader, len(documents))
    _add_items(entries, reader)
    _add_sequences(entries, reader, len(documents))
    return entries.table(len(documents))


def describing_fields(documents: Iterable[Document]) -> tuple[str, ...]:
    """Fields that hold a text or a list in at least one document, in alphabetical order."""
    names = {
        name
        for document in documents
        for name, value in document.fields.items()
        if isinstance(value, str | list | tuple)
    }
    return tuple(sorted(names))


class _Words(dict[str, int]):
    """Code of each word of one language; `_BREAK` for stop words, numbers and single letters."""

    def __init__(self, language: Language, words: list[str]) -> None:
        self.language, self.words = language, words
        self.first = len(words)
        self.codes: list[int] = []

    def __missing__(self, token: str) -> int:
        word = _POSSESSIVE.sub("", token)
        if word != token:
            code = self[word]
        elif len(word) < 2 or word in self.language.stop_words or not _is_wordlike(word):
            code = _BREAK
        else:
            code = len(self.words)
            self.words.append(word)
            self.codes.append(code)
        self[token] = code
        return code


class _Reader:
    """Reads one document after another into one stream of words and one of characters."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.of_language: dict[str, _Words] = {}
        self.stream, self.owner = array("i"), array("i")  # a quarter of what lists of numbers take
        self.spaceless: list[tuple[int, str]] = []
        self.items: list[tuple[int, tuple[int, ...], str]] = []

    def read(self, number: int, document: Document, fields: Sequence[str]) -> None:
        texts, items = _texts_and_items(document, fields)
        text = _plain("\n".join(texts))
        if not text.isascii() and (runs := _SPACELESS.findall(text)):
            self.spaceless.append((number, " ".join(runs)[:MAX_SPACELESS]))
            text = _SPACELESS.sub(" . ", text)
        tokens = _tokens(text)
        language = language_of([token for token in tokens[:_N_TOKENS_FOR_LANGUAGE] if token[0].isalpha()])
        if language.name not in self.of_language:
            self.of_language[language.name] = _Words(language, self.words)
        code_of = self.of_language[language.name]
        self.stream.extend(map(code_of.__getitem__, tokens))
        self.stream.append(_BREAK)
        self.owner.extend([number] * (len(tokens) + 1))
        for item in items:
            name = " ".join(item.lower().replace("_", " ").split())
            codes = tuple(code for token in _tokens(name) if (code := code_of[token]) != _BREAK)
            if codes or _is_name(name):
                self.items.append((number, codes, name))

    @cached_property
    def stems(self) -> tuple[NDArray[np.int64], int]:
        """Number of the stem of each word code, and how many stems there are; asked when all is read."""
        stems = [""] * len(self.words)
        for of_language in self.of_language.values():
            words = [self.words[code] for code in of_language.codes]
            for code, stem in zip(of_language.codes, of_language.language.stems(words), strict=True):
                stems[code] = _PLURAL_ACRONYM.sub(r"\1", stem)
        self._borrow(stems)
        number: dict[str, int] = {}
        return np.array([number.setdefault(stem, len(number)) for stem in stems], dtype=np.int64), len(number)

    def _borrow(self, stems: list[str]) -> None:
        """Texts too short to show their language take the stems that their words have where it is known."""
        neutral = self.of_language.get(NEUTRAL.name)
        others = [words for words in self.of_language.values() if words is not neutral]
        if neutral is None or not others:
            return
        known: dict[str, str] = {}
        for words in sorted(others, key=lambda words: (-len(words.codes), words.language.name)):
            for code in words.codes:
                known.setdefault(self.words[code], stems[code])
        for code in neutral.codes:
            stems[code] = known.get(self.words[code], stems[code])


def _plain(text: str) -> str:
    """Lower-case text without markup, addresses and underscores."""
    if "&" in text:
        text = html.unescape(text)
    if "<" in text:
        text = _MARKUP.sub(" . ", text)
    text = text.lower().replace("_", " ")
    if "http" in text or "www." in text or "@" in text:
        text = _ADDRESS.sub(" . ", text)
    return _STOCK_PHRASE.sub(" . ", text) if "of" in text else text


def _tokens(text: str) -> list[str]:
    return (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(text)


def _texts_and_items(document: Document, fields: Sequence[str]) -> tuple[list[str], list[str]]:
    texts: list[str] = []
    items: list[str] = []
    for name in fields:
        value = document.fields.get(name)
        if isinstance(value, list | tuple) and not any(isinstance(item, Mapping) for item in value):
            for item in document.items(name):
                (items if _is_item(item) else texts).append(item)
        else:
            texts.append(document.text(name))
    return [text[:MAX_CHARACTERS] for text in texts], items


def _is_item(item: str) -> bool:
    """Whether an entry of a list is a name, not a sentence and not markup."""
    return len(item.split()) <= MAX_ITEM_WORDS and "<" not in item and len(item) <= MAX_ITEM_CHARACTERS


def _is_wordlike(text: str) -> bool:
    return any(map(str.isalpha, text)) and not _NUMBER_LIKE.match(text)


def _is_name(item: str) -> bool:
    """Whether an item without any word of its own ("c++") is a name all the same."""
    return len(item) > 1 and _is_wordlike(item)


class _Entries:
    """(document, term, value) triples, and the terms by a key that is equal for forms of the same term."""

    def __init__(self) -> None:
        self.column: dict[Any, int] = {}
        self.terms: list[Term] = []
        self.written: dict[int, dict[str, int]] = {}  # how often an item's column was written in which way
        self.parts: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []

    def column_of(self, key: Any, term: Term) -> int:
        if key not in self.column:
            self.column[key] = len(self.terms)
            self.terms.append(term)
        return self.column[key]

    def add(self, documents: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        self.parts.append((documents, columns, values))

    def table(self, n_documents: int) -> TermTable:
        """The strongest value of each document and term."""
        for column, spellings in self.written.items():
            text = min(spellings, key=lambda spelling: (-spellings[spelling], spelling))
            self.terms[column] = Term(text, self.terms[column].stems)
        if not self.parts:
            return TermTable((), sp.csr_matrix((n_documents, 0)))
        documents, columns, values = (np.concatenate(arrays) for arrays in zip(*self.parts, strict=True))
        order = np.lexsort((-values, columns, documents))
        documents, columns, values = documents[order], columns[order], values[order]
        first = np.ones(len(values), dtype=np.bool_)
        first[1:] = (documents[1:] != documents[:-1]) | (columns[1:] != columns[:-1])
        shape = (n_documents, len(self.terms))
        return TermTable(
            tuple(self.terms), sp.csr_matrix((values[first], (documents[first], columns[first])), shape=shape)
        )


def _add_words(entries: _Entries, reader: _Reader, n_documents: int) -> None:
    """Words, and two or three neighbouring words that recur."""
    stream, owner = np.array(reader.stream, dtype=np.int32), np.array(reader.owner, dtype=np.int32)
    stem_of, n_stems = reader.stems
    words = reader.words
    if not words:
        return

    def written(code: int) -> str:
        return words[code]

    spoken = stream >= 0
    _add_most_frequent_forms(
        entries, stem_of[stream[spoken]], stream[spoken], owner[spoken], min_documents=1,
        term=lambda stem, code: ((stem,), Term(written(code), frozenset({stem}))),
    )  # fmt: skip
    for length in (2, 3):
        n = max(len(stream) - length + 1, 0)
        together = np.ones(n, dtype=np.bool_)
        key, form = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        for place in range(length):
            part = stream[place : place + n]
            together &= part >= 0
            key = key * n_stems + stem_of[part]
            form = form * len(words) + part
        _add_most_frequent_forms(
            entries, key[together], form[together], owner[: len(key)][together],
            min_documents=2 if n_documents < 50 else 3,
            term=lambda phrase, form, length=length: (
                stems := _digits(phrase, n_stems, length),
                Term(" ".join(map(written, _digits(form, len(words), length))), frozenset(stems)),
            ),
        )  # fmt: skip


def _digits(number: int, base: int, length: int) -> tuple[int, ...]:
    """The codes that were packed into one number, first to last."""
    return tuple(number // base ** (length - 1 - place) % base for place in range(length))


def _add_most_frequent_forms(
    entries: _Entries,
    keys: NDArray[np.int64],
    forms: NDArray[np.integer[Any]],
    owner: NDArray[np.integer[Any]],
    *,
    min_documents: int,
    term: Any,
) -> None:
    """Terms that at least `min_documents` documents use, each written in its most frequent form.

    `keys` are equal for forms of one term; `owner` is the document of each occurrence.
    """
    if min_documents > 1:  # most phrases are used once: they are not worth the arrays that follow
        distinct, n_used = np.unique(keys, return_counts=True)
        often = np.isin(keys, distinct[n_used >= min_documents])
        keys, forms, owner = keys[often], forms[often], owner[often]
    if not len(keys):
        return
    distinct, inverse = np.unique(keys, return_inverse=True)
    cell, count = np.unique(owner.astype(np.int64) * len(distinct) + inverse, return_counts=True)
    documents, key = cell // len(distinct), cell % len(distinct)
    del cell
    kept = np.bincount(key, minlength=len(distinct)) >= min_documents
    form, first_seen, n_used = np.unique(forms, return_index=True, return_counts=True)
    key_of_form = inverse[first_seen]
    order = np.lexsort((first_seen, -n_used, key_of_form))
    best_form = form[order][np.unique(key_of_form[order], return_index=True)[1]]
    column = np.full(len(distinct), -1, dtype=np.int64)
    for number in np.flatnonzero(kept).tolist():
        column[number] = entries.column_of(*term(int(distinct[number]), int(best_form[number])))
    used = kept[key]
    entries.add(documents[used], column[key[used]], count[used] / (count[used] + 1.0))


def _add_items(entries: _Entries, reader: _Reader) -> None:
    """Items of lists as whole names; one that the texts use too is the same term."""
    stem_of, _ = reader.stems
    documents, columns = [], []
    for number, codes, name in reader.items:
        stems = tuple(int(stem_of[code]) for code in codes)
        column = entries.column_of(stems or name, Term(name, frozenset(stems)))
        spellings = entries.written.setdefault(column, {})
        spellings[name] = spellings.get(name, 0) + 1
        documents.append(number)
        columns.append(column)
    entries.add(np.array(documents, dtype=np.int64), np.array(columns, dtype=np.int64), np.ones(len(columns)))


def _add_sequences(entries: _Entries, reader: _Reader, n_documents: int) -> None:
    """Sequences of 2 to 4 characters that at least two documents share."""
    if not reader.spaceless:
        return
    text = "  ".join(part for _, part in reader.spaceless)
    lengths = np.array([len(part) + 2 for _, part in reader.spaceless], dtype=np.int64)
    owner = np.repeat(np.array([number for number, _ in reader.spaceless], dtype=np.int64), lengths)[: len(text)]
    letters, codes = np.unique(np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32), return_inverse=True)
    space = np.isin(letters, [ord(" ")])[codes]
    at_edge = np.isin(letters, [ord(letter) for letter in _NEVER_AT_THE_EDGE])[codes] | space
    hiragana = ((letters >= 0x3040) & (letters <= 0x309F))[codes]
    for size in _SEQUENCE_SIZES:
        n = len(codes) - size + 1
        if n <= 0:
            continue
        key = np.zeros(n, dtype=np.int64)
        usable = ~at_edge[:n] & ~at_edge[size - 1 :]
        only_hiragana = np.ones(n, dtype=np.bool_)
        for offset in range(size):
            part = slice(offset, offset + n)
            key = key * 65_536 + codes[part]
            usable &= ~space[part]
            only_hiragana &= hiragana[part]
        usable &= ~only_hiragana
        start = np.flatnonzero(usable)
        _add_most_frequent_forms(
            entries, key[start], key[start], owner[:n][start], min_documents=2,
            term=lambda code, _, size=size: _sequence_term(code, size, letters),
        )  # fmt: skip


def _sequence_term(code: int, size: int, letters: NDArray[np.uint32]) -> tuple[str, Term]:
    text = "".join(reversed([chr(int(letters[(code >> (16 * place)) % 65_536])) for place in range(size)]))
    return text, Term(text)
