"""Names in texts: titles of documents, and capitalised phrases that several documents use.

Enters: texts. Leaves: `Words`, phrases, and a `NameMatcher` that finds known names by the longest match
over words. No language model and no word list: a name is told by its capital, and a title by being one.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, pairwise
from operator import or_
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cnrag_core.chunking.scripts import SPACELESS
from cnrag_core.chunking.sentences import BEGINNINGS

if TYPE_CHECKING:
    from cnrag_core.graph.word_stream import NameStarts, Spellings, WordStream

Name: TypeAlias = tuple[str, ...]
"""The words of a name, in lower case and without accents."""

MAX_PHRASE_WORDS = 8
MAX_TITLE_WORDS = 16

_WORD = re.compile(f"[{SPACELESS}]|(?:(?![{SPACELESS}])[^\\W_])+(?:['’](?:(?![{SPACELESS}])[^\\W_])+)*")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*")
_WORD_IN_TEXT, _ASCII_WORD_IN_TEXT = (re.compile(f"({pattern.pattern})") for pattern in (_WORD, _ASCII_WORD))
_QUALIFIER = re.compile(r"(?<!\s)\s*[(\[（【][^()\[\]（）【】]*[)\]）】]\s*$")
_JOINING = frozenset({"", " ", "-", "–", "‑"})
_AFTER_INITIAL = frozenset({". ", "."})
_CONNECTING = frozenset(
    {"of", "the", "and", "for", "de", "la", "le", "du", "des", "del", "di", "da", "von", "van", "der", "den", "zu", "y"}
)
_ENDS_SENTENCE = re.compile(r"[.!?…:;\n\"“«(\[]")
_ACCENTS = dict.fromkeys(range(0x300, 0x370))


class _Reading(NamedTuple):
    """How one spelling reads, whatever stands around it."""

    key: str
    capital: bool
    caseless: bool


class Gap(NamedTuple):
    """What the characters between two words say: that these may be parts of one name, that they may be so behind an
    initial, or that a sentence ends."""

    joins: bool
    joins_initial: bool
    ends_sentence: bool

    @classmethod
    def of(cls, text: str) -> Gap:
        return cls(text in _JOINING, text in _AFTER_INITIAL, _ENDS_SENTENCE.search(text) is not None)


class WordsInOrder(Protocol):
    """What phrases are read from: the words of one text, or of many."""

    @property
    def keys(self) -> Sequence[str]: ...
    @property
    def capital(self) -> Sequence[int]: ...
    def __len__(self) -> int: ...
    def is_joined(self, at: int) -> bool: ...
    def opens_sentence(self, at: int) -> bool: ...


def words_and_gaps(text: str) -> list[str]:
    """What `Words` sees in a text: at odd places the words, at even ones what stands between and around them.

    Examples
    --------
    >>> words_and_gaps("See St. Ives!")
    ['', 'See', ' ', 'St', '. ', 'Ives', '!']
    """
    return (_ASCII_WORD_IN_TEXT if text.isascii() else _WORD_IN_TEXT).split(text)


class Words:
    """The words of one text, in order, as parallel lists; a character of a script without spaces is a word.

    Attributes
    ----------
    keys
        Lower case, without accents and possessive ending.
    spans
        Characters ``[start, end)`` in the text.
    capital
        Whether the first letter is a capital.
    caseless
        Whether it belongs to a script that has no capitals.

    Examples
    --------
    >>> words = Words("In Orléans, Jeanne's army")
    >>> list(zip(words.keys, words.capital))
    [('in', True), ('orleans', True), ('jeanne', True), ('army', False)]
    """

    __slots__ = ("_gaps", "_pattern", "_spans", "capital", "caseless", "keys", "text")

    def __init__(self, text: str) -> None:
        self._pattern = _ASCII_WORD if text.isascii() else _WORD
        self._gaps: list[str] | None = None
        self._spans: list[tuple[int, int]] | None = None
        self.text = text
        readings = list(map(_reading, self._pattern.findall(text)))
        self.keys: tuple[str, ...] = ()
        self.capital: tuple[bool, ...] = ()
        self.caseless: tuple[bool, ...] = ()
        if readings:
            self.keys, self.capital, self.caseless = zip(*readings, strict=True)

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def spans(self) -> list[tuple[int, int]]:
        if self._spans is None:  # most texts of a corpus are read for their words alone
            self._spans = [match.span() for match in self._pattern.finditer(self.text)]
        return self._spans

    def opens_sentence(self, at: int) -> bool:
        """Whether a word may stand first in a sentence, where a capital means nothing."""
        if at == 0:
            return True
        return not self.is_joined(at) and _ENDS_SENTENCE.search(self._gap(at)) is not None

    def is_joined(self, at: int) -> bool:
        """Whether only a space or hyphen parts a word from the one before, so that both may be one name.

        An initial or a short title is part of the name that follows: "George W. Bush", "St. Ives".
        """
        if at == 0:
            return False
        gap = self._gap(at)
        return gap in _JOINING or (gap in _AFTER_INITIAL and self.capital[at - 1] and len(self.keys[at - 1]) <= 2)

    def _gap(self, at: int) -> str:
        """What stands between a word and the one before."""
        if self._gaps is None:
            self._gaps = self._pattern.split(self.text)
        return self._gaps[at]


def may_hold_names(text: str) -> bool:
    """Whether a text has a capital, or letters of a script without any: where it has not, it names nothing."""
    return not (text.isascii() and text == text.lower())


def title_name(title: str) -> Name:
    """The words by which a text would name the document: without a qualifier in brackets at the end.

    Examples
    --------
    >>> title_name("Decade (Neil Young album)")
    ('decade',)
    """
    bare = _QUALIFIER.sub("", title)
    return Words(bare if bare.strip() else title).keys[:MAX_TITLE_WORDS]


def phrases_of(words: WordsInOrder) -> Iterator[Name]:
    """Capitalised phrases: runs of capitalised words, with connecting words inside, and the pieces between these.

    A single word that opens a sentence is no phrase; an opening "The" or "In" is not part of one.

    Examples
    --------
    >>> sorted(" ".join(name) for name in phrases_of(Words("The University of Chicago is near Lake Michigan.")))
    ['chicago', 'lake michigan', 'university', 'university of chicago']
    """
    for start, end in phrase_spans(words):
        yield tuple(words.keys[start:end])


def phrase_spans(words: WordsInOrder) -> Iterator[tuple[int, int]]:
    """Where the phrases of `phrases_of` are: words ``[start, end)``."""
    for start, end in _runs(words):
        opens = words.opens_sentence(start)
        if opens and words.keys[start] in BEGINNINGS:
            start, opens = start + 1, False
        if start >= end or (opens and end - start == 1):
            continue
        yield start, end
        pieces = _pieces(words, start, end)
        if len(pieces) > 1:
            yield from pieces


def _runs(words: WordsInOrder) -> Iterator[tuple[int, int]]:
    """Spans ``[start, end)`` of words that start and end with a capital and have only connecting words between."""
    end = 0
    for at in compress(range(len(words)), words.capital):
        if at < end:
            continue
        end = at + 1
        while (following := _next_in_run(words, end)) is not None and following - at < MAX_PHRASE_WORDS:
            end = following + 1
        yield at, end


def _next_in_run(words: WordsInOrder, at: int) -> int | None:
    """The next capitalised word of a run, at most two connecting words further on."""
    for place in range(at, min(at + 3, len(words))):
        if not words.is_joined(place):
            return None
        if words.capital[place]:
            return place
        if words.keys[place] not in _CONNECTING:
            return None
    return None


def _pieces(words: WordsInOrder, start: int, end: int) -> list[tuple[int, int]]:
    """The capitalised stretches between connecting words."""
    cuts = [start - 1, *(at for at in range(start, end) if not words.capital[at]), end]
    return [(a + 1, b) for a, b in pairwise(cuts) if b > a + 1]


class Match(NamedTuple):
    """A known name found in a text: its number and the characters ``[start, end)`` that name it.

    `capital` tells whether some word of it has a capital, where its script has capitals. `partial` marks
    a single word within a longer capitalised run, as "Michael" in "Michael Gambon": a lead to follow,
    but hardly a mention of the film of that title.
    """

    name: int
    start: int
    end: int
    capital: bool
    partial: bool


class StreamMatches(NamedTuple):
    """Names found in many texts, as arrays of what `Match` says of one."""

    text: NDArray[np.int64]
    name: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    partial: NDArray[np.bool_]


class NameMatcher:
    """Finds known names in texts, the longest one at each place.

    Parameters
    ----------
    names
        Distinct names; name i of the result is ``names[i]``.

    Examples
    --------
    >>> matcher = NameMatcher([("new", "york"), ("new", "york", "times"), ("times",)])
    >>> [match.name for match in matcher.find(Words("He read the New York Times in New York."))]
    [1, 0]
    >>> [match.name for match in matcher.find(Words("hard times in new york"), any_case=True)]
    [2, 0]
    """

    def __init__(self, names: Iterable[Name]) -> None:
        self.number = {name: i for i, name in enumerate(names)}
        lengths: dict[str, set[int]] = {}
        for name in self.number:
            if name:
                lengths.setdefault(name[0], set()).add(len(name))
        self._lengths = {first: sorted(sizes, reverse=True) for first, sizes in lengths.items()}

    def find(self, words: Words, *, any_case: bool = False) -> Iterator[Match]:
        """Names in reading order, without overlap.

        Parameters
        ----------
        any_case
            For questions, which people type as they like. In texts at least one word of the name must
            have a capital, where its script has capitals.
        """
        keys, n, end = words.keys, len(words), 0
        # words that have a capital, or belong to a script without any
        capitals = list(compress(range(n), map(or_, words.capital, words.caseless)))
        if not (capitals or any_case):
            return
        lengths, number = self._lengths, self.number
        capitals.append(n)
        place = 0
        for at in [at for at, key in enumerate(keys) if key in lengths]:
            while capitals[place] < at:
                place += 1
            next_capital, sizes = capitals[place], lengths[keys[at]]
            if at < end or (next_capital >= at + sizes[0] and not any_case):
                continue
            for size in sizes:
                capital = next_capital < at + size
                if at + size > n or not (capital or any_case):
                    continue
                found = number.get(keys[at : at + size])
                if found is not None:
                    end = at + size
                    partial = size == 1 and is_within_run(words, at)
                    yield Match(found, words.spans[at][0], words.spans[end - 1][1], capital, partial)
                    break

    def starts(self, spellings: Spellings) -> NameStarts:
        """How the names begin, in the numbers of a corpus whose texts are all cut."""
        from cnrag_core.graph.word_stream import NameStarts

        return NameStarts(spellings, self._lengths, {name[:2] for name in self.number if len(name) > 1})

    def find_in_stream(self, words: WordStream, starts: NameStarts) -> StreamMatches:
        """What `find` finds in each text of a stream, in order."""
        firsts, lasts, found, alone = array("q"), array("q"), array("i"), array("b")
        end, keys, lengths, number = 0, words.keys, self._lengths, self.number
        for at, next_capital in zip(*words.places(starts), strict=True):
            if at < end:
                continue
            for size in lengths[keys[at]]:
                name = number.get(keys[at : at + size]) if next_capital < at + size else None
                if name is not None:
                    end = at + size
                    firsts.append(at)
                    lasts.append(end - 1)
                    found.append(name)
                    alone.append(size == 1 and is_within_run(words, at))
                    break
        first = np.array(firsts, dtype=np.int64)
        return StreamMatches(
            words.text_of(first), np.array(found, dtype=np.int32),
            *words.characters(first, np.array(lasts, dtype=np.int64)), np.array(alone, dtype=np.bool_),
        )  # fmt: skip

    def parts(self, name: Name) -> list[int]:
        """Numbers of all known names that are a stretch of `name`, itself included."""
        return sorted(
            {
                self.number[name[start : start + size]]
                for start in range(len(name))
                for size in self._lengths.get(name[start], ())
                if name[start : start + size] in self.number
            }
        )


def is_within_run(words: WordsInOrder, at: int) -> bool:
    """Whether a capitalised word stands directly beside another one, so that both may be one name.

    A word before it that opens the sentence tells nothing: "See Rome".
    """
    before = at > 0 and words.capital[at - 1] and words.is_joined(at) and not words.opens_sentence(at - 1)
    after = at + 1 < len(words) and words.capital[at + 1] and words.is_joined(at + 1)
    return bool(words.capital[at] and (before or after))


def usable_names(names: Iterable[Name]) -> list[Name]:
    """Names that can name something, sorted: not a lone letter, number or function word."""
    return sorted(name for name in set(names) if name and not (len(name) == 1 and _says_nothing(name[0])))


def _says_nothing(word: str) -> bool:
    return len(word) < 2 or word in BEGINNINGS or word in _CONNECTING or not any(map(str.isalpha, word))


class _Readings(dict[str, _Reading]):
    """Readings of spellings already seen; texts repeat their words."""

    _MOST = 500_000

    def __missing__(self, word: str) -> _Reading:
        if len(self) >= self._MOST:
            self.clear()
        key = word.lower().replace("’", "'").removesuffix("'s")
        if not key.isascii():
            key = unicodedata.normalize("NFC", unicodedata.normalize("NFKD", key).translate(_ACCENTS))
        first = word[0]
        caseless = first.isalpha() and not (first.isupper() or first.islower() or first.istitle())
        reading = self[word] = _Reading(key, first.isupper(), caseless)
        return reading


_reading = _Readings().__getitem__


def reading_of(word: str) -> tuple[str, bool, bool]:
    """The key of a spelling, whether it has a capital, and whether its script has none."""
    return _reading(word)
