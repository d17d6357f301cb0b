"""Language detection and the terms that texts become."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cnrag_core.retrieval.language import Language, detect_language
from cnrag_core.retrieval.terms import TermAnalyzer, character_grams, fold_accents, split_words

ENGLISH = TermAnalyzer(detect_language(["This is the story of a dog and of what it was that the dog did to us."]))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("english", "The cat sat on the mat and was as happy as it could be."),
        ("german", "Die Katze saß auf der Matte und war so glücklich, wie sie es nur sein konnte."),
        ("french", "Le chat est assis sur le tapis et il est aussi heureux qu'il peut l'être."),
        ("spanish", "El gato está sentado en la alfombra y es tan feliz como puede ser."),
        ("russian", "Кот сидел на ковре и был так счастлив, как только он мог быть в этом доме."),
        ("arabic", "جلست القطة على السجادة وكانت سعيدة"),
        ("greek", "Η γάτα κάθισε στο χαλί και ήταν ευτυχισμένη"),
        ("unspaced", "猫坐在垫子上，非常高兴。"),
        ("unspaced", "ねこはマットの上に座っていました。"),
    ],
)
def test_language_is_recognised_by_script_and_function_words(name, text):
    assert detect_language([text]).name == name


@pytest.mark.parametrize("texts", [[], [""], ["12345 !!!"], ["ZX81 QL C64 Amiga Atari"]])
def test_no_language_is_named_without_evidence(texts):
    language = detect_language(texts)
    assert language.name == "unknown"
    assert language.stemmer is None


def test_words_are_lowered_and_stemmed():
    assert ENGLISH.terms("Connections connected Connection") == ["connect"] * 3


def test_questions_lose_their_stop_words_unless_they_are_all_there_is():
    assert ENGLISH.question_terms("Which of the Connections is it") == [("connections", "connect")]
    assert [word for word, _ in ENGLISH.question_terms("The Who")] == ["the", "who"]


def test_possessives_match_their_owner():
    assert ENGLISH.terms("Hello Kitty's café") == ENGLISH.terms("hello kitty cafe")


def test_one_letter_words_and_numbers_are_kept():
    assert ENGLISH.terms("vitamin C 1_2 007") == ["vitamin", "c", "1", "2", "007"]


def test_unspaced_scripts_become_grams_and_words_between_them_stay_words():
    terms = TermAnalyzer(Language("unspaced", "unspaced")).terms("我爱NLP很多")
    assert terms == ["我爱", "nlp", "很多"]


def test_hindi_vowel_signs_do_not_split_words():
    assert split_words("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


def test_accents_fold_but_letters_of_other_scripts_survive():
    assert fold_accents("Ångström Čapek") == "Angstrom Capek"
    assert fold_accents("が") == "が"


def test_grams_of_a_run_are_all_its_pieces_of_two_to_four():
    assert list(character_grams("abcd")) == ["ab", "bc", "cd", "abc", "bcd", "abcd"]
    assert list(character_grams("a")) == ["a"]


@given(st.text(max_size=200))
def test_any_text_has_terms_without_blanks(text):
    assert all(term and not term.isspace() for term in ENGLISH.terms(text))


@given(st.text(alphabet="abcdé ,.'’ABC", max_size=60))
def test_terms_do_not_depend_on_capitals(text):
    assert ENGLISH.terms(text.upper()) == ENGLISH.terms(text.lower())


def test_many_texts_at_once_are_counted_as_one_by_one(monkeypatch):
    texts = [
        "The dog's bone; the DOGS' bones!", "", " .,; ", "Café crème, d’Artagnan’s café", "it's_x 's don't rock'n'roll",
        "naïve 猫咖啡 cats", "K 2nd\t3rd\n\x0b4th\x1f5th", "same same SAME", "'s", "\ud800 broken",
    ]  # fmt: skip
    analyzer = TermAnalyzer(Language("english", "latin", "english", frozenset({"the"})))
    expected = [Counter(analyzer.terms(text)) for text in texts]
    monkeypatch.setattr("cnrag_core.retrieval.terms._MANY", 0)
    for at_once in (1, 3, 100):
        monkeypatch.setattr("cnrag_core.retrieval.terms._AT_ONCE", at_once)
        found = analyzer.count(texts)
        rows = [dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) for row in found.counts]
        assert [{found.terms[column]: n for column, n in row.items()} for row in rows] == expected
        assert found.counts.has_sorted_indices
    assert analyzer.count([]).counts.shape == (0, 0)
