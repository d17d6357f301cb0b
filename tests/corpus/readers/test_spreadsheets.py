"""Excel and OpenDocument sheets."""

from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Sequence
from typing import Any

import openpyxl
import pytest

from cnrag_core.corpus.limits import MEGABYTE, Limits
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.errors import CorpusError


def xlsx(**sheets: Sequence[Sequence[Any]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def ods(body: str, mimetype: str = "application/vnd.oasis.opendocument.spreadsheet") -> bytes:
    namespaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    root = f"<office:document-content {namespaces}><office:body>{body}</office:body></office:document-content>"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", mimetype)
        archive.writestr("content.xml", f'<?xml version="1.0"?>{root}')
    return buffer.getvalue()


def cell(text: str, **attributes: str) -> str:
    extra = "".join(f' {name.replace("_", ":", 1).replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f"<table:table-cell{extra}><text:p>{text}</text:p></table:table-cell>"


def row(*cells: str, repeated: int = 1) -> str:
    return f'<table:table-row table:number-rows-repeated="{repeated}">{"".join(cells)}</table:table-row>'


HEADER = ("id", "title", "year", "when", "open")


def test_a_sheet_with_a_header() -> None:
    corpus = read_bytes(
        xlsx(
            Papers=[
                HEADER,
                ("007", "One title", 1999, datetime.datetime(2020, 1, 2), True),
                (7, "Two titles", 2001.0, datetime.datetime(2020, 1, 2, 3, 4), False),
            ]
        ),
        "x.xlsx",
    )
    assert [document.id for document in corpus] == ["007", "7"]
    assert corpus["007"].fields == {"title": "One title", "year": 1999, "when": "2020-01-02", "open": True}
    assert dict(corpus.kinds) == {"title": "text", "year": "number", "when": "date", "open": "boolean"}


def test_a_title_above_the_table_and_blank_rows() -> None:
    corpus = read_bytes(
        xlsx(S=[("Our papers",), (), HEADER, ("a", "One title", 1, None, None), (), ("b", "Two", 2)]), "x.xlsx"
    )
    assert [document.id for document in corpus] == ["a", "b"]


def test_the_first_sheet_that_is_not_empty_is_read_and_the_others_are_told() -> None:
    corpus = read_bytes(xlsx(Empty=[], Papers=[HEADER, ("a", "One title", 1)], Notes=[("x",)]), "x.xlsx")
    assert [document.id for document in corpus] == ["a"]
    assert any("Sheet 'Papers' of x.xlsx was read; not read: 'Notes'." in text for text in corpus.warnings)


def test_a_cell_far_to_the_right_of_every_row_is_refused() -> None:
    data = xlsx(S=[HEADER, *([None] * 2500 + ["x"] for _ in range(3))])
    with pytest.raises(
        CorpusError, match=r"row 2: 2,501 cells were found under 5 columns|2,501 columns; at most 2,000"
    ):
        read_bytes(data, "x.xlsx")


def test_an_empty_workbook_is_refused() -> None:
    with pytest.raises(CorpusError, match=r"x\.xlsx has no sheet with anything in it"):
        read_bytes(xlsx(Empty=[]), "x.xlsx")


def test_a_row_that_does_not_fit_is_named_as_in_the_sheet() -> None:
    data = xlsx(S=[("id", "title"), ("a", "x y"), ("b", "y z", None, "beyond"), ("c", "z z")])
    with pytest.raises(CorpusError, match="row 3: 4 cells were found under 2 columns"):
        read_bytes(data, "x.xlsx")


def test_a_damaged_workbook_is_refused() -> None:
    data = xlsx(S=[HEADER, ("a", "x y", 1)])
    middle = len(data) // 2
    for broken in (data[:-30], data[:middle] + b"\x00" * 200 + data[middle + 200 :]):
        with pytest.raises(CorpusError, match=r"^x\.xlsx"):
            read_bytes(broken, "x.xlsx")


def test_a_workbook_that_unpacks_to_too_much_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<x/>")
        archive.writestr("xl/workbook.xml", " " * 50 * MEGABYTE)
    with pytest.raises(CorpusError, match=r"unpacks to 50 MB; at most 40 MB are allowed"):
        read_bytes(buffer.getvalue(), "x.xlsx", limits=Limits(text_bytes=10 * MEGABYTE))


def test_an_opendocument_sheet() -> None:
    table = "".join(
        [
            "<office:spreadsheet><table:table>",
            row(*map(cell, ("id", "title", "year", "open", "when"))),
            row(
                cell("a"),
                cell("One<text:s text:c='2'/>title <text:span>here</text:span>"),
                cell("1,999", office_value_type="float", office_value="1999"),
                cell("yes", office_value_type="boolean", office_boolean_value="true"),
                cell("2 Jan", office_value_type="date", office_date_value="2020-01-02"),
            ),
            row(cell("b"), cell("Two titles"), "<table:table-cell table:number-columns-repeated='1000000'/>"),
            row("<table:table-cell table:number-columns-repeated='16384'/>", repeated=1_000_000),
            "</table:table></office:spreadsheet>",
        ]
    )
    corpus = read_bytes(ods(table), "x.ods")
    assert corpus["a"].fields == {"title": "One  title here", "year": 1999, "open": True, "when": "2020-01-02"}
    assert len(corpus) == 2


def test_repeated_rows_are_not_unrolled_without_end() -> None:
    rows = row(cell("id"), cell("t")) + row(cell("x", table_number_columns_repeated="2"), repeated=999_999_999)
    corpus = read_bytes(
        ods(f"<office:spreadsheet><table:table>{rows}</table:table></office:spreadsheet>"),
        "x.ods",
        keep_duplicates=True,
    )
    assert len(corpus) == 1000


def test_an_entity_bomb_is_not_expanded() -> None:
    entities = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9)
    )
    namespaces = 'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "content.xml", f"{entities}]><office:document-content {namespaces}>&j;</office:document-content>"
        )
    with pytest.raises(CorpusError, match=r"^x\.ods"):
        read_bytes(buffer.getvalue(), "x.ods")


@pytest.mark.parametrize("body", ["", "<office:spreadsheet><table:table/></office:spreadsheet>"])
def test_an_empty_opendocument_sheet_is_refused(body: str) -> None:
    with pytest.raises(CorpusError, match="no sheet with anything in it"):
        read_bytes(ods(body), "x.ods")
