"""Python mappings as sources, and the one error that lists everything."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pytest

from cnrag_core.config.source import Finding, Source, source_of_mapping
from cnrag_core.errors import ConfigError


def test_numpy_scalars_and_dates_become_plain() -> None:
    source = source_of_mapping({"a": np.float64(0.5), "b": np.int64(3), "c": datetime.date(2020, 1, 2), "d": (1, 2)})
    assert source.data == {"a": 0.5, "b": 3, "c": "2020-01-02", "d": [1, 2]}


def test_numbers_as_keys_become_text() -> None:
    assert source_of_mapping({"schema": {2017: "number"}}).data == {"schema": {"2017": "number"}}


def test_values_that_no_yaml_can_hold_are_findings() -> None:
    messages = [finding.message for finding in source_of_mapping({"a": object(), None: 1, "b": "\ud800"}).findings]
    assert messages == [
        "an object is no plain value; use text, numbers, lists and mappings.",
        "keys must be text, got nothing: quote it.",
        "this text holds the character U+D800, which is half of a pair.",
    ]


def test_a_mapping_that_holds_itself_is_refused() -> None:
    endless: dict[str, Any] = {}
    endless["again"] = endless
    with pytest.raises(ConfigError, match="nested more than 20 levels deep"):
        source_of_mapping(endless)


def test_a_mapping_that_stands_for_too_many_values_is_refused() -> None:
    values: Any = "x"
    for _ in range(8):
        values = [values] * 9
    with pytest.raises(ConfigError, match="more than 50,000 values"):
        source_of_mapping({"a": values})


def test_problems_are_told_once_each_in_the_order_of_lines() -> None:
    source = Source({"a": 1, "b": 2}, {("a",): 1, ("b",): 2}, (Finding(("b",), "second."),))
    with pytest.raises(ConfigError) as caught:
        source.refuse([Finding(("a",), "first."), Finding(("b",), "second.")])
    assert str(caught.value) == "line 1, a: first.\nline 2, b: second."


def test_no_more_than_a_hundred_problems_are_told() -> None:
    with pytest.raises(ConfigError) as caught:
        Source({}).refuse(Finding((f"k{i}",), "wrong.") for i in range(500))
    assert len(caught.value.problems) == 101
    assert caught.value.problems[-1].message == "the configuration has more problems; mend these first."
