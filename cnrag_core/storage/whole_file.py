"""Files that appear whole under their name, or not at all, and what the disk refused as our own errors.

Enters: a path. Leaves: a stream to write to; when the block ends, the file is there and safe on the disk.
"""

from __future__ import annotations

import errno
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from cnrag_core.errors import CNRagError, StorageError, StorageFullError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """A binary stream whose content takes the place of `path` when the block ends without an error.

    It is written beside `path` and moved there, so that an older file stays as it was until the new one
    is complete. What is no ordinary file (a pipe, a device) is written directly.

    Raises
    ------
    StorageFullError
        If there is no room.
    StorageError
        If the folder does not exist or may not be written.
    """
    file = Path(path)
    with disk_errors(f"{file.name} could not be written"):
        if file.exists() and not file.is_file():
            with file.open("wb") as target:
                yield target
            return
        file = Path(os.path.realpath(file))  # the file that a link names is replaced, not the link
        temporary = file.with_name(f".{file.name[:100]}.{uuid.uuid4().hex[:8]}")
        try:
            with temporary.open("xb") as target:
                yield target
                target.flush()
                os.fsync(target.fileno())
            os.replace(temporary, file)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def disk_errors(what: str) -> Iterator[None]:
    """What the disk refuses inside as our own error, whose sentence begins with `what`."""
    try:
        yield
    except CNRagError:
        raise
    except OSError as error:
        kind = StorageFullError if error.errno in _FULL else StorageError
        raise kind(f"{what}: {error.strerror or type(error).__name__}.") from error
