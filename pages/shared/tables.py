"""What tables share: sizes, and columns that stay as narrow as they are."""

from __future__ import annotations

from typing import Any

import streamlit as st

from cnrag_core.views.table_sizes import WRAPPED, row_height, table_height

__all__ = ["WRAPPED", "number_in_front", "row_height", "table_height"]


def number_in_front(label: str | None = None, *, width: int, **more: Any) -> Any:
    """Column config of a number before the texts: it takes none of the room that a wide window leaves over."""
    return st.column_config.NumberColumn(label, width=width, pinned=True, **more)
