"""Rows of cells to records: where the header is, what the columns are called, and rows that do not fit.

Shared by CSV, spreadsheets and JSON arrays of arrays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import Any, TypeAlias

from cnrag_core.corpus.document import as_number
from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.records import Record
from cnrag_core.corpus.wording import count, quoted
from cnrag_core.errors import CorpusError

NumberedRow: TypeAlias = tuple[int, Sequence[Any]]
"""Where the row stands (a line of text or a row of a sheet, from 1), and its cells."""

PEEK = 50
MAX_COLUMNS = 2_000
MAX_HEADER_LENGTH = 100
MAX_BLANK_ROWS = 10_000
"""Blank rows one after another behind which nothing more is looked for: sheets are formatted down to their end, one
row may say that it is number two billion, and a megabyte holds a million blank lines."""
_LETTER = re.compile(r"[^\W\d_]")
_SHORT_ROW = "A row with fewer cells than the header was filled up with empty ones"
_HEADER_AGAIN = "A row that repeats the header was left out"


def records_of_rows(
    rows: Iterable[NumberedRow], source: Source, *, unit: str = "line", typed: bool = False
) -> Iterator[Record]:
    """One record a row below the header; blank rows are passed over.

    Parameters
    ----------
    rows
        Numbered rows, in order.
    source
        For its name and report.
    unit
        What the number of a row counts, for messages about rows that do not fit.
    typed
        Whether a number in a cell would be one, so that a text is meant as a text.

    Raises
    ------
    CorpusError
        If a row has more cells than the header (unless bad rows are skipped), or there are too many columns.
    """
    filled = _filled(rows, source, unit)
    first = list(islice(filled, PEEK))
    if not first:
        return
    start = _header_position(first)
    if start:
        were = "was" if start == 1 else "were"
        source.report.warn(f"{count(start, 'row')} above the header of {source.name} {were} left out.")
    header = _trimmed(first[start][1])
    _check_width(len(header), source)
    body = first[start + 1 :]
    has_header = _is_header(header, [cells for _, cells in body])
    if not has_header:
        header, body = [], first[start:]
        source.report.warn(f"{source.name} has no header; the columns are called column_1, column_2, …")
    names = _names(header, _usual_width(body, len(header)), source)

    row = 0
    for number, cells in chain(body, filled):
        if has_header and list(_trimmed(cells)) == list(header):
            source.report.find(_HEADER_AGAIN, f"{unit} {number}")
            continue
        row += 1
        place = f"{unit} {number}"
        if len(cells) < len(names) and unit == "line":
            source.report.find(_SHORT_ROW, place)
        cells = _trimmed(cells)
        if len(cells) > len(names):
            source.report.reject(
                place,
                f"{count(len(cells), 'cell')} were found under {count(len(names), 'column')}; "
                "a cell that holds the separator needs quotes around it.",
                file=source.name,
            )
            continue
        # an empty cell holds nothing, wherever in the row it stands
        padded = [None if _is_blank(cell) else cell for cell in cells] + [None] * (len(names) - len(cells))
        yield Record(dict(zip(names, padded, strict=True)), row=row, typed=typed)


def _filled(rows: Iterable[NumberedRow], source: Source, unit: str) -> Iterator[NumberedRow]:
    """The rows that hold something, up to a long stretch of blank ones."""
    last = n_blank = 0
    for number, cells in rows:
        if not all(map(_is_blank, cells)):
            yield number, cells
            last, n_blank = number, 0
            continue
        n_blank += 1
        if n_blank > MAX_BLANK_ROWS:
            source.report.warn(
                f"{source.name} was read up to {unit} {last:,}; more than {MAX_BLANK_ROWS:,} blank rows follow, and "
                "what may stand below them was left out."
            )
            return


def _usual_width(rows: Sequence[NumberedRow], at_least: int) -> int:
    """Number of columns: those of the header, and more where most of several rows hold something beyond it."""
    widths = sorted(len(_trimmed(cells)) for _, cells in rows)
    if not at_least:
        return widths[-1] if widths else 0
    return max(at_least, widths[(len(widths) - 1) // 2]) if len(widths) > 2 else at_least


def _check_width(width: int, source: Source) -> None:
    if width > MAX_COLUMNS:
        raise CorpusError(f"{source.name} has {count(width, 'column')}; at most {MAX_COLUMNS:,} are allowed.")


def _trimmed(cells: Sequence[Any]) -> Sequence[Any]:
    """The cells without the empty ones at the end."""
    end = len(cells)
    while end and _is_blank(cells[end - 1]):
        end -= 1
    return cells[:end]


def _is_blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _header_position(rows: Sequence[NumberedRow]) -> int:
    """The first row that is at least half as wide as most rows: a title above a table is narrower."""
    widths = sorted(sum(not _is_blank(cell) for cell in cells) for _, cells in rows)
    typical = widths[(len(widths) - 1) // 2]
    for position, (_, cells) in enumerate(rows[:20]):
        if 2 * sum(not _is_blank(cell) for cell in cells) > typical or typical <= 2:
            return position
    return 0


def _is_header(header: Sequence[Any], body: Sequence[Sequence[Any]]) -> bool:
    """Whether the first row names columns instead of being data.

    Data looks like the rows below it: a long text, a value that comes again in its column, numbers above
    numbers (unless they count on, as years above a table do).
    """
    texts = [str(cell).strip() for cell in header if not _is_blank(cell)]
    if any(len(text) > MAX_HEADER_LENGTH or "\n" in text for text in texts):
        return False
    if not any(_LETTER.search(text) for text in texts):
        return False
    others = [row for row in body if list(_trimmed(row)) != list(header)]
    numbers: list[float] = []
    for position, cell in enumerate(header):
        below = [row[position] for row in others if position < len(row) and not _is_blank(row[position])]
        if not _is_blank(cell) and cell in below:
            return False
        number = as_number(cell)
        if number is not None and below and all(as_number(value) is not None for value in below):
            numbers.append(number)
    counts_on = len(numbers) > 1 and all(b == a + 1 for a, b in pairwise(numbers))
    return counts_on or 2 * len(numbers) < len(texts)


def _names(header: Sequence[Any], width: int, source: Source) -> list[str]:
    """Column names: text, never empty, never the same twice."""
    _check_width(width, source)
    names: list[str] = []
    used: set[str] = set()
    for position in range(width):
        cell = header[position] if position < len(header) else None
        name = "" if cell is None else str(cell).strip().strip("\ufeff")
        name = name or f"column_{position + 1}"
        fresh, number = name, 1
        while fresh in used:
            number += 1
            fresh = f"{name}_{number}"
        if fresh != name:
            source.report.warn(f"{source.name} has two columns '{quoted(name)}'; one is called '{quoted(fresh)}'.")
        used.add(fresh)
        names.append(fresh)
    return names
