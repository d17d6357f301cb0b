"""Filters: which documents a search may answer with.

Enters: keyword conditions (``tags=["ml"], year=(2015, 2020)``) or the same typed into the question
(``tags:ml year:2015..2020``). Leaves: a bool array over the documents. A filter narrows the candidates,
it never changes a score.

- a list of values: any of them;
- a pair (tuple) of numbers or dates, or ``from..to``: the closed range; an open end is None or left out;
- several fields, or one field several times in the question: all of them.

Values are compared without regard to case; in list fields with each item, in numeric fields as numbers,
in text fields also as whole words of the text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cnrag_core.config.problems import did_you_mean
from cnrag_core.corpus.document import Document, as_number
from cnrag_core.corpus.wording import shown
from cnrag_core.errors import ConfigError, UnknownNameError
from cnrag_core.retrieval.terms import fold_accents

CONDITION = re.compile(r'(?<!\S)(?P<field>[^\s:"]+):(?:"(?P<quoted>[^"]*)"|(?P<plain>[^\s"]+))(?!\S)')


@dataclass(frozen=True)
class Condition:
    """One field and what it must be: one of `values`, or within `low` and `high` (None = open)."""

    field: str
    values: tuple[str, ...] = ()
    low: str | None = None
    high: str | None = None

    def __str__(self) -> str:
        if self.values:
            return f"{self.field}: {' or '.join(self.values)}"
        return f"{self.field}: {self.low or ''}..{self.high or ''}"

    def passes(self, document: Document) -> bool:
        """Whether the document's value satisfies the condition; a missing value never does."""
        if document.is_missing(self.field):
            return False
        if self.values:
            return any(_equals(document, self.field, value) for value in self.values)
        return any(self._within(item) for item in document.items(self.field))

    def _within(self, item: str) -> bool:
        number = as_number(item)
        bounds = [as_number(bound) for bound in (self.low, self.high)]
        numeric = number is not None and all(
            bound is not None or text is None for bound, text in zip(bounds, (self.low, self.high), strict=True)
        )
        if numeric:
            low, high = bounds
            return (low is None or number >= low) and (high is None or number <= high)  # type: ignore[operator]
        # dates in ISO form order like text
        return (self.low is None or item >= self.low) and (self.high is None or item <= self.high)


def parse_query(query: str, fields: Iterable[str]) -> tuple[str, tuple[Condition, ...]]:
    """Separates ``field:value`` conditions from the words of a question.

    Only names of existing fields make a condition, in any case; ``re: hello`` and ``10:30`` stay words.

    Examples
    --------
    >>> parse_query('graph learning Tags:"machine learning" year:2015..2020', {"tags", "year"})[0]
    'graph learning'
    """
    known = frozenset(fields)
    conditions: list[Condition] = []

    def take(match: re.Match[str]) -> str:
        name = field_meant(match["field"], known)
        if name is None:
            return match[0]
        value = match["quoted"] if match["quoted"] is not None else match["plain"]
        low, dots, high = value.partition("..") if match["quoted"] is None else (value, "", "")
        if dots and (low or high):
            conditions.append(Condition(name, low=low or None, high=high or None))
        else:
            conditions.append(Condition(name, (value,)))
        return ""

    rest = CONDITION.sub(take, query)
    return (" ".join(rest.split()) if conditions else query), tuple(conditions)


def field_meant(name: str, fields: Collection[str]) -> str | None:
    """The field that a name written in any case, or without its accents, can only stand for; None where two fit.

    Examples
    --------
    >>> field_meant("YEAR", {"year", "tags"}), field_meant("prioritat", {"Priorität"}), field_meant("A", {"a", "á"})
    ('year', 'Priorität', 'a')
    >>> field_meant("YEAR", {"year", "Year"}) is None
    True
    """
    if name in fields:
        return name
    for plain, fitting in zip(_PLAINER, _fields_by_plainer(frozenset(fields)), strict=True):
        if found := fitting.get(plain(name)):
            return found[0] if len(found) == 1 else None
    return None


def _without_accents(text: str) -> str:
    return fold_accents(text.casefold())


_PLAINER = (str.casefold, _without_accents)


@lru_cache(maxsize=16)  # a question may hold thousands of colons
def _fields_by_plainer(fields: frozenset[str]) -> tuple[dict[str, list[str]], ...]:
    """Fields by their name in lower case, and by that without accents."""
    found: tuple[dict[str, list[str]], ...] = tuple({} for _ in _PLAINER)
    for field in fields:
        for plain, fitting in zip(_PLAINER, found, strict=True):
            fitting.setdefault(plain(field), []).append(field)
    return found


def conditions_of(filters: Mapping[str, Any]) -> tuple[Condition, ...]:
    """Keyword filters as conditions: a pair of numbers or dates is a range, any other collection a choice.

    Raises
    ------
    ConfigError
        For a mapping, as other query languages write operators.
    """
    found = []
    for name, wanted in filters.items():
        if isinstance(wanted, Mapping):
            raise ConfigError(
                f"filter({name}=...) takes a value, a list of values, or a range as a pair (low, high), where None "
                f"leaves an end open; found {shown(wanted)}."
            )
        if isinstance(wanted, tuple) and len(wanted) == 2 and all(map(is_bound, wanted)):
            low, high = (None if bound is None else _plain(bound) for bound in wanted)
            found.append(Condition(name, low=low, high=high))
        elif isinstance(wanted, (list, tuple, set, frozenset)):
            found.append(Condition(name, tuple(sorted(map(_plain, wanted)))))
        else:
            found.append(Condition(name, (_plain(wanted),)))
    return tuple(found)


def allowed_by(documents: Sequence[Document], conditions: Sequence[Condition]) -> NDArray[np.bool_] | None:
    """(n,) which documents pass all conditions; None where there is no condition.

    Raises
    ------
    UnknownNameError
        For a field that no document has.
    """
    if not conditions:
        return None
    known = known_fields(documents)
    for condition in conditions:
        if condition.field not in known:
            names = ", ".join(sorted(known)) or "none"
            raise UnknownNameError(
                f"There is no field {condition.field!r} to filter by; the fields are {names}."
                f"{did_you_mean(condition.field, known)}"
            )
    return np.array([all(c.passes(document) for c in conditions) for document in documents], dtype=np.bool_)


def known_fields(documents: Sequence[Document]) -> frozenset[str]:
    """Names of the fields that some document has."""
    return frozenset(name for document in documents for name in document.fields)


def is_bound(value: Any) -> bool:
    """Whether a value can end a range: nothing, a number, or a text that starts like a number or ISO date."""
    return value is None or as_number(value) is not None or str(value)[:1].isdigit()


def _plain(value: Any) -> str:
    """A filter value as text, the way document values become text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _equals(document: Document, name: str, wanted: str) -> bool:
    folded = wanted.strip().casefold()
    value = document.fields.get(name)
    if any(item.casefold() == folded for item in document.items(name)):
        return True
    if not isinstance(value, str):
        number = as_number(wanted)
        return number is not None and any(as_number(item) == number for item in document.items(name))
    return bool(folded) and re.search(rf"(?<!\w){re.escape(folded)}(?!\w)", value.casefold()) is not None
