"""Concepts without a language model, on texts that fit on the screen."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import ClassVar

import pytest

from cnrag_core.corpus.document import Document
from cnrag_core.errors import ConfigError
from cnrag_core.graph.concepts import MAX_CONCEPTS, find_concepts

KITCHEN = (
    "The soup of the Harbour Kitchen needs fresh saffron. Saffron is bought at the spice market.",
    "At the spice market the Harbour Kitchen buys its saffron quickly, before the boats leave.",
    "Boats leave the harbour at dawn. A boat needs a licence.",
    "",
)


def concepts(texts=KITCHEN, **options):
    return find_concepts(texts, **{"source": "keywords", **options})


def test_capitalised_phrases_are_concepts():
    assert "harbour kitchen" in concepts().of[0]
    assert "harbour kitchen" in concepts().of[1]


def test_two_words_that_occur_together_twice_are_one_concept():
    assert "spice market" in concepts().of[0]
    assert "spice market" in concepts().of[1]


def test_two_words_that_occur_together_once_are_none():
    assert not any("fresh saffron" in found for found in concepts().of)


def test_function_words_and_adverbs_are_no_concepts():
    found = {concept for text in concepts().of for concept in text}
    assert found.isdisjoint({"the", "of", "before", "quickly"})


def test_forms_of_one_word_are_one_concept_spelled_as_most_of_them():
    texts = ["Many boats.", "All boats sail.", "One boat sank.", "Nothing.", "Rain.", "Wind."]
    found = [[concept for concept in text if concept.startswith("boat")] for text in concepts(texts).of]
    assert found == [["boats"]] * 3 + [[]] * 3


def test_a_text_without_words_has_no_concepts():
    assert concepts().of[3] == ()


def test_a_term_in_more_than_half_of_the_texts_says_nothing():
    texts = [f"planet number{i} alpha{i}" for i in range(6)]
    assert not any("planet" in found for found in concepts(texts).of)


def test_no_text_has_more_than_ten_concepts():
    long = " ".join(f"word{chr(97 + i)}{chr(97 + i)}" for i in range(26))
    assert [len(found) for found in concepts([long, long]).of] == [MAX_CONCEPTS, MAX_CONCEPTS]


def test_the_words_of_a_name_do_not_count_again():
    assert not {"harbour", "kitchen"} & set(concepts().of[0])


def test_concepts_do_not_depend_on_the_order_of_the_texts():
    there = concepts(KITCHEN).of
    assert concepts(KITCHEN[::-1]).of == there[::-1]


def test_headings_lose_the_function_words_at_their_ends():
    texts = ["During the Holocene the ice melted.", "The Holocene is warm."]
    assert "holocene" in concepts(texts).of[0]
    assert "during the holocene" not in concepts(texts).of[0]


def test_a_script_without_spaces_gives_terms_of_two_characters():
    texts = ["黑豹队的防守很好", "黑豹队输了比赛", "猫咖啡"]
    found = concepts(texts, stop_words=(), stemmer=None).of
    assert "黑豹" in found[0]
    assert "黑豹" in found[1]


def test_concepts_are_shown_with_the_accents_that_most_texts_write():
    texts = ["Das Gerät steht. Über Jäger.", "Ein Gerät steht still.", "Gerat steht.", "Regen.", "Wind.", "Schnee."]
    found = concepts(texts, stop_words=("das", "ein", "über"), stemmer="german").of
    assert "gerät steht" in found[0]
    # matching stays without accents: the misspelt text shares the concept
    assert "gerät steht" in found[2]
    assert "über" not in " ".join(found[0])
    assert any("jäger" in concept for concept in found[0])


def test_a_field_of_the_corpus_holds_the_concepts():
    documents = [Document("a", {"tags": ["Soup", "spice"]}), Document("b", {})]
    found = find_concepts(["x", "y"], source="field", documents=documents, field="tags")
    assert found.of == (("soup", "spice"), ())
    assert found.source == "field"


def test_auto_takes_the_field_that_is_named():
    documents = [Document("a", {"tags": ["soup"]})]
    assert find_concepts(["Some soup."], documents=documents, field="tags").source == "field"


def test_a_field_has_to_be_named():
    with pytest.raises(ConfigError, match="'field' needs `concept_field`"):
        find_concepts(["x"], source="field")


def test_noun_phrases_without_spacy_are_refused_with_what_to_do(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="Use 'keywords', which needs nothing"):
        find_concepts(["x"], source="noun_phrases")


def test_auto_without_spacy_takes_keywords(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert find_concepts(KITCHEN).source == "keywords"


class FakeToken(SimpleNamespace):
    is_punct = is_space = False

    @property
    def is_stop(self):
        return self.text.lower() in {"the", "a"}


class FakeLanguage:
    """What is read of spaCy: `Harbour Kitchen` is an organisation, every word pair a noun phrase."""

    lang = "en"
    meta: ClassVar = {"name": "core_web_sm"}

    def pipe(self, texts):
        for text in texts:
            words = [FakeToken(text=word.strip(".")) for word in text.split()]
            chunks = [words[i : i + 2] for i in range(0, len(words), 2)]
            named = [SimpleNamespace(text="Harbour Kitchen", label_="ORG")] if "Harbour Kitchen" in text else []
            yield SimpleNamespace(ents=named, noun_chunks=chunks)


@pytest.fixture
def spacy(monkeypatch):
    """A spaCy with one small and one large English model."""
    loaded = []
    module = SimpleNamespace(
        util=SimpleNamespace(get_installed_models=lambda: ["en_core_web_lg", "en_core_web_sm", "de_core_news_sm"]),
        load=lambda name: loaded.append(name) or FakeLanguage(),
    )
    monkeypatch.setitem(sys.modules, "spacy", module)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object() if name == "spacy" else None)
    return loaded


def test_spacy_is_used_where_it_and_a_model_are_installed(spacy):
    found = find_concepts(["the saffron soup Harbour Kitchen", "the saffron boats leave"])
    assert found.source == "noun_phrases"
    assert "harbour kitchen" in found.of[0]
    assert "en_core_web_sm" in found.note


def test_the_smallest_model_of_the_language_is_loaded(spacy):
    find_concepts(["the soup"])
    assert spacy == ["en_core_web_sm"]


def test_a_language_without_a_model_falls_back_to_keywords(spacy):
    assert find_concepts(["le petit chat noir"], stemmer="swedish").source == "keywords"
