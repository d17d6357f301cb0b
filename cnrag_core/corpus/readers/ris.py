"""RIS, as reference managers export it: one reference a document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.records import Record
from cnrag_core.corpus.report import refusing
from cnrag_core.errors import CorpusError

_START = re.compile(r"^TY {1,2}- ?", re.MULTILINE)
_END = re.compile(r"^ER {1,2}-", re.MULTILINE)
_YEAR = re.compile(r"(1[5-9]\d\d|20\d\d)(?:\D|$)")
_KEYWORD_END = re.compile(r"[;\n]")
_UNFINISHED = "A reference without an end (ER) was read up to the next"

# the first key that is there gives the field
_FIELDS = {
    "id": ("id",),
    "title": ("title", "primary_title", "short_title", "translated_title"),
    "abstract": ("abstract", "notes_abstract"),
    "journal": ("journal_name", "secondary_title", "alternate_title3", "alternate_title2"),
    "doi": ("doi",),
    "publisher": ("publisher",),
    "language": ("language",),
    "date": ("date",),
    "volume": ("volume",),
    "number": ("number",),
    "issn": ("issn",),
}


def read(source: Source) -> Iterator[Record]:
    """References as records.

    Raises
    ------
    CorpusError
        If there is no reference in the file.
    """
    import rispy

    text = source.text().replace("\r\n", "\n").replace("\r", "\n")
    starts = [found.start() for found in _START.finditer(text)]
    if not starts:
        raise CorpusError(f"{source.name}: there is no reference (TY) in it.")
    for row, (start, stop) in enumerate(zip(starts, [*starts[1:], len(text)], strict=True), start=1):
        # one at a time: the parser would drop a reference without an end, and all before the next end with it
        reference = text[start:stop]
        end = _END.search(reference)
        if end is None:
            source.report.find(_UNFINISHED, f"reference {row}")
        body = reference[: end.start()] if end else reference.rstrip("\n") + "\n"
        with refusing(source.name, "RIS"):
            parsed = rispy.loads(_START.sub("TY  - ", body, count=1) + "ER  - \n")
        if parsed:
            yield Record(_fields(parsed[0]), row=row, unit="reference")
        else:
            source.report.reject(f"reference {row}", "nothing in it can be read.", file=source.name)


def _fields(reference: dict[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {"type": reference.get("type_of_reference", "")}
    for name, keys in _FIELDS.items():
        value = next((reference[key] for key in keys if reference.get(key)), None)
        if value is not None:
            fields[name] = value
    authors = [*reference.get("first_authors", []), *reference.get("authors", [])]
    if authors:
        fields["authors"] = list(dict.fromkeys(authors))
    keywords = [
        word for entry in reference.get("keywords", []) for part in _KEYWORD_END.split(entry) if (word := part.strip())
    ]
    if keywords:
        fields["keywords"] = keywords
    written = str(reference.get("year") or reference.get("publication_year") or reference.get("date") or "")
    if found := _YEAR.search(written):
        fields["year"] = int(found[1])
    if reference.get("urls"):
        fields["url"] = reference["urls"][0]
    if reference.get("notes"):
        fields["notes"] = "\n".join(map(str, reference["notes"]))
    return fields
