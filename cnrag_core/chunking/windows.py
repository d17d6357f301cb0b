"""Windows over the words of a text: fixed, sliding, or packed from sentences and paragraphs.

Enters: a text and limits in tokens. Leaves: ranges of words ``[first, last)``; every window keeps
within the limit and no word is lost. Guide 003, "ChunkingStrategy"; guide 000, "Chunking Strategies".
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from cnrag_core.chunking.tokens import running_totals, word_spans

Range: TypeAlias = tuple[int, int]
"""Numbers of words, ``[first, last)``."""

SCALE = 10  # costs are counted in tenths of a token, so that 1.3 tokens a word is a whole number
WORD_COST = 13
MAX_WORD_CHARS = 1000


class Words:
    """The words of a text, where they are and what they cost in tokens.

    With a tokenizer a word costs what the tokenizer counts for it and the white space before it; the
    cost of a window is the sum, which is at least what the tokenizer counts for the whole. A word
    beyond `max_tokens` is halved until its parts fit.
    """

    def __init__(
        self, text: str, *, max_tokens: int | None = None, count_tokens: Callable[[str], int] | None = None
    ) -> None:
        spans = word_spans(text, max_chars=MAX_WORD_CHARS)
        if count_tokens is None:
            costs = [WORD_COST] * len(spans)
        else:
            spans, costs = _priced(text, spans, max_tokens, count_tokens)
        self.starts = [start for start, _ in spans]
        self.ends = [end for _, end in spans]
        self._totals = running_totals(costs)

    def __len__(self) -> int:
        return len(self.starts)

    def cost(self, first: int, last: int) -> int:
        """Tenths of tokens of the words ``[first, last)``."""
        return self._totals[last] - self._totals[first]

    def reach(self, first: int, limit: int) -> int:
        """Largest `last` with ``cost(first, last) <= limit``, but at least one word."""
        last = bisect_right(self._totals, self._totals[first] + limit) - 1
        return min(max(last, first + 1), len(self))

    def reach_back(self, last: int, limit: int) -> int:
        """Smallest `first` with ``cost(first, last) <= limit``; `last` itself when no word fits."""
        return bisect_left(self._totals, self._totals[last] - limit, 0, last)

    def span(self, window: Range) -> tuple[int, int]:
        """Characters from the first to the last word of a window."""
        return self.starts[window[0]], self.ends[window[1] - 1]

    def units(self, spans: Sequence[tuple[int, int]]) -> list[Range]:
        """Character spans as ranges of words; a word on a border belongs to the earlier span."""
        borders = [0, *(bisect_left(self.starts, end) for _, end in spans[:-1]), len(self)]
        return [(first, last) for first, last in pairwise(borders) if last > first]


def _priced(
    text: str, spans: list[tuple[int, int]], max_tokens: int | None, count_tokens: Callable[[str], int]
) -> tuple[list[tuple[int, int]], list[int]]:
    """Words and their costs by a tokenizer, which is asked once for each distinct word."""
    known: dict[str, int] = {}
    priced, costs, previous = [], [], 0
    stack = spans[::-1]
    while stack:
        start, end = stack.pop()
        piece = text[previous:end]
        if piece not in known:
            known[piece] = count_tokens(piece)
        if max_tokens is not None and known[piece] > max_tokens and end - start > 1:
            middle = (start + end) // 2
            stack += [(middle, end), (start, middle)]
            continue
        priced.append((start, end))
        costs.append(known[piece] * SCALE)
        previous = end
    return priced, costs


def fixed_windows(words: Words, limit: int, overlap: int) -> Iterator[Range]:
    """Full windows one after another, each beginning with the last `overlap` of the one before."""
    first = 0
    while first < len(words):
        last = words.reach(first, limit)
        yield first, last
        if last == len(words):
            return
        first = max(words.reach_back(last, overlap), first + 1)
        while words.reach(first, limit) == last:  # a costly word comes next: make room, or nothing new is read
            first += 1


def sliding_windows(words: Words, limit: int, overlap: int) -> Iterator[Range]:
    """Like fixed windows, but the final one is full too: it reaches back from the end of the text."""
    for first, last in fixed_windows(words, limit, overlap):
        if last == len(words) and first > 0:
            first = min(words.reach_back(last, limit), last - 1)  # one word at least, although it costs more
        yield first, last


def packed_windows(words: Words, units: Sequence[Range], limit: int, overlap: int) -> Iterator[Range]:
    """As many whole units as fit; each window begins with the end of the one before.

    The overlap is made of whole units where one fits into it, of words otherwise. No unit may cost
    more than `limit` (see `split_long`), unless it is a single word.
    """
    first, number = 0, 0
    while number < len(units):
        following = number + 1
        while following < len(units) and words.cost(first, units[following][1]) <= limit:
            following += 1
        yield first, units[following - 1][1]
        number = following
        if number < len(units):
            room = limit - words.cost(*units[number])
            first = _overlap_start(words, units, number, min(overlap, room))


def _overlap_start(words: Words, units: Sequence[Range], number: int, budget: int) -> int:
    """First word of a window that goes on with unit `number` and repeats at most `budget` before it."""
    border = units[number][0]
    start = border
    for first, _ in reversed(units[:number]):
        if words.cost(first, border) > budget:
            break
        start = first
    return start if start < border else words.reach_back(border, max(budget, 0))


def split_long(words: Words, units: Sequence[Range], limit: int, finer: Sequence[Range] = ()) -> list[Range]:
    """Units that fit: a longer one is cut at the borders of `finer` units, and those into full windows."""
    borders = [first for first, _ in finer]
    pieces: list[Range] = []
    for first, last in units:
        if words.cost(first, last) <= limit:
            pieces.append((first, last))
        elif inner := borders[bisect_right(borders, first) : bisect_left(borders, last)]:
            cuts = [first, *inner, last]
            pieces += split_long(words, list(pairwise(cuts)), limit)
        else:
            while first < last:
                cut = min(words.reach(first, limit), last)
                pieces.append((first, cut))
                first = cut
    return pieces
