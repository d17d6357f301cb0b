"""What every reader gets: the bytes of one file, its name, and where to report.

A reader is a function ``read(source) -> Iterator[Record]``; it yields records as it finds them, so that the
limits are counted while it works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from cnrag_core.corpus.limits import Limits
from cnrag_core.corpus.readers.decoding import decode
from cnrag_core.corpus.records import Record
from cnrag_core.corpus.report import Report
from cnrag_core.corpus.wording import stem

Split: TypeAlias = Literal["auto", "whole", "passages"]
"""How prose becomes documents: `whole` files, `passages` of about 1,000 characters, or what suits the format
(`auto`: pages of a PDF, passages of a long text, whole notes in a folder)."""


@dataclass
class Source:
    """One file to read. `name` is a label for messages, never a path."""

    data: bytes = field(repr=False)
    name: str
    report: Report
    limits: Limits
    split: Split = "auto"

    @property
    def stem(self) -> str:
        """The name without its ending."""
        return stem(self.name)

    def text(self, *, declared: str | None = None) -> str:
        """The content as text, without a byte order mark."""
        return decode(self.data, self.name, self.report, declared=declared)


Reader: TypeAlias = Callable[[Source], Iterator[Record]]
