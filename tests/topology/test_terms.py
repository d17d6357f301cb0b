"""Terms: what counts as one, and what never does."""

from __future__ import annotations

import numpy as np

from cnrag_core.corpus.document import Document
from cnrag_core.topology.terms import describing_fields, term_table


def terms_of(*values, field="text"):
    documents = [Document(str(number), {field: value}) for number, value in enumerate(values)]
    return set(term_table(documents, [field]).texts)


def value_of(table, document, text):
    return table.values[document, table.texts.index(text)]


def test_function_words_numbers_and_single_letters_are_no_terms():
    found = terms_of("The year 2017 was the 3rd of a kind in x and y, with 1,234 and 5.6% or 10kg of hydrogen.")
    assert found == {"year", "hydrogen"}


def test_forms_of_a_word_are_one_term_written_as_it_mostly_is():
    assert terms_of("the network is of the networks, and the networks are in a net of networks") == {"networks", "net"}


def test_an_acronym_and_its_plural_are_one_term():
    assert terms_of("the rnn and the rnns are rnns") == {"rnns"}


def test_words_that_recur_side_by_side_are_a_term():
    assert "neural network" in terms_of("a neural network is here", "the neural network was there")


def test_words_with_a_full_stop_or_a_function_word_between_are_not():
    assert terms_of("neural. network", "neural. network", "neural of network", "neural of network") == {
        "neural",
        "network",
    }


def test_three_words_that_recur_are_a_term():
    assert "convolutional neural network" in terms_of(*["the convolutional neural network is good"] * 2)


def test_possessives_fall_away():
    assert terms_of("the planet's orbit and a planet’s moon are in the planet") == {"planet", "orbit", "moon"}


def test_markup_addresses_and_entities_are_no_terms():
    found = terms_of('the <a href="http://x.org/full">crab</a> &amp; &lt;b&gt;www.site.com is at me@site.com and the')
    assert found == {"crab"}


def test_items_of_a_list_are_whole_names():
    assert terms_of(["Machine Learning", "c++", "internet of things", "R"], field="tags") == {
        "machine learning",
        "c++",
        "internet of things",
    }


def test_an_item_that_is_a_sentence_or_markup_is_read_as_text():
    found = terms_of(["this item is a whole sentence about crabs", "<img src=x onerror=alert(1)>lobster"], field="tags")
    assert "crabs" in found
    assert "lobster" in found
    assert not any("<" in text or "onerror" in text for text in found)


def test_the_end_of_a_very_long_field_is_not_read_and_the_next_field_is():
    long = "the crab is here. " * 3000 + "lobster"
    table = term_table([Document("a", {"body": long, "title": "shrimp"})], ["body", "title"])
    assert "shrimp" in table.texts
    assert "lobster" not in table.texts


def test_an_item_and_the_same_words_in_a_text_are_one_term():
    documents = [
        Document("a", {"text": "we learn with neural networks here", "tags": ["neural-network"]}),
        Document("b", {"text": "the neural network is there", "tags": []}),
    ]
    table = term_table(documents, ["text", "tags"])
    assert table.texts.count("neural-network") == 1
    assert value_of(table, 0, "neural-network") == 1.0
    assert value_of(table, 1, "neural-network") == 0.5


def test_more_mentions_count_more_but_ever_less():
    table = term_table([Document("a", {"text": "atom"}), Document("b", {"text": "atom atom atom"})], ["text"])
    assert (value_of(table, 0, "atom"), value_of(table, 1, "atom")) == (0.5, 0.75)


def test_each_document_is_read_in_its_own_language():
    found = terms_of(
        "the war was over and the die was cast in the end of it",
        "die Katze war auf der Matte und die Maus war in dem Haus",
    )
    assert {"war", "die", "cast"} <= found  # topics in English
    assert "katze" in found
    assert "und" not in found


def test_a_text_too_short_to_show_its_language_shares_its_words_with_the_others():
    values = ("party tonight", "we had a party with the friends of the house")
    table = term_table([Document(str(number), {"text": value}) for number, value in enumerate(values)], ["text"])
    assert table.texts.count("party") == 1
    assert value_of(table, 0, "party") == value_of(table, 1, "party") > 0


def test_words_of_indic_scripts_keep_their_vowel_signs():
    assert "हिन्दी" in terms_of("हिन्दी भाषा")


def test_scripts_without_spaces_are_cut_into_shared_sequences():
    found = terms_of("我们研究量子计算的方法", "量子计算很重要")
    assert {"量子", "计算", "量子计算"} <= found
    assert not any(text.startswith("的") or text.endswith("很") for text in found)


def test_spaceless_sequences_of_one_document_alone_are_no_terms():
    assert terms_of("量子计算") == set()


def test_conversations_are_read_as_text():
    turns = [{"role": "user", "content": "where is the invoice"}, {"role": "assistant", "content": "in the archive"}]
    assert terms_of(turns, field="messages") == {"invoice", "archive"}


def test_empty_and_missing_fields_have_no_terms():
    table = term_table(
        [Document("a", {"text": ""}), Document("b", {}), Document("c", {"text": "the of and"})], ["text"]
    )
    assert table.values.shape == (3, 0)
    assert table.n_documents == 3


def test_no_documents_have_no_terms():
    assert term_table([], ["text"]).values.shape == (0, 0)


def test_common_terms_weigh_nothing():
    table = term_table([Document(str(i), {"text": f"common word{'abc'[i]}"}) for i in range(3)], ["text"])
    weighted = table.weighted()
    assert not weighted[:, table.texts.index("common")].toarray().any()
    assert weighted[0, table.texts.index("worda")] == 0.5 * np.log(3)


def test_describing_fields_are_texts_and_lists():
    documents = [
        Document("a", {"title": "x", "year": 1999}),
        Document("b", {"tags": ["y"], "score": 0.5, "open": True}),
    ]
    assert describing_fields(documents) == ("tags", "title")
