"""Cutting texts into words, and choosing what of a word counts."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cnrag_core.embedding import words as words_module
from cnrag_core.embedding.words import choose_analyzer, count_words, features_of


def counted(text: str) -> dict[str, int]:
    counts = count_words([text])
    return {word: int(counts.counts[0, column]) for column, word in enumerate(counts.words)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C and R", {"c": 1, "and": 1, "r": 1}),
        ("snake_case x2, x2!", {"snake_case": 1, "x2": 2}),
        ("John's dog doesn't bark", {"john": 1, "dog": 1, "doesn": 1, "bark": 1}),
        ("l’homme n’est", {"l": 1, "homme": 1, "n": 1, "est": 1}),
        ("हिन्दी में", {"हिन्दी": 1, "में": 1}),
        ("ﬁeld ＡＩ Straße", {"field": 1, "ai": 1, "straße": 1}),
        ("caf\u00e9 cafe\u0301", {"café": 2}),
        ("\ud800 broken", {"broken": 1}),
        ("  \t ", {}),
        ("", {}),
    ],
)
def test_words_of_every_script_are_kept_whole(text: str, expected: dict[str, int]) -> None:
    assert counted(text) == expected


@given(st.lists(st.text(alphabet="ab C1_.,-\n", max_size=30), max_size=5))
def test_counts_equal_those_of_the_plain_regular_expression(texts: list[str]) -> None:
    counts = count_words(texts)
    assert counts.counts.shape == (len(texts), len(counts.words))
    for number, text in enumerate(texts):
        found = re.findall(r"\b\w+\b", text.lower())
        row = counts.counts[number].toarray().ravel()
        assert {word: int(row[column]) for column, word in enumerate(counts.words) if row[column]} == {
            word: found.count(word) for word in found
        }


def test_a_text_gives_the_same_words_alone_and_among_other_scripts() -> None:
    text = "It's plain_ASCII, isn't it? 3.14"
    mixed = count_words([text, "Ünïcode"])
    in_company = dict(zip(mixed.words, mixed.counts[0].toarray().ravel().astype(int).tolist(), strict=True))
    assert counted(text) == {word: count for word, count in in_company.items() if count}


def test_blocks_agree_with_all_texts_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["a b", "", "b c", "c c d", "é a"]
    whole = count_words(texts)
    monkeypatch.setattr(words_module, "_BLOCK", 2)
    blocks = count_words(texts)
    assert blocks.words == whole.words
    np.testing.assert_array_equal(blocks.counts.toarray(), whole.counts.toarray())


@pytest.mark.parametrize(
    ("texts", "analyzer"),
    [
        (["The structure of the graph and its parts", "Learning with graphs"], "english_words"),
        (["Die Struktur des Graphen und seiner Teile", "Ich bin in der Stadt, so ist es"], "words"),
        (["De structuur van de graaf en haar delen is in de stad"], "words"),
        (["La structure du graphe et ses parties, on me dit"], "words"),
        (["C", "R"], "words"),
        (["今天天气很好", "深度学习 and graphs"], "character_ngrams"),
        (["グラフの構造を学ぶ"], "character_ngrams"),
        (["그래프의 구조를 배운다"], "words"),
        (["ข้อมูลเครือข่าย"], "character_ngrams"),
        (["structure of the graph with 图", "and the rest of that"], "english_words"),
        ([""], "words"),
        ([], "words"),
    ],
)
def test_analyzer_follows_script_and_language(texts: list[str], analyzer: str) -> None:
    assert choose_analyzer(count_words(texts)) == analyzer


def test_ngrams_mark_the_edges_of_a_word() -> None:
    assert features_of("ab", "character_ngrams") == (" a", "ab", "b ", " ab", "ab ", " ab ")
    assert features_of("c", "character_ngrams") == (" c", "c ", " c ")


def test_a_word_of_a_script_without_spaces_is_always_cut() -> None:
    assert "天气" in features_of("今天天气", "english_words")


def test_what_is_too_long_for_a_word_is_shortened() -> None:
    assert features_of("x" * 5_000_000, "words") == ("x" * 100,)
    assert len(features_of("天气" * 1_000_000, "words")) < 100_000
