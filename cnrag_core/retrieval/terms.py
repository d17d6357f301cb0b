"""How a text becomes the terms that a question is matched on.

Enters: a text. Leaves: its terms: words in lower case, stemmed and without accents; and character
2- to 4-grams where a script writes no spaces (Chinese, Japanese, Thai, ...). The two kinds mix within
one text, so an English name in a Chinese paragraph is still a word. Stop words are left out of
questions only: they are never what is asked, unless nothing else is ("The Who").
"""

from __future__ import annotations

import os
import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.retrieval.language import Language

MIN_GRAM, MAX_GRAM = 2, 4
UNSPACED = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Character class of the scripts whose words are not separated, Hangul with its glued particles included."""

_ASCII_SPACED = {code: chr(code) if chr(code).isalnum() else " " for code in range(128)}
"""What stands between words becomes a space: splitting there takes a third of what searching for words does."""

_AT_ONCE, _MANY = 16_384, 2_000
"""Texts that are cut at once, which bounds the memory in between; fewer than the second are cut one by one."""

_POSSESSIVE = re.compile(r"['’]s\b")
_ACCENTS = dict.fromkeys(range(0x300, 0x370))


@dataclass(frozen=True, eq=False)
class TermCounts:
    """(n_texts, n_terms) CSR float32 counts with sorted columns, and the term of each column, sorted."""

    counts: sp.csr_matrix
    terms: tuple[str, ...]


class TermAnalyzer:
    """Turns texts into terms, the same way for documents and for questions.

    Parameters
    ----------
    language
        Decides stemming and stop words; the neutral `Language()` keeps every word as it is.

    Examples
    --------
    >>> analyzer = TermAnalyzer(Language("english", "latin", "english", frozenset({"the"})))
    >>> analyzer.terms("The Café's dogs")
    ['the', 'cafe', 'dog']
    >>> analyzer.question_terms("The dogs")
    [('dogs', 'dog')]
    """

    def __init__(self, language: Language) -> None:
        self.language = language
        self._stem = _stemmer(language.stemmer)
        self._term_of: dict[str, str] = {}

    def terms(self, text: str) -> list[str]:
        """The terms of a text in order, repeats included."""
        return [term for _, term in self.words_and_terms(text)]

    def count(self, texts: Sequence[str]) -> TermCounts:
        """How often each term occurs in each text; what `terms` says of every one, in a fraction of its time."""
        codes = _TermCodes(self)
        blocks = [
            self._count_block(texts[first : first + _AT_ONCE], codes)
            for first in range(0, max(len(texts), 1), _AT_ONCE)
        ]
        found = tuple(sorted(codes.terms))  # so that nothing depends on the order in which terms are met
        place = {term: i for i, term in enumerate(found)}
        column = np.array([place[term] for term in codes.terms], dtype=np.int32)
        data, numbers = (np.concatenate(parts) for parts in ([b.data for b in blocks], [b.indices for b in blocks]))
        ends = np.concatenate([[0], *(np.diff(block.indptr) for block in blocks)]).cumsum()
        del blocks
        np.take(column, numbers, out=numbers)
        counts = sp.csr_matrix((data, numbers, ends), shape=(len(texts), len(column)))
        counts.sort_indices()
        return TermCounts(counts, found)

    def _count_block(self, texts: Sequence[str], codes: _TermCodes) -> sp.csr_matrix:
        """(n_texts, n) CSR float32 of counts by the number of the term."""
        owner, words = (np.concatenate(parts) for parts in zip(*self._cut(texts, codes), strict=True))
        shape = (len(texts), int(words.max(initial=-1)) + 1)
        return sp.csr_matrix((np.ones(len(words), np.float32), (owner, words)), shape=shape)

    def _cut(self, texts: Sequence[str], codes: _TermCodes) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """Number of the text, and of the term, of every word; in no particular order."""
        plain: dict[int, str] = {}
        others, ends = array("i"), array("i", [0])
        for number, text in enumerate(texts):
            lowered = _lowered(text)
            if len(texts) >= _MANY and lowered.isascii():
                plain[number] = lowered.strip()
            elif lowered.isascii() or not any(map(_is_unspaced, words := split_words(text))):
                others.extend(map(codes.__getitem__, lowered.split() if lowered.isascii() else words))
            else:
                others.extend(codes.of_term(term) for _, term in self.words_and_terms(text))
            ends.append(len(others))
        yield np.repeat(np.arange(len(texts), dtype=np.int32), np.diff(ends)), np.array(others, dtype=np.int32)
        numbers = np.array([number for number, text in plain.items() if text], dtype=np.int32)
        if len(numbers):
            words, cut, lengths = _cut_at_spaces(list(filter(None, plain.values())))
            yield np.repeat(numbers, lengths), np.array([codes[word] for word in words], dtype=np.int32)[cut]

    def question_terms(self, text: str) -> list[tuple[str, str]]:
        """Pairs of a word as written (in lower case) and its term, without stop words unless all are."""
        pairs = list(self.words_and_terms(text))
        telling = [pair for pair in pairs if pair[0] not in self.language.stop_words]
        return telling or pairs

    def words_and_terms(self, text: str) -> Iterator[tuple[str, str]]:
        """Pairs of a word as written (in lower case) and its term, in order."""
        for word in split_words(text):
            if _is_unspaced(word):
                for gram in character_grams(word):
                    yield gram, gram
                continue
            yield word, self.term_of(word)

    def term_of(self, word: str) -> str:
        """The term of one word of a script with spaces."""
        term = self._term_of.get(word)
        if term is None:
            # folded after stemming: stemmers read accents
            term = self._term_of[word] = fold_accents(self._stem(word)) or word
        return term


class _TermCodes(dict[str, int]):
    """Number of the term of each word that was met, in first-seen order of the terms."""

    def __init__(self, analyzer: TermAnalyzer) -> None:
        self._analyzer = analyzer
        self._code_of_term: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        code = self[word] = self.of_term(self._analyzer.term_of(word))
        return code

    def of_term(self, term: str) -> int:
        return self._code_of_term.setdefault(term, len(self._code_of_term))

    @property
    def terms(self) -> list[str]:
        return list(self._code_of_term)


def split_words(text: str) -> list[str]:
    """Words in lower case and runs of unspaced script, in order; possessive endings dropped.

    Examples
    --------
    >>> split_words("Hello, Kitty's 2nd 猫咖啡!")
    ['hello', 'kitty', '2nd', '猫咖啡']
    """
    text = _lowered(text)
    return text.split() if text.isascii() else _any_word().findall(unicodedata.normalize("NFKC", text))


def _lowered(text: str) -> str:
    """The text in lower case without possessive endings; in ASCII with nothing but spaces between words."""
    text = text.lower()
    if "'s" in text or "’s" in text:
        text = _POSSESSIVE.sub("", text)
    return text.translate(_ASCII_SPACED) if text.isascii() else text


def _cut_at_spaces(texts: Sequence[str]) -> tuple[list[str], NDArray[np.int32], NDArray[np.int64]]:
    """The distinct words of many texts, the number of each word in order, and how many words each text has.

    A columnar library does it in less than half of the time; to import it takes as long as thousands of texts.
    """
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # as in `embedding.words`
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = pc.ascii_split_whitespace(pa.array(texts, pa.large_string()))
    words = parts.flatten().dictionary_encode()
    return words.dictionary.to_pylist(), words.indices.to_numpy(), pc.list_value_length(parts).to_numpy()


def fold_accents(text: str) -> str:
    """The text without combining accents; marks that are letters of their script stay.

    Examples
    --------
    >>> fold_accents("Pál Gábor")
    'Pal Gabor'
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", text).translate(_ACCENTS))


def character_grams(run: str) -> Iterator[str]:
    """All 2-, 3- and 4-grams of a run; a run of one character is its own gram."""
    if len(run) < MIN_GRAM:
        yield run
    for size in range(MIN_GRAM, MAX_GRAM + 1):
        for start in range(len(run) - size + 1):
            yield run[start : start + size]


def _is_unspaced(word: str) -> bool:
    return not word.isascii() and _unspaced_run().match(word) is not None


@lru_cache(maxsize=1)
def _unspaced_run() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED}]")


@lru_cache(maxsize=1)
def _any_word() -> re.Pattern[str]:
    """Runs of unspaced script, or of letters, digits and the marks that belong to letters (vowel signs)."""
    marks = "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code)) in ("Mn", "Mc"))
    return re.compile(f"[{UNSPACED}]+|(?:(?![{UNSPACED}])[^\\W_]|[{re.escape(marks)}])+")


def _stemmer(algorithm: str | None):  # type: ignore[no-untyped-def]  # a bound method of an untyped library
    if algorithm is None:
        return str
    import Stemmer

    # the library's own cache is off: terms are cached here, once per distinct word
    return Stemmer.Stemmer(algorithm, 0).stemWord
