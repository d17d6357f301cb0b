"""Runs alone in a process of its own, where a hostile file can use up only what this process may have.

Started by path with a task, seconds of processor time, bytes of memory and further numbers; the file comes on
standard input, and lines of JSON leave on standard output. `pdf` (pages, bytes of text) tells one line a page;
`parquet` (rows of a batch) only whether the file can be read within the limits. It imports nothing of this
package, so that the limits hold before anything heavy is loaded.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def limit_resources(seconds: int, memory_bytes: int) -> None:
    """Let the system stop this process; where there are no such limits (Windows) the parent's clock does."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def tell(**message: Any) -> None:
    """One line to the parent, in ASCII, so that no text can break it."""
    sys.stdout.write(json.dumps(message) + "\n")


def read_pages(data: bytes, max_pages: int, max_text: int) -> None:
    """Tell every page, or the reason why not."""
    import io

    import pypdf

    reader = pypdf.PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        tell(refused="this PDF is protected by a password; save a copy without one.")
        return
    n_pages = len(reader.pages)
    if n_pages > max_pages:
        tell(refused=f"this PDF has {n_pages:,} pages; at most {max_pages:,} are allowed.")
        return
    about, metadata = {}, reader.metadata
    for name in ("title", "author"):
        value = getattr(metadata, name, None)
        if isinstance(value, str) and value.strip():
            about[name] = value.strip()[:500]
    tell(about=about)
    total = 0
    for number in range(1, n_pages + 1):
        try:
            text, failed = reader.pages[number - 1].extract_text(), False
        except MemoryError:
            raise
        except Exception:  # a damaged page; the others may be sound
            text, failed = "", True
        total += len(text.encode("utf-8", "replace"))
        if total > max_text:
            tell(refused=f"this PDF holds more than {max_text // 2**20:,} MB of text.")
            return
        tell(page=number, text=text, failed=failed)
    tell(finished=True)


def read_batches(data: bytes, batch_rows: int) -> None:
    """Unpack a Parquet file as the reader will, and keep nothing of it."""
    import io

    import pyarrow.parquet as pq

    schema = pq.ParquetFile(io.BytesIO(data)).schema
    columns = [schema.column(position) for position in range(len(schema))]
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    file = pq.ParquetFile(io.BytesIO(data), read_dictionary=texts)
    for _ in file.iter_batches(batch_size=batch_rows):
        pass


def main() -> None:
    """Read the limits and the file, and never end with a traceback."""
    task = sys.argv[1]
    seconds, memory_bytes, *numbers = map(int, sys.argv[2:])
    limit_resources(seconds, memory_bytes)
    data = sys.stdin.buffer.read()
    try:
        if task == "pdf":
            read_pages(data, *numbers)
        else:
            read_batches(data, *numbers)
            tell(finished=True)
    except (MemoryError, RecursionError):
        tell(refused=f"reading this file needs more than {memory_bytes // 2**20:,} MB of memory.")
    except Exception as error:  # whatever the parser meets in a damaged file
        if task == "parquet":
            tell(finished=True)  # the reader will say what is wrong with it
        elif type(error).__name__ == "DependencyError":
            tell(refused="this PDF is encrypted; save a copy without a password.")
        else:
            tell(refused="this PDF is damaged or is none at all.")


if __name__ == "__main__":
    main()
