"""Every exception that a caller can meet.

::

    CNRagError
    ├── ConfigError            (ValueError)    a YAML or an option says something that cannot be
    ├── CorpusError            (ValueError)    a document, row or file cannot be read or used
    │   └── DuplicateIdError                   documents share an id; the caller may ask to keep them all
    ├── StorageError           (OSError)       the database refused
    │   ├── StorageFullError                   no space left; what was stored before is intact
    │   └── StorageCorruptError                the file is damaged or is not one of ours
    ├── EmbeddingError         (RuntimeError)  a provider did not answer, or answered nonsense
    ├── ResourceLimitError     (MemoryError)   it would cost too much, or memory ran out
    ├── NotBuiltError          (RuntimeError)  nothing was added, so nothing can be answered
    └── UnknownNameError       (KeyError)      no such document, community, strategy or field

Bad input never raises anything else. Messages are one sentence a problem: where it is, what was
found, what would be right.
"""

from __future__ import annotations

import mmap
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

BYTES_OF_A_THREAD = 16 * 2**20
"""Stack and first objects of a thread."""


class CNRagError(Exception):
    """Base of everything that bad input can raise."""


@dataclass(frozen=True)
class Problem:
    """One thing wrong in a configuration: where it is and what would be right.

    `path` is dotted (``similarity.components[2].metric``), `line` is 1-based or None when the
    configuration did not come from text.
    """

    path: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        where = self.path or "the configuration"
        return f"line {self.line}, {where}: {self.message}" if self.line else f"{where}: {self.message}"


class ConfigError(CNRagError, ValueError):
    """A configuration cannot be used; `problems` lists everything that is wrong with it."""

    def __init__(self, problems: str | Problem | Sequence[Problem]) -> None:
        if isinstance(problems, str):
            problems = [Problem("", problems)]
            text = problems[0].message
        else:
            problems = [problems] if isinstance(problems, Problem) else list(problems)
            text = "\n".join(str(problem) for problem in problems)
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__(text)


class CorpusError(CNRagError, ValueError):
    """A file, row or field of a corpus cannot be used; the message names all three."""


class DuplicateIdError(CorpusError):
    """Documents share an id, and nobody said that all of them are to be kept."""

    ADVICE = (
        "; to keep duplicates as 'x' and 'x#2', use `cnrag build --keep-duplicates`, "
        "or `keep_duplicates=True` in Python."
    )

    @property
    def found(self) -> str:
        """The message without the advice, for those who have neither a command line nor Python before them."""
        return str(self).removesuffix(self.ADVICE).rstrip(".") + "."


class StorageError(CNRagError, OSError):
    """The database could not do what was asked; nothing was half-written."""


class StorageFullError(StorageError):
    """The disk or the database's own limit is full; everything stored before is intact."""


class StorageCorruptError(StorageError):
    """The database file is damaged, or was not written by cnrag."""


class EmbeddingError(CNRagError, RuntimeError):
    """An embedding provider failed, or returned rows that cannot be used."""


class ResourceLimitError(CNRagError, MemoryError):
    """Refused, or given up, because it needs more than the limit that the message names."""


class NotBuiltError(CNRagError, RuntimeError):
    """There are no documents yet, so there is no network to ask."""


class UnknownNameError(CNRagError, KeyError):
    """A document, community, strategy or field of that name does not exist."""

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0]) if self.args else ""


@contextmanager
def memory_named(what: str) -> Iterator[None]:
    """Memory that runs out inside as a ResourceLimitError that names the limit; `what` begins the sentence."""
    try:
        yield
    except CNRagError:
        raise
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "can't start new thread" not in str(error):
            raise
        raise ResourceLimitError(
            f"{what} needs more than {_memory_limit()}; take fewer documents, or a higher threshold."
        ) from error


def check_room_for_threads(n_threads: int) -> None:
    """Raise MemoryError where memory is too short to start threads.

    A thread that fails for memory at its very start is waited for without end (CPython up to 3.14), so
    what its stack and first objects take is asked for before.
    """
    try:
        mmap.mmap(-1, n_threads * BYTES_OF_A_THREAD).close()  # addresses alone: what was freed before does not count
    except OSError as error:
        raise MemoryError("no room for threads") from error


def _memory_limit() -> str:
    """The memory that this process may use, in words."""
    if sys.platform != "win32":
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            return f"the {limit / 2**30:.1f} GB of memory that this process may use (RLIMIT_AS)"
    return "the memory that is free on this machine"
