"""Numbers in a few classes that a legend can name.

Enters: one number a document, some of them missing. Leaves: `Classes`, at most six, of about equally many
documents each, named by the smallest and the largest value that they really hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

MOST_CLASSES = 6

_DAY = re.compile(r"(\d{4})(?:[-/.](\d{1,2}))?(?:[-/.](\d{1,2}))?")


@dataclass(frozen=True, eq=False)
class Classes:
    """Classes of numbers, ascending.

    Attributes
    ----------
    labels
        ``"3–8"``, or one value where the class holds no other.
    class_of
        (n,) int64 place of each number's class; -1 where it is missing.
    """

    labels: tuple[str, ...]
    class_of: NDArray[np.int64]


def classes_of(values: NDArray[np.float64], in_words: Callable[[float], str]) -> Classes:
    """The classes of some numbers; NaN is missing.

    Few different values are a class each; many are cut at quantiles, where equal values stay together.

    Examples
    --------
    >>> found = classes_of(np.array([1.0, 2.0, np.nan, 2.0]), number_words)
    >>> found.labels, found.class_of.tolist()
    (('1', '2'), [0, 1, -1, 1])
    """
    known = np.isfinite(values)
    different = np.unique(values[known])
    if not len(different):
        return Classes((), np.full(len(values), -1, dtype=np.int64))
    if len(different) <= MOST_CLASSES:
        lows = different
    else:
        shares = np.linspace(0, 1, MOST_CLASSES + 1)[:-1]
        lows = np.unique(np.quantile(values[known], shares, method="higher"))
    places = np.full(len(values), -1, dtype=np.int64)
    places[known] = np.searchsorted(lows, values[known], side="right") - 1
    held = [np.flatnonzero(places == place) for place in range(len(lows))]
    labels = [_label(float(values[at].min()), float(values[at].max()), in_words) for at in held]
    return Classes(tuple(labels), places)


def number_words(value: float) -> str:
    """A number as people wrote it: no separators below 10,000, so that years read as years.

    Examples
    --------
    >>> number_words(1986.0), number_words(12500.0), number_words(0.25)
    ('1986', '12,500', '0.25')
    """
    if value.is_integer():
        return f"{int(value)}" if abs(value) < 10_000 else f"{int(value):,}"
    return f"{value:.4g}" if abs(value) < 10_000 else f"{value:,.0f}"


def date_number(text: str) -> float | None:
    """Days since year 1 of a date that begins with its year; None for anything else.

    Examples
    --------
    >>> date_number("2020-02-03"), date_number("2020"), date_number("in spring")
    (737458.0, 737425.0, None)
    """
    found = _DAY.match(text.strip())
    if found is None:
        return None
    year, month, day = (int(part) if part else 1 for part in found.groups())
    try:
        return float(date(year, month, day).toordinal())
    except ValueError:
        return None


def date_words(value: float) -> str:
    """The day of a number that `date_number` made."""
    return date.fromordinal(int(value)).isoformat()


def _label(low: float, high: float, in_words: Callable[[float], str]) -> str:
    first, last = in_words(low), in_words(high)
    return first if first == last else f"{first}–{last}"
