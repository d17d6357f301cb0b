"""A box that finds a document by words of its title.

A selectbox of Streamlit's sends all of its options each time its value is set: with ten thousand titles that is
half a megabyte for every click in the graph, and half a second of the browser's time. Here the titles are
sent once, and a choice is a number.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

from cnrag_core.network import Network
from cnrag_core.views.live_graph import asset
from cnrag_core.views.network_ahead import titles_to_choose
from cnrag_core.views.title_search import matching_titles

MOST_OFFERED = 20_000
"""Documents that one box offers as one types; beyond it a few words of the title come first."""

# Of several lines: Streamlit takes one line for the name of a file.
TITLES = """
export default ({ data }) => {
  (globalThis.cnragTitles ??= {})[data.stamp] = data.titles;
};
"""


@cache
def _titles() -> Callable[..., Any]:
    return st.components.v2.component("cnrag_titles", js=TITLES)


@cache
def _box() -> Callable[..., Any]:
    return st.components.v2.component(
        "cnrag_title_box", html=asset("title_box.html"), css=asset("title_box.css"), js=asset("title_box.js")
    )


def send_titles(network: Network) -> None:
    """Bring the titles to the browser, in a message that no click and no threshold changes."""
    if network.graph.n_nodes <= MOST_OFFERED:
        titles = titles_to_choose(network).titles
        _titles()(key="cnrag_titles", data={"stamp": _stamp(network), "titles": titles}, height=1)


def title_box(
    network: Network,
    label: str,
    *,
    key: str,
    chosen: str | None,
    placeholder: str,
    on_change: Callable[[str | None], None],
) -> None:
    """One box for all titles, the best connected first; it always shows what is chosen.

    Parameters
    ----------
    chosen
        Id of the document that it shows.
    on_change
        Called with the id that was chosen, None where the box was cleared, before the page is drawn again.
    """
    if network.graph.n_nodes > MOST_OFFERED:
        _box_for_many(network, label, key=key, chosen=chosen, placeholder=placeholder, on_change=on_change)
        return
    ids, _, place = titles_to_choose(network)

    def changed() -> None:
        number = st.session_state[key]["chosen"]
        if number is not None:
            on_change(ids[number] if 0 <= number < len(ids) else None)

    _box()(
        key=key,
        data={
            "stamp": _stamp(network),
            "chosen": None if chosen is None else place.get(chosen),
            "label": label,
            "placeholder": placeholder,
        },
        on_chosen_change=changed,
    )


def _box_for_many(
    network: Network,
    label: str,
    *,
    key: str,
    chosen: str | None,
    placeholder: str,
    on_change: Callable[[str | None], None],
) -> None:
    ids = network.node_ids
    typed = st.text_input(f"{label}: words of the title", key=f"{key}_words", placeholder=placeholder)
    offered = [ids[number] for number in matching_titles(typed, network.titles, ids)]
    st.session_state[key] = chosen
    st.selectbox(
        label,
        list(dict.fromkeys([*offered, *([chosen] if chosen else [])])),
        index=None,
        format_func=network.title,
        key=key,
        placeholder=placeholder,
        on_change=lambda: on_change(st.session_state[key]),
    )


def _stamp(network: Network) -> str:
    return (network.base or network).graph.digest[:16]
