"""BibTeX: one entry a document. The key is the id; authors and keywords become lists, LaTeX becomes text."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from typing import Any

from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.records import Record
from cnrag_core.corpus.report import refusing
from cnrag_core.corpus.wording import quoted
from cnrag_core.errors import CorpusError

_AND = re.compile(r" and ", re.IGNORECASE)
_KEYWORD_END = re.compile(r"[;,]")
_BRACES = re.compile(r"[{}]")
_PIECE = re.compile(r"\"[^\"]*\"|\{[^{}]*\}|[A-Za-z][\w-]*")
_AS_WRITTEN = frozenset({"url", "doi", "file", "eprint", "isbn", "issn", "link"})
_NAMES = {"author": "authors", "editor": "editors", "journaltitle": "journal", "date": "date", "keyword": "keywords"}


def read(source: Source) -> Iterator[Record]:
    """Entries as records.

    Raises
    ------
    CorpusError
        If an entry is broken (unless bad rows are skipped), or nothing is an entry.
    """
    from bibtexparser import model
    from bibtexparser.entrypoint import parse_string

    # its warnings quote the document, and documents do not belong into logs
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL + 1)
    logging.getLogger("pylatexenc").setLevel(logging.CRITICAL + 1)
    with refusing(source.name, "BibTeX"):
        library = parse_string(source.text())
    to_text = _latex_decoder()
    row = 0
    for found in library.blocks:
        line = (found.start_line or 0) + 1
        # of two entries with one key the second is kept here; the ids are checked where all formats meet
        block = found.ignore_error_block if isinstance(found, model.DuplicateBlockKeyBlock) else found
        if isinstance(block, model.ParsingFailedBlock):
            reason = quoted(str(block.error), length=120) or "its braces or quotes do not pair"
            source.report.reject(f"line {line}", f"this entry cannot be read: {reason}.", file=source.name)
        elif isinstance(block, model.Entry):
            row += 1
            yield Record(_fields(block, to_text), row=row, unit="entry")
    if row == 0 and not source.report.n_rejected:
        raise CorpusError(f"{source.name}: there is no BibTeX entry in it.")


def _fields(entry: Any, to_text: Callable[[str], str]) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": entry.key, "type": entry.entry_type.lower()}
    for name, field in entry.fields_dict.items():
        name = _NAMES.get(name.lower(), name.lower())
        value = _joined(str(field.value))
        if name in {"authors", "editors"}:
            fields[name] = [to_text(person) for person in _AND.split(" ".join(value.split())) if person]
        elif name == "keywords":
            fields[name] = [word for part in _KEYWORD_END.split(to_text(value)) if (word := part.strip())]
        elif name in _AS_WRITTEN:
            fields[name] = _BRACES.sub("", value).strip()
        elif name == "year":
            text = _BRACES.sub("", value).strip()
            fields[name] = int(text) if text.isascii() and text.isdigit() and len(text) == 4 else text
        elif name not in fields:
            fields[name] = to_text(value)
    return fields


def _joined(value: str) -> str:
    """A value that was written in pieces (``"One" # " two"``) as one."""
    if "#" not in value or not (value.startswith('"') and value.endswith('"')):
        return value
    pieces = _PIECE.findall(value)
    whole = "#".join(map(str.strip, value.split("#")))
    return "".join(piece.strip('"{}') for piece in pieces) if "#".join(pieces) == whole else value


def _latex_decoder() -> Callable[[str], str]:
    """LaTeX as people read it; formulas stay as they are written."""
    from pylatexenc.latex2text import LatexNodes2Text  # type: ignore[import-untyped]  # has no stubs

    decoder = LatexNodes2Text(math_mode="verbatim", keep_comments=True)

    def to_text(value: str) -> str:
        text = value
        if "\\" in value or "{" in value:  # most values hold neither, and decoding is slow
            try:
                text = decoder.latex_to_text(value)
            except Exception:  # the decoder raises anything on unpaired braces; the value is then kept as written
                text = _BRACES.sub("", value)
        return " ".join(text.replace("~", " ").split())

    return to_text
