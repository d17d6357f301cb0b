"""JSON: find the records in whatever shape the file has.

An array of objects; an object that wraps one array (``{"data": [...]}``); an object keyed by id; columns, as
data frames write them; GeoJSON; the conversations that a chat assistant exports; or one record alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from cnrag_core.corpus.readers import conversations
from cnrag_core.corpus.readers.jsonlines import JSONParser
from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.readers.tables import records_of_rows
from cnrag_core.corpus.records import Record
from cnrag_core.corpus.report import RowError
from cnrag_core.corpus.wording import listed, quoted
from cnrag_core.errors import CorpusError

_BLANK = re.compile(r"[ \t\r\n]*")
_WRAPPERS = (
    *("data", "documents", "docs", "records", "items", "results", "rows", "entries", "corpus", "articles", "papers"),
    *("posts", "products", "conversations", "features", "nodes", "hits", "values", "examples"),
)
MAX_WRAPPING = 3
MANY = 20
"""An object of this many plain texts is texts keyed by id, not one record."""


def read(source: Source) -> Iterator[Record]:
    """The records of a JSON file.

    Raises
    ------
    CorpusError
        If it is not JSON, or holds several lists of records and none is clearly the corpus.
    """
    text = source.text()
    parser = JSONParser(source)
    start = _skip_blank(text, 0)
    if text.startswith("[", start):
        parser.check_values(text)
        values: Iterator[Any] = _elements(text, start, parser, source)
        yield from _records_of_list(values, source)
        return
    try:
        value = parser.parse(text, "the document")
    except RowError as problem:
        raise CorpusError(f"{source.name}: {problem}") from None
    yield from records_of_value(value, source)


def records_of_value(value: Any, source: Source) -> Iterator[Record]:
    """The records of a parsed value of any shape."""
    if isinstance(value, list):
        yield from _records_of_list(iter(value), source)
    elif isinstance(value, Mapping):
        yield from _records_of_object(value, source, 0)
    else:
        raise CorpusError(f"{source.name}: a corpus should be a list of records, found a single value.")


def _elements(text: str, start: int, parser: JSONParser, source: Source) -> Iterator[Any]:
    """Elements of an array one by one, so that an error names its record and a limit stops early."""
    position = _skip_blank(text, start + 1)
    row = 0
    if text.startswith("]", position):
        _expect_end(text, position + 1, source)
        return
    while True:
        row += 1
        try:
            value, position = parser.parse_at(text, position, f"record {row}")
        except RowError as problem:
            raise CorpusError(f"{source.name}, record {row}: {problem}") from None
        yield value
        position = _skip_blank(text, position)
        if text.startswith(",", position):
            position = _skip_blank(text, position + 1)
        elif text.startswith("]", position):
            _expect_end(text, position + 1, source)
            return
        else:
            place = f"line {text.count(chr(10), 0, position) + 1}"
            found = f'found "{quoted(text[position : position + 20])}"' if position < len(text) else "the file ends"
            raise CorpusError(f"{source.name}, behind record {row} ({place}): expected ',' or ']', but {found}.")


def _skip_blank(text: str, position: int) -> int:
    found = _BLANK.match(text, position)
    return found.end() if found else position


def _expect_end(text: str, position: int, source: Source) -> None:
    position = _skip_blank(text, position)
    if position < len(text):
        place = f"line {text.count(chr(10), 0, position) + 1}"
        raise CorpusError(
            f'{source.name}, {place}: the list ends, but then comes "{quoted(text[position : position + 20])}".'
        )


def _records_of_list(values: Iterator[Any], source: Source) -> Iterator[Record]:
    first = next(values, None)
    if first is None:
        return
    if isinstance(first, list):
        yield from _records_of_arrays(first, values, source)
        return
    row = 0
    for row, value in enumerate(_chain(first, values), start=1):
        if isinstance(value, Mapping):
            yield Record(conversations.flatten_conversation(value) or _lift_feature(value, source), row=row)
        elif isinstance(value, str):
            yield Record({"text": value}, row=row)
        else:
            yield Record(value, row=row)  # refused with its place where records are checked


def _chain(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest


def _records_of_arrays(first: list[Any], rest: Iterator[Any], source: Source) -> Iterator[Record]:
    """A list of lists: a table whose first row is the header, or conversations as lists of turns."""
    if any(isinstance(cell, Mapping) for cell in first):
        for row, value in enumerate(_chain(first, rest), start=1):
            yield Record({"messages": value} if isinstance(value, list) else value, row=row)
        return
    rows = (value if isinstance(value, list) else [value] for value in _chain(first, rest))
    yield from records_of_rows(enumerate(rows, start=1), source, unit="record", typed=True)


def _records_of_object(value: Mapping[str, Any], source: Source, depth: int) -> Iterator[Record]:
    if value.get("type") == "Feature" or (conversation := conversations.flatten_conversation(value)):
        yield Record(_lift_feature(value, source) if value.get("type") == "Feature" else conversation or {}, row=1)
        return
    columns = _columns(value)
    if columns is not None:
        source.report.warn(f"{source.name} holds columns; each position in them is a document.")
        yield from columns
        return
    name, inner = _wrapped(value, source)
    if name is not None:
        source.report.warn(f"The records of {source.name} were taken from its key '{quoted(name)}'.")
        if isinstance(inner, Mapping):
            yield from _records_of_object(inner, source, depth + 1)
        else:
            yield from _records_of_list(iter(inner), source)
        return
    if _is_keyed(value):
        yield from _records_by_key(value)
        return
    yield Record(value, row=1)


def _wrapped(value: Mapping[str, Any], source: Source, depth: int = 0) -> tuple[str | None, Any]:
    """The key whose list holds the records, looked for a few levels down."""
    lists = [name for name, inner in value.items() if _is_record_list(inner)]
    known = [name for name in _WRAPPERS if name in lists]
    if lists and not known and _is_one_record(value):
        return None, None
    if len(lists) > 1 and not known:
        raise CorpusError(
            f"{source.name} holds several lists of records ({listed(lists)}); "
            "keep the one that is the corpus, or name it 'data'."
        )
    if lists:
        name = (known or lists)[0]
        return name, value[name]
    texts = [name for name in _WRAPPERS if _is_text_list(value.get(name))]
    if len(texts) == 1 and len(value) <= 3:
        return texts[0], value[texts[0]]
    if depth < MAX_WRAPPING:
        for name in _WRAPPERS + (("response",) if "response" in value else ()):
            inner = value.get(name)
            if isinstance(inner, Mapping) and (_wrapped(inner, source, depth + 1)[0] or _is_keyed(inner)):
                return name, inner
    return None, None


def _is_one_record(value: Mapping[str, Any]) -> bool:
    """Whether an object with lists of objects is one rich record: it has an id or a title of its own."""
    return any(isinstance(value.get(name), (str, int)) for name in ("id", "_id", "title", "name"))


def _is_record_list(value: Any) -> bool:
    # a list of turns belongs to one conversation; a list of one-key labels does too
    if not isinstance(value, list) or not value or not all(isinstance(item, Mapping) for item in value[:20]):
        return False
    return conversations.as_turns(value[:20]) is None


def _is_text_list(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1 and all(isinstance(item, str) for item in value[:20])


def _is_keyed(value: Mapping[str, Any]) -> bool:
    """Whether an object is a corpus keyed by id: several objects with a key in common, or many plain texts."""
    inner = list(value.values())
    if len(inner) >= MANY and all(isinstance(item, str) for item in inner):
        return True
    if len(inner) < 2 or not all(isinstance(item, Mapping) for item in inner):
        return False
    return len(set(inner[0]).intersection(*inner[1:20])) > 0


def _records_by_key(value: Mapping[str, Any]) -> Iterator[Record]:
    for row, (key, inner) in enumerate(value.items(), start=1):
        if isinstance(inner, Mapping):
            yield Record({"id": key, **inner}, row=row)
        else:
            yield Record({"id": key, "text": inner}, row=row)


def _columns(value: Mapping[str, Any]) -> Iterator[Record] | None:
    """Records of a data frame written by columns: lists of one length, or objects keyed 0, 1, 2, ..."""
    inner = list(value.values())
    if set(value) >= {"columns", "data"} and isinstance(value["columns"], list) and isinstance(value["data"], list):
        names = [str(name) for name in value["columns"]]
        rows = [row for row in value["data"] if isinstance(row, list) and len(row) == len(names)]
        if rows and len(rows) == len(value["data"]):
            return (Record(dict(zip(names, row, strict=True)), row=i) for i, row in enumerate(rows, start=1))
    if len(inner) < 2 or not inner[0]:
        return None
    if all(isinstance(column, list) and len(column) == len(inner[0]) for column in inner):
        if len(inner[0]) < 2 or any(isinstance(cell, (list, Mapping)) for column in inner for cell in column[:1]):
            return None
        return (Record(dict(zip(value, row, strict=True)), row=i) for i, row in enumerate(zip(*inner, strict=True), 1))
    if all(isinstance(column, Mapping) and column.keys() == inner[0].keys() for column in inner):
        keys = list(inner[0])
        if keys != [str(number) for number in range(len(keys))]:
            return None
        return (Record({name: value[name][key] for name in value}, row=i) for i, key in enumerate(keys, start=1))
    return None


def _lift_feature(value: Mapping[str, Any], source: Source) -> Mapping[str, Any]:
    """A GeoJSON feature as a flat record: its properties, and a point as longitude and latitude."""
    if value.get("type") != "Feature" or not isinstance(value.get("properties"), Mapping):
        return value
    record = dict(value["properties"])
    if value.get("id") is not None:
        record.setdefault("id", value["id"])
    geometry = value.get("geometry")
    if isinstance(geometry, Mapping):
        place = geometry.get("coordinates")
        if geometry.get("type") == "Point" and isinstance(place, list) and len(place) >= 2:
            record.setdefault("longitude", place[0])
            record.setdefault("latitude", place[1])
        else:
            record.setdefault("geometry", geometry.get("type"))
            source.report.warn(f"The outlines of the features in {source.name} were left out; their kind was kept.")
    return record
