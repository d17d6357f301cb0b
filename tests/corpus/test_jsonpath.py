"""Plain paths give the answers of the library, and hostile ones are refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonpath_ng.parser import parse

from cnrag_core.corpus.jsonpath import _PLAIN, compile_path

NAMES = st.sampled_from(["a", "b", "c"])
STEPS = st.lists(
    st.tuples(NAMES, st.lists(st.sampled_from(["[*]", "[0]", "[1]"]), max_size=2)).map(
        lambda step: step[0] + "".join(step[1])
    ),
    min_size=1,
    max_size=3,
)
VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=10,
)


@given(STEPS, st.dictionaries(NAMES, VALUES, max_size=3))
@settings(max_examples=200, deadline=None)
def test_plain_paths_agree_with_the_library(steps: list[str], record: dict[str, Any]) -> None:
    path = ".".join(steps)
    assert _PLAIN.fullmatch(path)
    expected = [match.value for match in parse(path).find(record)]
    assert compile_path(path)(record) == expected
    assert compile_path("$." + path)(record) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("$..name", ["A", "B"]),
        ("authors.[0].name", ["A"]),
        ("$['authors'][1]['name']", ["B"]),
        ("authors[0:1].name", ["A"]),
    ],
)
def test_other_paths_are_the_librarys(path: str, expected: list[str]) -> None:
    assert compile_path(path)({"authors": [{"name": "A"}, {"name": "B"}]}) == expected


@pytest.mark.parametrize("path", ["", "$.[", "a b c", "authors[", "$" * 501, "[?(@.a =~ 'x')]", "$..a..b"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match=r"JSONPath|at most|once"):
        compile_path(path)


@given(st.text(max_size=30))
@settings(max_examples=200, deadline=None)
def test_any_text_is_a_path_or_a_sentence(path: str) -> None:
    try:
        finder = compile_path(path)
    except ValueError:
        return
    finder({"a": {"b": [1]}})
