"""JSON Lines: one object a line. A broken line is named by its number."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from cnrag_core.corpus.limits import too_many_values
from cnrag_core.corpus.readers.conversations import flatten_conversation
from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.records import Record
from cnrag_core.corpus.report import RowError
from cnrag_core.corpus.wording import quoted, shorten

MAX_DIGITS = 400
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"?', re.DOTALL)
_NOT_FINITE = "NaN and Infinity, which JSON does not know, count as missing"


def read(source: Source) -> Iterator[Record]:
    """Every non-empty line as a record; a line of another kind than an object is a document of text."""
    text = source.text()
    parser = JSONParser(source)
    start, row = 0, 0
    while start < len(text):
        # split at "\n" alone: str.splitlines would also cut at characters that JSON texts may hold
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line, start, row = text[start:end], end + 1, row + 1
        if not line.strip():
            continue
        try:
            value = parser.parse(line, f"line {row}")
        except RowError as problem:
            source.report.reject(f"line {row}", str(problem), file=source.name)
            continue
        fields = (flatten_conversation(value) or value) if isinstance(value, dict) else {"text": value}
        yield Record(fields, row=row, unit="line")


class JSONParser:
    """JSON as the standard means it: no duplicate keys, no NaN, whole numbers exact, nothing recursed into forever."""

    def __init__(self, source: Source) -> None:
        self._report = source.report
        self._name = source.name
        self._max_values = source.limits.values
        self._where = ""
        self._decoder = json.JSONDecoder(
            object_pairs_hook=_object, parse_constant=self._not_finite, parse_float=_float, parse_int=_integer
        )

    def parse(self, text: str, where: str) -> Any:
        """The value of a text.

        Raises
        ------
        RowError
            If it is not JSON; the sentence says what and where in the text.
        """
        self._where = where
        self.check_values(text)
        try:
            return self._decoder.decode(text)
        except (ValueError, RecursionError) as error:
            raise _problem(error, text, 0) from None

    def parse_at(self, text: str, position: int, where: str) -> tuple[Any, int]:
        """One value that starts at a position, and where it ends.

        Raises
        ------
        RowError
            If there is no JSON value.
        """
        self._where = where
        try:
            return self._decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            raise _problem(error, text, position) from None

    def check_values(self, text: str) -> None:
        """Refuse a text with more values than allowed: "[]," is three bytes here and seventy in memory.

        Raises
        ------
        CorpusError
            With the limit.
        """
        limit = self._max_values
        if limit is None or len(text) < 2 * limit or _marks(text) <= limit:
            return
        if _marks(_STRING.sub("", text)) > limit:  # commas in texts are none between values
            raise too_many_values(self._name, limit)

    def _not_finite(self, _: str) -> None:
        self._report.find(_NOT_FINITE, self._where)


def _marks(text: str) -> int:
    """Characters that begin a value or come between two."""
    return sum(map(text.count, ",[{"))


class _UnusableError(ValueError):
    """Valid JSON that means nothing; `written` is the piece of the text that is meant."""

    def __init__(self, problem: str, written: str) -> None:
        super().__init__(problem)
        self.written = written


def _problem(error: ValueError | RecursionError, text: str, start: int) -> RowError:
    if isinstance(error, RecursionError):
        return RowError("it is nested too deeply.")
    if isinstance(error, _UnusableError):
        at = text.find(error.written, start)
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        return RowError(f"{error} (line {line}, column {column})." if at >= 0 else f"{error}.")
    if isinstance(error, json.JSONDecodeError):
        place = f"line {error.lineno}, column {error.colno}" if error.lineno > 1 else f"column {error.colno}"
        found = quoted(error.doc[error.pos : error.pos + 20], length=20)
        reason = error.msg[:1].lower() + error.msg[1:]
        return RowError(f"not valid JSON at {place}: {reason}" + (f', found "{found}".' if found else "."))
    return RowError(shorten(str(error), 200))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise _UnusableError(f"the key '{quoted(twice)}' appears twice in one object", json.dumps(twice))
    return found


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        problem = f"a whole number has {len(text):,} digits; at most {MAX_DIGITS} are allowed"
        raise _UnusableError(problem, text)
    return int(text)


def _float(text: str) -> float | None:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise _UnusableError(f"the number {shorten(text, 30)} is larger than a number can be", text)
    return number
