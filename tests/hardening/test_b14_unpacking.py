"""Small files that are large, endless or misleading to read: each is refused or bounded, soon and in little memory."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable

import openpyxl
import pytest

from cnrag_core.corpus.document import Corpus
from cnrag_core.corpus.limits import Limits
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.errors import CorpusError
from tests.hardening.hostile_files import (
    MEGABYTE,
    entities,
    jsonl,
    ods_of,
    ods_row,
    parquet,
    parquet_bomb,
    parquet_that_lies,
    sheet_row,
    xlsx_of_xml,
    xlsx_rows,
    zip_of,
    zip_that_lies,
)
from tests.hardening.watched import Memory, watched

LIMITS = Limits(documents=100_000, text_bytes=50 * MEGABYTE)
ZEROS = b" " * 40 * MEGABYTE

Outcome = str | Callable[[Corpus], bool]
ATTACKS: dict[str, tuple[str, Callable[[], bytes], Outcome]] = {
    "a megabyte of Parquet is ten gigabytes of text": (
        "a.parquet",
        lambda: parquet_bomb(100_000, 100_000),
        "holds more",
    ),
    "Parquet whose metadata lie": (
        "a.parquet",
        lambda: parquet_that_lies(300 * MEGABYTE),
        "needs more than 1,024 MB of memory|took more than",
    ),
    "a wide table of nothing": (
        "a.parquet",
        lambda: parquet({"id": list(range(20_000)), **{f"c{n}": [None] * 20_000 for n in range(100)}}),
        "more than 1,310,720 values",
    ),
    "ten million empty rows": ("a.csv", lambda: b"id,t\n" + b"\n" * 10_000_000, "no document"),
    "two thousand columns of nothing": (
        "a.csv",
        lambda: b",".join(b"c%d" % n for n in range(2_000)) + b"\n" + (b"x" + b"," * 1_999 + b"\n") * 1_000,
        "more than 1,310,720 values",
    ),
    "ten thousand columns": (
        "a.csv",
        lambda: b",".join(b"c%d" % n for n in range(10_000)) + b"\n1\n",
        "10,000 columns",
    ),
    "one line of millions of cells": ("a.csv", lambda: b"xx," * 5_100_000, "line 1: it has more than 5,000,000 cells"),
    "one line that is too long": ("a.csv", lambda: b"id,t\na," + b"x" * 30 * MEGABYTE, "field 't' has 30 MB"),
    "JSON that is one text": ("a.json", lambda: b'"' + b"x" * 30 * MEGABYTE + b'"', "found a single value"),
    "a record that is one text": ("a.jsonl", lambda: jsonl({"id": "a", "t": "x" * 6 * MEGABYTE}), "field 't' has 6 MB"),
    "millions of empty lists": ("a.json", lambda: b'{"data":[' + b"[]," * 2_000_000 + b"[]]}", "1,310,720 values"),
    "millions of empty lists in a record": (
        "a.jsonl",
        lambda: b'{"id":"a","x":[' + b"[]," * 2_000_000 + b"[]]}",
        "1,310,720 values",
    ),
    "a text full of commas is one value": (
        "a.json",
        lambda: b'[{"id":"a","t":"' + b"a,b,[" * 800_000 + b'"}]',
        lambda corpus: len(corpus["a"].text("t")) == 4_000_000,
    ),
    "a page of tags": ("a.html", lambda: b"<html><body>" + b"<p>" * 1_000_001, "has 1,000,003 tags; at most 1,000,000"),
    "a feed of tags": ("a.xml", lambda: b"<rss>" + b"<a/>" * 1_000_001 + b"</rss>", "has 1,000,003 tags"),
    "gzip under another name": ("a.json", lambda: gzip.compress(b"[]"), "compressed with gzip"),
    # archives
    "a zip of blanks": ("a.zip", lambda: zip_of([("a.txt", ZEROS)]), "unpacks from 39.8 kB to 40 MB"),
    "a zip that says less than it holds": (
        "a.zip",
        lambda: zip_that_lies("a.txt", b"Trees drink water.  " * 2 * MEGABYTE, 20),
        "no file in it that can be read",
    ),
    "a zip packed with bzip2": ("a.zip", lambda: zip_of([("a.txt", ZEROS)], method=zipfile.ZIP_BZIP2), "rare|not read"),
    "a zip packed with lzma": ("a.zip", lambda: zip_of([("a.txt", ZEROS)], method=zipfile.ZIP_LZMA), "is not read"),
    "a mimetype packed with bzip2": (
        "a.zip",
        lambda: zip_that_lies("mimetype", ZEROS, 20, method=zipfile.ZIP_BZIP2),
        "is not read",
    ),
    "a zip in a zip in a zip": ("a.zip", lambda: zip_of([("b.zip", zip_of([("c.zip", zip_of([]))]))]), "not unpacked"),
    "places outside the archive": (
        "a.zip",
        lambda: zip_of([("../../etc/a.md", "One note."), ("/abs/b.md", "Two notes."), ("C:\\x\\c.md", "Three notes.")]),
        lambda corpus: (
            all(".." not in document.id and document.id[0] != "/" for document in corpus) and len(corpus) == 3
        ),
    ),
    # workbooks
    "a row with the number two billion": (
        "a.xlsx",
        lambda: xlsx_rows(sheet_row(2_000_000_000, "b", "Two")),
        lambda corpus: (
            len(corpus) == 1 and "read up to row 2; more than 10,000 blank rows follow" in " ".join(corpus.warnings)
        ),
    ),
    "a million empty rows": (
        "a.xlsx",
        lambda: xlsx_rows("<row/>" * 1_000_000),
        lambda corpus: len(corpus) == 1 and "blank rows follow" in " ".join(corpus.warnings),
    ),
    "cells in the last column": (
        "a.xlsx",
        lambda: xlsx_rows(*(f'<row r="{n}"><c r="XFD{n}" t="b"><v>1</v></c></row>' for n in range(3, 2_000))),
        "cells, most of them empty|columns; at most|cells were found",
    ),
    "a strings part that says less than it holds": (
        "a.xlsx",
        lambda: _lying_workbook(),
        "cannot be read as an Excel workbook",
    ),
    "laughs in a workbook": (
        "a.xlsx",
        lambda: xlsx_rows(sheet_row(3, "b", "&laugh9;"), prologue=entities("worksheet")),
        "cannot be read as an Excel workbook",
    ),
    "laughs in a strings part": (
        "a.xlsx",
        lambda: xlsx_of_xml(
            '<worksheet><sheetData><row><c t="s"><v>0</v></c></row></sheetData></worksheet>',
            strings=entities("sst") + "<sst><si><t>&laugh9;</t></si></sst>",
        ),
        "Excel workbook|no sheet|no document",
    ),
    # other XML
    "laughs in a sheet": (
        "a.ods",
        lambda: ods_of(ods_row("t") + ods_row("&laugh9;"), prologue=entities()),
        "cannot be read",
    ),
    "a sheet that repeats its cells": (
        "a.ods",
        lambda: ods_of(ods_row("t", columns=2_000) + ods_row("x", rows=1_000, columns=2_000)),
        "repeats its cells more than 500,000 times",
    ),
    "a sheet of empty rows": (
        "a.ods",
        lambda: ods_of(ods_row("t") + ods_row("One") + "<table:table-row/>" * 500_000),
        lambda corpus: len(corpus) == 1,
    ),
    "laughs in a feed": (
        "a.xml",
        lambda: f"{entities('rss')}<rss><item><title>x &laugh9;</title></item></rss>".encode(),
        lambda corpus: len(corpus.documents[0].text("title")) < 100,
    ),
    "laughs in a page": (
        "a.html",
        lambda: f"{entities('html')}<html><p>x &laugh9;</p></html>".encode(),
        lambda corpus: len(corpus.documents[0].text("text")) < 2_000,
    ),
}


def _lying_workbook() -> bytes:
    book = openpyxl.Workbook()
    book.active.append(["id", "title"])
    for number in range(2_000):
        book.active.append([f"n{number}", f"Title {number} " + "x" * 1_000])
    buffer = io.BytesIO()
    book.save(buffer)
    data = bytearray(buffer.getvalue())
    for part in (b"xl/workbook.xml", b"xl/styles.xml"):
        entry = data.rfind(part)
        data[entry - 22 : entry - 18] = (50).to_bytes(4, "little")  # the size in the directory
    return bytes(data)


@pytest.mark.parametrize("name", ATTACKS)
def test_b14_a_file_that_unpacks_to_too_much_is_bounded(name: str) -> None:
    filename, make, outcome = ATTACKS[name]
    data = make()
    memory = Memory()
    with watched(hang=60) as watch:
        if callable(outcome):
            assert outcome(read_bytes(data, filename, limits=LIMITS))
        else:
            with pytest.raises(CorpusError, match=outcome) as caught:
                read_bytes(data, filename, limits=LIMITS)
            assert filename in str(caught.value)
    assert memory.peak is None or memory.peak <= 512
    print(f"B14 {name}: {len(data) / MEGABYTE:.2f} MB, {watch.cpu:.2f} CPU s, {memory}")


def test_b14_a_file_outside_is_never_read_through_xml() -> None:
    for filename, text in (
        ("a.xml", f"{entities('rss')}<rss><item><title>x &file;</title></item></rss>"),
        ("a.html", f"{entities('html')}<html><p>x &file;</p></html>"),
    ):
        corpus = read_bytes(text.encode(), filename)
        assert "root:" not in " ".join(map(str, corpus.documents[0].fields.values()))
    for filename, data in (
        ("a.xlsx", xlsx_rows(sheet_row(3, "b", "x &file;"), prologue=entities("worksheet"))),
        ("a.ods", ods_of(ods_row("t") + ods_row("x &file;"), prologue=entities())),
    ):
        try:
            shown = " ".join(str(document.fields) for document in read_bytes(data, filename))
        except CorpusError as error:
            shown = str(error)
        assert "root:" not in shown


def test_b14_scripts_of_a_page_are_no_text() -> None:
    page = (
        b"<html><body><p>Trees</p><script>alert(1)</script><style>p{}</style><svg onload=x><text>y</text></svg></body>"
    )
    assert read_bytes(page, "a.html").documents[0].text("text") == "Trees"


@pytest.mark.parametrize(
    ("data", "title"),
    [
        (b"\xff\xfeid,title\na,plain\n", "plain"),
        (b"\xfe\xffid,title\na,plain\n", "plain"),
        (b"\xef\xbb\xbfid,title\na,caf\xe9\n", "café"),
        (b"\xff\xfe" + "id,title\na,Bäume\n".encode("utf-16-le"), "Bäume"),
    ],
)
def test_b14_a_byte_order_mark_that_lies_spoils_nothing(data: bytes, title: str) -> None:
    assert read_bytes(data, "a.csv")["a"].text("title") == title
