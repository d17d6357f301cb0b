"""Builds that outlive a rerun, but not the visitor who asked for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from cnrag_core.jobs import Job
from cnrag_core.types import Progress

T = TypeVar("T")


def start_job(key: str, name: str, work: Callable[[Progress], T]) -> Job[T]:
    """Start work for this visitor and keep it under a key; a running one under that key goes on instead.

    It ends when the visitor's browser has been gone for a while: nobody could take its result.
    """
    running: Job[T] | None = st.session_state.get(key)
    if running is not None and running.state == "running":
        return running
    job = Job(name, work, owner_is_here=_presence())
    st.session_state[key] = job
    return job


def _presence() -> Callable[[], bool] | None:
    """Whether this session's browser is connected; None outside a server."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return None
    server, session_id = runtime.get_instance(), context.session_id
    return lambda: server.is_active_session(session_id)
