"""A box that finds a document by words of its title.

A selectbox of Streamlit's sends all of its options each time its value is set: with ten thousand titles that is
half a megabyte for every click in the graph, and half a second of the browser's time. Here the titles are
sent once, and a choice is a number. Too many titles to send stay here: what is typed is answered with those that
match, and looks the same to whoever types.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

from cnrag_core.network import Network
from cnrag_core.views.live_graph import asset
from cnrag_core.views.network_ahead import titles_to_choose
from cnrag_core.views.title_search import offered_titles

MOST_OFFERED = 20_000
"""Documents whose titles are all sent to the browser; beyond it those that match are sent as one types."""

ANSWERS = "cnrag_title_answers"

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
def _answers() -> Callable[..., Any]:
    return st.components.v2.component(ANSWERS, js=asset("title_answers.js"))


@cache
def _box() -> Callable[..., Any]:
    return st.components.v2.component(
        "cnrag_title_box", html=asset("title_box.html"), css=asset("title_box.css"), js=asset("title_box.js")
    )


def send_titles(network: Network) -> None:
    """Bring the titles to the browser, in a message that no click and no threshold changes; of too many, those asked
    for.
    """
    if network.graph.n_nodes > MOST_OFFERED:
        _answer(network)
        return
    _titles()(key="cnrag_titles", data={"stamp": _stamp(network), "titles": titles_to_choose(network).titles}, height=1)


@st.fragment
def _answer(network: Network) -> None:
    """Answer what was typed into a box: in a run of its own, for which nothing else of the page is made again.

    An answer is sent once. Every message says which question was answered last, so that the browser notices
    where an answer was overtaken by the next message on its way.
    """
    state = st.session_state

    def asked() -> None:
        question = state[ANSWERS]["question"]
        if question is not None:
            state[f"{ANSWERS}_question"] = question

    question = state.get(f"{ANSWERS}_question") or {"number": None, "typed": ""}
    number, ids, titles = question["number"], titles_to_choose(network).ids, titles_to_choose(network).titles
    unanswered = number is not None and number != state.get(f"{ANSWERS}_answered")
    offers = offered_titles(str(question["typed"]), titles, ids)._asdict() if unanswered else None
    _answers()(
        key=ANSWERS,
        data={"stamp": _stamp(network), "answered": number, "offers": offers},
        height=1,
        on_question_change=asked,
    )
    state[f"{ANSWERS}_answered"] = number  # after it was sent: a run that is broken off before leaves it to the next


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
    ids, titles, place = titles_to_choose(network)
    number = None if chosen is None else place.get(chosen)

    def changed() -> None:
        number = st.session_state[key]["chosen"]
        if number is not None:
            on_change(ids[number] if 0 <= number < len(ids) else None)

    _box()(
        key=key,
        data={
            "stamp": _stamp(network),
            "chosen": number,
            "title": "" if number is None else titles[number],
            "label": label,
            "placeholder": placeholder,
        },
        on_chosen_change=changed,
    )


def _stamp(network: Network) -> str:
    return (network.base or network).graph.digest[:16]
