"""Metadata as JSON text that both Python and SQLite read back.

Whole numbers of any size stay exact, NaN becomes null, sets become sorted lists, dates their text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from cnrag_core.errors import CorpusError, StorageCorruptError


def to_json(value: Mapping[str, Any], owner: str) -> str:
    """Canonical JSON of a mapping.

    Raises
    ------
    CorpusError
        If it is nested too deeply; the message begins with `owner`.
    """
    try:
        text = json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        raise CorpusError(f"{owner}: the metadata is nested too deeply.") from None
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def from_json(text: str | None, owner: str) -> dict[str, Any]:
    """The mapping of a JSON text.

    Raises
    ------
    StorageCorruptError
        If it is not the JSON of a mapping.
    """
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError, TypeError):
        value = None
    if not isinstance(value, dict):
        raise StorageCorruptError(f"{owner}: the stored metadata cannot be read.")
    return value


def _plain(value: Any) -> Any:
    """The value in JSON's own kinds."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(item) for item in value), key=repr)
    if hasattr(value, "tolist"):  # numpy scalars and arrays
        return _plain(value.tolist())
    return str(value)
