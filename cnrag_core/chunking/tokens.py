"""Counting tokens without a tokenizer: words x 1.3, rounded up.

Good enough to decide where to cut (guide 003); where a model has a limit, its own tokenizer is asked
instead. A character of a script without spaces counts as a word.
"""

from __future__ import annotations

import re
from itertools import accumulate

from cnrag_core.chunking.scripts import SPACELESS

_WORD = re.compile(f"[{SPACELESS}]|[^\\s{SPACELESS}]+")
_HAS_SPACELESS = re.compile(f"[{SPACELESS}]")


def count_words(text: str) -> int:
    """Runs of characters between spaces; a character of a script without spaces is a word of its own.

    Examples
    --------
    >>> count_words("don't panic"), count_words("今天天气好")
    (2, 5)
    """
    if text.isascii() or not _HAS_SPACELESS.search(text):
        return len(text.split())
    return sum(1 for _ in _WORD.finditer(text))


def count_tokens(text: str) -> int:
    """Approximate tokens of a text: words x 1.3, rounded up.

    Examples
    --------
    >>> count_tokens("one two three"), count_tokens("word " * 10), count_tokens("")
    (4, 13, 0)
    """
    return tokens_of_words(count_words(text))


def tokens_of_words(n_words: int) -> int:
    """Approximate tokens of that many words; in whole numbers, because 1.3 is not exact in floats."""
    return -(-13 * n_words // 10)


def word_spans(text: str, *, max_chars: int) -> list[tuple[int, int]]:
    """Character offsets ``[start, end)`` of the words, in order; a longer word is cut into several.

    Together they cover everything but the white space.
    """
    spans: list[tuple[int, int]] = []
    for match in _WORD.finditer(text):
        start, end = match.span()
        if end - start <= max_chars:
            spans.append((start, end))
        else:
            spans.extend((at, min(at + max_chars, end)) for at in range(start, end, max_chars))
    return spans


def running_totals(costs: list[int]) -> list[int]:
    """Sums of the first 0, 1, 2, ... costs."""
    return list(accumulate(costs, initial=0))
