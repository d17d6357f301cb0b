"""The words of many texts in one row, as numbers: read once, for phrases first and then for names.

Enters: texts. Leaves: `WordStream`, which answers as `Words` does, but for all texts at once and with what can
be told of every word at the same time told by arrays. A corpus repeats its words and what stands between
them, so each spelling is read once.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from cnrag_core.graph.names import Gap, Name, reading_of, words_and_gaps


class _Numbers(dict[str, int]):
    """Numbers of texts in the order in which they are first met."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


class Spellings:
    """The spellings of a corpus and what stands between them, by number; read when an array is asked for."""

    def __init__(self) -> None:
        self.words, self.gaps, self._keys = _Numbers(), _Numbers(), _Numbers()
        self.end = self.words[""]  # no word of any text; stands behind the last one of each
        self._read = self._of_words([])
        self._read_gaps = self._of_gaps([])
        self.key_of: list[str] = []

    def of_words(self) -> NDArray[np.int32]:
        """(5, n_spellings): number of the key, whether it has a capital, or no case, and whether it has no more than
        two characters; the length of the spelling in characters."""
        if self._read.shape[1] < len(self.words):
            more = self._of_words(list(self.words)[self._read.shape[1] :])
            self._read = np.concatenate([self._read, more], axis=1)
            self.key_of = list(self._keys)
        return self._read

    def of_gaps(self) -> NDArray[np.int32]:
        """(4, n_gaps): whether it joins, joins behind an initial, ends a sentence, and its length in characters."""
        if self._read_gaps.shape[1] < len(self.gaps):
            more = self._of_gaps(list(self.gaps)[self._read_gaps.shape[1] :])
            self._read_gaps = np.concatenate([self._read_gaps, more], axis=1)
        return self._read_gaps

    def number_of(self, key: str) -> int:
        """The number of a key, -1 where it does not occur."""
        return self._keys.get(key, -1)

    def _of_words(self, spellings: Sequence[str]) -> NDArray[np.int32]:
        rows = []
        for spelling in spellings:
            key, capital, caseless = reading_of(spelling) if spelling else ("", False, False)
            rows.append((self._keys[key], capital, caseless, len(key) <= 2, len(spelling)))
        return np.array(rows, dtype=np.int32).reshape(-1, 5).T

    def _of_gaps(self, gaps: Sequence[str]) -> NDArray[np.int32]:
        return np.array([(*Gap.of(gap), len(gap)) for gap in gaps], dtype=np.int32).reshape(-1, 4).T


@dataclass(frozen=True, eq=False)
class CutTexts:
    """Texts cut into words, 8 bytes a word.

    Attributes
    ----------
    spellings
        What the numbers mean.
    words, gaps
        (n_words,) int32: each word, and what stands before it. Behind the last word of a text stands the word
        that ends it, and before that what follows in the text.
    start
        (n_texts,) int64 place of the first word of each text.
    """

    spellings: Spellings
    words: NDArray[np.int32]
    gaps: NDArray[np.int32]
    start: NDArray[np.int64]


def cut(texts: Iterable[str], spellings: Spellings) -> CutTexts:
    """The words of some texts, in order."""
    words, gaps, start = array("i"), array("i"), array("q")
    number, number_of_gap, end = spellings.words.__getitem__, spellings.gaps.__getitem__, spellings.end
    for text in texts:
        parts = words_and_gaps(text)
        start.append(len(words))
        words.extend(map(number, parts[1::2]))
        words.append(end)
        gaps.extend(map(number_of_gap, parts[::2]))
    return CutTexts(
        spellings, np.array(words, dtype=np.int32), np.array(gaps, dtype=np.int32), np.array(start, dtype=np.int64)
    )


class NameStarts:
    """How known names begin, in the numbers of a corpus.

    Parameters
    ----------
    spellings
        Of all texts, cut before.
    sizes
        Numbers of words, longest first, of the names that begin with a word.
    pairs
        The first two words of each name of more than one.

    Attributes
    ----------
    longest
        (n_keys,) words of the longest name that begins with a key, 0 for none.
    single
        (n_keys,) whether the key alone is a name.
    pairs
        Numbers of the pairs.
    """

    def __init__(self, spellings: Spellings, sizes: Mapping[str, Sequence[int]], pairs: Iterable[Name]) -> None:
        spellings.of_words()
        self._n_keys = n = len(spellings.key_of)
        self.longest, self.single = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
        for key, of_key in sizes.items():
            number = spellings.number_of(key)
            if number >= 0:
                self.longest[number], self.single[number] = of_key[0], of_key[-1] == 1
        numbers = [(spellings.number_of(first), spellings.number_of(second)) for first, second in pairs]
        known = np.array(numbers, dtype=np.int64).reshape(-1, 2)
        known = known[(known >= 0).all(axis=1)]
        self.pairs = self.pair(known[:, 0], known[:, 1])

    def pair(self, first: NDArray[np.integer[Any]], second: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """(n,) one number for each two keys."""
        return first.astype(np.int64) * self._n_keys + second


class _Keys(Sequence[str]):
    """Keys of a stream, looked up when they are asked for."""

    def __init__(self, numbers: NDArray[np.int32], key_of: Sequence[str]) -> None:
        self._numbers, self._key_of = numbers, key_of

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Name: ...
    def __getitem__(self, at: int | slice) -> str | Name:
        if isinstance(at, slice):
            numbers: list[int] = self._numbers[at].tolist()
            return tuple(map(self._key_of.__getitem__, numbers))
        return self._key_of[int(self._numbers[at])]


class WordStream:
    """The words of some texts, to be asked like `Words`; no phrase and no name reaches over the end of a text.

    Attributes
    ----------
    keys
        As of `Words`.
    capital
        One byte a word: whether its first letter is a capital.
    """

    def __init__(self, texts: CutTexts) -> None:
        self._texts = texts
        key, capital, caseless, short, self._length = texts.spellings.of_words()
        self._joins, self._joins_initial, self._ends, self._gap_length = texts.spellings.of_gaps()
        self._key = key[texts.words]
        self._capital = capital[texts.words].astype(np.bool_)
        self._caseless = caseless[texts.words].astype(np.bool_)
        self._short = short[texts.words].astype(np.bool_)
        self.keys = _Keys(self._key, texts.spellings.key_of)
        self.capital = self._capital.tobytes()

    def __len__(self) -> int:
        return len(self._key)

    def is_joined(self, at: int) -> bool:
        """As of `Words`."""
        return bool(self._joined[at])

    def opens_sentence(self, at: int) -> bool:
        """As of `Words`."""
        return bool(self._opens[at])

    @cached_property
    def _joined(self) -> bytes:
        gaps = self._texts.gaps
        initial = np.zeros(len(gaps), dtype=np.bool_)
        initial[1:] = self._capital[:-1] & self._short[:-1]
        joined = self._joins[gaps].astype(np.bool_) | (self._joins_initial[gaps].astype(np.bool_) & initial)
        joined[self._texts.start] = False
        return bytes(joined)

    @cached_property
    def _opens(self) -> bytes:
        opens = self._ends[self._texts.gaps].astype(np.bool_) & ~np.frombuffer(self._joined, dtype=np.bool_)
        opens[self._texts.start] = True
        return bytes(opens)

    def text_of(self, at: NDArray[np.int64]) -> NDArray[np.int64]:
        """(n,) number of the text in which each place lies."""
        return np.searchsorted(self._texts.start, at, side="right") - 1

    def next_capital(self) -> NDArray[np.int64]:
        """(n_words,) place of the first word from each on that has a capital, or no case; n_words for none."""
        n = len(self)
        place = np.where(self._capital | self._caseless, np.arange(n), n)
        return np.minimum.accumulate(place[::-1])[::-1]

    def places(self, starts: NameStarts) -> tuple[list[int], list[int]]:
        """Where a name may begin, and where the next capital from there on is."""
        next_capital = self.next_capital()
        at = np.flatnonzero(starts.longest[self._key])
        at = at[next_capital[at] < at + starts.longest[self._key[at]]]
        following = self._key[np.minimum(at + 1, len(self) - 1)]
        may_be_long = np.isin(starts.pair(self._key[at], following), starts.pairs)
        at = at[may_be_long | (starts.single[self._key[at]] & (next_capital[at] == at))]
        return at.tolist(), next_capital[at].tolist()

    def characters(
        self, first: NDArray[np.int64], last: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where words `first` begin and words `last` end, in characters of their texts."""
        gap, word = (
            self._gap_length[self._texts.gaps].astype(np.int64),
            self._length[self._texts.words].astype(np.int64),
        )
        end = np.cumsum(gap + word)
        start_of_text = (end - gap - word)[self._texts.start][self.text_of(first)]
        return (end - word)[first] - start_of_text, end[last] - start_of_text
