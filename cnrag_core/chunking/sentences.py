"""Where sentences and paragraphs end.

Enters: a text. Leaves: character spans. One pass over the text with a constant look-back at each
full stop, so that a megabyte of dots costs no more than a megabyte of prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_CLOSERS = "\"'”’»)\\]}」』）】》"
# Runs are taken whole and never given back, so that a failed look at what follows costs nothing twice. Groups are not:
# before Python 3.11.5 a group that is repeated like that may match what it should not (gh-106052).
_CANDIDATE = re.compile(
    f"(?P<east>[。！？｡]++[{_CLOSERS}。！？｡]*+)"  # ends a sentence whatever follows
    f"|(?P<west>[.!?…؟।։።]++[{_CLOSERS}.!?…]*+(?:[ \\t][.!?…]++)*)"  # ends one when white space follows
    r"|(?P<blank>\n[^\S\n]*+\n\s*+)"  # a blank line ends a paragraph
)
_BLANK_LINES = re.compile(r"\n[^\S\n]*+\n\s*+")
_LAST_WORD = re.compile(r"[^\s(\[{\"“‘«]+\Z")
_DOTTED_LETTERS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")  # U.S, Ph.D
_LOOK_BACK = 24  # characters; longer than any abbreviation

_FOLLOWED = """
mr mrs ms mx dr prof rev hon gen col lt sgt capt st fr messrs mme mlle sr fig figs eq eqs sec no nos vol vols pp ch cf
vs e.g i.e viz approx ca resp incl esp op
"""
_INNER = """
al etc jr inc ltd co corp bros dept univ assn ave blvd rd jan feb mar apr jun jul aug sep sept oct nov dec a.m p.m
ph.d b.sc m.sc
"""
_OPENING = """
a an the this that these those it its he she they we i you his her their our my there here in on at for from by with
as if when while after before but and so however then what who why how no not one some many all most
"""
NEVER_LAST = frozenset(_FOLLOWED.split())
"""Abbreviations that something always follows."""

OFTEN_INNER = frozenset(_INNER.split())
"""Abbreviations that may end a sentence: they do when a typical beginning follows."""

BEGINNINGS = frozenset(_OPENING.split())


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Character offsets ``[start, end)`` of the sentences, without the white space around them.

    A sentence ends at ``. ! ? …`` before white space, at ``。 ！ ？`` anywhere, and at a blank line.
    Titles, initials and abbreviations do not end one. Together the spans cover everything but the
    white space between them.

    Examples
    --------
    >>> text = "Dr. Smith met J. R. R. Tolkien at 3.14 p.m. sharp. It rained."
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Dr. Smith met J. R. R. Tolkien at 3.14 p.m. sharp.', 'It rained.']
    """
    return list(_stripped(text, _sentence_ends(text)))


def paragraph_spans(text: str) -> list[tuple[int, int]]:
    """Character offsets ``[start, end)`` of the paragraphs, which blank lines part.

    Examples
    --------
    >>> paragraph_spans("One\\nline.\\n \\nTwo.")
    [(0, 9), (12, 16)]
    """
    return list(_stripped(text, (match.end() for match in _BLANK_LINES.finditer(text))))


def _sentence_ends(text: str) -> Iterator[int]:
    for match in _CANDIDATE.finditer(text):
        if match.lastgroup != "west" or _ends_sentence(text, match):
            yield match.end()


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    """Whether western punctuation closes a sentence rather than an abbreviation, a number or a name."""
    end = match.end()
    if end == len(text):
        return True
    if not text[end].isspace():
        return False
    following = text[end : end + _LOOK_BACK].lstrip()
    if following[:1].islower():
        return False
    if match.group() != ".":
        return True
    before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
    found = _LAST_WORD.search(before)
    word = found.group() if found else ""
    if word.isdecimal() and before[: -len(word)].rstrip(" \t")[-1:] in ("", "\n"):
        return False  # the number of a list item
    if len(word) == 1 and word.isupper() and word != "I":
        return False  # an initial
    if word.lower() in NEVER_LAST:
        return False
    if word.lower() in OFTEN_INNER or _DOTTED_LETTERS.fullmatch(word):
        return _first_word(following) in BEGINNINGS
    return True


def _first_word(text: str) -> str:
    words = text.split(maxsplit=1)
    return words[0].strip("\"'“‘(").lower() if words else ""


def _stripped(text: str, ends: Iterator[int]) -> Iterator[tuple[int, int]]:
    """Spans between the ends, white space around each taken off, empty ones left out."""
    start = 0
    for end in (*ends, len(text)):
        piece = text[start:end]
        if trimmed := piece.strip():
            begin = start + len(piece) - len(piece.lstrip())
            yield begin, begin + len(trimmed)
        start = end
