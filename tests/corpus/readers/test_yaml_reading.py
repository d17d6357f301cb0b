"""YAML: plain data only, scalars as they are written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.corpus.readers import read_bytes
from cnrag_core.corpus.readers.yamlfile import load_all
from cnrag_core.errors import CorpusError


def load(text: str) -> Any:
    (value,) = load_all(text, "x.yaml")
    return value


def test_a_list_of_records() -> None:
    corpus = read_bytes(b"- id: 007\n  title: One title\n  tags: [a, b]\n- id: 7\n  title: Two titles\n", "x.yaml")
    assert [document.id for document in corpus] == ["007", "7"]
    assert corpus["007"].items("tags") == ("a", "b")


def test_several_documents_are_records() -> None:
    corpus = read_bytes(b"---\nid: a\ntitle: One title\n---\nid: b\n---\n- id: c\n- id: d\n", "x.yaml")
    assert [document.id for document in corpus] == ["a", "b", "c", "d"]


def test_records_inside_a_key_and_keyed_by_id() -> None:
    assert len(read_bytes(b"papers:\n- id: a\n- id: b\n", "x.yaml")) == 2
    assert [d.id for d in read_bytes(b"a:\n  title: One\nb:\n  title: Two\n", "x.yaml")] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("7", 7),
        ("-3", -3),
        ("007", "007"),
        ("010", "010"),
        ("1_2", "1_2"),
        ("0x1F", "0x1F"),
        ("1:30", "1:30"),
        ("1.5", 1.5),
        ("1.10", "1.10"),
        ("1e-1", 0.1),
        ("2020-01-02", "2020-01-02"),
        ("'7'", "7"),
        ('"true"', "true"),
        ("!!str 7", "7"),
        ("NA", "NA"),
        (str(2**70), 2**70),
        ("9" * 5000, "9" * 5000),
        ("0.12345678901234567890123", "0.12345678901234567890123"),
        ("|\n  two\n  lines\n", "two\nlines\n"),
    ],
)
def test_scalars_are_as_written(text: str, value: Any) -> None:
    found = load(f"a: {text}")["a"]
    assert found == value
    assert type(found) is type(value)


def test_not_a_number_is_missing_and_told() -> None:
    corpus = read_bytes(b"- {id: a, n: .nan}\n- {id: b, n: -.inf}\n- {id: c, n: 1}\n", "x.yaml")
    assert corpus["a"].fields["n"] is None
    assert "NaN or infinite counts as missing (2 times, first in record 1)" in corpus.warnings[0]


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(8)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, r"x\.yaml, line 2: the alias '\*a' is not allowed"),
        ("a: &x [*x]", r"x\.yaml, line 1: the alias '\*x' is not allowed"),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", r"line 3: the alias"),
        (
            "a: !!python/object/apply:os.system [id]",
            r"line 1: the tag 'tag:yaml\.org,2002:python/object/apply:os\.system' is not",
        ),
        ("a: !custom x", r"the tag '!custom' is not allowed"),
        ("a: 1\nb: 2\na: 3\n", r"line 3: the key 'a' appears twice"),
        ("? [x]\n: y\n", r"line 1: a key should be a text"),
        ("[" * 5000, r"not valid YAML|levels deep"),
        ("a:\n" + "".join(" " * n + "b:\n" for n in range(1, 200)), r"nested more than 50 levels"),
        ("a: [b", r"x\.yaml, line \d: not valid YAML"),
        ("a: b: c", r"x\.yaml, line 1: not valid YAML: mapping values are not allowed"),
        ("a: \x01", r"not valid YAML"),
        ("just a text\n", r"a corpus should be a list of records"),
    ],
)
def test_what_is_no_plain_data_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        read_bytes(text.encode(), "x.yaml")


def test_an_ordinary_long_file_is_accepted() -> None:
    text = "".join(f"- id: d{n}\n  title: Title number {n}\n  tags: [a, b, c]\n" for n in range(5000))
    assert len(read_bytes(text.encode(), "x.yaml")) == 5000


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_text_is_yaml_or_a_sentence(text: str) -> None:
    try:
        list(load_all(text, "x.yaml"))
    except CorpusError:
        return
