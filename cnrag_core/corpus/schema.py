"""Reading the fields that a schema declares out of a record.

Enters: a record and `FieldSpec` by field name. Leaves: the values, in this order of work: `from` finds
matches in the record, `transform` changes each, `reduce` makes one of several, `default` fills what is
missing, and the kind (with `separator`) has the last word.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cnrag_core.config.names import TRANSFORMS
from cnrag_core.config.spec import FieldKind, FieldSpec, Reduce
from cnrag_core.corpus.cells import decimal_comma_of
from cnrag_core.corpus.document import as_number, as_text
from cnrag_core.corpus.flatten import Flattener, as_turns
from cnrag_core.corpus.jsonpath import compile_path
from cnrag_core.corpus.kinds import NOT_AVAILABLE, is_present, split_items
from cnrag_core.corpus.report import Report, RowError
from cnrag_core.corpus.wording import listed, nearest, quoted, shown
from cnrag_core.errors import ConfigError, Problem

_ANY_SEPARATOR = re.compile(r"[,;|\n]")
_TAG = re.compile(r"<[^<>]{1,2000}>")
_SPACES = re.compile(r"\s+")
_TRUE = frozenset({"true", "yes", "y", "1"})
_FALSE = frozenset({"false", "no", "n", "0"})


class SchemaReader:
    """Reads the declared fields of every record of one corpus.

    Raises
    ------
    ConfigError
        When it is made with a path that is not JSONPath or a transform that does not exist.
    """

    def __init__(self, fields: Mapping[str, FieldSpec], flattener: Flattener, report: Report) -> None:
        self.kinds: dict[str, FieldKind] = {name: spec.kind for name, spec in fields.items()}
        self._fields = dict(fields)
        self._flattener = flattener
        self._report = report
        problems: list[Problem] = []
        self._paths = {}
        for name, spec in fields.items():
            problems += _transform_problems(name, spec)
            if spec.source is not None:
                try:
                    self._paths[name] = compile_path(spec.source)
                except ValueError as error:
                    problems.append(Problem(f"schema.{name}.from", str(error)))
        if problems:
            raise ConfigError(problems)

    def read(self, record: Mapping[Any, Any], flat: Mapping[str, Any], where: str) -> dict[str, Any]:
        """The declared fields of one record.

        Parameters
        ----------
        record, flat
            The record as it was read, which the paths look into, and its flat form.
        where
            Its place, for findings.

        Raises
        ------
        RowError
            If a required field is missing, or a value cannot be what the schema says; the message names the field.
        """
        values = {}
        for name, spec in self._fields.items():
            try:
                values[name] = self._field(name, spec, record, flat, where)
            except RowError as problem:
                raise RowError(f"field '{quoted(name)}' {problem}") from None
        return values

    def _field(self, name: str, spec: FieldSpec, record: Mapping[Any, Any], flat: Mapping[str, Any], where: str) -> Any:
        if name in self._paths:
            matches = [self._flattener.value(match, name, where, counted=True) for match in self._paths[name](record)]
        elif name in flat:
            matches = [flat[name]]
        else:
            matches = [self._flattener.value(record[name], name, where, counted=True)] if name in record else []
        found: list[Any] = []
        for match in matches:
            found += match if isinstance(match, list) and as_turns(match) is None else [match]
        was_list = len(found) != 1 or isinstance(matches[0], list)
        for transform in spec.transform:
            found = _TRANSFORMS[transform](found, spec.separator)
            was_list |= len(found) != 1
        found = [value for value in found if is_present(value)]

        value: Any
        if spec.reduce is None and len(found) == 1 and as_turns(found[0]):
            return found[0]  # a conversation stays one, whether it was declared as a text or as a list
        if spec.reduce is not None:
            value = reduce_values(found, spec.reduce, spec.separator)
        elif was_list or spec.kind == "list":
            value = found
        else:
            value = found[0] if found else None
        if is_present(value):
            value = self._conform(name, value, spec, where)
        if not is_present(value):
            if spec.required and not is_present(spec.default):
                raise RowError("is required, and there is nothing in it.")
            default = spec.default
            return list(default) if isinstance(default, (list, tuple)) else [] if spec.kind == "list" else default
        return value

    def _conform(self, name: str, value: Any, spec: FieldSpec, where: str) -> Any:
        if spec.kind == "list":
            return self._list(name, value, spec.separator, where)
        if isinstance(value, list) and as_turns(value) is None and spec.kind != "text" and len(value) > 1:
            raise RowError(f"should be one {spec.kind}, found {shown(value)}; `reduce:` can say what to make of them.")
        one = value[0] if isinstance(value, list) and len(value) == 1 else value
        if spec.kind == "text":
            if isinstance(one, list):
                return one if as_turns(one) else (spec.separator or " ").join(filter(None, map(as_text, one)))
            return as_text(one)
        if spec.kind == "number":
            return _number(one)
        if spec.kind == "boolean":
            return _boolean(one)
        return as_text(one)

    def _list(self, name: str, value: Any, separator: str | None, where: str) -> list[Any]:
        items: list[Any] = []
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                items.append(as_text(item))
            elif not isinstance(item, str):
                items.append(item)
            elif separator is not None:
                items += split_items(item, separator)
            elif (inner := _json_list(item)) is not None:
                items += inner
            else:
                items.append(item)
        if separator is None and len(items) == 1 and isinstance(items[0], str) and _ANY_SEPARATOR.search(items[0]):
            self._report.find(
                f"A text with separators in the list field '{quoted(name)}' counts as one item; give the field a "
                "`separator` to split it",
                where,
            )
        return items


def reduce_values(values: Sequence[Any], how: Reduce, separator: str | None = None) -> Any:
    """One value of several; None where there is none (a count is then 0).

    Examples
    --------
    >>> reduce_values(["b", "a", "b"], "join_unique", ", "), reduce_values(["b", "a", "b"], "count_unique")
    ('b, a', 2)
    >>> reduce_values([3, "4"], "sum"), reduce_values([], "mean") is None
    (7, True)
    """
    texts = list(map(as_text, values))
    if how == "count":
        return len(values)
    if how == "count_unique":
        return len(set(texts))
    if not values:
        return None
    if how == "first":
        return values[0]
    if how == "last":
        return values[-1]
    unique = dict(zip(reversed(texts), reversed(values), strict=True))
    if how == "unique":
        return [unique[text] for text in dict.fromkeys(texts)]
    if how == "join":
        return (" " if separator is None else separator).join(texts)
    if how == "join_unique":
        return (" " if separator is None else separator).join(dict.fromkeys(texts))
    return _arithmetic(values, texts, how)


def _arithmetic(values: Sequence[Any], texts: Sequence[str], how: Reduce) -> Any:
    numbers = [
        value if isinstance(value, int) and not isinstance(value, bool) else as_number(value) for value in values
    ]
    if how in {"min", "max"} and all(number is None for number in numbers):  # dates and codes have an order too
        return min(texts) if how == "min" else max(texts)
    exact = [number for number in numbers if number is not None]
    if len(exact) != len(values):
        wrong = values[numbers.index(None)]
        raise RowError(f"cannot be reduced with '{how}': it should hold numbers, found {shown(wrong)}.")
    if how == "min":
        return min(exact)
    if how == "max":
        return max(exact)
    whole = all(float(number).is_integer() for number in exact)
    total = sum(map(int, exact)) if whole else math.fsum(exact)
    return total if how == "sum" else total / len(exact)


def _number(value: Any) -> int | float | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().casefold() in NOT_AVAILABLE:
        return None
    number = as_number(value)
    if number is None:
        comma = isinstance(value, str) and decimal_comma_of([value]) is not None
        hint = " Write decimals with a point, and nothing between thousands." if comma else ""
        raise RowError(f"should be a number, found {shown(value)}.{hint}")
    whole = isinstance(value, str) and re.fullmatch(r"[+-]?\d{1,300}", value.strip())
    return int(value) if whole else number


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    folded = as_text(value).strip().casefold()
    if folded in _TRUE or folded in _FALSE:
        return folded in _TRUE
    raise RowError(f"should be true or false, found {shown(value)}.")


def _json_list(text: str) -> list[Any] | None:
    if not text.lstrip().startswith("["):
        return None
    try:
        value = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None
    scalars = isinstance(value, list) and not any(isinstance(item, (list, dict)) for item in value)
    return [item for item in value if item is not None] if scalars else None


# Transforms take the matches of one field and its separator; those of a text pass over everything else.


def _each(change: Callable[[str], str]) -> Callable[[list[Any], str | None], list[Any]]:
    return lambda values, _: [change(value) if isinstance(value, str) else value for value in values]


def _split(values: list[Any], separator: str | None) -> list[Any]:
    parts: list[Any] = []
    for value in values:
        if not isinstance(value, str):
            parts.append(value)
        elif separator is not None:
            parts += split_items(value, separator)
        else:
            parts += [item for part in _ANY_SEPARATOR.split(value) if (item := part.strip())]
    return parts


def _without_tags(text: str) -> str:
    import html

    return _SPACES.sub(" ", html.unescape(_TAG.sub(" ", text))).strip()


# strip, lower, upper, title: as Python's; collapse: runs of white space become one space; strip_html: tags and
# entities removed; split: at `separator`, or at commas, semicolons, bars and line ends; lines: at line ends;
# unique: repeats removed; sort: by text
_TRANSFORMS: dict[str, Callable[[list[Any], str | None], list[Any]]] = {
    "strip": _each(str.strip),
    "lower": _each(str.lower),
    "upper": _each(str.upper),
    "title": _each(str.title),
    "collapse": _each(lambda text: _SPACES.sub(" ", text).strip()),
    "strip_html": _each(_without_tags),
    "split": _split,
    "lines": lambda values, _: _split(values, "\n"),
    "unique": lambda values, _: reduce_values(values, "unique") or [],
    "sort": lambda values, _: sorted(values, key=as_text),
}


def _transform_problems(name: str, spec: FieldSpec) -> list[Problem]:
    problems = []
    for index, transform in enumerate(spec.transform):
        if transform not in _TRANSFORMS:
            close = nearest(transform, TRANSFORMS)
            hint = f" Did you mean '{close}'?" if close else ""
            problems.append(
                Problem(
                    f"schema.{name}.transform[{index}]",
                    f"'{quoted(transform)}' is not a transform. Use {listed(sorted(TRANSFORMS), at_most=20)}.{hint}",
                )
            )
    return problems
