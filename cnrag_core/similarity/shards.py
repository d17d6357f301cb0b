"""The pairs of finished tiles in a folder, so that an interrupted search goes on where it stopped.

::

    FOLDER/
      manifest.json              which columns were compared, of how many documents
      pairs-<digest>/            one search: columns, floor, most pairs, tile size
        tile-0000004096.npz      the pairs of one tile: left, right, weight, and what search they are of

A shard is written under another name, flushed and renamed, so it is there whole or not at all. One that is
damaged (every array carries a checksum) or belongs to another search is made again.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cnrag_core.errors import ConfigError, StorageError, StorageFullError
from cnrag_core.similarity.components import ComponentColumn, n_rows
from cnrag_core.similarity.pairs import Pairs
from cnrag_core.similarity.scoring import TIE_TOLERANCE
from cnrag_core.similarity.state import digest_of

log = logging.getLogger(__name__)

FORMAT = 1
"""Raised whenever the arrays of a shard, or the weights that the same columns give, change."""

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Shards:
    """The shards of one search.

    Attributes
    ----------
    folder
        Theirs alone.
    search
        Digest of what is searched; every shard carries it.
    n, rows
        Number of documents, and of a tile.
    """

    folder: Path
    search: str
    n: int
    rows: int

    @property
    def starts(self) -> range:
        """First rows of all tiles."""
        return range(0, self.n, self.rows)

    def write(self, start: int, pairs: Pairs) -> None:
        """Keep the pairs of the tile that begins at row `start`.

        Raises
        ------
        StorageError
            If the folder cannot be written to; `StorageFullError` where there is no room.
        """
        path = self._path(start)
        with _refusals(path):
            handle, name = tempfile.mkstemp(prefix=f"{path.stem}-", suffix=".part", dir=self.folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    np.savez(
                        file, left=pairs.left, right=pairs.right, weight=pairs.weight,
                        search=np.frombuffer(self.search.encode(), dtype=np.uint8), start=np.int64(start),
                    )  # fmt: skip
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(name, path)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise

    def read(self, start: int) -> Pairs | None:
        """The pairs of a tile; None where there is no shard of it, or none that can be used."""
        path = self._path(start)
        if not path.exists():
            return None
        try:
            # Opened here, because numpy leaves a file open that it cannot read.
            with path.open("rb") as file, np.load(file, allow_pickle=False) as shard:
                pairs = Pairs(shard["left"], shard["right"], shard["weight"])
                is_ours = shard["search"].tobytes() == self.search.encode() and int(shard["start"]) == start
            if is_ours and _is_whole(pairs, self.n):
                return pairs
            reason = "is of another search"
        except (OSError, ValueError, KeyError, EOFError, MemoryError, zipfile.BadZipFile, NotImplementedError) as error:
            reason = f"is damaged ({error})"
        log.warning("%s %s; its tile is compared again.", path, reason)
        return None

    def finished(self) -> list[int]:
        """First rows of the tiles that have a file, usable or not."""
        return [start for start in self.starts if self._path(start).exists()]

    def _path(self, start: int) -> Path:
        return self.folder / f"tile-{start:010d}.npz"


def open_shards(folder: Path, columns: Sequence[ComponentColumn], floor: float, most: int | None, rows: int) -> Shards:
    """The shards of one search in a folder, which is made where it is not there.

    Parameters
    ----------
    columns
        What is compared. One folder serves one set of columns, at any floors.
    floor
        Where the search begins; it may rise while pairs are found.
    most
        Most pairs that are kept; what a tile may leave out depends on it.
    rows
        Of a tile.

    Raises
    ------
    ConfigError
        If the folder holds anything else than pairs of the same columns.
    StorageError
        If it cannot be written to.
    """
    of_columns = digest_of(columns)
    with _refusals(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _check_manifest(folder, {"format": FORMAT, "columns": of_columns, "documents": n_rows(columns)})
        what = json.dumps([FORMAT, of_columns, float(floor), most, rows])
        search = hashlib.blake2b(what.encode(), digest_size=16).hexdigest()
        own = folder / f"pairs-{search[:16]}"
        own.mkdir(exist_ok=True)
        for rest in own.glob("*.part"):  # of a process that was killed
            rest.unlink(missing_ok=True)
    return Shards(own, search, n_rows(columns), rows)


@contextmanager
def only_user(folder: Path) -> Iterator[None]:
    """Hold a folder for this process; the system lets go of it even where the process is killed.

    Raises
    ------
    ConfigError
        If another process holds it.
    """
    try:
        import fcntl
    except ImportError:  # no such locks on this system: shards are whole even so, only work may be done twice
        yield
        return
    with _refusals(folder):
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(
                f"{folder}: another build is at work in this folder; wait for it, or name another folder."
            ) from None
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(handle)


def _check_manifest(folder: Path, ours: dict[str, Any]) -> None:
    path = folder / MANIFEST
    if not path.exists():
        if any(folder.iterdir()):
            raise ConfigError(f"{folder}: the folder for shards is not empty and not one of ours; name an empty one.")
        _write_whole(path, json.dumps(ours))
        return
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        found = None
    if found != ours:
        of = found.get("documents") if isinstance(found, dict) else None
        held = f"pairs of {of:,} documents" if isinstance(of, int) else "something"
        raise ConfigError(
            f"{folder}: the folder holds {held} from another corpus or configuration than this one "
            f"({ours['documents']:,} documents); name another folder, or delete it."
        )


def _write_whole(path: Path, text: str) -> None:
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def _is_whole(pairs: Pairs, n: int) -> bool:
    """Whether the arrays fit each other and the documents."""
    same = pairs.left.shape == pairs.right.shape == pairs.weight.shape and pairs.left.ndim == 1
    typed = pairs.left.dtype == pairs.right.dtype == np.int32 and pairs.weight.dtype == np.float64
    if not (same and typed):
        return False
    return not len(pairs) or bool(
        pairs.left.min() >= 0 and (pairs.left < pairs.right).all() and pairs.right.max() < n
        and (pairs.weight > 0.0).all() and (pairs.weight <= 1.0 + TIE_TOLERANCE).all()
    )  # fmt: skip


@contextmanager
def _refusals(path: Path) -> Iterator[None]:
    """What the system refuses, as one sentence."""
    try:
        yield
    except OSError as error:
        if isinstance(error, StorageError):
            raise
        kind = StorageFullError if error.errno in (errno.ENOSPC, errno.EDQUOT) else StorageError
        raise kind(f"{path}: pairs cannot be kept here ({error.strerror or error}).") from None
