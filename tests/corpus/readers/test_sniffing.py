"""The content of a file decides what it is; the name only settles what the content leaves open."""

from __future__ import annotations

import gzip
import io
import pickle
import tarfile
import zipfile

import pytest

from cnrag_core.corpus.readers.sniffing import detect
from cnrag_core.corpus.report import Report
from cnrag_core.errors import CorpusError


def zipped(*names: str, mimetype: str | None = None) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        if mimetype:
            archive.writestr("mimetype", mimetype)
        for name in names:
            archive.writestr(name, "x")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.json", '[{"a": 1}]', "json"),
        ("a.json", '{"a": 1}', "json"),
        ("a.json", '{"id": 1}\n{"id": 2}\n', "jsonlines"),
        ("a.jsonl", '{"id": 1}\n', "jsonlines"),
        ("a.jsonl", '{"id": 1}\n{broken\n{"id": 3}\n', "jsonlines"),
        ("a.jsonl", "{broken\n", "jsonlines"),
        ("a.jsonl", '{\n  "data": [\n {"a": 1}\n]}', "json"),
        ("a", '[\n{"a": 1},\n{"a": 2}\n]', "json"),
        ("a.csv", '[{"a": 1}]', "json"),
        ("a.txt", "[1] Smith, J. A title. 1999.\n[2] Doe, A.\n", "plaintext"),
        ("a.csv", "id,title\n1,x\n", "delimited"),
        ("a.csv", "title\nOne\nTwo\n", "delimited"),
        ("a", "id\ttitle\n1\tx\n2\ty\n", "delimited"),
        ("a.txt", "a;b;c\n" * 6, "delimited"),
        ("a.txt", "Dear Ann, thank you.\nDear Bo, no thanks.\nDear Cy, well then.\n", "plaintext"),
        ("a.md", "Just words, here.\n", "notes"),
        ("a", "# One\n\ntext\n\n## Two\n\n- [ ] three\n", "notes"),
        ("a.md", "---\ntitle: x\n---\nBody: of it\n", "notes"),
        ("a", "---\ntitle: x\n---\n\nA body of words.\n", "notes"),
        ("a.yaml", "- id: 1\n- id: 2\n", "yaml"),
        ("a", "---\nid: 1\n---\nid: 2\n", "yaml"),
        ("a", "- id: 1\n  title: x\n- id: 2\n  title: y\n", "yaml"),
        ("a.html", "<!DOCTYPE html><html><p>x</p></html>", "webpage"),
        ("a", "<!-- x --><html><p>x</p>", "webpage"),
        ("a.xml", '<?xml version="1.0"?><!DOCTYPE html PUBLIC "x"><html></html>', "webpage"),
        ("a.xml", '<?xml version="1.0"?><rss></rss>', "feed"),
        ("a.bib", "@article{key, title={x}}", "bibtex"),
        ("a", "% exported\n@book{key,\n title={x}}", "bibtex"),
        ("a.txt", "TY  - JOUR\nTI  - x\nER  - \n", "ris"),
        ("a.txt", "One line of text", "plaintext"),
        ("a.zip", "One line of text", "plaintext"),
        ("a.pdf", "Not one at all", "plaintext"),
    ],
)
def test_text_formats(name: str, text: str, expected: str) -> None:
    assert detect(text.encode(), name, Report(name)) == expected


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_hides_nothing(encoding: str) -> None:
    assert detect('[{"a": 1}]'.encode(encoding), "a", Report("a")) == "json"
    assert detect('{"id": 1}\n{"id": 2}\n'.encode(encoding), "a", Report("a")) == "jsonlines"


def test_magic_bytes() -> None:
    assert detect(b"PAR1" + b"\x00" * 20, "a.csv", Report("a.csv")) == "parquet"
    assert detect(b"junk\n%PDF-1.7\n", "a", Report("a")) == "pdf"
    assert detect(zipped("a.md"), "a", Report("a")) == "zip"
    assert detect(zipped("[Content_Types].xml", "xl/workbook.xml"), "a", Report("a")) == "excel"
    assert detect(zipped(mimetype="application/vnd.oasis.opendocument.spreadsheet"), "a", Report("a")) == "ods"


def test_a_name_that_says_something_else_is_told() -> None:
    report = Report("x.csv")
    detect(b"PAR1" + b"\x00" * 20, "x.csv", report)
    assert report.sentences(1) == ("x.csv is named like a delimited table, but it holds Parquet and was read as such.",)


def test_a_name_that_is_nearly_right_is_not_told() -> None:
    report = Report("x.json")
    detect(b'{"a": 1}\n{"a": 2}\n', "x.json", report)
    assert report.sentences(1) == ()


def test_a_long_first_line_is_still_json_lines() -> None:
    line = b'{"text": "' + b"x" * 100_000 + b'"}\n'
    assert detect(line * 2, "a", Report("a")) == "jsonlines"
    assert detect(line, "a", Report("a")) == "json"
    assert detect(line, "a.jsonl", Report("a")) == "jsonlines"


@pytest.mark.parametrize("data", [b"", b"\n \t\r\n", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_an_empty_file_is_refused(data: bytes) -> None:
    with pytest.raises(CorpusError, match=r"x\.csv is empty\."):
        detect(data, "x.csv", Report("x.csv"))


def tar_bytes() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a.txt"))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (gzip.compress(b'{"a": 1}'), "compressed with gzip; unpack it"),
        (b"BZh91AY", "compressed with bzip2"),
        (b"\xfd7zXZ\x00\x00", "compressed with xz"),
        (b"\x28\xb5\x2f\xfd\x00", "compressed with zstd"),
        (b"7z\xbc\xaf\x27\x1c\x00", "7z archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00", "old office format"),
        (b"SQLite format 3\x00", "SQLite database"),
        (b"\x93NUMPY\x01\x00", "numpy array"),
        (b"ARROW1\x00\x00", "Arrow file"),
        (b"\x89PNG\r\n\x1a\n", "image"),
        (tar_bytes(), "tar archive"),
        (zipped("[Content_Types].xml", "word/document.xml"), "Word document; save it as PDF"),
        (zipped("[Content_Types].xml", "ppt/x.xml"), "presentation"),
        (zipped(mimetype="application/epub+zip"), "e-book"),
        (zipped(mimetype="application/vnd.oasis.opendocument.text"), "OpenDocument text"),
        (b"\x00\x01\x02\x03\x04" * 100, "not text and of no format"),
        *(
            (pickle.dumps([{"a": 1}], protocol=n), "pickle, which can run programs and is never read")
            for n in (2, 3, 4, 5)
        ),
    ],
)
def test_what_is_never_read_is_refused_with_what_to_do(data: bytes, reason: str) -> None:
    with pytest.raises(CorpusError, match=reason):
        detect(data, "x.json", Report("x.json"))
