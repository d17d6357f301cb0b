"""A record as a flat set of clean values: nested objects become dotted names.

Enters: one mapping as a reader found it. Leaves: ``{"title": ..., "author.name": ..., "tags": [...]}`` whose
values are text, numbers, booleans, lists of those, or turns of a conversation. Text is cleaned of what
cannot be stored (lone surrogates, NUL), and everything is counted against the limits on the way.
"""

from __future__ import annotations

import datetime
import decimal
import math
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from cnrag_core.corpus.document import as_text
from cnrag_core.corpus.limits import Limits, Meter
from cnrag_core.corpus.report import Report, RowError
from cnrag_core.corpus.storable import storable_text
from cnrag_core.corpus.wording import quoted, size

MAX_NAME_LENGTH = 200
MAX_INTEGER_BITS = 10_000
"""Far beyond any id or measure, and short of what Python refuses to print."""

MAX_REMEMBERED = 10_000
_REPLACED = "Characters that are not text (lone surrogates, NUL) were replaced by \ufffd"
_NOT_A_NUMBER = "A value that is NaN or infinite counts as missing"
_BINARY = "Binary data in a field was left out"
_SAME_NAME = "Of two fields with one name in a record the later got a number behind it"
_NUMBER_BYTES = 8
_SPEAKER = ("role", "speaker", "author", "from")
_SAID = ("content", "text", "value")


class Flattener:
    """Flattens the records of one corpus, counting text and collecting findings."""

    def __init__(self, limits: Limits, meter: Meter, report: Report) -> None:
        self._limits = limits
        self._meter = meter
        self._report = report
        self._names: dict[str, str] = {}

    def flat(self, fields: Mapping[Any, Any], where: str) -> dict[str, Any]:
        """One record with dotted names.

        Parameters
        ----------
        fields
            The record; values of any type that JSON, YAML, Parquet or a spreadsheet can hold.
        where
            The record's place, for findings.

        Raises
        ------
        RowError
            If the record is nested too deeply, or a field is larger than allowed.
        """
        flat: dict[str, Any] = {}
        self._collect(fields, "", flat, where, 1)
        return flat

    def value(self, value: Any, name: str, where: str, *, counted: bool = False) -> Any:
        """One clean value, checked for its size; `counted` when its text is already in the total."""
        clean, n_bytes, n_values = value, 0, 1
        if value is None:  # nearly all cells of a wide table
            pass
        elif type(value) is str and value.isascii() and "\x00" not in value:  # nearly all text of most corpora
            n_bytes = len(value)
        else:
            clean = self._clean(value, where, 1)
            n_bytes, n_values = _weight(clean), _n_values(clean)
        self._check_size(name, n_bytes)
        if not counted:
            self._meter.add(n_bytes, n_values)
        return clean

    def _check_size(self, name: str, n_bytes: int) -> None:
        limit = self._limits.field_bytes
        if limit is not None and n_bytes > limit:
            raise RowError(f"field '{quoted(name)}' has {size(n_bytes)}; at most {size(limit)} are allowed.")

    def _collect(self, fields: Mapping[Any, Any], prefix: str, flat: dict[str, Any], where: str, depth: int) -> None:
        if depth > self._limits.depth:
            raise RowError(f"it is nested more than {self._limits.depth} levels deep.")
        for key, value in fields.items():
            name = prefix + self._name(key, where)
            if len(name) > MAX_NAME_LENGTH:
                raise RowError(
                    f"the field name '{quoted(name)}' is longer than {MAX_NAME_LENGTH} characters; "
                    "this does not look like a record."
                )
            if isinstance(value, Mapping):
                self._collect(value, name + ".", flat, where, depth + 1)
            elif _is_list(value) and any(isinstance(item, Mapping) for item in value):
                if turns := as_turns(value):
                    self._put(flat, name, turns, where)
                else:
                    self._collect_rows(value, name, flat, where, depth + 1)
            else:
                self._put(flat, name, value, where)

    def _collect_rows(self, rows: Sequence[Any], name: str, flat: dict[str, Any], where: str, depth: int) -> None:
        """A list of objects becomes one list a key: ``authors: [{name: A}, {name: B}]`` is ``authors.name: [A, B]``."""
        columns: dict[str, list[Any]] = {}
        for row in rows:
            if isinstance(row, Mapping):
                cells: dict[str, Any] = {}
                self._collect(row, name + ".", cells, where, depth)
            else:
                cells = {name: self.value(row, name, where)}
            for key, value in cells.items():
                items = value if isinstance(value, list) else [value]
                columns.setdefault(key, []).extend(item for item in items if item not in (None, ""))
        for key, column in columns.items():
            self._check_size(key, _weight(column))
            self._put(flat, key, column, where, counted=True)

    def _put(self, flat: dict[str, Any], name: str, value: Any, where: str, *, counted: bool = False) -> None:
        clean = value if counted else self.value(value, name, where)
        if name in flat:
            self._report.find(_SAME_NAME, f"{where}, field '{quoted(name)}'")
            number = 2
            while f"{name}_{number}" in flat:
                number += 1
            name = f"{name}_{number}"
        flat[name] = clean

    def _name(self, key: Any, where: str) -> str:
        written = key if isinstance(key, str) else as_text(key)
        name = self._names.get(written)
        if name is None:
            name = self._text(written, where).strip(" \t\r\n\ufeff") or "unnamed"
            if len(self._names) < MAX_REMEMBERED:
                self._names[written] = name
        return name

    def _text(self, value: str, where: str) -> str:
        clean = storable_text(value)
        if clean is not value:
            self._report.find(_REPLACED, where)
        return clean

    def _clean(self, value: Any, where: str, depth: int) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            if value.bit_length() > MAX_INTEGER_BITS:
                raise RowError(f"a whole number has more than {MAX_INTEGER_BITS} bits.")
            return int(value)
        if isinstance(value, str):
            return self._text(value, where)
        if isinstance(value, float):
            if math.isfinite(value):
                return float(value)
            self._report.find(_NOT_A_NUMBER, where)
            return None
        if depth > self._limits.depth:
            raise RowError(f"it is nested more than {self._limits.depth} levels deep.")
        if isinstance(value, Mapping):
            return {self._name(key, where): self._clean(item, where, depth + 1) for key, item in value.items()}
        if _is_list(value):
            ordered = sorted(value, key=as_text) if isinstance(value, (set, frozenset)) else value
            items = [self._clean(item, where, depth + 1) for item in ordered]
            return [item for item in items if item is not None]
        return self._clean_rare(value, where, depth)

    def _clean_rare(self, value: Any, where: str, depth: int) -> Any:
        """Values that JSON does not know: dates, decimals, bytes, numpy scalars and arrays."""
        if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
            text = value.isoformat()
            return None if text == "NaT" else text.removesuffix("T00:00:00")
        if isinstance(value, decimal.Decimal):
            if not value.is_finite():
                self._report.find(_NOT_A_NUMBER, where)
                return None
            return int(value) if value == value.to_integral_value() and abs(value) < 10**40 else float(value)
        if isinstance(value, (bytes, bytearray, memoryview)):
            try:
                return self._text(bytes(value).decode("utf-8"), where)
            except UnicodeDecodeError:
                self._report.find(_BINARY, where)
                return None
        if isinstance(value, (datetime.timedelta, uuid.UUID)):
            return str(value)
        if hasattr(value, "tolist"):  # numpy scalars and arrays
            return self._clean(value.tolist(), where, depth + 1)
        text = str(value)
        return None if text in {"<NA>", "NaT"} else self._text(text, where)


def as_turns(value: Any) -> list[dict[str, str]] | None:
    """Turns of a conversation as ``{role, content}``, or None when the list is not one.

    A turn names its speaker (`role`, `speaker`, `author` or `from`) and what was said (`content`, `text` or
    `value`: text, nothing, or parts that hold text).

    Examples
    --------
    >>> as_turns([{"role": "user", "content": "Hi", "id": 3}])
    [{'role': 'user', 'content': 'Hi'}]
    >>> as_turns([{"name": "Ann"}]) is None
    True
    """
    turns = []
    for turn in value if _is_list(value) else ():
        if not isinstance(turn, Mapping):
            return None
        role = next((turn[key] for key in _SPEAKER if isinstance(turn.get(key), str)), None)
        said = next((key for key in _SAID if key in turn), None)
        content = None if said is None else _said(turn[said])
        if role is None or content is None:
            return None
        turns.append({"role": role, "content": content})
    return turns if any(turn["content"].strip() for turn in turns) else None


def _said(content: Any) -> str | None:
    if content is None or isinstance(content, str):
        return content or ""
    if _is_list(content):
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
        return "\n".join(part for part in parts if isinstance(part, str) and part)
    return None


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple, set, frozenset))


def _weight(value: Any) -> int:
    """Bytes that a clean value takes as UTF-8, numbers as eight."""
    if isinstance(value, str):
        return len(value) if value.isascii() else len(value.encode("utf-8"))
    if isinstance(value, list):
        return sum(map(_weight, value))
    if isinstance(value, dict):
        return sum(_weight(key) + _weight(item) for key, item in value.items())
    return _NUMBER_BYTES if value is not None else 0


def _n_values(value: Any) -> int:
    """How many values a clean value is made of, itself included: an empty list takes memory too."""
    if isinstance(value, list):
        return 1 + sum(map(_n_values, value))
    if isinstance(value, dict):
        return 1 + sum(map(_n_values, value.values()))
    return 1
