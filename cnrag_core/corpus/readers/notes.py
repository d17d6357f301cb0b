"""A Markdown note: front matter becomes fields, the first heading is the title, links to other notes are kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from cnrag_core.corpus.readers.passages import heading_of
from cnrag_core.corpus.readers.plaintext import prose_records
from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.readers.yamlfile import load_all
from cnrag_core.corpus.records import Record
from cnrag_core.errors import CorpusError

WHOLE = 5000
MAX_FRONT_MATTER = 64 * 1024
_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_WIKI_LINK = re.compile(r"\[\[([^\[\]|#\n]{1,200})(?:#[^\[\]|\n]{0,200})?(?:\|[^\[\]\n]{0,200})?\]\]")
_LINK = re.compile(r"\]\((?!\w{1,20}:)([^()\s#?]{1,300})(?:[#?][^()\s]{0,300})?(?:\s+\"[^\"\n]{0,200}\")?\)")
_RESERVED = frozenset({"id", "text"})


def read(source: Source) -> Iterator[Record]:
    """The note as one document, or in passages when it is long."""
    fields, text = note_of(source.text(), source)
    if text.strip() or fields:
        title = fields.get("title") or heading_of(text) or (source.stem if source.split == "whole" else None)
        fields["title"] = title
        yield from prose_records(text, source, fields, whole=WHOLE)


def note_of(text: str, source: Source) -> tuple[dict[str, Any], str]:
    """Front matter and body of a note.

    Front matter that is no YAML is told and left in the text: it is the person's writing.
    """
    text = text.replace("\r\n", "\n")
    found = _FRONT_MATTER.match(text, 0, MAX_FRONT_MATTER)
    if not found:
        return {}, text
    try:
        values = [value for value in load_all(found[1], source.name) if value is not None]
    except CorpusError as error:
        source.report.warn(f"The front matter stays in the text: {error}")
        return {}, text
    if not values:
        return {}, text[found.end() :]
    if len(values) > 1 or not isinstance(values[0], dict):
        return {}, text
    # a note is named by its place; what its front matter calls id or text keeps another name
    fields = {f"note_{name}" if name.lower() in _RESERVED else name: value for name, value in values[0].items()}
    return fields, text[found.end() :]


def link_targets(text: str) -> list[str]:
    """What a note links to inside its folder: wiki links and relative links, without repeats.

    Examples
    --------
    >>> link_targets("See [[Graphs|graph theory]], [more](sub/trees.md#leaves) and [out](https://example.org).")
    ['Graphs', 'sub/trees.md']
    """
    found = [match[1].strip() for match in _WIKI_LINK.finditer(text)]
    found += [unquote(match[1]) for match in _LINK.finditer(text)]
    return [target for target in dict.fromkeys(found) if target]
