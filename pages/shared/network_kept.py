"""Drawings that were made for this visitor: a few are kept, for the way back and for the next click."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

MOST_KEPT = 12


def kept(key: str, make: Callable[[], Any]) -> Any:
    """What was made under a key before, or made now; the oldest are let go."""
    store = st.session_state.setdefault("net_drawings", {})
    if key not in store:
        store[key] = make()
        while len(store) > MOST_KEPT:
            store.pop(next(iter(store)))
    return store[key]
