"""OpenDocument sheets (ods): the first table that is not empty.

The sheet is streamed: a cell or row may say that it is repeated a billion times, and such runs are cut at
the limits instead of being unrolled.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from cnrag_core.corpus.readers.archives import check_archive
from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.readers.tables import MAX_COLUMNS, NumberedRow, records_of_rows
from cnrag_core.corpus.records import Record
from cnrag_core.corpus.report import refusing
from cnrag_core.errors import CorpusError

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
MAX_REPEATED_ROWS = 1_000
MAX_UNROLLED = 500_000
"""Filled cells that are only said to repeat others; a few letters can say it of millions."""


def read(source: Source) -> Iterator[Record]:
    """Rows of the first table that is not empty.

    Raises
    ------
    CorpusError
        If the file is damaged or protected, unpacks to too much, or all tables are empty.
    """
    check_archive(source)
    with refusing(source.name, "an OpenDocument sheet"):
        found = False
        for record in records_of_rows(_first_table(source), source, unit="row"):
            found = True
            yield record
        if not found:
            raise CorpusError(f"{source.name} has no sheet with anything in it.")


def _first_table(source: Source) -> Iterator[NumberedRow]:
    from lxml import etree  # type: ignore[import-untyped]  # has no stubs

    with zipfile.ZipFile(io.BytesIO(source.data)) as archive, archive.open("content.xml") as content:
        events = etree.iterparse(
            content,
            events=("start", "end"),
            tag=(_TABLE + "table", _TABLE + "table-row"),
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
        )
        number, inside, filled, n_unrolled = 0, 0, False, 0
        for event, element in events:
            if element.tag == _TABLE + "table":
                inside += 1 if event == "start" else -1
                if event == "end" and inside == 0:
                    if filled:
                        return
                    number = 0
                    element.clear()
                continue
            if event == "start" or inside != 1:
                continue
            repeated = _repeats(element, "number-rows-repeated", MAX_REPEATED_ROWS)
            written, cells = len(element), _cells(element)
            element.clear()
            while element.getprevious() is not None:  # rows that were read: a million empty ones are memory too
                del element.getparent()[0]
            if not any(cell is not None for cell in cells):
                yield number + 1, cells  # blank: whoever asks for the rows may stop at too many of them
            else:
                filled = True
                n_unrolled += max(0, len(cells) * repeated - written)
                if n_unrolled > MAX_UNROLLED:
                    raise CorpusError(f"{source.name} repeats its cells more than {MAX_UNROLLED:,} times.")
                for offset in range(repeated):
                    yield number + offset + 1, cells
            number += repeated


def _cells(row: Any) -> list[Any]:
    cells: list[Any] = []
    for cell in row:
        if cell.tag not in {_TABLE + "table-cell", _TABLE + "covered-table-cell"}:
            continue
        value = _value(cell)
        cells += [value] * _repeats(cell, "number-columns-repeated", MAX_COLUMNS - len(cells))
        if len(cells) >= MAX_COLUMNS:
            break
    while cells and cells[-1] is None:
        cells.pop()
    return cells


def _repeats(element: Any, attribute: str, at_most: int) -> int:
    written = element.get(_TABLE + attribute, "1")
    return max(0, min(int(written) if written.isascii() and written.isdigit() and len(written) < 10 else 1, at_most))


def _value(cell: Any) -> Any:
    kind = cell.get(_OFFICE + "value-type")
    if kind in {"float", "percentage", "currency"}:
        number = float(cell.get(_OFFICE + "value", "nan"))
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    if kind == "boolean":
        return cell.get(_OFFICE + "boolean-value") == "true"
    if kind == "date":
        return str(cell.get(_OFFICE + "date-value", "")).removesuffix("T00:00:00") or None
    text = "\n".join("".join(_pieces(paragraph)) for paragraph in cell.iter(_TEXT + "p"))
    return text or None


def _pieces(paragraph: Any) -> Iterator[str]:
    """Text of a paragraph; runs of spaces and line breaks are elements of their own."""
    for element in paragraph.iter():
        if element.tag == _TEXT + "s":
            yield " " * _spaces(element)
        elif element.tag == _TEXT + "line-break":
            yield "\n"
        elif element.tag == _TEXT + "tab":
            yield "\t"
        elif isinstance(element.tag, str):
            yield element.text or ""
        if element is not paragraph:
            yield element.tail or ""


def _spaces(element: Any) -> int:
    written = element.get(_TEXT + "c", "1")
    return min(int(written), 1000) if written.isascii() and written.isdigit() and len(written) < 10 else 1
