"""Fields as a schema declares them: found, changed, reduced, filled, and of the kind that it says."""

from __future__ import annotations

from typing import Any

import pytest

from cnrag_core.config.names import TRANSFORMS
from cnrag_core.config.spec import FieldSpec
from cnrag_core.corpus import schema
from cnrag_core.corpus.records import corpus_of_records
from cnrag_core.corpus.schema import reduce_values
from cnrag_core.errors import ConfigError, CorpusError

RECORD: dict[str, Any] = {
    "id": "p1",
    "meta": {"title": "  Trees ", "year": "1999", "open": "yes"},
    "authors": [{"name": "Ann", "h": 3}, {"name": "Bo", "h": 5}, {"name": "Ann", "h": 4}],
    "tags": "ml, nlp",
    "keywords": '["a", "b"]',
}


def value(spec: dict[str, Any], name: str = "field", record: dict[str, Any] = RECORD) -> Any:
    return corpus_of_records([record], name="papers.json", fields={name: FieldSpec(**spec)}).documents[0].fields[name]


def test_a_path_finds_nested_values() -> None:
    assert value({"from": "$.meta.title"}) == "  Trees "


def test_several_matches_make_a_list_or_a_text() -> None:
    assert value({"from": "$.authors[*].name", "type": "list"}) == ["Ann", "Bo", "Ann"]
    assert value({"from": "$.authors[*].name", "type": "text"}) == "Ann Bo Ann"
    assert value({"from": "$.authors[*].name", "type": "text", "separator": ", "}) == "Ann, Bo, Ann"


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("join", "Ann Bo Ann"),
        ("join_unique", "Ann Bo"),
        ("first", "Ann"),
        ("last", "Ann"),
        ("count", "3"),
        ("count_unique", "2"),
    ],
)
def test_reduce_makes_one_of_several(how: str, expected: str) -> None:
    assert value({"from": "$.authors[*].name", "reduce": how}) == expected


def test_unique_keeps_the_first_of_each() -> None:
    assert value({"from": "$.authors[*].name", "reduce": "unique", "type": "list"}) == ["Ann", "Bo"]


@pytest.mark.parametrize(("how", "expected"), [("sum", 12), ("mean", 4.0), ("min", 3), ("max", 5)])
def test_numbers_are_reduced_arithmetically(how: str, expected: float) -> None:
    assert value({"from": "$.authors[*].h", "reduce": how, "type": "number"}) == expected


def test_sums_of_whole_numbers_are_exact() -> None:
    assert reduce_values([2**70, 1], "sum") == 2**70 + 1


def test_dates_have_a_minimum_too() -> None:
    assert reduce_values(["2020-01-02", "2019-12-31"], "min") == "2019-12-31"


def test_words_have_no_sum() -> None:
    with pytest.raises(
        CorpusError, match=r"papers.json, record 1: field 'n' cannot be reduced with 'sum'.*found the text \"Ann\""
    ):
        value({"from": "$.authors[*].name", "reduce": "sum", "type": "number"}, "n")


def test_transforms_run_in_order() -> None:
    assert value({"from": "$.meta.title", "transform": ["strip", "lower"]}) == "trees"
    assert value({"from": "tags", "transform": ["upper", "split"], "type": "list"}) == ["ML", "NLP"]


@pytest.mark.parametrize(
    ("transform", "before", "after"),
    [
        ("strip", " a ", "a"),
        ("lower", "A", "a"),
        ("upper", "a", "A"),
        ("title", "a b", "A B"),
        ("collapse", "a\n  b", "a b"),
        ("strip_html", "<p>a &amp; b</p>", "a & b"),
        ("split", "a; b|c", ["a", "b", "c"]),
        ("lines", "a\n\nb", ["a", "b"]),
        ("unique", ["a", "b", "a"], ["a", "b"]),
        ("sort", ["b", "a"], ["a", "b"]),
    ],
)
def test_every_transform(transform: str, before: Any, after: Any) -> None:
    kind = "list" if isinstance(after, list) else "text"
    assert value({"type": kind, "transform": [transform]}, record={"id": "x", "field": before}) == after


def test_the_configuration_knows_exactly_our_transforms() -> None:
    assert set(TRANSFORMS) == set(schema._TRANSFORMS)


def test_a_text_is_one_item_unless_the_schema_gives_a_separator() -> None:
    assert value({"type": "list"}, "tags") == ["ml, nlp"]
    assert value({"type": "list", "separator": ","}, "tags") == ["ml", "nlp"]


def test_a_text_with_separators_in_a_list_field_is_told() -> None:
    corpus = corpus_of_records([RECORD], fields={"tags": FieldSpec(kind="list")})
    assert any("list field 'tags' counts as one item; give the field a `separator`" in text for text in corpus.warnings)


def test_a_list_that_was_written_as_json_is_a_list() -> None:
    assert value({"type": "list"}, "keywords") == ["a", "b"]


def test_default_fills_what_is_missing_or_blank() -> None:
    assert value({"default": "none"}, "absent") == "none"
    assert value({"default": ["x"], "type": "list"}, "tags", {"id": "a", "tags": []}) == ["x"]
    assert value({"default": "none"}, "t", {"id": "a", "t": "  "}) == "none"


def test_a_list_without_default_is_empty_and_never_shared() -> None:
    corpus = corpus_of_records([{"id": "a"}, {"id": "b"}], fields={"tags": FieldSpec(kind="list", default=["x"])})
    assert corpus["a"].fields["tags"] is not corpus["b"].fields["tags"]
    assert value({"type": "list"}, "absent") == []


def test_a_required_field_names_file_record_and_field() -> None:
    with pytest.raises(CorpusError, match=r"papers.json, record 1: field 'abstract' is required, and there is nothing"):
        value({"required": True}, "abstract")


def test_a_number_is_read_exactly_or_refused() -> None:
    assert value({"from": "meta.year", "type": "number"}) == 1999
    assert value({"type": "number"}, "n", {"id": "a", "n": str(2**70)}) == 2**70
    assert value({"type": "number"}, "n", {"id": "a", "n": "1,234.5"}) == 1234.5
    assert value({"type": "number"}, "n", {"id": "a", "n": "n/a"}) is None
    with pytest.raises(CorpusError, match=r'field \'tags\' should be a number, found the text "ml, nlp"'):
        value({"type": "number"}, "tags")


def test_a_boolean_is_read_or_refused() -> None:
    assert value({"from": "meta.open", "type": "boolean"}) is True
    with pytest.raises(CorpusError, match="field 'tags' should be true or false"):
        value({"type": "boolean"}, "tags")


def test_one_value_is_asked_for_and_several_are_found() -> None:
    with pytest.raises(CorpusError, match=r"field 'h' should be one number, found a list of 3; `reduce:` can say"):
        value({"from": "$.authors[*].h", "type": "number"}, "h")


def test_a_conversation_stays_one_as_text_and_as_list() -> None:
    turns = [{"role": "user", "content": "Hi, you"}]
    for kind in ("text", "list"):
        assert value({"type": kind}, "messages", {"id": "a", "messages": turns}) == turns


def test_bad_rows_are_skipped_on_request() -> None:
    records = [{"id": "a", "n": 1}, {"id": "b", "n": "x"}, {"id": "c", "n": 3}]
    corpus = corpus_of_records(records, fields={"n": FieldSpec(kind="number")}, skip_bad_rows=True)
    assert [document.id for document in corpus] == ["a", "c"]


def test_paths_and_transforms_that_are_none_are_configuration_errors() -> None:
    fields = {"a": FieldSpec(source="$.[["), "b": FieldSpec(transform=("stripp",))}
    with pytest.raises(
        ConfigError, match=r"(?s)schema\.a\.from.*is not JSONPath.*schema\.b\.transform\[0\].*Did you mean 'strip'"
    ):
        corpus_of_records([RECORD], fields=fields)


def test_kinds_are_those_of_the_schema() -> None:
    corpus = corpus_of_records([RECORD], fields={"tags": FieldSpec(kind="list", separator=",")})
    assert corpus.kinds["tags"] == "list"
    assert corpus.kinds["meta.title"] == "text"


def test_a_schema_can_say_where_the_id_is() -> None:
    corpus = corpus_of_records([{"meta": {"uid": "u7"}}], fields={"id": FieldSpec(source="$.meta.uid")})
    assert corpus.documents[0].id == "u7"
