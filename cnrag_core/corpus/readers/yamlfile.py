"""YAML: a list of records, or one record a document. Values are read as written, never run.

The events of libyaml are put together here, because a loader would already have followed aliases and
tags: aliases are refused (a few hundred bytes of them unfold into billions of nodes), and so is every tag
beyond the standard ones. Scalars follow YAML 1.2, and what a number would lose stays text: ``007``, ``1.10``
and ``no`` are texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from cnrag_core.corpus.readers.jsonfile import records_of_value
from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.records import Record
from cnrag_core.corpus.wording import quoted, size
from cnrag_core.errors import CorpusError

MAX_DEPTH = 50
_WHOLE = re.compile(r"-?[1-9]\d{0,399}|0")
_REAL = re.compile(r"-?(?:0|[1-9]\d{0,40})(?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?")
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {text: value for value in (True, False) for text in (str(value), str(value).lower(), str(value).upper())}
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_TAG = "tag:yaml.org,2002:"
_PLAIN_TAGS = frozenset({"str", "int", "float", "bool", "null", "timestamp", "seq", "map"})


def read(source: Source) -> Iterator[Record]:
    """The records of all documents of a YAML file.

    Raises
    ------
    CorpusError
        If it is no YAML, uses aliases or tags of a program, repeats a key, or is too large.
    """
    limit = source.limits.yaml_bytes
    if limit is not None and len(source.data) > limit:
        raise CorpusError(
            f"{source.name} has {size(len(source.data))} of YAML; at most {size(limit)} are allowed. "
            "Write it as JSON Lines instead."
        )
    documents = [document for document in load_all(source.text(), source.name) if document is not None]
    if len(documents) == 1:
        yield from records_of_value(documents[0], source)
        return
    for row, document in enumerate(documents, start=1):
        if isinstance(document, list):
            yield from records_of_value(document, source)
        else:
            yield Record(document, row=row, unit="document")


def load_all(text: str, name: str) -> Iterator[Any]:
    """Values of all documents in a text.

    Raises
    ------
    CorpusError
        With the line, if anything is not plain data.
    """
    from yaml import YAMLError  # type: ignore[import-untyped]  # has no stubs
    from yaml.cyaml import CParser  # type: ignore[import-untyped]

    try:
        builder = _Builder(CParser(text), name)
        while (value := builder.next_document()) is not _END:
            yield value
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        raise CorpusError(f"{name}{place}: not valid YAML: {quoted(str(problem), length=120)}.") from None
    except UnicodeEncodeError:  # a lone surrogate does not pass into libyaml
        raise CorpusError(f"{name}: not valid YAML: it holds characters that are not text.") from None


_END = object()


class _Builder:
    """Puts values together from parser events, refusing what is not plain data."""

    def __init__(self, parser: Any, name: str) -> None:
        self._parser = parser
        self._name = name

    def next_document(self) -> Any:
        event = self._parser.get_event()
        while type(event).__name__ == "StreamStartEvent":
            event = self._parser.get_event()
        if event is None or type(event).__name__ == "StreamEndEvent":
            return _END
        value = self._value(self._parser.get_event(), 1)
        self._parser.get_event()  # the end of the document
        return value

    def _value(self, event: Any, depth: int) -> Any:
        kind = type(event).__name__
        if kind == "AliasEvent":
            raise self._error(event, f"the alias '*{quoted(event.anchor)}' is not allowed; write the value again.")
        self._check_tag(event)
        if depth > MAX_DEPTH:
            raise self._error(event, f"it is nested more than {MAX_DEPTH} levels deep.")
        if kind == "ScalarEvent":
            return _scalar(event)
        if kind == "SequenceStartEvent":
            items = []
            while type(inner := self._parser.get_event()).__name__ != "SequenceEndEvent":
                items.append(self._value(inner, depth + 1))
            return items
        return self._mapping(depth)

    def _mapping(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while type(event := self._parser.get_event()).__name__ != "MappingEndEvent":
            if type(event).__name__ != "ScalarEvent":
                raise self._error(event, "a key should be a text.")
            self._check_tag(event)
            key = event.value
            if key in found:
                raise self._error(event, f"the key '{quoted(key)}' appears twice.")
            found[key] = self._value(self._parser.get_event(), depth + 1)
        return found

    def _check_tag(self, event: Any) -> None:
        tag = event.tag
        if tag in (None, "!") or tag.removeprefix(_TAG) in _PLAIN_TAGS:
            return
        raise self._error(event, f"the tag '{quoted(tag)}' is not allowed; only plain data is read.")

    def _error(self, event: Any, problem: str) -> CorpusError:
        return CorpusError(f"{self._name}, line {event.start_mark.line + 1}: {problem}")


def _scalar(event: Any) -> Any:
    text: str = event.value
    if event.tag in {"!", _TAG + "str"} or (event.tag is None and not event.implicit[0]):
        return text
    if text in _NULL:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _NOT_FINITE.fullmatch(text):
        return float("nan")  # counted and made missing where values are cleaned
    if _REAL.fullmatch(text):
        number = float(text)
        exact = abs(number) != float("inf") and Decimal(text) == Decimal(repr(number))
        padded = "." in text and text.endswith("0") and repr(number) != text
        return number if exact and not padded else text
    return text
