"""A file is there whole under its name, or the older one still is."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from cnrag_core.errors import ConfigError, StorageError, StorageFullError
from cnrag_core.storage.whole_file import disk_errors, whole_file


def write(path: Path, *pieces: bytes, error: BaseException | None = None) -> None:
    with whole_file(path) as target:
        for piece in pieces:
            target.write(piece)
        if error is not None:
            raise error


def test_a_file_takes_the_place_of_the_older_one(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    write(path, b"new ", b"text")
    assert path.read_bytes() == b"new text"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_leaves_the_older_file_and_nothing_else(tmp_path: Path, number: int) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with pytest.raises(StorageFullError, match=r"a\.txt could not be written: "):
        write(path, b"new", error=OSError(number, os.strerror(number)))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_our_own_errors_pass_through(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="as it is"):
        write(tmp_path / "a.txt", error=ConfigError("as it is"))
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"a\.txt could not be written: No such file or directory\."):
        write(tmp_path / "nowhere" / "a.txt", b"x")


def test_a_folder_of_that_name_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="could not be written: Is a directory"):
        write(tmp_path, b"x")


def test_the_file_that_a_link_names_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_bytes(b"old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    write(tmp_path / "link.txt", b"new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_bytes() == b"new"


def test_a_pipe_is_written_and_stays_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()), daemon=True)
    reader.start()
    write(tmp_path / "pipe", b"through")
    reader.join(timeout=30)
    assert read == [b"through"]
    assert (tmp_path / "pipe").is_fifo()


def test_what_the_disk_refuses_begins_with_what_was_done() -> None:
    with (
        pytest.raises(StorageError, match="The folder could not be made: Permission denied"),
        disk_errors("The folder could not be made"),
    ):
        raise OSError(errno.EACCES, "Permission denied")
