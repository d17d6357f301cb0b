"""PDF: whatever a file asks of its reader, a child process pays for it, and the other files load."""

from __future__ import annotations

import sys

import pytest

from cnrag_core.corpus.limits import MEGABYTE, UPLOAD_LIMITS, Limits
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.errors import CorpusError
from tests.hardening.hostile_files import (
    pdf,
    pdf_that_inflates,
    pdf_whose_pages_are_their_own_parents,
    pdf_with_circular_tables,
    zip_of,
)
from tests.hardening.watched import Memory, watched

ATTACKS = {
    "circular tables": pdf_with_circular_tables,
    "a page tree that holds itself": pdf_whose_pages_are_their_own_parents,
    "a stream of 200 MB": lambda: pdf_that_inflates(200),
    "a password": lambda: pdf("Secret", password="x"),
    "nothing behind the mark": lambda: b"%PDF-1.7\n",
    "half of it": lambda: pdf("Trees drink water", "Roots")[:400],
    "no pages": pdf,
}


@pytest.mark.parametrize("name", ATTACKS)
def test_b15_a_pdf_that_attacks_its_reader_is_named_and_the_others_load(name: str) -> None:
    attack = ATTACKS[name]()
    limits = Limits(child_seconds=5, child_memory_bytes=512 * MEGABYTE)
    memory = Memory()
    with watched(hang=100):
        refused = ""
        try:
            read_bytes(attack, "bad.pdf", limits=limits)
        except CorpusError as error:
            refused = str(error)
        corpus = read_bytes(
            zip_of([("bad.pdf", attack), ("good.pdf", pdf("Trees drink water"))]), "both.zip", limits=limits
        )
    assert not refused or "bad.pdf" in refused
    assert any("Trees drink water" in document.text("text") for document in corpus)
    assert memory.peak is None or memory.peak < 200
    if len(corpus) == 1:
        assert "bad.pdf" in " ".join(corpus.warnings)


def test_b15_many_slow_pdfs_end_at_the_time_of_all_together() -> None:
    files = [(f"{number}.pdf", pdf(f"Trees drink water {number}")) for number in range(7)]
    corpus = read_bytes(zip_of(files), "many.zip", limits=Limits(pdfs_seconds=1e-3))
    assert len(corpus) == 1  # the first always gets its own time
    assert "6 files were left out. The first: 1.pdf: the PDFs before it took" in " ".join(corpus.warnings)
    assert Limits.of_this_machine().pdfs_seconds is None


@pytest.mark.skipif(sys.platform == "win32", reason="the system limits no process there")
def test_b15_the_limits_of_an_upload_are_those_of_the_threat_model() -> None:
    found = UPLOAD_LIMITS
    assert (found.child_seconds, found.child_memory_bytes, found.pdf_pages) == (20, 1024 * MEGABYTE, 500)
    assert found.pdf_text_bytes == 20 * MEGABYTE


def test_b15_too_many_pages_are_refused_with_both_numbers() -> None:
    with pytest.raises(CorpusError, match=r"a\.pdf: this PDF has 4 pages; at most 3 are allowed"):
        read_bytes(pdf("a", "b", "c", "d"), "a.pdf", limits=Limits(pdf_pages=3))


def test_b16_pages_without_text_are_told_and_never_nodes() -> None:
    corpus = read_bytes(pdf("Trees drink water", None, None), "mixed.pdf")
    assert [document.id for document in corpus] == ["page-001"]
    assert "No text was found on 2 of 3 pages of mixed.pdf (pages 2-3)" in " ".join(corpus.warnings)


def test_b16_a_scan_alone_is_refused() -> None:
    with pytest.raises(CorpusError, match=r"scan\.pdf: no text was found on any of its 2 pages"):
        read_bytes(pdf(None, None), "scan.pdf")
