"""How much a corpus may cost, counted while it is read.

A small file can hold a huge corpus (repeated values in Parquet, packed archives), so nothing here
trusts what a file says about itself: documents and decoded text are counted as they arrive. A person's own
files on their own machine are bounded by its memory, strangers' uploads by the limits of the server.
"""

from __future__ import annotations

from dataclasses import dataclass

import psutil

from cnrag_core.corpus.wording import count, size
from cnrag_core.errors import CorpusError
from cnrag_core.limits import MEGABYTE as MEGABYTE
from cnrag_core.limits import ServerLimits, server_limits

SHARE_OF_MEMORY = 4
"""Text may take this part of the memory that is free: it is held, cut into words, and compared."""


BYTES_PER_VALUE = 40
"""What a value costs where it is held, whatever it says."""


@dataclass(frozen=True)
class Limits:
    """What one corpus may cost at most; None means that there is no limit.

    Sizes are bytes: `file_bytes` of a file (or of the files in a folder or archive together),
    `text_bytes` of all decoded text (UTF-8), `field_bytes` of one field of one document. `tags` is for HTML
    and XML, whose every tag becomes an object while a page is read. The `child` that reads a PDF, and that
    unpacks a Parquet file of a stranger first, may take so many seconds of processor time and bytes; all PDFs
    of a folder or archive together `pdfs_seconds` of the clock.
    """

    file_bytes: int | None = 200 * MEGABYTE
    documents: int | None = None
    text_bytes: int | None = 200 * MEGABYTE
    field_bytes: int | None = 5 * MEGABYTE
    fields: int | None = 10_000
    tags: int = 1_000_000
    depth: int = 50
    yaml_bytes: int | None = 20 * MEGABYTE
    pdf_pages: int = 500
    child_seconds: int = 20
    child_memory_bytes: int = 1024 * MEGABYTE
    pdfs_seconds: float | None = 900
    pdf_text_bytes: int = 20 * MEGABYTE

    @property
    def values(self) -> int | None:
        """Most fields of documents and items of lists together: of numbers and of what is empty a short file can
        have millions, and each takes memory although it has no text."""
        return None if self.text_bytes is None else self.text_bytes // BYTES_PER_VALUE

    @classmethod
    def of_this_machine(cls) -> Limits:
        """For a person's own files: as much text as the free memory bears, no other limit on size."""
        text_bytes = int(psutil.virtual_memory().available) // SHARE_OF_MEMORY
        return cls(file_bytes=None, text_bytes=text_bytes, field_bytes=None, pdfs_seconds=None)

    @classmethod
    def of_server(cls, limits: ServerLimits) -> Limits:
        """For uploads: what the server allows."""
        return cls(
            file_bytes=limits.upload_mb * MEGABYTE,
            documents=limits.documents,
            text_bytes=limits.text_mb * MEGABYTE,
            field_bytes=limits.field_mb * MEGABYTE,
        )

    def check_file(self, name: str, n_bytes: int) -> None:
        """Raise a CorpusError when a file is larger than allowed."""
        if self.file_bytes is not None and n_bytes > self.file_bytes:
            raise CorpusError(f"{name} has {size(n_bytes)}; at most {size(self.file_bytes)} are allowed here.")


UPLOAD_LIMITS = Limits.of_server(server_limits())
"""For uploads; unless the server says otherwise 200 MB a file, 100,000 documents, 200 MB of text, 5 MB a field."""


class Meter:
    """Running totals of one corpus; stops it at a limit, however the file tried to hide its size."""

    def __init__(self, limits: Limits, name: str) -> None:
        self._limits = limits
        self._name = name
        self._documents = 0
        self._text_bytes = 0
        self._values = 0

    def add_document(self) -> None:
        """Count one more document."""
        self._documents += 1
        limit = self._limits.documents
        if limit is not None and self._documents > limit:
            raise CorpusError(f"{self._name} has more than {count(limit, 'document')}, the most that is allowed here.")

    def add(self, n_bytes: int, n_values: int = 1) -> None:
        """Count the decoded text of a value, and how many values it is made of."""
        self._values += n_values
        most = self._limits.values
        if most is not None and self._values > most:
            raise too_many_values(self._name, most)
        self._text_bytes += n_bytes
        limit = self._limits.text_bytes
        if limit is not None and self._text_bytes > limit:
            raise CorpusError(f"{self._name} holds more than {size(limit)} of text, the most that is allowed here.")


def too_many_values(name: str, limit: int) -> CorpusError:
    """The error of a file with more values than allowed."""
    return CorpusError(
        f"{name} has more than {count(limit, 'value')} (fields of documents and items of lists), the most that is "
        "allowed here. Leave out what is not to be compared, such as vectors."
    )
