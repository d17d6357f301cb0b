"""Approximate tokens."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cnrag_core.chunking.tokens import count_tokens, count_words, tokens_of_words, word_spans


@given(st.integers(0, 10_000))
def test_tokens_are_words_times_one_point_three_rounded_up(n_words: int) -> None:
    assert tokens_of_words(n_words) == math.ceil(n_words * Fraction(13, 10))


@pytest.mark.parametrize(
    ("text", "n_words"),
    [
        ("", 0),
        (" \n\t ", 0),
        ("one", 1),
        ("don't stop-now", 2),
        ("今天天气很好", 6),
        ("深度 learning 2024", 4),
        ("ひらがな", 4),
        ("그래프 구조", 2),
    ],
)
def test_words_are_counted_in_every_script(text: str, n_words: int) -> None:
    assert count_words(text) == n_words


def test_ten_words_are_thirteen_tokens() -> None:
    assert count_tokens("word " * 10) == 13


@given(st.text(max_size=60), st.integers(1, 10))
def test_word_spans_cover_everything_but_white_space(text: str, max_chars: int) -> None:
    spans = word_spans(text, max_chars=max_chars)
    assert "".join(text[start:end] for start, end in spans) == "".join(text.split())
    assert all(0 < end - start <= max_chars for start, end in spans)
    if max_chars >= len(text):
        assert len(spans) == count_words(text)
