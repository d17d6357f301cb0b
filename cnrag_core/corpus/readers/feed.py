"""A news feed (RSS or Atom): one item a document. Other XML is refused, because nothing says what a record is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.readers.webpage import check_tags, declared_encoding, text_of_fragment
from cnrag_core.corpus.records import Record
from cnrag_core.corpus.report import refusing
from cnrag_core.errors import CorpusError

_DECLARATION = re.compile(r"^\s*<\?xml[^>]{0,300}\?>")
_TEXTS = ("encoded", "content", "description", "summary")
_DATES = ("pubDate", "published", "updated", "date")


def read(source: Source) -> Iterator[Record]:
    """Items of the feed.

    Raises
    ------
    CorpusError
        If the file is no feed, or cannot be read as XML at all.
    """
    from lxml import etree  # type: ignore[import-untyped]  # has no stubs

    text = source.text(declared=declared_encoding(source.data))
    check_tags(text, source)
    # no entities and no network: a feed is data, whatever its prologue defines
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    with refusing(source.name, "XML"):
        root = etree.fromstring(_DECLARATION.sub("", text).encode("utf-8", "replace"), parser)
    items = [] if root is None else [element for element in root.iter() if _name(element) in {"item", "entry"}]
    if not items:
        raise CorpusError(
            f"{source.name} is XML, and no news feed; of XML only RSS and Atom are read. "
            "Give the records as JSON, JSON Lines or CSV."
        )
    for row, item in enumerate(items, start=1):
        with refusing(source.name, "a news feed"):
            fields = _fields(item)
        yield Record(fields, row=row, unit="item")


def _name(element: Any) -> str:
    """The element's name without its namespace; comments have none."""
    return str(element.tag).rpartition("}")[2] if isinstance(element.tag, str) else ""


def _fields(item: Any) -> dict[str, Any]:
    parts: dict[str, list[Any]] = {}
    for element in item:
        parts.setdefault(_name(element), []).append(element)
    fields: dict[str, Any] = {}
    for name in ("guid", "id"):
        if name in parts:
            fields["id"] = _text(parts[name][0])
    if "title" in parts:
        fields["title"] = text_of_fragment(_text(parts["title"][0]))
    body = next((_text(parts[name][0]) for name in _TEXTS if name in parts and _text(parts[name][0])), "")
    if body:
        fields["text"] = text_of_fragment(body)
    for element in parts.get("link", []):
        fields.setdefault("url", _text(element) or element.get("href", ""))
    labels = [_text(element) or element.get("term", "") for element in parts.get("category", [])]
    if any(labels):
        fields["categories"] = [label for label in labels if label]
    authors = [_text(element) for name in ("creator", "author") for element in parts.get(name, [])]
    if any(authors):
        fields["authors"] = [author for author in authors if author]
    date = next((_text(parts[name][0]) for name in _DATES if name in parts), "")
    if date:
        fields["date"] = date
    return fields


def _text(element: Any) -> str:
    return "".join(element.itertext()).strip()
