"""Waiting for a part of the network: the page says for what, and for how long, and goes on with the rest."""

from __future__ import annotations

import streamlit as st

from cnrag_core.jobs import Job
from cnrag_core.network import Network
from cnrag_core.preparing import MANY_DOCUMENTS, PARTS, at_hand, find
from pages.shared.session import literal

PATIENCE = 0.3
"""Seconds that a page waits for a part of a large network without a word."""

PATIENCE_WITH_FEW = 20.0
"""The same for a small one, of which everything is found in a moment."""


def ready(network: Network, *names: str, key: str, patience: float | None = None) -> bool:
    """Whether the parts are at hand; else they are being found, which the page shows until they are.

    Of a part that could not be found the page shows the reason, and a button that looks for it again.

    Parameters
    ----------
    key
        Of the notice on the page.
    patience
        Seconds to wait for a part of a large network without a word.
    """
    for name in names:
        if at_hand(network, name):
            continue
        job = find(network, name)
        few = network.graph.n_nodes < MANY_DOCUMENTS
        job.wait(PATIENCE_WITH_FEW if few else PATIENCE if patience is None else patience)
        if job.state == "running":
            with st.container(key=f"waiting_{key}"):
                _watch(network, name)
            return False
        if job.state != "done" and not at_hand(network, name):
            st.error(f"{PARTS[name].words}: {literal(job.message)}", icon=":material/error:")
            st.button("Try again", key=f"again_{key}", on_click=find, args=(network, name), kwargs={"again": True})
            return False
    return True


@st.fragment(run_every=0.4)
def _watch(network: Network, name: str) -> None:
    """One part on its way; the page is drawn again when it is there."""
    job: Job[object] = find(network, name)
    if job.state != "running":
        st.rerun()
    left = job.seconds_left
    estimate = f", about {left:.0f} s left" if left is not None and left >= 1 else ""
    st.progress(
        job.share, text=f"{PARTS[name].words}: {job.seconds:.0f} s{estimate}. The rest of the page can be used."
    )
