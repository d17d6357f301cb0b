"""Work in the background as a page shows it: a bar with a way to stop it, then its result or what went wrong."""

from __future__ import annotations

from typing import Any

import streamlit as st

from cnrag_core.jobs import Job
from pages.shared.session import literal


def result_of(key: str, *, patience: float = 0.0) -> Any:
    """The result of the work that is kept under a key; None while it runs, or where it has none.

    Parameters
    ----------
    patience
        Seconds to wait without a word: short work never shows a bar.
    """
    job: Job[Any] | None = st.session_state.get(key)
    if job is None:
        return None
    if job.state == "running":
        job.wait(patience)
    if job.state == "running":
        _watch(key)
        return None
    if job.state == "done":
        return job.result
    st.error(literal(job.message or "It was cancelled; nothing was kept."), icon=":material/error:")
    return None


@st.fragment(run_every=0.8)
def _watch(key: str) -> None:
    """The bar; when the work has ended the whole page is drawn again."""
    job: Job[Any] = st.session_state[key]
    if job.state != "running":
        st.rerun()
    left = job.seconds_left
    estimate = f", about {left:.0f} s left" if left is not None and left >= 1 else ""
    st.progress(job.share, text=f"{literal(job.step)} · {job.seconds:.0f} s{estimate}")
    if st.button("Cancel", key=f"cancel_{key}"):
        job.cancel()
