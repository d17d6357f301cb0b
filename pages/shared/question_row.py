"""The box with the question, and beside it the questions whose answer is known; carried by the link."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from pages.shared.session import ask_question, asked_question


def question_row(
    judged: Mapping[str, int],
    *,
    key: str,
    picks: str,
    of: str,
    offer: str,
    placeholder: str,
    help: str | None = None,
) -> str:
    """The question as typed, or as picked among the judged ones.

    Parameters
    ----------
    judged
        Texts of the questions whose answer is known, each with the number of documents that it takes; the first
        is asked where nothing was asked before.
    key, picks
        Keys of the box and of the list.
    of, offer
        What the list is called, and what it says while nothing is picked.
    """
    if key not in st.session_state:
        st.session_state[key] = asked_question() or next(iter(judged), "")
    typed, picked = st.columns([3, 2], vertical_alignment="bottom")
    with picked:
        if judged:
            pick = partial(_take, picks, key)
            st.selectbox(
                of,
                list(judged),
                index=None,
                key=picks,
                placeholder=offer,
                on_change=pick,
                format_func=lambda text: f"{judged[text]} documents · {text}" if judged[text] > 1 else text,
            )
    with typed:
        changed = partial(_ask, key)
        return st.text_input("Question", key=key, placeholder=placeholder, on_change=changed, help=help)


def _take(picks: str, key: str) -> None:
    if st.session_state[picks]:
        st.session_state[key] = st.session_state[picks]
        _ask(key)


def _ask(key: str) -> None:
    ask_question(st.session_state[key])
