"""A YAML text as plain values with line numbers, safely.

Enters: text from anyone. Leaves: a `Source`. Size, brackets and indentation are checked before the parser sees the
text; then ruamel.yaml's events are read one by one, so that depth, aliases and tags are refused before anything is
built. Values follow the YAML 1.2 core schema: ``no`` is text, ``1e-1`` is a number, ``010`` is ten, ``1:30`` is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from cnrag_core.config.annotations import Location
from cnrag_core.config.problems import kind_of, shortened
from cnrag_core.config.source import MAX_DEPTH, Finding, Source, too_deep, unreadable_characters
from cnrag_core.errors import ConfigError, Problem
from cnrag_core.limits import server_limits

MAX_BYTES = server_limits().yaml_kb * 1024
"""Largest YAML, 64 KB unless the server says otherwise; a configuration of a hundred components has a tenth of it."""

MAX_ALIASED = server_limits().yaml_aliased
"""Most values that aliases may repeat, so that a few lines cannot stand for billions."""

MAX_BRACKETS = 500
"""Most brackets that may be open at once before the parser sees the text."""

MAX_INDENTATIONS = 100
"""Most levels of indentation before the parser sees the text."""

_NULL = {"", "~", "null", "Null", "NULL"}
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_OTHER_BASE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def read_text(text: str) -> Source:
    """The values of one YAML document, and their lines.

    Raises
    ------
    ConfigError
        If the text is too large, too deep, not YAML, empty, or something else than one mapping. Tags, repeated keys
        and the like are findings of the source, told together with what the dialect finds.

    Examples
    --------
    >>> source = read_text("name: no\\nsimilarity: {min_combined_similarity: 4e-1}")
    >>> source.data
    {'name': 'no', 'similarity': {'min_combined_similarity': 0.4}}
    >>> source.line_of(("similarity", "min_combined_similarity"))
    2
    """
    text = text.removeprefix("\ufeff")
    _check_size_and_nesting(text)
    composer = _Composer(text)
    data = composer.document()
    if data is None and not composer.findings:
        raise ConfigError("The configuration is empty: it must at least say how documents are compared.")
    if not isinstance(data, dict):
        raise ConfigError(f"A configuration is a mapping of keys such as `similarity:`, got {kind_of(data)}.")
    return Source(data, composer.lines, tuple(composer.findings))


def scalar(text: str) -> Any:
    """What an unquoted word means in the YAML 1.2 core schema.

    Examples
    --------
    >>> [scalar(word) for word in ("no", "1e-1", "010", "0x1F", "1:30", "1_000", "true", "~")]
    ['no', 0.1, 10, 31, '1:30', '1_000', True, None]
    """
    if text in _NULL:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    # beyond 300 digits Python is slow or refuses; as a float it is infinite, which every number of ours refuses
    if _DECIMAL.fullmatch(text):
        return int(text) if len(text) <= 300 else float(text)
    if _OTHER_BASE.fullmatch(text) and len(text) <= 300:
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text)
    return float(text.replace(".", "", 1)) if _INFINITE.fullmatch(text) else text


def _check_size_and_nesting(text: str) -> None:
    size = len(text) if len(text) > MAX_BYTES else len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise ConfigError(f"The configuration has {size:,} bytes; at most {MAX_BYTES:,} are read.")
    # deep nesting costs the parser quadratic time. Brackets and spaces within texts are counted too, hence the slack;
    # the exact depth is checked as the events arrive
    if _bracket_depth(text) > MAX_BRACKETS or _indentation_depth(text) > MAX_INDENTATIONS:
        raise too_deep()


def _bracket_depth(text: str) -> int:
    depth = deepest = 0
    for found in re.finditer(r"[\[\]{}]", text):
        depth = depth + 1 if found[0] in "[{" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest


def _indentation_depth(text: str) -> int:
    open_levels: list[int] = []
    deepest = 0
    for line in text.splitlines():
        content = line.lstrip(" ")
        if not content or content.startswith("#"):
            continue
        indent = len(line) - len(content)
        while open_levels and open_levels[-1] >= indent:
            open_levels.pop()
        open_levels.append(indent)
        deepest = max(deepest, len(open_levels))
    return deepest


@dataclass(frozen=True)
class _Value:
    """A value with what an alias to it would cost."""

    data: Any
    n_values: int = 1
    height: int = 0


class _Composer:
    """Builds plain values from parser events, noting lines and refusing what a configuration must not hold."""

    def __init__(self, text: str) -> None:
        self.lines: dict[Location, int] = {}
        self.findings: list[Finding] = []
        self._events = _events(text)
        self._anchors: dict[str, _Value] = {}
        self._n_aliased = 0

    def document(self) -> Any:
        """The only document of the stream; None if there is none."""
        next(self._events)  # the stream begins
        if type(next(self._events)).__name__ == "StreamEndEvent":
            return None
        data = self._value(next(self._events), (), 0).data
        next(self._events)  # the document ends
        event = next(self._events)
        if type(event).__name__ != "StreamEndEvent":
            message = "a second document begins here; give one configuration at a time."
            self.findings.append(Finding((), message, _line(event)))
        return data

    def _value(self, event: Any, location: Location, depth: int) -> _Value:
        if location and location not in self.lines:
            self.lines[location] = _line(event)
        kind = type(event).__name__
        if kind == "AliasEvent":
            return self._aliased(event, depth)
        self._refuse_tag(event, location)
        if kind == "ScalarEvent":
            self.findings += unreadable_characters(event.value, location)
            value = _Value(scalar(event.value) if event.style is None else event.value)
        elif depth >= MAX_DEPTH:
            raise too_deep()
        elif kind == "SequenceStartEvent":
            value = self._sequence(location, depth)
        else:
            value = self._mapping(location, depth)
        if event.anchor:
            self._anchors[event.anchor] = value
        return value

    def _sequence(self, location: Location, depth: int) -> _Value:
        items: list[_Value] = []
        while type(event := next(self._events)).__name__ != "SequenceEndEvent":
            items.append(self._value(event, (*location, len(items)), depth + 1))
        return _holding([item.data for item in items], items)

    def _mapping(self, location: Location, depth: int) -> _Value:
        items: dict[str, _Value] = {}
        while type(event := next(self._events)).__name__ != "MappingEndEvent":
            key = self._key(event, location)
            if key in items:
                first = self.lines[(*location, key)]
                self._value(next(self._events), (*location, key), depth + 1)
                lines = f"lines {first} and {_line(event)}" if _line(event) != first else f"line {first}"
                message = f"{shortened(key)!r} is given twice, on {lines}; keep one."
                self.findings.append(Finding((*location, key), message, _line(event)))
                continue
            self.lines[(*location, key)] = _line(event)
            items[key] = self._value(next(self._events), (*location, key), depth + 1)
        return _holding({key: item.data for key, item in items.items()}, list(items.values()))

    def _key(self, event: Any, location: Location) -> str:
        """A key as it is written: ``2017`` and ``no`` are names of fields like any other."""
        if type(event).__name__ != "ScalarEvent":
            raise ConfigError(Problem("", "a key must be plain text, not a list, a mapping or an alias.", _line(event)))
        self._refuse_tag(event, location)
        self.findings += unreadable_characters(event.value, location)
        return str(event.value)

    def _aliased(self, event: Any, depth: int) -> _Value:
        value = self._anchors.get(event.anchor)
        if value is None:  # also an alias to what it stands in
            message = f"*{shortened(event.anchor)} repeats something that is not complete at this point."
            raise ConfigError(Problem("", message, _line(event)))
        self._n_aliased += value.n_values
        if self._n_aliased > MAX_ALIASED:
            message = f"aliases repeat more than {MAX_ALIASED:,} values; write the values out."
            raise ConfigError(Problem("", message, _line(event)))
        if depth + value.height > MAX_DEPTH:
            raise too_deep()
        return value

    def _refuse_tag(self, event: Any, location: Location) -> None:
        if event.tag is not None:
            tag = shortened(str(event.tag).replace("tag:yaml.org,2002:", "!!"))
            message = f"the tag {tag} is not allowed; a configuration holds plain values only."
            self.findings.append(Finding(location, message, _line(event)))


def _holding(data: Any, items: list[_Value]) -> _Value:
    n_values = 1 + sum(item.n_values for item in items)
    return _Value(data, n_values, 1 + max((item.height for item in items), default=0))


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _events(text: str) -> Iterator[Any]:
    """The parser's events; whatever trips the parser becomes a `ConfigError` with its line."""
    from ruamel.yaml import YAML

    parser = YAML(typ="safe", pure=True)
    try:
        yield from parser.parse(text)
    except Exception as error:  # a hostile text makes the parser raise IndexError, OverflowError and others too
        _raise_syntax_problem(error, text)


def _raise_syntax_problem(error: Exception, text: str) -> NoReturn:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = int(mark.line) + 1 if mark is not None else None
    character, position = getattr(error, "character", None), getattr(error, "position", None)
    if isinstance(character, int) and isinstance(position, int):
        line = text.count("\n", 0, position) + 1
        raise ConfigError(Problem("", f"the character U+{character:04X} is not allowed in YAML.", line)) from None
    library_words = " ".join(str(getattr(error, "problem", None) or "").split())
    ours = next((words for start, words in _SYNTAX_WORDS.items() if start in library_words), None)
    message = ours or (f"{shortened(library_words, 120)}." if library_words else "an escape or a character is wrong.")
    raise ConfigError(Problem("", f"this is not YAML: {message}", line)) from None


_SYNTAX_WORDS = {
    "mapping values are not allowed": "a second `: ` stands in one line, or the indentation is wrong. "
    "Quote a text that holds `: `.",
    "'\\t' that cannot start": "a tab stands where YAML allows only spaces.",
    "could not find expected ':'": "a line is no `key: value`.",
    "expected <block end>": "the indentation does not fit the lines above.",
    "unexpected end of stream": "a quoted text is not closed.",
    "expected ',' or ']'": "a list in [ ] is not closed, or a comma is missing.",
    "expected ',' or '}'": "a mapping in { } is not closed, or a comma is missing.",
    "that cannot start any token": "a text begins with a character that means something in YAML; quote it.",
    "expected the node content": "a bracket is not closed, or a value is missing.",
    "sequence entries are not allowed": "a `- ` stands where no list can begin.",
    "unknown escape character": "a double-quoted text holds a backslash that is no escape; use single quotes.",
}
"""What the parser says, and what we say instead."""
