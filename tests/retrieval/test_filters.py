"""Filters narrow the candidates."""

from __future__ import annotations

import pytest

from cnrag_core.corpus.document import Document
from cnrag_core.errors import UnknownNameError
from cnrag_core.retrieval.filters import allowed_by, conditions_of, parse_query

DOCUMENTS = (
    Document("a", {"tags": ["ML", "graphs"], "year": 2015, "venue": "ICML", "text": "A theory of graphs"}),
    Document("b", {"tags": ["law"], "year": 2021, "venue": "Journal of Law", "day": "2021-03-04"}),
    Document("c", {"tags": [], "year": None, "open": True}),
)


def passing(**filters) -> str:
    return "".join(d.id for d, ok in zip(DOCUMENTS, allowed_by(DOCUMENTS, conditions_of(filters)), strict=True) if ok)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"tags": "ml"}, "a"),
        ({"tags": ["ml", "law"]}, "ab"),
        ({"tags": ("ml", "law")}, "ab"),
        ({"tags": "m"}, ""),
        ({"year": 2015}, "a"),
        ({"year": "2015"}, "a"),
        ({"year": (2015, 2020)}, "a"),
        ({"year": (2015, None)}, "ab"),
        ({"year": (None, 2014)}, ""),
        ({"day": ("2021-01-01", "2021-12-31")}, "b"),
        ({"venue": "icml"}, "a"),
        ({"venue": "law"}, "b"),
        ({"text": "theory of graphs"}, "a"),
        ({"text": "theor"}, ""),
        ({"open": True}, "c"),
        ({"tags": "ml", "year": (2016, 2020)}, ""),
    ],
)
def test_filter_lets_pass(filters, expected):
    assert passing(**filters) == expected


def test_no_filter_is_no_array():
    assert allowed_by(DOCUMENTS, ()) is None


def test_unknown_field_names_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"no field 'tag' to filter by; the fields are .*tags"):
        passing(tag="ml")


@pytest.mark.parametrize(
    ("typed", "text", "shown"),
    [
        ("graph theory tags:ml", "graph theory", ["tags: ml"]),
        ('tags:"machine learning" graphs', "graphs", ["tags: machine learning"]),
        ("year:2015..2020 x", "x", ["year: 2015..2020"]),
        ("year:..2020 x", "x", ["year: ..2020"]),
        ("tags:ml tags:graphs", "", ["tags: ml", "tags: graphs"]),
        ("re: hello at 10:30 http://tags:80/", "re: hello at 10:30 http://tags:80/", []),
        ("unknown:field", "unknown:field", []),
        ("tags:", "tags:", []),
        ("year:..", "", ["year: .."]),
    ],
)
def test_conditions_are_read_from_the_question(typed, text, shown):
    rest, conditions = parse_query(typed, {"tags", "year"})
    assert rest == text
    assert list(map(str, conditions)) == shown


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("kategorie:Drucker", ["Kategorie: Drucker"]),
        ("KATEGORIE:Drucker", ["Kategorie: Drucker"]),
        ("prioritat:hoch", ["Priorität: hoch"]),
        ("Year:2020", ["Year: 2020"]),
        ("YEAR:2020", []),  # two fields differ in the case alone
        ("uber:x", []),
        ("über:x", ["über: x"]),
    ],
)
def test_a_field_is_known_in_any_case_where_only_one_fits(typed, shown):
    _, conditions = parse_query(typed, {"Kategorie", "Priorität", "year", "Year", "über", "ûber"})
    assert list(map(str, conditions)) == shown


def test_typed_and_keyword_filters_mean_the_same():
    _, typed = parse_query("year:2015..2020 tags:ml", {"tags", "year"})
    assert typed == conditions_of({"year": (2015, 2020), "tags": "ml"})
