"""PDF: one document a page, read in a child process.

A PDF can ask its reader for endless work and endless memory, so a child with limits on both reads it; if
it dies, one sentence says so. Pages without text (scans) are named, never joined in silently.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cnrag_core.corpus.readers.children import stopped, told_by_child
from cnrag_core.corpus.readers.passages import first_words, passage_fields, passages_of
from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.records import Record
from cnrag_core.corpus.wording import count, quoted
from cnrag_core.errors import CorpusError


def read(source: Source) -> Iterator[Record]:
    """Pages with text as records; `page` counts from 1.

    Raises
    ------
    CorpusError
        If the file is damaged, protected by a password, has no text at all, or takes too long or too much.
    """
    pages, about = _pages(source)
    blank = [number for number, text in pages if not text.strip()]
    if len(blank) == len(pages):
        raise CorpusError(
            f"{source.name}: no text was found on any of its {count(len(pages), 'page')}; "
            "it may be scanned and needs text recognition first."
        )
    if blank:
        source.report.warn(
            f"No text was found on {len(blank):,} of {count(len(pages), 'page')} of {source.name} "
            f"({page_ranges(blank)}); they may be scanned images and were left out."
        )
    if source.split == "whole":
        text = "\n\n".join(text for _, text in pages if text.strip())
        yield Record({"id": source.stem, "title": about.get("title") or source.stem, **about, "text": text}, row=1)
        return
    position = 0
    for number, text in pages:
        if not text.strip():
            continue
        if source.split == "auto":
            fields = {"id": f"page-{number:03d}", "title": first_words(text), "text": text, "page": number}
            yield Record(fields, page=number)
            continue
        for passage in passages_of(text):
            position += 1
            fields = {**passage_fields(passage), "id": f"passage-{position:04d}", "position": position, "page": number}
            yield Record(fields, page=number)


def page_ranges(numbers: Sequence[int]) -> str:
    """Page numbers for a sentence.

    Examples
    --------
    >>> page_ranges([1, 2, 3, 7])
    'pages 1-3, 7'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    shown = [str(first) if first == last else f"{first}-{last}" for first, last in runs[:10]]
    more = f" and {len(runs) - 10} more" if len(runs) > 10 else ""
    return ("page " if len(numbers) == 1 else "pages ") + ", ".join(shown) + more


def _pages(source: Source) -> tuple[list[tuple[int, str]], dict[str, Any]]:
    """Number and text of every page, and what the file says of itself."""
    limits = source.limits
    pages: list[tuple[int, str]] = []
    about: dict[str, Any] = {}
    finished = False
    for message in told_by_child("pdf", source, limits.pdf_pages, limits.pdf_text_bytes):
        if "refused" in message:
            raise CorpusError(f"{source.name}: {quoted(message['refused'], length=200)}")
        if "page" in message:
            pages.append((message["page"], message["text"]))
            if message.get("failed"):
                source.report.warn(f"Page {message['page']} of {source.name} is damaged and has no readable text.")
        about = message.get("about", about)
        finished = finished or "finished" in message
    if not finished:
        raise stopped(source)
    if not pages:
        raise CorpusError(f"{source.name}: this PDF has no pages.")
    return pages, about
