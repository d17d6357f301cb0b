"""Looking into a zip before anything is unpacked: what it is, and how much would come out."""

from __future__ import annotations

import io
import zipfile
from typing import Literal, TypeAlias

from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.report import refusing
from cnrag_core.corpus.wording import count, size
from cnrag_core.errors import CorpusError

ZipKind: TypeAlias = Literal["excel", "ods", "word", "odt", "epub", "powerpoint", "pages"]

MAX_ENTRIES = 200_000
UNPACKED_FACTOR = 4
"""Markup around text: an office file may unpack to this many times the text that a corpus may hold."""


def zip_kind(data: bytes) -> ZipKind | None:
    """The office format that a zip is, or None for an archive of files (or a damaged one)."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist()[:10_000])
            mimetype = archive.read("mimetype")[:100] if _is_small(archive, "mimetype") else b""
    except Exception:  # whatever a damaged archive raises; the reader then says what is wrong with it
        return None
    if mimetype.startswith(b"application/vnd.oasis.opendocument.spreadsheet"):
        return "ods"
    if mimetype.startswith(b"application/vnd.oasis.opendocument"):
        return "odt"
    if mimetype.startswith(b"application/epub"):
        return "epub"
    if "[Content_Types].xml" in names:
        if any(name.startswith("xl/") for name in names):
            return "excel"
        if any(name.startswith("word/") for name in names):
            return "word"
        if any(name.startswith("ppt/") for name in names):
            return "powerpoint"
    return None


def check_archive(source: Source) -> None:
    """Refuse an archive that is damaged, protected by a password, or unpacks to too much.

    Raises
    ------
    CorpusError
        With the sizes.
    """
    with refusing(source.name, "a zip archive"), zipfile.ZipFile(io.BytesIO(source.data)) as archive:
        entries = archive.infolist()
        if len(entries) > MAX_ENTRIES:
            raise CorpusError(f"{source.name} has {count(len(entries), 'entry', 'entries')}; at most {MAX_ENTRIES:,}.")
        if any(entry.flag_bits & 0x1 for entry in entries):
            raise CorpusError(f"{source.name} is protected by a password; unpack it and give the files inside.")
        unpacked = sum(entry.file_size for entry in entries)
        limit = source.limits.text_bytes
        if limit is not None and unpacked > UNPACKED_FACTOR * limit:
            raise CorpusError(
                f"{source.name} unpacks to {size(unpacked)}; at most {size(UNPACKED_FACTOR * limit)} are allowed here."
            )


def _is_small(archive: zipfile.ZipFile, name: str) -> bool:
    try:
        return archive.getinfo(name).file_size < 1000
    except KeyError:
        return False
