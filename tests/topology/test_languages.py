"""Languages of texts, by their function words."""

from __future__ import annotations

import pytest

from cnrag_core.topology.languages import ENGLISH, NEUTRAL, language_of


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the quick brown fox jumps over the lazy dog and it was not happy about that", "english"),
        ("der schnelle braune fuchs springt über den faulen hund und es war ihm nicht recht", "german"),
        ("le renard brun saute par dessus le chien et il ne sait pas pourquoi dans la nuit", "french"),
        ("el zorro marrón salta sobre el perro y no sabe por qué lo hace en la noche", "spanish"),
        ("быстрая лиса прыгает через собаку и не знает почему она это делает", "russian"),
        ("attention transformer encoder", ""),
        ("", ""),
    ],
)
def test_language_of_a_sentence(text, name):
    assert language_of(text.split()).name == name


def test_forms_of_a_word_have_one_stem():
    assert len(set(ENGLISH.stems(["network", "networks", "networked"]))) == 1
    assert NEUTRAL.stems(["networks"]) == ["networks"]


def test_only_the_beginning_of_a_text_is_asked():
    words = ["the", "cat", "and", "the", "dog", "were", "in", "the", "house"] * 30 + ["und"] * 10_000
    assert language_of(words).name == "english"
