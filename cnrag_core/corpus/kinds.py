"""What kind of field a set of values is: text, list, number, category, boolean or date.

Enters: the values of one field over a corpus, cleaned, without the missing ones. Leaves: its kind, and for
a list that was written as one text the separator. Kinds are guesses that a schema overrules; they decide
how a field is compared when nobody says so, and never lose anything of a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from cnrag_core.config.spec import FieldKind
from cnrag_core.corpus.document import as_text

NOT_AVAILABLE = frozenset({"na", "n/a", "n.a.", "nan", "null", "none", "-", "--", "?", "unknown"})
"""What people write into a column of numbers where there is none."""

_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+|[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?)(?:[eE][+-]?\d{1,3})?")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: ?[ap]m)?(?: ?(?:z|utc|gmt|[+-]\d{2}:?\d{2}))?"
_DATE = re.compile(
    rf"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{{0,6}},? )?"
    rf"(?:\d{{4}}-(?:0?[1-9]|1[0-2])(?:-(?:0?[1-9]|[12]\d|3[01]))?"
    rf"|\d{{4}}[/.](?:0?[1-9]|1[0-2])(?:[/.](?:0?[1-9]|[12]\d|3[01]))?"
    rf"|(?:0?[1-9]|[12]\d|3[01])[/.-](?:0?[1-9]|[12]\d|3[01])[/.-]\d{{2}}(?:\d{{2}})?"
    rf"|\d{{1,2}}\.? {_MONTH},? \d{{4}}|{_MONTH} \d{{1,2}},? \d{{4}}|{_MONTH} \d{{4}})"
    rf"(?:(?:t| |, ){_CLOCK})?",
    re.IGNORECASE,
)
_CODE = re.compile(r"[\w:/.\-#?=&%+~@,()]+", re.ASCII)
_CODE_MARK = re.compile(r"[\d:/_@#]")
_ENTITY = re.compile(r"&#?\w{1,10};")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

SEPARATORS = ("|", ";")
"""Tried in this order. A comma never makes a list by itself: it stands in too many titles and names."""

LONG_TEXT = 100
"""Characters beyond which a value is prose rather than a label."""


def is_present(value: Any) -> bool:
    """Whether there is something: not null, not blank, not an empty list."""
    if isinstance(value, str):
        return bool(value) and not value.isspace()
    return value is not None and value != []


def guess_kind(values: Sequence[Any]) -> FieldKind:
    """The kind that fits the present values of one field; ``text`` when there are none.

    Examples
    --------
    >>> guess_kind([1901, 1902]), guess_kind(["poster", "oral", "poster"]), guess_kind([["a"], ["b", "c"]])
    ('number', 'category', 'list')
    >>> guess_kind(["007", "010"]), guess_kind(["2015-11-01", "1 March 2016"])
    ('category', 'date')
    """
    if not values:
        return "text"
    if all(isinstance(value, bool) for value in values):
        return "boolean"
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return "number"
    lists = [value for value in values if isinstance(value, list)]
    if 2 * len(lists) >= len(values):
        return _kind_of_lists(lists)
    texts = [value if isinstance(value, str) else as_text(value) for value in values]
    if are_numbers(texts):
        return "number"
    if all(text.strip().casefold() in {"true", "false"} for text in texts):
        return "boolean"
    if _are_dates(texts):
        return "date"
    return "category" if _are_labels(texts) else "text"


def are_numbers(texts: Sequence[str]) -> bool:
    """Whether a field of texts holds numbers: nineteen in twenty are, and the rest say that there is none.

    A code with a leading zero (``007``) is no number, and makes its whole field one of codes.
    """
    missing = 0
    for text in texts:
        text = text.strip()
        if len(text) <= 40 and _NUMBER.fullmatch(text):
            continue
        if text.casefold() not in NOT_AVAILABLE:
            return False
        missing += 1
    return 20 * missing <= len(texts)


def list_separator(texts: Sequence[str]) -> str | None:
    """The separator of a field whose texts are clearly lists (``a|b|c``, ``a; b``), or None.

    Clearly means: the separator occurs in several texts (a bar in any, a semicolon in three of ten), and
    what stands between is short, as tags and names are and clauses of a sentence are not.

    Examples
    --------
    >>> list_separator(["squad;reading comprehension", "attention", "nlp;vision"])
    ';'
    >>> list_separator(["a, b", "c, d"]) is None
    True
    """
    for separator in SEPARATORS:
        holding = [text for text in texts if separator in text]
        share = 0.02 if separator == "|" else 0.3
        if not holding or len(holding) < share * len(texts):
            continue
        if any("://" in text or "\n" in text for text in holding):
            continue
        if separator == ";" and any(_ENTITY.search(text) for text in holding):
            continue
        items = [item for text in texts for item in split_items(text, separator)]
        if items and _are_items(items, max_words=4 if separator == ";" else 8):
            return separator
    return None


def split_items(text: str, separator: str) -> list[str]:
    """The stripped, non-empty parts between the separators."""
    return [item for part in text.split(separator) if (item := part.strip())]


def _are_items(items: Sequence[str], *, max_words: int) -> bool:
    """Whether the parts are short, as tags and names are, and not the clauses of sentences."""
    long_items = sum(len(item) > 80 for item in items)
    if 50 * long_items > len(items) or sum(map(len, items)) > 40 * len(items):
        return False
    return sum(len(item.split()) for item in items) <= max_words * len(items)


def _kind_of_lists(lists: Sequence[list[Any]]) -> FieldKind:
    """A list of turns or of long passages is prose in pieces; any other list is a set of items."""
    items = [item for value in lists for item in value]
    if items and all(isinstance(item, dict) and "content" in item for item in items):
        return "text"
    texts = [item for item in items if isinstance(item, str)]
    if texts and len(texts) == len(items) and sum(map(len, texts)) > LONG_TEXT * len(texts):
        return "text"
    return "list"


def _are_dates(texts: Sequence[str]) -> bool:
    found = sum(len(text) <= 40 and _DATE.fullmatch(text.strip()) is not None for text in texts)
    return 10 * found >= 9 * len(texts)


def _are_labels(texts: Sequence[str]) -> bool:
    """Whether short texts name classes (they repeat) or codes (ids, addresses) rather than say something."""
    if _are_codes(texts):
        return True
    if any(len(text) > LONG_TEXT or "\n" in text for text in texts):
        return False
    different = len(set(texts)) / len(texts)
    n_words = sum(map(_word_count, texts)) / len(texts)
    if different == 1.0:
        return False
    return different <= 0.8 if n_words <= 3 else n_words <= 8 and different <= 0.2


def _are_codes(texts: Sequence[str]) -> bool:
    """Whether nineteen in twenty are one word, and four in five hold a digit or a sign that words do not."""
    others = marked = 0
    for text in texts:
        if not _CODE.fullmatch(text.strip()):
            others += 1
            if 20 * others > len(texts):
                return False
        marked += _CODE_MARK.search(text) is not None
    return 5 * marked >= 4 * len(texts)


def _word_count(text: str) -> float:
    # scripts without spaces: about two characters a word
    return len(text.split()) if text.isascii() else max(len(text.split()), len(_CJK.findall(text)) / 2)


def present(values: Iterable[Any]) -> list[Any]:
    """The values that hold something."""
    return [value for value in values if is_present(value)]
