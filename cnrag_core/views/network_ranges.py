"""A range over a number or a date of the documents: a time slider, or a price from here to there.

Enters: documents and the kinds of their fields. Leaves: which documents lie inside, and how many do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cnrag_core.config.spec import FieldKind
from cnrag_core.corpus.document import Document
from cnrag_core.views.network_classes import date_number, date_words, number_words

Span: TypeAlias = tuple[str, float, float]
"""Name of a field, least and greatest value that are kept; both are inside."""

SEPARATOR = ".."


@dataclass(frozen=True, eq=False)
class RangeField:
    """A field whose values lie on a line.

    Attributes
    ----------
    name
        Of the field.
    values
        (n,) float64, one a document, NaN where it has none; dates as days since year 1.
    stops
        Its different values, ascending: where a slider may stand.
    in_words
        A value as people write it.
    """

    name: str
    values: NDArray[np.float64]
    stops: NDArray[np.float64]
    in_words: Callable[[float], str]

    @property
    def n_missing(self) -> int:
        """Documents without a value."""
        return int(np.count_nonzero(~np.isfinite(self.values)))

    def inside(self, low: float, high: float) -> NDArray[np.bool_]:
        """(n,) whether each document lies within; one without a value never does."""
        return np.asarray((self.values >= low) & (self.values <= high))

    def words(self, low: float, high: float) -> str:
        """``1990 to 2000``, or one value where they are the same."""
        first, last = self.in_words(low), self.in_words(high)
        return first if first == last else f"{first} to {last}"


def range_names(documents: Sequence[Document], kinds: Mapping[str, FieldKind]) -> list[str]:
    """Fields of numbers and dates with two different values or more, dates first."""
    return list(fields_with_range(documents, kinds))


def fields_with_range(documents: Sequence[Document], kinds: Mapping[str, FieldKind]) -> dict[str, RangeField]:
    """The same fields with their values, by name."""
    names = [name for name, kind in kinds.items() if kind in ("date", "number")]
    ordered = sorted(names, key=lambda name: kinds[name] != "date")
    fields = {name: range_field(documents, kinds, name) for name in ordered}
    return {name: field for name, field in fields.items() if len(field.stops) > 1}


def range_field(documents: Sequence[Document], kinds: Mapping[str, FieldKind], name: str) -> RangeField:
    """The values of one field; a field that is no number and no date has none."""
    kind = kinds.get(name)
    if kind == "date":
        found = [date_number(document.text(name)) for document in documents]
    else:
        found = [document.number(name) if kind == "number" else None for document in documents]
    values = np.array([np.nan if value is None else value for value in found], dtype=np.float64)
    return RangeField(
        name, values, np.unique(values[np.isfinite(values)]), date_words if kind == "date" else number_words
    )


def span_text(span: Span) -> str:
    """A span as a link carries it.

    Examples
    --------
    >>> span_text(("year", 1990.0, 2000.5))
    'year:1990..2000.5'
    """
    name, low, high = span
    return f"{name}:{low:.12g}{SEPARATOR}{high:.12g}"


def span_of_text(text: str, names: Sequence[str]) -> Span | None:
    """What `span_text` wrote, where it names one of these fields; None for anything else.

    Examples
    --------
    >>> span_of_text("year:1990..2000.5", ["year"])
    ('year', 1990.0, 2000.5)
    >>> span_of_text("year:1990", ["year"]) is span_of_text("price:1..2", ["year"]) is None
    True
    """
    name, colon, bounds = text.rpartition(":")
    first, dots, last = bounds.partition(SEPARATOR)
    if not (colon and dots and name in names):
        return None
    try:
        low, high = float(first), float(last)
    except ValueError:
        return None
    return (name, low, high) if low <= high and np.isfinite([low, high]).all() else None
