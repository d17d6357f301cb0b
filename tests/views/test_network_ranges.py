from __future__ import annotations

import pytest

from cnrag_core.corpus.document import Document
from cnrag_core.views.network_ranges import range_field, range_names, span_of_text, span_text

KINDS = {"title": "text", "year": "number", "when": "date", "same": "number"}
DOCUMENTS = [
    Document("a", {"title": "A", "year": 1999, "when": "2020-01-01", "same": 1}),
    Document("b", {"title": "B", "year": 2001, "when": "2021", "same": 1}),
    Document("c", {"title": "C", "year": "unknown", "same": 1}),
]


def test_only_dates_and_numbers_that_differ_have_a_range_dates_first():
    assert range_names(DOCUMENTS, KINDS) == ["when", "year"]
    assert range_names([], KINDS) == []


def test_both_ends_are_inside_and_a_missing_value_never_is():
    year = range_field(DOCUMENTS, KINDS, "year")
    assert year.inside(1999, 2001).tolist() == [True, True, False]
    assert year.inside(2000, 2001).tolist() == [False, True, False]
    assert year.n_missing == 1


def test_dates_are_read_as_days_and_written_as_dates():
    when = range_field(DOCUMENTS, KINDS, "when")
    assert when.words(*when.stops) == "2020-01-01 to 2021-01-01"


@pytest.mark.parametrize("text", ["", "year", "year:", "year:1..", "year:2..1", "year:nan..2", "title:1..2", ":1..2"])
def test_a_link_that_names_no_range_means_none(text):
    assert span_of_text(text, ["year"]) is None


def test_a_span_survives_the_link_even_where_the_field_has_a_colon():
    span = ("a:b", 0.1, 2.5)
    assert span_of_text(span_text(span), ["a:b"]) == span
