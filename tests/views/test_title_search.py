"""What a box offers for the words of a title, and what it says of it."""

from __future__ import annotations

from cnrag_core.views.title_search import matching_titles, offered_titles

TITLES = ["Coral reefs", "Reefs of the north", "Glacier ice", "Ice cores"]
IDS = ["a", "b", "ice", "d"]


def test_every_word_must_be_in_the_title_or_the_id():
    assert offered_titles("reefs coral", TITLES, IDS).titles == ["Coral reefs"]
    assert offered_titles("ice glacier", TITLES, IDS).numbers == [2]


def test_the_document_whose_id_was_typed_comes_first():
    assert offered_titles("d", TITLES, IDS).numbers[0] == 3
    assert offered_titles("ice", TITLES, IDS).numbers == [2, 3]


def test_more_than_are_offered_are_counted():
    found = offered_titles("reefs", TITLES, IDS, limit=1)
    assert found.titles == ["Coral reefs"]
    assert found.note == "The first 1 of 2"


def test_titles_that_only_resemble_the_words_are_told_as_such():
    found = offered_titles("corel reafs", TITLES, IDS)
    assert found.titles[0] == "Coral reefs"
    assert found.note == "No title has these words; these are close"
    assert offered_titles("coral", TITLES, IDS).note == ""


def test_what_resembles_nothing_finds_nothing():
    assert offered_titles("xqzzy", TITLES, IDS) == ([], [], "No title has these words")


def test_nothing_is_found_for_nothing():
    assert matching_titles("  ", TITLES, IDS) == []
    assert offered_titles("", TITLES, IDS).numbers == []
