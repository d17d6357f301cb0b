"""Makers of files that attack their reader: small to write, and large, endless or misleading to read."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pypdf
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject, NumberObject

MEGABYTE = 2**20
SHEET_NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
SHEET_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def jsonl(*records: Mapping[str, Any]) -> bytes:
    """One record a line."""
    return "\n".join(map(json.dumps, records)).encode()


def zip_of(
    entries: Iterable[tuple[str, bytes | str]],
    *,
    method: int = zipfile.ZIP_DEFLATED,
) -> bytes:
    """A zip with these entries, names and repeats as given."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return buffer.getvalue()


def zip_that_lies(name: str, content: bytes, size: int, *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip whose directory says that its one entry has another size than it has."""
    data = bytearray(zip_of([(name, content)], method=method))
    struct.pack_into("<I", data, data.find(b"PK\x01\x02") + 24, size)
    return bytes(data)


def entities(of: str = "z") -> str:
    """A prologue that defines a thousand million laughs as ``&laugh9;``, and a file as ``&file;``."""
    lines = ['<!ENTITY laugh0 "ha">', '<!ENTITY file SYSTEM "file:///etc/passwd">']
    lines += [f'<!ENTITY laugh{n} "{f"&laugh{n - 1};" * 10}">' for n in range(1, 10)]
    return f"<!DOCTYPE {of} [{''.join(lines)}]>"


def xlsx_of_xml(sheet: str, *, strings: str | None = None) -> bytes:
    """A workbook with one sheet, written by hand; `sheet` is the whole XML of it."""
    overrides = {"/xl/workbook.xml": "sheet.main", "/xl/worksheets/sheet1.xml": "worksheet"}
    entries = [
        (
            "_rels/.rels",
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
            f'Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        ),
        (
            "xl/workbook.xml",
            f'<workbook xmlns="{SHEET_NAMESPACE}" xmlns:r="{RELATIONS}"><sheets>'
            '<sheet name="Sheet" sheetId="1" r:id="rId1"/></sheets></workbook>',
        ),
        (
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" Type="{RELATIONS}/worksheet" '
            'Target="worksheets/sheet1.xml"/></Relationships>',
        ),
        ("xl/worksheets/sheet1.xml", sheet),
    ]
    if strings is not None:
        overrides["/xl/sharedStrings.xml"] = "sharedStrings"
        entries.append(("xl/sharedStrings.xml", strings))
    types = "".join(
        f'<Override PartName="{part}" ContentType="{SHEET_TYPES}.{kind}+xml"/>' for part, kind in overrides.items()
    )
    relations = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    content_types = f'<Types xmlns="{PACKAGE}/content-types">{relations}{types}</Types>'
    return zip_of([("[Content_Types].xml", content_types), *entries])


def xlsx_rows(*rows: str, prologue: str = "") -> bytes:
    """A workbook of rows given as XML, below a header ``id, title`` and one document."""
    head = sheet_row(1, "id", "title") + sheet_row(2, "a", "One title")
    data = f"<sheetData>{head}{''.join(rows)}</sheetData>"
    return xlsx_of_xml(f'{prologue}<worksheet xmlns="{SHEET_NAMESPACE}">{data}</worksheet>')


def sheet_row(number: int, *cells: str) -> str:
    """One row of a sheet, its cells as inline text."""
    written = "".join(
        f'<c r="{chr(65 + column)}{number}" t="inlineStr"><is><t>{text}</t></is></c>'
        for column, text in enumerate(cells)
    )
    return f'<row r="{number}">{written}</row>'


def ods_of(rows: str, *, prologue: str = "") -> bytes:
    """An OpenDocument sheet of rows given as XML."""
    name = "urn:oasis:names:tc:opendocument:xmlns:{0}:1.0"
    spaces = " ".join(f'xmlns:{key}="{name.format(key)}"' for key in ("office", "table", "text"))
    content = f"{prologue}<office:x {spaces}><table:table>{rows}</table:table></office:x>"
    return zip_of([("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", content)])


def ods_row(text: str, *, rows: int = 1, columns: int = 1) -> str:
    """One row with one text, said to be repeated."""
    return (
        f'<table:table-row table:number-rows-repeated="{rows}"><table:table-cell '
        f'table:number-columns-repeated="{columns}"><text:p>{text}</text:p></table:table-cell></table:table-row>'
    )


def parquet(columns: Mapping[str, Any], **options: Any) -> bytes:
    """A Parquet file of these columns."""
    buffer = io.BytesIO()
    pq.write_table(pa.table(dict(columns)), buffer, **options)
    return buffer.getvalue()


def parquet_bomb(n_rows: int, n_bytes: int) -> bytes:
    """One text of `n_bytes`, repeated in every row; the file and its metadata hold it once."""
    ids = pa.array(range(n_rows))
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * n_rows, pa.int32()), ["x" * n_bytes])
    return parquet({"id": ids, "t": texts}, compression="zstd")


def parquet_that_lies(n_bytes: int) -> bytes:
    """Two texts of `n_bytes` together, packed to a few kilobytes, and metadata that admit a thousand bytes."""
    halves = ["x" * (n_bytes // 2), "y" * (n_bytes // 2)]
    options = {"compression": "zstd", "use_dictionary": False, "write_statistics": False, "data_page_size": 2**30}
    data = parquet({"id": ["a", "b"], "t": halves}, **options)
    group = pq.ParquetFile(io.BytesIO(data)).metadata.row_group(0)
    length = struct.unpack("<I", data[-8:-4])[0]
    start = len(data) - 8 - length
    footer = data[start:-8]
    for size in (group.column(1).total_uncompressed_size, group.total_byte_size):
        written = _zigzag(size)
        footer = footer.replace(written, _zigzag(1_000, len(written)))
    return data[:start] + footer + data[-8:]


def _zigzag(number: int, length: int = 0) -> bytes:
    """A positive number as the metadata write it, in at least so many bytes."""
    number, written = 2 * number, bytearray()
    while number > 0x7F or len(written) < length - 1:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*written, number])


def pdf(*pages: str | None, password: str | None = None) -> bytes:
    """A document whose pages hold one line of text each; None is a page without any."""
    writer = pypdf.PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for text in pages:
        page = writer.add_blank_page(300, 200)
        if text is not None:
            page[NameObject("/Resources")] = DictionaryObject(
                {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
            )
            stream = DecodedStreamObject()
            stream.set_data(f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET".encode("latin-1"))
            page[NameObject("/Contents")] = writer._add_object(stream)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def pdf_whose_pages_are_their_own_parents() -> bytes:
    """A page tree that contains itself."""
    writer = pypdf.PdfWriter()
    writer.add_blank_page(300, 200)
    tree = writer._root_object["/Pages"].get_object()
    tree["/Kids"].append(writer._root_object.raw_get("/Pages"))
    tree[NameObject("/Count")] = NumberObject(10**9)
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def pdf_with_circular_tables() -> bytes:
    """A cross-reference table whose predecessor is itself."""
    data = pdf("Trees drink water")
    start = int(data.rsplit(b"startxref", 1)[1].split()[0])
    head, trailer = data.rsplit(b"trailer", 1)
    return head + b"trailer" + trailer.replace(b"<<", b"<< /Prev %d " % start, 1)


def pdf_that_inflates(n_megabytes: int) -> bytes:
    """A page whose packed content is a thousand times as long when it is unpacked."""
    writer = pypdf.PdfWriter()
    page = writer.add_blank_page(300, 200)
    stream = DecodedStreamObject()
    stream.set_data(b"(x) Tj " * (n_megabytes * MEGABYTE // 7))
    page[NameObject("/Contents")] = writer._add_object(stream.flate_encode())
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()
