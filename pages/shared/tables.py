"""What tables share: sizes, and columns that stay as narrow as they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st

from cnrag_core.views.table_sizes import WRAPPED, height_of_rows, row_height, table_height

__all__ = ["WRAPPED", "height_of_rows", "named_by_strategy", "number_in_front", "row_height", "table_height"]


def number_in_front(label: str | None = None, *, width: int, **more: Any) -> Any:
    """Column config of a number before the texts: it takes none of the room that a wide window leaves over."""
    return st.column_config.NumberColumn(label, width=width, pinned=True, **more)


NAMES = {"similarity": 72, "community": 80, "hub": 46, "bridge": 56, "hybrid": 56, "links": 48, "auto": 46}
"""Pixels that the names of strategies take, so that all nine stand side by side; others take `NAME`."""
NAME = 76


def named_by_strategy(columns: Iterable[str], kind: Any = st.column_config.NumberColumn, **more: Any) -> dict[str, Any]:
    """Column configs of columns whose first word is a strategy, headed by that word and as narrow as it."""
    words = {column: column.split(" ")[0] for column in columns}
    return {column: kind(name, width=NAMES.get(name, NAME), **more) for column, name in words.items()}
