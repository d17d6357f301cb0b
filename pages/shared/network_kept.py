"""Drawings that were made for this visitor: a few are kept, for the way back and for the next click."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import streamlit as st

from cnrag_core.network import Network
from cnrag_core.views.network_options import NetworkOptions

MOST_KEPT = 12


def key_of(network: Network, options: NetworkOptions) -> str:
    """Short name of one way of looking at one network."""
    text = repr((network.graph.digest, network.config.communities.resolution, options))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def kept(key: str, make: Callable[[], Any]) -> Any:
    """What was made under a key before, or made now; the oldest are let go."""
    store = st.session_state.setdefault("net_drawings", {})
    if key not in store:
        store[key] = make()
        while len(store) > MOST_KEPT:
            store.pop(next(iter(store)))
    return store[key]
