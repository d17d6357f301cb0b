"""Excel workbooks (xlsx): the first sheet that holds a table."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from cnrag_core.corpus.readers.archives import BoundedZip, check_archive
from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.readers.tables import NumberedRow, records_of_rows
from cnrag_core.corpus.records import Record
from cnrag_core.corpus.report import refusing
from cnrag_core.corpus.wording import listed
from cnrag_core.errors import CorpusError

MAX_CELLS = 20_000_000


def read(source: Source) -> Iterator[Record]:
    """Rows of the first sheet that is not empty; formulas by the value that was last computed.

    Raises
    ------
    CorpusError
        If the workbook is damaged, protected or unpacks to too much, or all sheets are empty.
    """
    from openpyxl.reader.excel import ExcelReader

    check_archive(source)
    with refusing(source.name, "an Excel workbook"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about styles and rules of the sheet, which are not read
        reader = ExcelReader(io.BytesIO(source.data), read_only=True, data_only=True, keep_links=False)
        reader.archive = BoundedZip(io.BytesIO(source.data))
        reader.read()
        book = reader.wb
        try:
            filled = [sheet for sheet in book.worksheets if _has_cells(sheet)]
            if not filled:
                raise CorpusError(f"{source.name} has no sheet with anything in it.")
            if len(filled) > 1:
                others = listed(sheet.title for sheet in filled[1:])
                source.report.warn(f"Sheet {listed([filled[0].title])} of {source.name} was read; not read: {others}.")
            yield from records_of_rows(_rows(filled[0], source), source, unit="row")
        finally:
            book.close()


def _has_cells(sheet: Any) -> bool:
    sheet.reset_dimensions()  # what a file says of its own size may be anything
    rows = sheet.iter_rows(max_row=1000, values_only=True)
    return any(cell is not None for row in rows for cell in row)


def _rows(sheet: Any, source: Source) -> Iterator[NumberedRow]:
    n_cells = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        # a row is as wide as its last cell, and that may stand in column 16,384 of every row
        n_cells += len(row)
        if n_cells > MAX_CELLS:
            raise CorpusError(
                f"{source.name} has more than {MAX_CELLS:,} cells, most of them empty; save only the table."
            )
        yield number, _plain(row)


def _plain(row: Sequence[Any]) -> list[Any]:
    """Cells up to the last filled one; whole numbers as such, because a sheet knows one kind and an id is not 7.0."""
    end = len(row)
    while end and row[end - 1] is None:
        end -= 1
    return [
        int(cell) if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53 else cell for cell in row[:end]
    ]
