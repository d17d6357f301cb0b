"""What table cells mean, and what would be lost by saying so."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cnrag_core.corpus.cells import booleans_of, lists_of, numbers_of, objects_of


def test_whole_numbers_and_decimals() -> None:
    assert numbers_of(["1", "-20", "0", "15.87"]) == [1, -20, 0, 15.87]


def test_prices_with_two_decimals_are_numbers() -> None:
    assert numbers_of(["19.90", "5.00"]) == [19.9, 5.0]


def test_versions_stay_text() -> None:
    assert numbers_of(["1.10", "1.9"]) is None


def test_more_digits_than_a_number_holds_stay_text() -> None:
    assert numbers_of(["0.12345678901234567890"]) is None


def test_codes_stay_text() -> None:
    for code in ("007", "1_2", "0x10", "1,234", "+5", "１２"):
        assert numbers_of([code, "3"]) is None, code


def test_not_available_becomes_none_among_numbers_only() -> None:
    assert numbers_of(["NA", *["7"] * 20]) == [None, *[7] * 20]
    assert numbers_of(["NA", "n/a"]) is None


def test_booleans_in_any_case() -> None:
    assert booleans_of(["TRUE", "false"]) == [True, False]
    assert booleans_of(["true", "yes"]) is None


def test_lists_as_json_or_python_writes_them() -> None:
    assert lists_of(['["a", 1]', "['it\\'s', \"b\", 2.5, None]", "[]"]) == [["a", 1], ["it's", "b", 2.5, None], []]


def test_a_bracket_does_not_make_a_list() -> None:
    assert lists_of(["[1] Smith"]) is None
    assert lists_of(["['a'] and more ['b']"]) is None
    assert lists_of(["[" * 100_000]) is None


def test_objects() -> None:
    assert objects_of(['{"a": [1]}', " {} "]) == [{"a": [1]}, {}]
    assert objects_of(["{not json}"]) is None


@given(st.lists(st.integers(min_value=-(10**30), max_value=10**30), min_size=1))
def test_numbers_round_trip(values: list[int]) -> None:
    assert numbers_of(list(map(str, values))) == values


@given(st.lists(st.lists(st.text() | st.integers() | st.booleans() | st.none(), max_size=4), min_size=1, max_size=4))
def test_lists_that_python_printed_are_read_back(values: list[list[object]]) -> None:
    printed = list(map(repr, values))
    read = lists_of(printed)
    plain = list(map(list, values))
    escaped = any("\\" in text for text in printed)
    assert escaped or read == plain


@given(st.lists(st.text(max_size=30), min_size=1, max_size=5))
def test_no_text_breaks_the_conversion(texts: list[str]) -> None:
    for convert in (numbers_of, booleans_of, lists_of, objects_of):
        convert(texts)
