"""Whatever bytes arrive: a corpus that can be stored, or a CorpusError that names the file, and nothing else."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cnrag_core.corpus.limits import MEGABYTE, Limits
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.errors import CorpusError

LIMITS = Limits(documents=10_000, text_bytes=20 * MEGABYTE)
FUZZ = settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
FEW = settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def survives(data: bytes, name: str, *, skip_bad_rows: bool = False) -> None:
    """Read it; nothing but a CorpusError may come out, and what is read can be stored."""
    try:
        corpus = read_bytes(data, name, limits=LIMITS, skip_bad_rows=skip_bad_rows)
    except CorpusError as error:
        message = str(error)
        message.encode("utf-8")
        assert name in message or "." in message
        return
    assert len({document.id for document in corpus}) == len(corpus)
    for document in corpus:
        json.dumps([document.id, document.fields], allow_nan=False, ensure_ascii=False).encode("utf-8")
        assert set(document.fields) <= set(corpus.kinds)


def mutated(original: bytes) -> st.SearchStrategy[bytes]:
    """The file with bytes changed, cut off, or doubled."""

    def change(edits: list[tuple[int, int]], cut: int, repeat: int) -> bytes:
        data = bytearray(original)
        for position, value in edits:
            data[position % len(data)] = value
        return bytes(data[: cut % len(data) or None] + data[: repeat % 50])

    edit = st.tuples(st.integers(0, 2**20), st.integers(0, 255))
    return st.builds(change, st.lists(edit, max_size=8), st.integers(0, 2**20) | st.just(0), st.integers(0, 49))


RECORDS = [{"id": "a", "title": "One é", "tags": ["x", "y"], "n": 1.5, "m": {"k": None}}, {"id": "b", "title": "Two;z"}]
JSON = json.dumps(RECORDS).encode()
JSONL = "\n".join(map(json.dumps, RECORDS)).encode()
CSV = 'id,title,tags,n\na,"One, ""é""",x|y,1.50\nb,Two,z,2.25\n'.encode()
YAML = b"- id: 007\n  title: 'One'\n  tags: [a, b]\n- id: b\n  text: |\n    two\n    lines\n"
NOTE = b"---\ntitle: One\ntags: [a, b]\n---\n# Head\n\nText with [[link]] and [other](x.md).\n"
PAGE = b"<!DOCTYPE html><html><head><title>T</title></head><body><h1>H</h1><p>Words &amp; more</p></body></html>"
BIB = b"@article{a, title={One {T}wo \\'e}, author={A and B}, year=2001}\n@misc{b, note={x}}\n"
RIS = b"TY  - JOUR\nAU  - Doe\nTI  - Title\nPY  - 2001\nER  - \nTY  - BOOK\nTI  - Two\nER  - \n"
FEED = b'<?xml version="1.0"?><rss><item><title>One</title><description>&lt;p&gt;x&lt;/p&gt;</description></item></rss>'


PDF = b"""%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>
endobj
4 0 obj << /Length 43 >> stream
BT /F1 12 Tf 20 100 Td (Trees drink) Tj ET
endstream endobj
5 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj
trailer << /Root 1 0 R >>
startxref
0
%%EOF
"""


def _xlsx() -> bytes:
    book = openpyxl.Workbook()
    for row in (["id", "title", "n"], ["a", "One title", 1], ["b", "Two titles", 2.5]):
        book.active.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _ods() -> bytes:
    name = "urn:oasis:names:tc:opendocument:xmlns:{0}:1.0"
    spaces = " ".join(f'xmlns:{key}="{name.format(key)}"' for key in ("office", "table", "text"))
    row = "<table:table-row><table:table-cell><text:p>{}</text:p></table:table-cell></table:table-row>"
    rows = "".join(map(row.format, ("title", "One title", "Two titles")))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", f"<office:x {spaces}><table:table>{rows}</table:table></office:x>")
    return buffer.getvalue()


def _parquet() -> bytes:
    buffer = io.BytesIO()
    table = pa.table({"id": ["a", "b"], "t": ["x y", None], "tags": [["p"], []], "n": [1, 2]})
    pq.write_table(table, buffer)
    return buffer.getvalue()


def _zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.md", NOTE)
        archive.writestr("sub/b.md", "Two notes here.")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "original"),
    [
        ("x.json", JSON),
        ("x.jsonl", JSONL),
        ("x.csv", CSV),
        ("x.yaml", YAML),
        ("x.md", NOTE),
        ("x.html", PAGE),
        ("x.bib", BIB),
        ("x.ris", RIS),
        ("x.xml", FEED),
    ],
)
@pytest.mark.parametrize("skip_bad_rows", [False, True])
def test_changed_text_files(name: str, original: bytes, skip_bad_rows: bool) -> None:
    @given(mutated(original))
    @FUZZ
    def check(data: bytes) -> None:
        survives(data, name, skip_bad_rows=skip_bad_rows)

    check()


@pytest.mark.parametrize(("name", "make"), [("x.parquet", _parquet), ("x.zip", _zip)])
def test_changed_binary_files(name: str, make: Callable[[], bytes]) -> None:
    original = make()

    @given(mutated(original))
    @FUZZ
    def check(data: bytes) -> None:
        survives(data, name)

    check()


@pytest.mark.parametrize(("name", "make"), [("x.xlsx", _xlsx), ("x.ods", _ods)])
def test_changed_spreadsheets(name: str, make: Callable[[], bytes]) -> None:
    original = make()

    @given(mutated(original))
    @FEW
    def check(data: bytes) -> None:
        survives(data, name)

    check()


@given(mutated(PDF))
@settings(max_examples=12, deadline=None, derandomize=True)
def test_changed_pdfs(data: bytes) -> None:
    survives(data, "x.pdf")


@given(
    st.binary(max_size=400), st.sampled_from(["x", "x.csv", "x.json", "x.jsonl", "x.txt", "x.md", "x.yaml", "x.html"])
)
@FUZZ
def test_any_bytes_under_any_name(data: bytes, name: str) -> None:
    survives(data, name)


@given(
    st.text(max_size=200),
    st.sampled_from(["x", "x.csv", "x.tsv", "x.json", "x.jsonl", "x.md", "x.yaml", "x.bib", "x.ris"]),
)
@FUZZ
def test_any_text_under_any_name(text: str, name: str) -> None:
    survives(text.encode("utf-8", "surrogatepass"), name)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=15,
)


@given(VALUES)
@FUZZ
def test_any_json_value(value: object) -> None:
    survives(json.dumps(value).encode(), "x.json")


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["id", "title", "tags", "messages", "mapping", "data"]), VALUES), max_size=4
    )
)
@FUZZ
def test_any_records(records: list[dict[str, object]]) -> None:
    survives("\n".join(map(json.dumps, records)).encode(), "x.jsonl", skip_bad_rows=True)
    survives(json.dumps({"documents": records}).encode(), "x.json", skip_bad_rows=True)
