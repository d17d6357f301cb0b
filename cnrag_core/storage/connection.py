"""One SQLite database, used from many threads and processes.

Leaves: connections (one a thread), transactions that are whole or not at all, and our own errors.
Guide 002, "Storage Layer": ACID transactions.

A write begins with ``BEGIN IMMEDIATE``: a transaction that reads first and writes later would fail
at once when another has written in between, whatever the busy timeout.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from cnrag_core.errors import StorageCorruptError, StorageError, StorageFullError, memory_named
from cnrag_core.storage.schema import prepare

MEMORY = ":memory:"
BUSY_TIMEOUT = 30.0
"""Seconds to wait for another writer."""

_FULL = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,  # a quota or a size limit of the file, seen as an I/O error
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_TRUNCATE,
}


class _Handle:
    """A thread's connection, closed when the thread has ended."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.process = os.getpid()

    def __del__(self) -> None:
        if self.process == os.getpid():  # a child process must not touch its parent's connection
            self.connection.close()


class Database:
    """A database file, or one in memory that all threads share.

    Parameters
    ----------
    path
        File to open or create; ``:memory:`` keeps everything in memory.
    timeout
        Seconds to wait while another thread or process writes.

    Raises
    ------
    StorageCorruptError
        If the file is damaged or was not written by cnrag.
    StorageError
        If it cannot be opened, or a newer version wrote it.
    """

    def __init__(self, path: str | Path = MEMORY, *, timeout: float = BUSY_TIMEOUT) -> None:
        self.path = str(path)
        self.name = self.path if self.path == MEMORY else Path(self.path).name
        self._timeout = timeout
        self._local = threading.local()
        self._handles: weakref.WeakSet[_Handle] = weakref.WeakSet()
        self._is_closed = False
        self._lock: AbstractContextManager[Any] = threading.RLock() if self.path == MEMORY else nullcontext()
        self._shared: _Handle | None = self._open() if self.path == MEMORY else None
        with self._errors():
            prepare(self.connection)

    @property
    def connection(self) -> sqlite3.Connection:
        """This thread's connection, opened when it is first needed."""
        if self._is_closed:
            raise StorageError(f"The database {self.name!r} was closed.")
        if self._shared is not None:
            return self._shared.connection
        handle: _Handle | None = getattr(self._local, "handle", None)
        if handle is None or handle.process != os.getpid():
            handle = self._local.handle = self._open()
        return handle.connection

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Everything that is written inside is kept, or, if anything fails, nothing of it.

        Inside another transaction of this thread it becomes a part of that one.

        Raises
        ------
        StorageFullError, StorageCorruptError, StorageError
            What the database refused; earlier transactions are intact.
        """
        with self._lock, self._errors():
            connection = self.connection
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                _roll_back(connection)
                raise

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Reads inside see one state of the database, whatever others write meanwhile."""
        with self._lock, self._errors():
            connection = self.connection
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                _roll_back(connection)

    def close(self) -> None:
        """Close the connections of all threads; the database cannot be used afterwards."""
        self._is_closed = True
        for handle in list(self._handles):
            if handle.process == os.getpid():
                handle.connection.close()

    def _open(self) -> _Handle:
        try:
            with self._errors():
                connection = sqlite3.connect(
                    self.path,
                    timeout=self._timeout,
                    isolation_level=None,
                    check_same_thread=False,
                    cached_statements=64,
                )
        except ValueError as error:  # a NUL character
            raise StorageError(f"{self.name!r} cannot be the name of a database.") from error
        try:
            with self._errors():
                for pragma in ("synchronous=FULL", "foreign_keys=ON", "trusted_schema=OFF", "cell_size_check=ON"):
                    connection.execute(f"PRAGMA {pragma}")
                connection.execute("PRAGMA cache_size=-65536")  # 64 MB; text keys arrive in random order
                self._use_wal(connection)
        except BaseException:
            connection.close()
            raise
        handle = _Handle(connection)
        self._handles.add(handle)
        return handle

    def _use_wal(self, connection: sqlite3.Connection) -> None:
        """Write-ahead log, so that readers and a writer do not wait for each other."""
        end = time.monotonic() + self._timeout
        while True:
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                # changing the mode of a new file does not honour the timeout when two do it at once
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                    raise
                time.sleep(0.01)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """SQLite's errors as ours."""
        try:
            with memory_named(f"The database {self.name!r}"):
                yield
        except sqlite3.Error as error:
            translated = self._translated(error)
            if self._shared is None and isinstance(translated, StorageFullError):
                self._local.handle = None  # its log may be half-written: begin with a fresh connection
            raise translated from error
        except UnicodeDecodeError as error:  # damaged text, in a row or in SQLite's own message about it
            raise self._damaged() from error

    def _damaged(self) -> StorageCorruptError:
        return StorageCorruptError(f"The file {self.name!r} is damaged, or is not a database.")

    def _translated(self, error: sqlite3.Error) -> StorageError:
        code = getattr(error, "sqlite_errorcode", None)
        if code in _FULL or "disk is full" in str(error):
            return StorageFullError(
                f"There is no room left for the database {self.name!r}; everything stored before is intact."
            )
        primary = code & 0xFF if code is not None else None
        if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or "decode to UTF-8" in str(error):
            return self._damaged()
        if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return StorageError(
                f"The database {self.name!r} is busy: another program has been writing for {self._timeout:g} s."
            )
        if primary == sqlite3.SQLITE_CANTOPEN:
            return StorageError(f"The database {self.name!r} cannot be opened; does its folder exist?")
        if primary == sqlite3.SQLITE_READONLY:
            return StorageError(f"The database {self.name!r} cannot be written; it is read-only.")
        if primary == sqlite3.SQLITE_ERROR and "no such" in str(error):
            return StorageCorruptError(f"The database {self.name!r} lacks a table or column that it should have.")
        return StorageError(f"The database {self.name!r} refused: {type(error).__name__}.")


def _roll_back(connection: sqlite3.Connection) -> None:
    """End the transaction, if there still is one.

    After a full disk SQLite has rolled back by itself; a second ROLLBACK would fail and hide the
    error that matters.
    """
    if connection.in_transaction:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
