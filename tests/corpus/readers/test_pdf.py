"""PDF in a child process: pages, scans, and files that attack their reader."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pypdf
import pytest
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from cnrag_core.corpus.limits import MEGABYTE, UPLOAD_LIMITS
from cnrag_core.corpus.readers import read_bytes, read_corpus
from cnrag_core.errors import CorpusError


def pdf(*pages: str | None, password: str | None = None, title: str | None = None) -> bytes:
    """A document whose pages hold one line of text each; None is a page without any."""
    writer = pypdf.PdfWriter()
    for text in pages:
        page = writer.add_blank_page(300, 200)
        if text is not None:
            font = DictionaryObject(
                {
                    NameObject("/Type"): NameObject("/Font"),
                    NameObject("/Subtype"): NameObject("/Type1"),
                    NameObject("/BaseFont"): NameObject("/Helvetica"),
                }
            )
            page[NameObject("/Resources")] = DictionaryObject(
                {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
            )
            stream = DecodedStreamObject()
            stream.set_data(f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET".encode("latin-1"))
            page[NameObject("/Contents")] = writer._add_object(stream)
    if title:
        writer.add_metadata({"/Title": title})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def test_every_page_is_a_document_that_keeps_its_page() -> None:
    corpus = read_bytes(pdf("Trees drink water", "Roots reach deep"), "trees.pdf")
    assert [document.id for document in corpus] == ["page-001", "page-002"]
    assert corpus["page-002"].text("text").strip() == "Roots reach deep"
    assert (corpus["page-002"].provenance.page, corpus["page-002"].number("page")) == (2, 2)
    assert str(corpus["page-002"].provenance) == "trees.pdf, page 2"


def test_pages_without_text_are_named() -> None:
    corpus = read_bytes(pdf("Trees drink water", None, None, "Roots", None), "mixed.pdf")
    assert len(corpus) == 2
    assert "No text was found on 3 of 5 pages of mixed.pdf (pages 2-3, 5); they may be scanned" in corpus.warnings[0]


def test_a_scan_is_refused() -> None:
    with pytest.raises(CorpusError, match=r"scan\.pdf: no text was found on any of its 2 pages; it may be scanned"):
        read_bytes(pdf(None, None), "scan.pdf")


def test_a_whole_document_and_passages() -> None:
    data = pdf("Trees drink water", "Roots reach deep", title="On trees")
    (document,) = read_bytes(data, "x.pdf", split="whole")
    assert document.text("title") == "On trees"
    passages = read_bytes(data, "x.pdf", split="passages")
    assert [document.number("page") for document in passages] == [1, 2]


def test_a_password_is_told() -> None:
    with pytest.raises(CorpusError, match=r"x\.pdf: this PDF is protected by a password"):
        read_bytes(pdf("Secret", password="secret"), "x.pdf")


def test_an_empty_password_is_no_obstacle() -> None:
    data = pdf("Open words", password="owner")
    writer = pypdf.PdfWriter(clone_from=pypdf.PdfReader(io.BytesIO(data), password="owner"))
    writer.encrypt("", owner_password="owner", algorithm="RC4-128")
    buffer = io.BytesIO()
    writer.write(buffer)
    assert read_bytes(buffer.getvalue(), "x.pdf").documents[0].text("text").strip() == "Open words"


@pytest.mark.parametrize(
    "data", [b"%PDF-1.7\nnothing", b"%PDF-1.4\n1 0 obj\n<< /Prev 9 >>\nstartxref\n9\n%%EOF", pdf("x")[:200]]
)
def test_a_damaged_file_is_refused(data: bytes) -> None:
    with pytest.raises(CorpusError, match=r"x\.pdf: this PDF (?:is damaged|has no pages)"):
        read_bytes(data, "x.pdf")


def test_a_document_without_pages_is_refused() -> None:
    with pytest.raises(CorpusError, match=r"x\.pdf: this PDF has no pages"):
        read_bytes(pdf(), "x.pdf")


def test_too_many_pages_are_refused() -> None:
    with pytest.raises(CorpusError, match="this PDF has 5 pages; at most 3 are allowed"):
        read_bytes(pdf(*["x"] * 5), "x.pdf", limits=replace(UPLOAD_LIMITS, pdf_pages=3))


def test_too_much_text_is_refused() -> None:
    with pytest.raises(CorpusError, match="holds more than 0 MB of text"):
        read_bytes(pdf("words " * 50), "x.pdf", limits=replace(UPLOAD_LIMITS, pdf_text_bytes=100))


def test_a_child_that_needs_too_much_memory_is_stopped() -> None:
    # a page stream that unpacks from kilobytes to far more than the child may have
    writer = pypdf.PdfWriter(clone_from=pypdf.PdfReader(io.BytesIO(pdf("x"))))
    stream = DecodedStreamObject()
    stream.set_data(b"BT (" + b"a" * (40 * MEGABYTE) + b") Tj ET")
    writer.pages[0][NameObject("/Contents")] = writer._add_object(stream.flate_encode())
    buffer = io.BytesIO()
    writer.write(buffer)
    assert len(buffer.getvalue()) < MEGABYTE
    with pytest.raises(CorpusError, match=r"^x\.pdf"):
        read_bytes(buffer.getvalue(), "x.pdf", limits=replace(UPLOAD_LIMITS, child_memory_bytes=120 * MEGABYTE))


def test_a_child_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from cnrag_core.corpus.readers import children as reader

    endless = tmp_path / "endless.py"
    source = Path(reader.__file__).with_name("limited_child.py").read_text(encoding="utf-8")
    endless.write_text(source.replace("data = sys.stdin.buffer.read()", "while True: pass"), encoding="utf-8")
    monkeypatch.setattr(reader, "_CHILD", endless)
    with pytest.raises(CorpusError, match=r"x\.pdf: reading this file took more than 1 seconds .* it was stopped"):
        read_bytes(pdf("x"), "x.pdf", limits=replace(UPLOAD_LIMITS, child_seconds=1))


def test_a_scan_in_a_folder_is_named_and_the_others_load(tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(pdf(None))
    (tmp_path / "trees.pdf").write_bytes(pdf("Trees drink water", "Roots"))
    corpus = read_corpus(tmp_path)
    assert [document.id for document in corpus] == ["trees.pdf#page-001", "trees.pdf#page-002"]
    assert any("scan.pdf: no text was found on any of its 1 page" in text for text in corpus.warnings)


def test_the_pages_of_a_real_document(corpora: Path) -> None:
    corpus = read_corpus(corpora / "pdf" / "Understanding_Climate_Change.pdf")
    assert len(corpus) == 33
    assert corpus["page-001"].text("text").startswith("Understanding Climate Change \nChapter 1")
    assert corpus["page-001"].provenance.page == 1
