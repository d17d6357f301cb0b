"""What a person should know about a corpus that was read: collected while reading, told at the end.

A bad row stops the reading unless the person asked to skip bad rows; then it is counted. Findings that
repeat (a replaced character, a short row) are told once, with their number and the first place.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from cnrag_core.corpus.wording import count, quoted
from cnrag_core.errors import CNRagError, CorpusError

MAX_WARNINGS = 200
"""More sentences than anybody reads; the rest are counted."""


@dataclass
class _Finding:
    number: int
    first: str


class Report:
    """Collects warnings of one corpus; `reject` stops the reading or counts the row."""

    def __init__(self, file: str, *, skip_bad_rows: bool = False) -> None:
        self.file = file
        self.skip_bad_rows = skip_bad_rows
        self.n_rejected = 0
        self._first_rejected = ""
        self._warnings: dict[str, None] = {}
        self._n_dropped = 0
        self._findings: dict[str, _Finding] = {}

    def warn(self, sentence: str) -> None:
        """Add a sentence; the same sentence twice is told once."""
        if len(self._warnings) < MAX_WARNINGS:
            self._warnings[sentence] = None
        elif sentence not in self._warnings:
            self._n_dropped += 1

    def find(self, what: str, where: str) -> None:
        """Count a finding that may repeat; `what` is a sentence without its full stop."""
        finding = self._findings.get(what)
        if finding is None:
            self._findings[what] = _Finding(1, where)
        else:
            finding.number += 1

    def reject(self, where: str, problem: str, *, file: str | None = None) -> None:
        """Refuse one row: raise, or count it when bad rows are skipped.

        Raises
        ------
        CorpusError
            Unless `skip_bad_rows`.
        """
        label = file or self.file
        if not self.skip_bad_rows:
            raise CorpusError(f"{label}, {where}: {problem}" if where else f"{label}: {problem}")
        self.n_rejected += 1
        self._first_rejected = self._first_rejected or f"{where}: {problem}".removeprefix(": ").rstrip(".")

    def sentences(self, n_loaded: int) -> tuple[str, ...]:
        """Everything worth telling, rejected rows first."""
        told = []
        if self.n_rejected:
            loaded = count(n_loaded, "record")
            told.append(f"{loaded} loaded, {self.n_rejected:,} rejected; the first: {self._first_rejected}.")
        told += self._warnings
        if self._n_dropped:
            told.append(f"{count(self._n_dropped, 'more warning is', 'more warnings are')} not shown.")
        for what, finding in self._findings.items():
            times = f"{finding.number:,} times, first in " if finding.number > 1 else ""
            told.append(f"{what} ({times}{finding.first}).")
        return tuple(told)


@contextmanager
def refusing(name: str, what: str) -> Iterator[None]:
    """Turn whatever a third-party parser raises on hostile bytes into one CorpusError.

    Parsers of binary and loosely defined formats raise anything on damaged input (KeyError, zlib.error,
    RecursionError, their own trees); a person needs to know the file and what it was taken for.
    """
    try:
        yield
    except CNRagError:
        raise
    except (RecursionError, MemoryError):
        raise CorpusError(f"{name} cannot be read as {what}: it is nested too deeply or unpacks to too much.") from None
    except Exception as error:
        reason = quoted(str(error), length=160) or type(error).__name__
        raise CorpusError(f"{name} cannot be read as {what}: {reason.rstrip('.')}.") from error


class RowError(Exception):
    """One row cannot be used; the sentence says why. Never leaves this layer."""
