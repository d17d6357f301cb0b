"""A plain text: one document when it is short, passages with their sections when it is long."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cnrag_core.corpus.readers.passages import TARGET, WHOLE, first_words, heading_of, passage_fields, passages_of
from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.records import Record


def read(source: Source) -> Iterator[Record]:
    """The text as one document or in passages."""
    text = source.text()
    if text.strip():
        yield from prose_records(text, source, {"title": heading_of(text)}, whole=WHOLE)


def prose_records(text: str, source: Source, fields: dict[str, Any], *, whole: int) -> Iterator[Record]:
    """One text as documents.

    Parameters
    ----------
    text
        The prose; headings may be marked with ``#``.
    source
        Its `split` decides; `auto` keeps a text of up to `whole` characters in one piece.
    fields
        What is known of the whole text: its title (the first words where it has none), and what a page or
        note says about itself. Passages keep the title as `source_title` and nothing else: a field that is
        the same in all of them would make them all alike.
    """
    title = fields.get("title")
    if source.split == "whole" or (source.split == "auto" and len(text) <= whole):
        yield Record({"id": source.stem, **fields, "title": title or first_words(text), "text": text.strip()}, row=1)
        return
    n_passages = 0
    for passage in passages_of(text):
        n_passages += 1
        origin = {"source_title": title} if title else {}
        yield Record({**passage_fields(passage), **origin}, row=passage.position, unit="passage")
    source.report.warn(
        f"{source.name} is one long text; it was cut into {n_passages:,} passages of about {TARGET:,} characters."
    )
