"""YAML that wants to run, to repeat itself, to be deep or to mean something else; JSON beyond its standard."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cnrag_core.config.loader import load_config
from cnrag_core.config.spec import PipelineConfig
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.errors import ConfigError, CorpusError
from tests.hardening.watched import watched

ROOT = Path(__file__).resolve().parents[2]
COMPONENTS = """similarity:
  components:
    - {type: field_embedding, field: title, weight: 3}
    - {type: attribute_similarity, field: tags, metric: jaccard, weight: 2}
"""


def config_of(text: str) -> PipelineConfig:
    return load_config(text.encode("utf-8", "surrogatepass"), uploaded=True)


def corpus_error(data: bytes, name: str) -> str:
    with pytest.raises(CorpusError) as caught:
        read_bytes(data, name)
    return str(caught.value)


# Tags.


@pytest.mark.parametrize(
    "tag",
    [
        "!!python/object/apply:os.system [id]",
        "!!python/name:os.system",
        "!!python/module:os",
        "!custom x",
        "!!binary aGk=",
    ],
)
def test_b9_a_tag_of_a_program_is_refused_by_its_name(tag: str) -> None:
    name = tag.split()[0]
    with pytest.raises(ConfigError, match=re.escape(f"line 1, name: the tag {name} is not allowed")):
        config_of(f"name: {tag}\n{COMPONENTS}")
    assert f"a.yaml, line 1: the tag '{name.replace('!!', 'tag:yaml.org,2002:')}' is not allowed" in corpus_error(
        f"- id: {tag}\n".encode(), "a.yaml"
    )


def test_b9_no_loader_that_builds_objects_is_called() -> None:
    forbidden = re.compile(r"\byaml\.(?:load|load_all|full_load|unsafe_load)\b|\bLoader=|typ=['\"](?:unsafe|base)['\"]")
    sources = [*ROOT.glob("cnrag_core/**/*.py"), *ROOT.glob("pages/**/*.py"), ROOT / "app.py"]
    assert not [path.name for path in sources if forbidden.search(path.read_text(encoding="utf-8"))]


# Aliases.

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(8)
)


def test_b10_an_alias_bomb_is_refused_at_once() -> None:
    assert len(BOMB) < 400
    with watched() as watch, pytest.raises(ConfigError, match=r"line 5, .*aliases repeat more than 10,000 values"):
        config_of(BOMB)
    assert "the alias '*a' is not allowed" in corpus_error(BOMB.encode(), "a.yaml")
    print(f"B10 alias bomb refused in {watch.cpu:.3f} CPU s")


def test_b10_a_value_that_holds_itself_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"line 1, .*\*x repeats something that is not complete"):
        config_of("a: &x [*x]\n" + COMPONENTS)


def test_b10_merge_keys_are_no_way_round() -> None:
    text = f"{COMPONENTS}  <<: {{min_combined_similarity: 0.5}}\n"
    with pytest.raises(
        ConfigError, match=r"line 5, similarity\.<<: '<<' merges mappings, which YAML 1\.2 no longer does"
    ):
        config_of(text)


def test_b10_a_few_aliases_and_a_large_ordinary_file_are_read() -> None:
    config = config_of(
        "similarity:\n  components:\n    - &a {type: field_embedding, field: title}\n"
        "    - {type: field_embedding, field: body, chunking: &c {method: sentences, max_tokens: 100}}\n"
        "    - {type: field_embedding, field: notes, chunking: *c}\n"
    )
    assert config.components[2].chunking_strategy.max_tokens == 100
    assert len(config_of(COMPONENTS + "".join(f"# {'x' * 70}\n" for _ in range(800))).components) == 2


# Depth and size.

DEEP = {
    "brackets": "a: " + "[" * 5_000,
    "closed brackets": "a: " + "[" * 5_000 + "]" * 5_000,
    "braces": "a: " + "{a: " * 5_000,
    "maps in blocks": "".join(f"{' ' * n}a:\n" for n in range(350)),
    "lists in lines": "a:\n  " + "- " * 5_000 + "x",
    "complex keys": "? " * 5_000 + "a",
    "lists in a block": "".join(f"{'  ' * n}-\n" for n in range(200)),
    "a long flow list": "a: [" + "1," * 200_000 + "1]",
    "a long flow list that fits": "a: [" + "1," * 32_000 + "1]",
    "a long text": "a: '" + "x" * 400_000 + "'",
    "many anchors": "".join(f"k{n}: &a{n} x\n" for n in range(4_000)),
    "many tags": "a: [" + "!x a," * 10_000 + "]",
    "many quotes": "a: " + "'" * 60_000,
    "many comments": "#\n" * 30_000,
    "many documents": "---\n" * 15_000,
    "many question marks": "?\n" * 30_000,
}


@pytest.mark.parametrize("name", DEEP)
def test_b11_a_deep_or_long_configuration_is_refused_soon(name: str) -> None:
    with watched(hang=60) as watch, pytest.raises(ConfigError) as caught:
        config_of(DEEP[name] + "\n")
    assert len(str(caught.value)) < 100_000
    print(f"B11 {name}: {watch.cpu:.2f} CPU s: {str(caught.value)[:80]}")


@pytest.mark.parametrize("name", ["brackets", "closed brackets", "braces", "lists in lines"])
def test_b11_a_deep_corpus_is_refused_with_its_line(name: str) -> None:
    assert "a.yaml, line " in corpus_error(DEEP[name].encode(), "a.yaml")


# What a word means.


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        (".nan", "must be a finite number|must lie between 0 and 1"),
        (".inf", "must be a finite number|must lie between 0 and 1"),
        ("no", "must be a number, got text 'no'"),
        ("1:30", "must be a number, got text '1:30'"),
        ('"0.4"', "must be a number, got text '0.4': remove the quotes"),
        ("true", "must be a number, got true"),
        ("010", "must lie between 0 and 1, got 10"),
        ("1.0000001", "must lie between 0 and 1, got 1.0000001"),
        ("-1", "must lie between 0 and 1, got -1"),
    ],
)
def test_b12_a_word_that_is_no_share_is_named_with_key_and_line(word: str, complaint: str) -> None:
    text = f"{COMPONENTS}  min_combined_similarity: {word}\n"
    with pytest.raises(ConfigError, match=rf"line 5, similarity\.min_combined_similarity: .*(?:{complaint})"):
        config_of(text)


def test_b12_a_number_in_scientific_notation_is_that_number() -> None:
    assert config_of(f"{COMPONENTS}  min_combined_similarity: 1e-1\n").edges.min_similarity == 0.1


def test_b12_a_word_that_older_yaml_read_as_false_is_a_name() -> None:
    assert config_of(COMPONENTS.replace("field: title", "field: no")).components[0].field == "no"


def test_b12_a_key_given_twice_is_named_with_both_lines() -> None:
    text = f"{COMPONENTS}  min_combined_similarity: 0.4\n  min_combined_similarity: 0.9\n"
    with pytest.raises(ConfigError, match=r"'min_combined_similarity' is given twice, on lines 5 and 6"):
        config_of(text)


# JSON.


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("[" * 100_000, "record 2: it is nested too deeply"),
        ('{"a":' * 100_000, "record 2: it is nested too deeply"),
        ('{"id":"b","n":' + "9" * 5_000 + "}", "record 2: a whole number has 5,000 digits"),
        ('{"id":"b","id":"c"}', "record 2: the key 'id' appears twice"),
        ('{"id":"b","n":1e400}', "record 2: the number 1e400 is larger than a number can be"),
    ],
)
def test_b13_json_that_cannot_be_used_is_named_with_its_record(value: str, complaint: str) -> None:
    error = corpus_error(f'[{{"id":"a"}},{value}'.encode(), "a.json")
    assert error.startswith("a.json, ")
    assert complaint in error
    line = corpus_error(f'{{"id":"a"}}\n{value}'.encode(), "a.jsonl")
    assert line.startswith("a.jsonl, line 2: ")


def test_b13_values_beyond_the_standard_are_made_usable_and_told() -> None:
    corpus = read_bytes(
        b'[{"id":"a","t":"x\\ud800y","n":NaN},{"id":"b","t":"z","n":-Infinity},{"id":"c","t":"w","n":9223372036854775808}]',
        "a.json",
    )
    assert corpus["a"].text("t") == "x\ufffdy"
    assert (corpus["a"].number("n"), corpus["b"].number("n")) == (None, None)
    assert corpus["c"].fields["n"] == 2**63
    told = " ".join(corpus.warnings)
    assert "Characters that are not text" in told
    assert "NaN and Infinity, which JSON does not know, count as missing (2 times, first in record 1)" in told
