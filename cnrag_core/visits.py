"""What visitors loaded themselves, so that a reload or a second tab of theirs finds it again.

Enters: a workspace. Leaves: a token that nobody can guess, and for that token alone the workspace again,
with a little of how it was looked at. The files lie in a folder that only this process's user can enter, are
named by a digest of the token, and go when they have not been asked for in a while, when there are too
many, and when the server ends.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import logging
import os
import re
import secrets
import shutil
import tempfile
import threading
import time
import weakref
from functools import cache
from pathlib import Path
from typing import Any

from cnrag_core.errors import CNRagError
from cnrag_core.event_log import write_event
from cnrag_core.limits import MEGABYTE, server_limits
from cnrag_core.workspace import SUFFIX, Workspace

PREFIX = "cnrag-visits-"
TOKEN_BYTES = 24
"""192 bits."""

MOST_VIEW = 64_000
"""Characters of how a workspace was looked at; more is not kept."""

YOUNG = 60.0
"""Seconds in which a folder is left alone: its owner may not have locked it yet."""

_TOKEN = re.compile(r"[A-Za-z0-9_-]{32}")


class Visits:
    """The workspaces that visitors loaded, each under a token of its own.

    Parameters
    ----------
    parent
        Where the private folder is made; the system's temporary folder if absent.
    most, most_bytes
        Workspaces, and bytes of their files, kept at the same time; those asked for longest ago go first.
    seconds
        For how long one is kept after it was last asked for.
    """

    def __init__(self, parent: Path | None = None, *, most: int, most_bytes: int, seconds: float) -> None:
        root = parent or Path(tempfile.gettempdir())
        _remove_abandoned(root)
        self._folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=root))  # entered by its owner alone
        self._lock_file = os.open(self._folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
        _lock(self._lock_file)
        self._most, self._most_bytes, self._seconds = most, most_bytes, seconds
        # What some session still holds need not be read again.
        self._held: weakref.WeakValueDictionary[str, Workspace] = weakref.WeakValueDictionary()
        self._tokens: weakref.WeakKeyDictionary[Workspace, str] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()

    def keep(self, workspace: Workspace) -> str:
        """Keep a workspace and return its token, the same every time; the file is written in the background."""
        known = self.token_of(workspace)
        if known is not None:
            return known
        token = secrets.token_urlsafe(TOKEN_BYTES)
        name = _name(token)
        self._held[name], self._tokens[workspace] = workspace, token
        threading.Thread(target=self._write, args=(name, workspace), name="cnrag visit").start()
        return token

    def token_of(self, workspace: Workspace) -> str | None:
        """The token of a workspace that is kept; None where it is not."""
        return self._tokens.get(workspace)

    def open(self, token: str) -> Workspace | None:
        """The workspace of a token; None for any other text, whatever it is."""
        path = self._path(token)
        if path is None:
            return None
        held = self._held.get(path.stem)
        if held is not None:
            _touch(path)
            return held
        self._remove_old()
        try:
            workspace = Workspace.open(path)
        except (CNRagError, OSError):
            return None
        _touch(path)
        opened = self._held.setdefault(path.stem, workspace)
        self._tokens[opened] = token
        return opened

    def remember(self, token: str, view: dict[str, Any]) -> None:
        """Keep how a workspace is looked at: plain values."""
        path = self._path(token)
        if path is None:
            return
        text = json.dumps(view)
        if len(text) <= MOST_VIEW:
            _write_private(path.with_suffix(".json"), text.encode("utf-8"))

    def view(self, token: str) -> dict[str, Any]:
        """What was remembered; nothing where there is nothing."""
        path = self._path(token)
        try:
            found = json.loads(path.with_suffix(".json").read_bytes()) if path is not None else {}
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def forget(self, token: str) -> None:
        """Remove a workspace before its time."""
        path = self._path(token)
        if path is not None:
            workspace = self._held.pop(path.stem, None)
            if workspace is not None:
                self._tokens.pop(workspace, None)
            _remove(path)

    def close(self) -> None:
        """Remove everything."""
        shutil.rmtree(self._folder, ignore_errors=True)
        os.close(self._lock_file)

    def _path(self, token: str) -> Path | None:
        return self._folder / (_name(token) + SUFFIX) if _TOKEN.fullmatch(token) else None

    def _write(self, name: str, workspace: Workspace) -> None:
        try:
            path = self._folder / (name + SUFFIX)
            workspace.save(path)
            path.chmod(0o600)
        except (CNRagError, OSError):
            write_event("visit not kept", level=logging.WARNING)
        self._remove_old()

    def _remove_old(self) -> None:
        with self._lock:
            now, total, kept = time.time(), 0, 0
            newest = sorted(self._folder.glob("*" + SUFFIX), key=_last_asked, reverse=True)
            for path in newest:
                size = _size(path)
                if now - _last_asked(path) > self._seconds or kept == self._most or total + size > self._most_bytes:
                    _remove(path)
                else:
                    kept, total = kept + 1, total + size


@cache
def server_visits() -> Visits:
    """Those of this process; removed when it ends."""
    limits = server_limits()
    visits = Visits(most=limits.visits, most_bytes=limits.visits_mb * MEGABYTE, seconds=3600 * limits.visit_hours)
    atexit.register(visits.close)
    return visits


def _name(token: str) -> str:
    return hashlib.sha256(token.encode("ascii")).hexdigest()


def _write_private(path: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)


def _remove(path: Path) -> None:
    for file in (path, path.with_suffix(".json")):
        file.unlink(missing_ok=True)


def _touch(path: Path) -> None:
    with contextlib.suppress(OSError):  # not written yet
        os.utime(path)


def _last_asked(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _remove_abandoned(root: Path) -> None:
    """Remove what servers left that were ended before they could: the lock of a running one is held."""
    for folder in root.glob(PREFIX + "*"):
        try:
            about = folder.lstat()
            if about.st_uid != os.getuid() or time.time() - about.st_mtime < YOUNG:
                continue
            handle = os.open(folder / "lock", os.O_RDWR)
        except (OSError, AttributeError):  # gone, another's, or a system without users
            continue
        if _lock(handle):
            shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)


def _lock(handle: int) -> bool:
    """Take the lock of a folder; False where another process holds it, or the system has no such locks."""
    try:
        import fcntl
    except ImportError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
