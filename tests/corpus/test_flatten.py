"""Records become flat, clean and counted."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.corpus.flatten import Flattener, as_turns
from cnrag_core.corpus.limits import Limits, Meter
from cnrag_core.corpus.report import Report, RowError
from cnrag_core.errors import CorpusError


def flattened(record: dict[Any, Any], *, limits: Limits | None = None, report: Report | None = None) -> dict[str, Any]:
    limits = limits or Limits()
    return Flattener(limits, Meter(limits, "test"), report or Report("test")).flat(record, "record 1")


def test_nested_objects_become_dotted_names() -> None:
    assert flattened({"a": {"b": {"c": 1}, "d": [1, 2]}}) == {"a.b.c": 1, "a.d": [1, 2]}


def test_a_list_of_objects_becomes_one_list_a_key() -> None:
    record = {"authors": [{"name": "Ann", "at": {"city": "Bonn"}}, {"name": "Bo"}, {"name": None}]}
    assert flattened(record) == {"authors.name": ["Ann", "Bo"], "authors.at.city": ["Bonn"]}


def test_turns_of_a_conversation_stay_turns() -> None:
    turns = [{"role": "user", "content": "Hi", "id": 7}, {"role": "assistant", "content": "Hello"}]
    assert flattened({"messages": turns}) == {
        "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    }


def test_turns_may_hold_parts_or_nothing() -> None:
    turns = [
        {"role": "user", "content": [{"type": "text", "text": "Look"}, {"type": "image"}]},
        {"role": "x", "content": None},
    ]
    assert as_turns(turns) == [{"role": "user", "content": "Look"}, {"role": "x", "content": ""}]


@pytest.mark.parametrize(
    "value", ["text", 3, [], [{"name": "Ann"}], [{"role": "user"}], ["a", {"role": "u", "content": "c"}]]
)
def test_what_is_no_conversation_is_none(value: Any) -> None:
    assert as_turns(value) is None


def test_a_lone_surrogate_is_replaced_and_told() -> None:
    report = Report("x.json")
    assert flattened({"t": "a\ud800b"}, report=report) == {"t": "a\ufffdb"}
    told = "Characters that are not text (lone surrogates, NUL) were replaced by \ufffd (record 1)."
    assert report.sentences(1) == (told,)


def test_two_halves_of_one_character_are_joined() -> None:
    assert flattened({"t": "\ud83d\ude00"}) == {"t": "😀"}


def test_nul_is_replaced_everywhere() -> None:
    assert flattened({"a\x00": ["x\x00y"]}) == {"a\ufffd": ["x\ufffdy"]}


def test_nan_and_infinity_count_as_missing_and_are_told() -> None:
    report = Report("x")
    assert flattened({"a": float("nan"), "b": [1.5, float("inf")]}, report=report) == {"a": None, "b": [1.5]}
    assert "NaN or infinite counts as missing (2 times, first in record 1)" in report.sentences(1)[0]


def test_long_integers_are_kept_exactly() -> None:
    assert flattened({"a": 2**70, "b": -(2**200)}) == {"a": 2**70, "b": -(2**200)}


def test_an_integer_that_could_not_be_printed_is_refused() -> None:
    with pytest.raises(RowError, match="more than 10000 bits"):
        flattened({"a": 1 << 20_000})


def test_values_that_json_does_not_know() -> None:
    assert flattened(
        {
            "day": datetime.date(2020, 1, 2),
            "moment": datetime.datetime(2020, 1, 2, 3, 4, 5),
            "midnight": datetime.datetime(2020, 1, 2),
            "exact": decimal.Decimal("12.50"),
            "whole": decimal.Decimal("7"),
            "bytes": b"caf\xc3\xa9",
            "image": b"\x89PNG\xff",
            "set": {"b", "a"},
            "array": np.array([1, 2]),
            "scalar": np.float32(0.5),
            "nan": np.float64("nan"),
        }
    ) == {
        "day": "2020-01-02",
        "moment": "2020-01-02T03:04:05",
        "midnight": "2020-01-02",
        "exact": 12.5,
        "whole": 7,
        "bytes": "café",
        "image": None,
        "set": ["a", "b"],
        "array": [1, 2],
        "scalar": 0.5,
        "nan": None,
    }


def test_missing_values_of_data_frames_are_none() -> None:
    pd = pytest.importorskip("pandas")
    assert flattened({"a": pd.NaT, "b": pd.NA}) == {"a": None, "b": None}


def test_two_fields_of_one_name_are_both_kept() -> None:
    report = Report("x")
    assert flattened({"a.b": 1, "a": {"b": 2}}, report=report) == {"a.b": 1, "a.b_2": 2}
    assert "Of two fields with one name" in report.sentences(1)[0]


def test_names_are_clean_and_never_empty() -> None:
    assert flattened({"\ufeff title ": 1, "": 2, 3: 4}) == {"title": 1, "unnamed": 2, "3": 4}


def test_a_field_that_is_too_large_is_refused_by_name() -> None:
    with pytest.raises(RowError, match=r"field 'big' has 2 kB; at most 1 kB"):
        flattened({"big": "é" * 1024}, limits=Limits(field_bytes=1024))


def test_a_list_of_objects_is_as_large_as_its_parts_together() -> None:
    rows = [{"name": "x" * 600}, {"name": "y" * 600}]
    with pytest.raises(RowError, match=r"field 'rows.name'"):
        flattened({"rows": rows}, limits=Limits(field_bytes=1024))


def test_too_deep_nesting_is_refused() -> None:
    record: dict[str, Any] = {}
    for _ in range(60):
        record = {"a": record}
    with pytest.raises(RowError, match="more than 50 levels"):
        flattened(record)
    deep: Any = 1
    for _ in range(60):
        deep = [deep]
    with pytest.raises(RowError, match="more than 50 levels"):
        flattened({"a": deep})


def test_all_text_together_is_counted_while_it_streams() -> None:
    limits = Limits(text_bytes=1000)
    flattener = Flattener(limits, Meter(limits, "x.csv"), Report("x.csv"))
    flattener.flat({"t": "a" * 600}, "record 1")
    with pytest.raises(CorpusError, match=r"x\.csv holds more than 1 kB of text"):
        flattener.flat({"t": "a" * 600}, "record 2")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=5))
@settings(max_examples=150, deadline=None)
def test_whatever_goes_in_what_comes_out_can_be_stored(record: dict[str, Any]) -> None:
    import json

    flat = flattened(record)
    assert all(isinstance(name, str) and name for name in flat)
    json.dumps(flat, allow_nan=False, ensure_ascii=False).encode("utf-8")
    assert not any(isinstance(value, dict) for value in flat.values())
