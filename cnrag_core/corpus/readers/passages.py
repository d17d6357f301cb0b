"""Cutting one long text into documents: sections by their headings, passages of whole paragraphs.

A book or a report is one document to a file system and many to a reader. Passages never cross a heading,
keep their order and say which section they are from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cnrag_core.corpus.wording import shorten

TARGET = 1000
"""Characters of a passage: about a paragraph or two, enough to say something on its own."""

WHOLE = 2000
"""Characters up to which a text stays one document."""

_HEADING = re.compile(
    r"(?:#{1,6}[ \t]+(?P<marked>\S.*)"
    r"|(?P<named>(?:chapter|part|book|section|act|scene|kapitel|chapitre|cap[ií]tulo|capitolo)[ \t]+"
    r"(?:[ivxlcdm]{1,8}|\d{1,3})\b.{0,80}))",
    re.IGNORECASE,
)
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_SENTENCE_END = re.compile(r"[.!?。！？…][\"'”’)\]]?(?=\s|$)|[。！？]")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True)
class Passage:
    """A piece of a text: the heading above it (may be empty), its place from 1, and its words."""

    section: str
    position: int
    text: str


def passages_of(text: str, *, target: int = TARGET) -> Iterator[Passage]:
    """Consecutive passages of about `target` characters; every paragraph is in exactly one, in order.

    Examples
    --------
    >>> [passage.section for passage in passages_of("# One\\n\\nWords.\\n\\n# Two\\n\\nMore words.")]
    ['One', 'Two']
    """
    position = 0
    for section, body in _sections(text):
        pending: list[str] = []
        for paragraph in _paragraphs(body):
            if pending and sum(map(len, pending)) + len(paragraph) > target:
                position += 1
                yield Passage(section, position, "\n\n".join(pending))
                pending = []
            *full, rest = _cut(paragraph, 2 * target)
            for piece in full:
                position += 1
                yield Passage(section, position, "\n\n".join([*pending, piece]))
                pending = []
            pending.append(rest)
        if pending:
            position += 1
            yield Passage(section, position, "\n\n".join(pending))


def passage_fields(passage: Passage) -> dict[str, Any]:
    """The fields of a document made of a passage."""
    fields: dict[str, Any] = {
        "id": f"passage-{passage.position:04d}",
        "title": first_words(passage.text),
        "text": passage.text,
        "position": passage.position,
    }
    if passage.section:
        fields["section"] = passage.section
    return fields


def first_words(text: str, length: int = 60) -> str:
    """The beginning of a text on one line, as a title where there is none."""
    words = _SPACES.sub(" ", text[: 4 * length + 200]).strip().lstrip("#").strip()
    if len(words) <= length:
        return words
    cut = words[:length].rpartition(" ")[0]
    return f"{cut}…" if len(cut) > length // 2 else shorten(words, length)


def heading_of(text: str) -> str | None:
    """The first Markdown heading of a text, or None."""
    for line in text[:20_000].splitlines():
        found = _HEADING.fullmatch(line.strip())
        if found and found["marked"]:
            return found["marked"].strip("# \t")
    return None


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """The text between headings, with the heading; a title on the line below ``CHAPTER I.`` belongs to it."""
    lines = text.splitlines()
    section, body = "", list[str]()
    index = 0
    while index < len(lines):
        line = lines[index].strip()
        found = _HEADING.fullmatch(line) if len(line) <= 200 else None
        index += 1
        if not found:
            body.append(lines[index - 1])
            continue
        if any(part.strip() for part in body):
            yield section, "\n".join(body)
        body = []
        section = (found["marked"] or found["named"]).strip("# \t")
        below = lines[index].strip() if index < len(lines) else ""
        if found["named"] and below and len(below) <= 60 and not _SENTENCE_END.search(below):
            section, index = f"{section} {below}", index + 1
    if any(part.strip() for part in body):
        yield section, "\n".join(body)


def _paragraphs(text: str) -> Iterator[str]:
    """Blocks between blank lines; lines, where a text of several lines has no blank one."""
    parts = _BLANK_LINE.split(text.replace("\r\n", "\n"))
    if len(parts) == 1 and len(text) > WHOLE:
        parts = text.split("\n")
    yield from (part.strip() for part in parts if part.strip())


def _cut(paragraph: str, limit: int) -> list[str]:
    """Pieces of at most `limit` characters, cut behind a sentence, else at a space, else anywhere."""
    pieces = []
    start = 0
    while len(paragraph) - start > limit:
        window = paragraph[start : start + limit]
        ends = [found.end() for found in _SENTENCE_END.finditer(window, limit // 3)]
        end = ends[-1] if ends else window.rfind(" ") + 1 or limit
        pieces.append(window[:end].strip())
        start += end
    pieces.append(paragraph[start:].strip())
    return [piece for piece in pieces if piece] or [""]
