"""Looking into a zip before anything is unpacked: what it is, and how much would come out."""

from __future__ import annotations

import io
import zipfile
from typing import Literal, TypeAlias

from cnrag_core.corpus.limits import MEGABYTE
from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.report import refusing
from cnrag_core.corpus.wording import count, quoted, size
from cnrag_core.errors import CorpusError

ZipKind: TypeAlias = Literal["excel", "ods", "word", "odt", "epub", "powerpoint", "pages"]

MAX_ENTRIES = 200_000
UNPACKED_FACTOR = 4
"""Markup around text: an office file may unpack to this many times the text that a corpus may hold."""

PACKED_FACTOR = 200
"""Text and markup are packed to a tenth, repetitive tables to a hundredth; a larger entry beyond this is a bomb."""

SMALL_ENTRY = 20 * MEGABYTE
"""Entries that may be packed as tightly as they like."""

_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""What is unpacked piece by piece up to the size that an entry gives. The other ways of packing unpack a piece
whole, however large, before anybody can count it."""


class BoundedZip(zipfile.ZipFile):
    """A zip whose entries are unpacked up to the size that they give: they may hold a thousand times as much."""

    def read(self, name: str | zipfile.ZipInfo, pwd: bytes | None = None) -> bytes:
        """The content of an entry; the library would unpack all there is before it cuts it off."""
        entry = name if isinstance(name, zipfile.ZipInfo) else self.getinfo(name)
        with self.open(entry, pwd=pwd) as content:
            return content.read(max(1, entry.file_size))


def zip_kind(data: bytes) -> ZipKind | None:
    """The office format that a zip is, or None for an archive of files (or a damaged one)."""
    try:
        with BoundedZip(io.BytesIO(data)) as archive:
            names = set(archive.namelist()[:10_000])
            mimetype = archive.read("mimetype")[:100] if _is_plain(archive, "mimetype") else b""
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
    """Refuse an archive that is damaged, protected by a password, packed in a rare way, or unpacks to too much.

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
        rare = next((entry for entry in entries if entry.compress_type not in _METHODS), None)
        if rare is not None:
            raise CorpusError(
                f"{source.name}: '{quoted(rare.filename)}' in it is packed in a way that is not read; pack the files "
                "as an ordinary zip (deflate)."
            )
        unpacked = sum(entry.file_size for entry in entries)
        limit = source.limits.text_bytes
        if limit is not None and unpacked > UNPACKED_FACTOR * limit:
            raise CorpusError(
                f"{source.name} unpacks to {size(unpacked)}; at most {size(UNPACKED_FACTOR * limit)} are allowed here."
            )
        for entry in entries:
            if entry.file_size > max(SMALL_ENTRY, PACKED_FACTOR * entry.compress_size):
                raise CorpusError(
                    f"{source.name}: '{quoted(entry.filename)}' in it unpacks from {size(entry.compress_size)} to "
                    f"{size(entry.file_size)}, as no text or table does."
                )


def _is_plain(archive: zipfile.ZipFile, name: str) -> bool:
    """Whether there is a small entry of this name that can be looked into safely."""
    try:
        entry = archive.getinfo(name)
    except KeyError:
        return False
    return entry.file_size < 1000 and entry.compress_type in _METHODS
