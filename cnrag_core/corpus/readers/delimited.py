"""CSV and TSV, whatever stands between the cells: commas, tabs, semicolons or bars.

Quotes are those of RFC 4180. In a tab-separated file whose quotes do not pair, a quote is a character like
any other, as in most dumps of that kind.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.readers.tables import NumberedRow, records_of_rows
from cnrag_core.corpus.records import Record
from cnrag_core.errors import CorpusError

DELIMITERS = ",\t;|"
SAMPLE_CHARACTERS = 64 * 1024
SAMPLE_ROWS = 100
_NAMED_DELIMITER = re.compile(r"sep=([^\w\s\"]|\t)\r?\n", re.IGNORECASE)  # what Excel writes above a table
_LINE = re.compile(r"[^\r\n]*+(?:\r\n?|\n)|[^\r\n]++")
MAX_CELLS_PER_LINE = 5_000_000
"""A line is taken apart as a whole, so one with more separators is refused before; a long quoted list has fewer."""

_END = "\x00end of file\x00"
"""Fed behind the last line: where it is swallowed into a cell, a quote was never closed."""


def read(source: Source) -> Iterator[Record]:
    """Rows as records, cells as text.

    Raises
    ------
    CorpusError
        If a quote is never closed; what comes behind it cannot be told apart.
    """
    text = source.text().replace("\x00", "\ufffd")
    named = _NAMED_DELIMITER.match(text)
    if named:
        text = text[named.end() :]
    delimiter = named[1] if named else sniff_delimiter(text) or ","
    literal_quotes = delimiter == "\t" and not _quotes_pair(text)
    yield from records_of_rows(_rows(text, delimiter, literal_quotes, source), source)


def sniff_delimiter(text: str) -> str | None:
    """The character that cuts most lines into the same number of cells, more than one; None if none does.

    Examples
    --------
    >>> sniff_delimiter("a;b;c\\n1,5;2;3\\n"), sniff_delimiter("one\\ntwo\\n") is None
    (';', True)
    """
    best: tuple[float, int, str] | None = None
    for delimiter in DELIMITERS:
        widths = _widths(text, delimiter)
        if not widths:
            continue
        counted = Counter(widths)
        width, n_rows = max(counted.items(), key=lambda item: (item[1], item[0]))
        if width < 2:
            width = widths[0]  # a header with many columns above rows that hold little
            n_rows = counted[width]
        fit = (round(n_rows / len(widths), 2), width, delimiter)
        if width > 1 and (best is None or fit[:2] > best[:2]):
            best = fit
    return best[2] if best is not None and best[0] >= 0.5 else None


def agreement(text: str, delimiter: str) -> tuple[float, int, int]:
    """How well a delimiter fits: share of rows with the usual number of cells, that number, rows looked at."""
    widths = _widths(text, delimiter)
    if not widths:
        return 0.0, 0, 0
    width, n_rows = Counter(widths).most_common(1)[0]
    return n_rows / len(widths), width, len(widths)


def _widths(text: str, delimiter: str) -> list[int]:
    """Numbers of cells in the first rows; none where the text cannot be cut by this delimiter."""
    reader = csv.reader(io.StringIO(_sample(text), newline=""), delimiter=delimiter)
    try:
        return [len(row) for row in islice(filter(None, reader), SAMPLE_ROWS)]
    except csv.Error:
        return []


def _sample(text: str) -> str:
    """The beginning of the text, without its last line when that is cut off."""
    if len(text) <= SAMPLE_CHARACTERS:
        return text
    sample = text[:SAMPLE_CHARACTERS]
    return sample[: sample.rfind("\n") + 1] or sample


def _quotes_pair(text: str) -> bool:
    """Whether the cells of a tab-separated text that begin with a quote also end with one."""
    for line in _sample(text).splitlines():
        for cell in line.split("\t"):
            if cell.startswith('"') and not (len(cell) > 1 and cell.endswith('"')):
                return False
    return True


def _rows(text: str, delimiter: str, literal_quotes: bool, source: Source) -> Iterator[NumberedRow]:
    _allow_long_cells()
    reader = csv.reader(
        _lines(text, delimiter, source),
        delimiter=delimiter,
        quoting=csv.QUOTE_NONE if literal_quotes else csv.QUOTE_MINIMAL,
    )
    line = 1
    try:
        for cells in reader:
            if cells and _END in cells[-1]:
                if cells != [_END]:
                    raise CorpusError(
                        f"{source.name}, line {line}: a quote is opened in this row and never closed. "
                        "A quote inside a quoted cell is written twice."
                    )
                return
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise CorpusError(f"{source.name}, line {reader.line_num}: {error}.") from None


def _lines(text: str, delimiter: str, source: Source) -> Iterator[str]:
    """Lines with their ends; a carriage return alone ends a line too, as old spreadsheets wrote them.

    Cut one by one: a text stream would hold four bytes for every character of the file.
    """
    last = ""
    for number, found in enumerate(_LINE.finditer(text), start=1):
        last = found[0]
        if len(last) > MAX_CELLS_PER_LINE and last.count(delimiter) > MAX_CELLS_PER_LINE:
            raise CorpusError(f"{source.name}, line {number}: it has more than {MAX_CELLS_PER_LINE:,} cells.")
        yield last
    if last and last[-1] not in "\r\n":
        yield "\n"
    yield _END


def _allow_long_cells() -> None:
    # the module's own limit of 131,072 characters is for the whole process; ours are counted per field
    if csv.field_size_limit() < 2**31 - 1:
        csv.field_size_limit(2**31 - 1)
