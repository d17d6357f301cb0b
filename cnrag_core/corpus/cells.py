"""What a table cell means: in CSV everything is text, and some of it is meant otherwise.

Enters: the texts of one column. Leaves: numbers, booleans, lists or objects, where the whole column is of
that kind and nothing is lost by saying so; otherwise nothing, and the texts stay as they were written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from cnrag_core.corpus.kinds import NOT_AVAILABLE, are_numbers

_WHOLE = re.compile(r"-?[1-9]\d*|0")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d*)\.(\d+)")
_ITEM = re.compile(
    r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(-?\d+(?:\.\d+)?)|(None|True|False))\s*([,\]])""", re.DOTALL
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_DECIMAL_COMMA = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d+)?")
_LITERALS = {"None": None, "True": True, "False": False}
MAX_CELL = 1_000_000


def numbers_of(texts: Sequence[str]) -> list[int | float | None] | None:
    """The column as numbers, or None when it is not one or would lose something.

    A decimal keeps its value exactly or the column stays text. ``1.10`` beside ``1.9`` looks like a version
    and stays text; prices with two decimals each are numbers. What says "not available" becomes None.

    Examples
    --------
    >>> numbers_of(["3", "-5", "NA"] + ["1"] * 20)[:3]
    [3, -5, None]
    >>> numbers_of(["007"]) is None, numbers_of(["1_2"]) is None, numbers_of(["1.10", "1.9"]) is None
    (True, True, True)
    """
    if not are_numbers(texts):
        return None
    values: list[int | float | None] = []
    decimals: set[int] = set()
    trailing_zero = False
    for text in map(str.strip, texts):
        if _WHOLE.fullmatch(text):
            values.append(int(text))
        elif found := _DECIMAL.fullmatch(text):
            number = float(text)
            if Decimal(text) != Decimal(repr(number)):
                return None
            decimals.add(len(found[1]))
            trailing_zero |= text.endswith("0")
            values.append(number)
        elif text.casefold() in NOT_AVAILABLE:
            values.append(None)
        else:
            return None
    return None if trailing_zero and len(decimals) > 1 else values


def decimal_comma_of(texts: Sequence[str]) -> str | None:
    """The first number with a comma where all are numbers and most have one: ``1.299,00`` or ``0,5``; else None.

    Examples
    --------
    >>> decimal_comma_of(["3", "1.299,00", "0,5"]), decimal_comma_of(["3,5", "red, blue"])
    ('1.299,00', None)
    """
    with_comma = n_numbers = 0
    first = None
    for text in texts:
        if len(text) > 40 or not _DECIMAL_COMMA.fullmatch(text := text.strip()):
            if len(text) > 40 or text.casefold() not in NOT_AVAILABLE:
                return None
            continue
        n_numbers += 1
        if "," in text:
            with_comma, first = with_comma + 1, first or text
    return first if 2 * with_comma > n_numbers else None


def booleans_of(texts: Sequence[str]) -> list[bool] | None:
    """The column as booleans when every text is ``true`` or ``false``, in any case."""
    folded = [text.strip().casefold() for text in texts]
    return [text == "true" for text in folded] if all(text in {"true", "false"} for text in folded) else None


def lists_of(texts: Sequence[str]) -> list[list[Any]] | None:
    """The column as lists when every text is one, as JSON or Python writes it.

    Examples
    --------
    >>> lists_of(['["a", "b"]', "['c']", "[]"])
    [['a', 'b'], ['c'], []]
    >>> lists_of(["[1] see below"]) is None
    True
    """
    values = []
    for text in texts:
        value = _list(text.strip())
        if value is None:
            return None
        values.append(value)
    return values


def objects_of(texts: Sequence[str]) -> list[dict[str, Any]] | None:
    """The column as objects when every text is a JSON object."""
    values = []
    for text in texts:
        text = text.strip()
        if not (text.startswith("{") and text.endswith("}") and len(text) <= MAX_CELL):
            return None
        value = _json(text)
        if not isinstance(value, dict):
            return None
        values.append(value)
    return values


def _list(text: str) -> list[Any] | None:
    if not (text.startswith("[") and text.endswith("]") and len(text) <= MAX_CELL):
        return None
    value = _json(text)
    return value if isinstance(value, list) else _python_list(text)


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None


def _python_list(text: str) -> list[Any] | None:
    """A flat list as Python prints it, which is how data frames land in CSV: ``['a', "b's", 3]``."""
    if text == "[]":
        return []
    items: list[Any] = []
    position = 1
    while found := _ITEM.match(text, position):
        single, double, number, literal, end = found.groups()
        quoted = single if single is not None else double
        if quoted is not None:
            items.append(_ESCAPE.sub(r"\1", quoted))
        elif number is not None:
            items.append(float(number) if "." in number else int(number) if len(number) < 400 else number)
        else:
            items.append(_LITERALS[literal])
        position = found.end()
        if end == "]":
            return items if position == len(text) else None
    return None
