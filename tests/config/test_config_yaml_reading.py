"""Reading YAML: what words mean, which lines they stand on, and what is refused before it costs anything."""

from __future__ import annotations

import math

import pytest

from cnrag_core.config.yaml_reading import MAX_BYTES, read_text, scalar
from cnrag_core.errors import ConfigError

BOMB = "\n".join(
    ["a: &a [x, x, x, x, x, x, x, x, x]"]
    + [f"{b}: &{b} [{', '.join(['*' + a] * 9)}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)]
)


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("1e-1", 0.1),
        ("4e-1", 0.4),
        (".5", 0.5),
        ("1.10", 1.1),
        ("010", 10),
        ("0o17", 15),
        ("0x1F", 31),
        ("-3", -3),
        ("+3", 3),
        ("1:30", "1:30"),
        ("1_000", "1_000"),
        ("2020-01-01", "2020-01-01"),
        ("=", "="),
        (".inf", math.inf),
        ("-.inf", -math.inf),
        ("1e999", math.inf),
    ],
)
def test_words_mean_what_yaml_1_2_says(word: str, value: object) -> None:
    assert scalar(word) == value
    assert type(scalar(word)) is type(value)


def test_nan_is_a_number_that_no_key_accepts() -> None:
    assert math.isnan(scalar(".nan"))


def test_a_number_of_thousands_of_digits_is_read_without_an_error() -> None:
    assert read_text("a: " + "9" * 5000).data == {"a": math.inf}


def test_quoted_words_are_text() -> None:
    assert read_text("a: 'true'\nb: \"1\"\nc: |\n  2\n").data == {"a": "true", "b": "1", "c": "2\n"}


def test_keys_are_text_as_written() -> None:
    assert read_text("schema: {2017: number, no: text, 007: text}").data == {
        "schema": {"2017": "number", "no": "text", "007": "text"}
    }


def test_every_value_knows_its_line() -> None:
    source = read_text("name: x\nsimilarity:\n  components:\n    - field: a\n\n    - field: b\n      weight: 2\n")
    assert source.line_of(("similarity",)) == 2
    assert source.line_of(("similarity", "components", 1, "weight")) == 7
    assert source.line_of(("similarity", "components", 1, "missing")) == 6


def test_a_byte_order_mark_is_ignored() -> None:
    assert read_text("\ufeffname: x").data == {"name": "x"}


def test_duplicate_keys_name_both_lines() -> None:
    (finding,) = read_text("network:\n  edges:\n    min: 0.4\n    min: 0.9\n").findings
    assert finding.message == "'min' is given twice, on lines 3 and 4; keep one."
    assert (finding.location, finding.line) == (("network", "edges", "min"), 4)


def test_the_first_of_two_equal_keys_is_kept_for_the_other_checks() -> None:
    assert read_text("a: 1\na: 2").data == {"a": 1}


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("a: !!python/object/apply:os.system [id]", "!!python/object/apply:os.system"),
        ("a: !<tag:yaml.org,2002:python/name:os.system> x", "!!python/name:os.system"),
        ("a: !custom {b: 1}", "!custom"),
        ("a: !!str 5", "!!str"),
    ],
)
def test_tags_are_refused_by_name(text: str, tag: str) -> None:
    (finding,) = read_text(text).findings
    assert finding.message == f"the tag {tag} is not allowed; a configuration holds plain values only."


def test_a_few_aliases_are_allowed() -> None:
    assert read_text("a: &c {method: none}\nb: [*c, *c]").data["b"] == [{"method": "none"}] * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "line 5, the configuration: aliases repeat more than 10,000 values; write the values out."),
        ("a: &x [*x]", "line 1, the configuration: *x repeats something that is not complete at this point."),
        ("a: *nothing", "line 1, the configuration: *nothing repeats something that is not complete at this point."),
    ],
)
def test_alias_bombs_are_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_text(text)
    assert str(caught.value) == message


def test_aliases_cannot_nest_deeper_than_text_could() -> None:
    chain = "\n".join(["a0: &a0 [x]", *(f"a{i}: &a{i} [*a{i - 1}]" for i in range(1, 30))])
    with pytest.raises(ConfigError, match="nested more than 20 levels deep"):
        read_text(chain)


@pytest.mark.parametrize(
    "text",
    ["[" * 5000, "a: " + "[" * 64_000, "{a: " * 300, "- " * 30_000, "\n".join(" " * i + "k:" for i in range(350))],
    ids=["brackets", "many brackets", "flow maps", "dashes", "block maps"],
)
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^The configuration is nested more than 20 levels deep\.$"):
        read_text(text)


def test_twenty_levels_are_read_and_one_more_is_not() -> None:
    assert read_text("a: " + "[" * 19 + "]" * 19).data
    with pytest.raises(ConfigError, match="20 levels"):
        read_text("a: " + "[" * 20 + "]" * 20)


def test_brackets_within_texts_are_no_nesting() -> None:
    text = "\n".join(f'k{i}: "[("' for i in range(100))
    assert len(read_text(text).data) == 100


def test_size_is_counted_in_bytes() -> None:
    with pytest.raises(ConfigError, match=r"^The configuration has 66,003 bytes; at most 65,536 are read\.$"):
        read_text("a: " + "é" * 33_000)
    assert read_text("a: " + "x" * (MAX_BYTES - 3)).data


def test_an_ordinary_large_configuration_is_read() -> None:
    text = "similarity:\n  components:\n" + "".join(f"    - {{field: field_{i}, weight: {i}}}\n" for i in range(1600))
    assert 60_000 < len(text) < MAX_BYTES
    assert len(read_text(text).data["similarity"]["components"]) == 1600


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The configuration is empty: it must at least say how documents are compared."),
        ("# only a comment\n", "The configuration is empty: it must at least say how documents are compared."),
        ("---\n", "The configuration is empty: it must at least say how documents are compared."),
        ("- a\n- b", "A configuration is a mapping of keys such as `similarity:`, got list."),
        ("hello", "A configuration is a mapping of keys such as `similarity:`, got text."),
        ("12", "A configuration is a mapping of keys such as `similarity:`, got number."),
        (
            "a: b: c",
            "line 1, the configuration: this is not YAML: a second `: ` stands in one line, or the indentation is "
            "wrong. Quote a text that holds `: `.",
        ),
        ("a:\n\tb: c", "line 2, the configuration: this is not YAML: a tab stands where YAML allows only spaces."),
        (
            "a: [1, 2\nb: 3",
            "line 2, the configuration: this is not YAML: a list in [ ] is not closed, or a comma is missing.",
        ),
        ('a: "x\nb', "line 2, the configuration: this is not YAML: a quoted text is not closed."),
        (
            "a:\n  b: 1\n c: 2\n",
            "line 3, the configuration: this is not YAML: the indentation does not fit the lines above.",
        ),
        ("a: \0", "line 1, the configuration: the character U+0000 is not allowed in YAML."),
        ("b: 1\na: \ud800", "line 2, the configuration: the character U+D800 is not allowed in YAML."),
        ('a: "\\U99999999"', "the configuration: this is not YAML: an escape or a character is wrong."),
        ("? [a]\n: b", "line 1, the configuration: a key must be plain text, not a list, a mapping or an alias."),
    ],
)
def test_what_is_no_configuration_is_told_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_text(text)
    assert str(caught.value) == message


def test_half_a_surrogate_pair_is_found() -> None:
    (finding,) = read_text('name: "\\ud800"').findings
    assert finding.message == "this text holds the character U+D800, which is half of a pair."


def test_a_second_document_is_found() -> None:
    (finding,) = read_text("a: 1\n---\nb: 2\n").findings
    assert (finding.line, finding.message) == (2, "a second document begins here; give one configuration at a time.")
