"""Names in texts: words, phrases, and known names by longest match."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.graph.names import NameMatcher, Words, phrases_of, title_name, usable_names
from cnrag_core.graph.word_stream import Spellings, WordStream, cut


def phrases(text: str) -> set[str]:
    return {" ".join(name) for name in phrases_of(Words(text))}


def found(names: list[str], text: str, *, any_case: bool = False) -> list[str]:
    matcher = NameMatcher([tuple(name.split()) for name in names])
    return [names[match.name] for match in matcher.find(Words(text), any_case=any_case)]


@given(st.text(max_size=100))
def test_spans_point_back_into_the_text(text):
    words = Words(text)
    assert len(words.keys) == len(words.spans) == len(words.capital) == len(words.caseless)
    assert all(text[start:end].strip() for start, end in words.spans)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Kitty's café", ("kitty", "cafe")),
        ("O'Neill's", ("o'neill",)),
        ("Jean-Luc Vandenbroucke", ("jean", "luc", "vandenbroucke")),
        ("猫咖啡 Bar", ("猫", "咖", "啡", "bar")),
        ("", ()),
    ],
)
def test_words_read_without_case_accents_and_possessives(text, keys):
    assert Words(text).keys == keys


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Decade (Neil Young album)", ("decade",)),
        ("Rochester, New York", ("rochester", "new", "york")),
        ("(untitled)", ("untitled",)),
        ("Pál Gábor", ("pal", "gabor")),
        ("", ()),
    ],
)
def test_titles_lose_a_qualifier_in_brackets(title, name):
    assert title_name(title) == name


def test_phrases_are_capitalised_runs():
    assert phrases("He met Hank Snow in Nashville, Tennessee.") == {"hank snow", "nashville", "tennessee"}


def test_phrases_hold_connecting_words_and_their_pieces():
    assert phrases("at the Journal of Mathematical Physics") == {
        "journal of mathematical physics",
        "journal",
        "mathematical physics",
    }


def test_phrases_do_not_cross_the_end_of_a_sentence():
    assert phrases("She lived in Paris. Rome was far.") == {"paris"}


def test_initials_belong_to_the_name_that_follows():
    assert phrases("founded by George W. Jenkins") == {"george w jenkins"}


def test_a_capital_at_the_start_of_a_sentence_names_nothing():
    assert phrases("Dogs bark. The dog sleeps. In Rome, cats sleep.") == {"rome"}


def test_scripts_without_capitals_have_no_phrases():
    assert phrases("猫坐在垫子上 भारत में") == set()


def test_the_longest_name_wins():
    names = ["new york", "new york times", "times"]
    assert found(names, "He read the New York Times in New York.") == ["new york times", "new york"]


def test_texts_need_a_capital_and_questions_do_not():
    assert found(["decade"], "a decade later") == []
    assert found(["decade"], "the album Decade") == ["decade"]
    assert found(["decade"], "who made decade", any_case=True) == ["decade"]


def test_one_capital_in_a_longer_name_is_enough():
    assert found(["lord of the rings"], "the lord of the Rings") == ["lord of the rings"]


def test_names_of_scripts_without_capitals_are_found():
    assert found(["长 城"], "他去了长城") == ["长 城"]


def test_a_word_within_a_longer_capitalised_run_is_partial():
    matcher = NameMatcher([("michael",)])
    assert [m.partial for m in matcher.find(Words("with Michael Gambon and with Michael."))] == [True, False]


def test_a_word_after_an_article_is_whole():
    assert not next(NameMatcher([("terminal",)]).find(Words("The Terminal was shot."))).partial


def test_parts_are_the_known_stretches_of_a_name():
    matcher = NameMatcher([("new",), ("new", "york"), ("york", "times")])
    assert matcher.parts(("new", "york", "times")) == [0, 1, 2]
    assert matcher.parts(()) == []


def test_names_that_say_nothing_are_dropped():
    assert usable_names([(), ("a",), ("1984",), ("the",), ("2022", "games"), ("rome",)]) == [
        ("2022", "games"),
        ("rome",),
    ]


@given(st.lists(st.sampled_from(["Rome", "the", "Old", "city", "of", "Paris", "."]), max_size=25))
def test_matches_do_not_overlap_and_read_in_order(pieces):
    text = " ".join(pieces)
    matcher = NameMatcher([("rome",), ("old", "city"), ("city", "of", "paris"), ("paris",)])
    matches = list(matcher.find(Words(text), any_case=True))
    assert all(a.end <= b.start for a, b in pairwise(matches))
    keys = [" ".join(Words(text[match.start : match.end]).keys) for match in matches]
    assert keys == [" ".join(list(matcher.number)[match.name]) for match in matches]


@given(st.lists(st.text(alphabet="Aab .-'’–猫É1", max_size=25), max_size=8))
@settings(max_examples=200, deadline=None)
def test_many_texts_at_once_are_read_as_one_by_one(texts):
    names = usable_names({phrase for text in texts for phrase in phrases_of(Words(text))} | {("ab",), ("a", "b")})
    matcher, spellings = NameMatcher(names), Spellings()
    together = cut(texts, spellings)
    words = WordStream(together)
    assert list(phrases_of(words)) == [phrase for text in texts for phrase in phrases_of(Words(text))]
    found = matcher.find_in_stream(words, matcher.starts(spellings))
    one_by_one = [
        (place, match.name, match.start, match.end, match.partial)
        for place, text in enumerate(texts)
        for match in matcher.find(Words(text))
    ]
    assert list(zip(*(part.tolist() for part in found), strict=True)) == one_by_one
