"""The parts of a workspace file, each read inside its limits, and a damaged one named.

Enters: a zip of anybody's making. Leaves: bytes, lines and arrays.
"""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cnrag_core.errors import CNRagError, ResourceLimitError, StorageCorruptError

MOST_BYTES = 8_000_000_000
"""Largest workspace opened, unpacked."""

_AHEAD = 1 << 20
"""Bytes unpacked at a time where a part is read line by line."""

_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, NotImplementedError),
    *(KeyError, ValueError, TypeError, AttributeError, IndexError, ArithmeticError, RuntimeError),
)
"""What readers stumble over in a file that is not as it was written."""


@contextmanager
def damage_of(name: str, part: str = "") -> Iterator[None]:
    """Whatever a reader inside stumbles over, as damage of this file or of a part of it."""
    try:
        yield
    except CNRagError:
        raise
    except MemoryError:
        raise ResourceLimitError(f"{name} needs more memory to open than this process may use.") from None
    except _DAMAGE as error:
        where = f"{part} " if part else ""
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise StorageCorruptError(
            f"{name} is damaged, or is not a workspace written by cnrag ({where}{reason[:200]})."
        ) from error


class Parts:
    """Reads the parts of an open archive.

    Raises
    ------
    ResourceLimitError
        If it would unpack to more than the limit.
    """

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self.name = name
        self._archive = archive
        size = sum(entry.file_size for entry in archive.infolist())
        if size > MOST_BYTES:
            raise ResourceLimitError(f"{name} unpacks to {size / 1e9:.1f} GB; the limit is {MOST_BYTES / 1e9:.0f} GB.")

    def read(self, part: str) -> bytes:
        """The bytes of a part.

        Raises
        ------
        StorageCorruptError
            If it is missing, or is not as it was written.
        """
        with damage_of(self.name, part):
            return self._archive.read(part)

    @contextmanager
    def lines(self, part: str) -> Iterator[Iterable[bytes]]:
        """The lines of a part, unpacked one after another as they are asked for; raises as `read`."""
        with damage_of(self.name, part), self._archive.open(part) as stream:
            yield io.BufferedReader(stream, _AHEAD)  # type: ignore[type-var]  # readable, whatever its declared type

    def array(self, part: str, kind: str) -> NDArray[Any]:
        """The array of ``<part>.npy``, write-protected and finite, of the dtype kind ``b``, ``i`` or ``f``.

        Its header may promise anything, so memory is taken for the bytes that are there alone; raises as `read`.
        """
        entry = f"{part}.npy"
        with damage_of(self.name, entry), self._archive.open(entry) as stream:
            version = np.lib.format.read_magic(stream)
            read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
            shape, is_fortran, dtype = read_header[version](stream)
            if dtype.kind != kind or is_fortran:
                raise ValueError(f"holds {dtype} where the kind {kind!r} should be")
            array = np.frombuffer(stream.read(), dtype=dtype).reshape(shape)
            if kind == "f" and not np.isfinite(array).all():
                raise ValueError("holds NaN or infinity")
        array.flags.writeable = False
        return array
