"""Looking rows up by any number of keys, whatever the keys are."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

BATCH = 500
"""Keys in one statement: some builds of SQLite take no more than 999 variables."""


def storable(text: str) -> str:
    """The text with halves of surrogate pairs, which UTF-8 cannot hold, replaced by question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def lookup_key(key: Any) -> Any:
    """The key as a parameter; one that UTF-8 cannot hold looks up the empty text, which is no key of anything."""
    return "" if isinstance(key, str) and storable(key) != key else key


def matching_rows(
    connection: sqlite3.Connection, statement: str, keys: Sequence[Any], *before: Any
) -> Iterator[tuple[Any, ...]]:
    """Rows of a statement that ends in ``IN``, for any number of keys; `before` are its earlier parameters."""
    for start in range(0, len(keys), BATCH):
        some = [lookup_key(key) for key in keys[start : start + BATCH]]
        yield from connection.execute(f"{statement} ({', '.join('?' * len(some))})", (*before, *some))
