"""Cutting by characters at the coarsest border that fits: paragraph, line, space, character.

Enters: a text and sizes in characters. Leaves: character spans. The way of guide 001, "Split":
1,000 characters with 200 of overlap.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]
SEPARATORS = ("\n\n", "\n", " ")


def recursive_spans(text: str, max_chars: int, overlap_chars: int) -> Iterator[Span]:
    """Spans of at most `max_chars` characters, without the white space around them.

    The text is cut at the coarsest separator that occurs in it; pieces are joined again while they
    fit; a piece that is too long itself is cut at the next finer separator. A separator stays with
    the piece that it begins. Pieces up to `overlap_chars` are repeated at the start of the next span.
    """
    read_to = 0
    for start, end in _split(text, 0, len(text), SEPARATORS, max_chars, overlap_chars):
        piece = text[start:end]
        begin = start + len(piece) - len(piece.lstrip())
        finish = start + len(piece.rstrip())
        if finish > max(begin, read_to):  # white space, or nothing but the overlap, is no chunk
            yield begin, finish
            read_to = finish


def _split(text: str, start: int, end: int, separators: tuple[str, ...], size: int, overlap: int) -> Iterator[Span]:
    for level, separator in enumerate(separators):
        if text.find(separator, start, end) >= 0:
            finer = separators[level + 1 :]
            break
    else:
        yield from _character_windows(start, end, size, overlap)
        return
    fitting: list[Span] = []
    for piece in _pieces(text, start, end, separator):
        if piece[1] - piece[0] < size:
            fitting.append(piece)
            continue
        yield from _joined(fitting, size, overlap)
        fitting = []
        yield from _split(text, *piece, finer, size, overlap)
    yield from _joined(fitting, size, overlap)


def _pieces(text: str, start: int, end: int, separator: str) -> Iterator[Span]:
    """Pieces that begin with the separator, after a first one that does not."""
    at = start
    following = text.find(separator, start, end)
    while following >= 0:
        if following > at:
            yield at, following
        at = following
        following = text.find(separator, at + len(separator), end)
    yield at, end


def _joined(pieces: list[Span], size: int, overlap: int) -> Iterator[Span]:
    """Neighbouring pieces joined while they fit; the last ones are repeated up to `overlap`."""
    window: deque[Span] = deque()
    total = 0
    for piece in pieces:
        length = piece[1] - piece[0]
        if window and total + length > size:
            yield window[0][0], window[-1][1]
            while total > overlap or (total + length > size and total > 0):
                first = window.popleft()
                total -= first[1] - first[0]
        window.append(piece)
        total += length
    if window:
        yield window[0][0], window[-1][1]


def _character_windows(start: int, end: int, size: int, overlap: int) -> Iterator[Span]:
    for at in range(start, end, size - overlap):
        yield at, min(at + size, end)
        if at + size >= end:
            return
