"""JSON in every shape that people keep records in, and JSON Lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cnrag_core.corpus.document import Corpus
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.errors import CorpusError


def read(value: Any, name: str = "x.json", **options: Any) -> Corpus:
    text = value if isinstance(value, str) else json.dumps(value)
    return read_bytes(text.encode(), name, **options)


def ids(corpus: Corpus) -> list[str]:
    return [document.id for document in corpus]


A, B = {"id": "a", "title": "One title"}, {"id": "b", "title": "Two titles"}


def test_an_array_of_objects() -> None:
    corpus = read([A, B])
    assert ids(corpus) == ["a", "b"]
    assert corpus["b"].provenance.row == 2
    assert corpus.warnings == ()


@pytest.mark.parametrize(
    "wrapped", [{"data": [A, B]}, {"version": 3, "institutes": [A, B]}, {"response": {"docs": [A, B]}}]
)
def test_an_array_inside_an_object(wrapped: dict[str, Any]) -> None:
    corpus = read(wrapped)
    assert ids(corpus) == ["a", "b"]
    assert "were taken from its key" in corpus.warnings[0]


def test_the_known_name_wins_among_several_lists() -> None:
    assert ids(read({"links": [{"from": "a"}], "documents": [A, B]})) == ["a", "b"]


def test_several_lists_without_a_known_name_are_refused() -> None:
    with pytest.raises(CorpusError, match=r"holds several lists of records \('birds' and 'bees'\)"):
        read({"birds": [A], "bees": [B]})


def test_an_object_keyed_by_id() -> None:
    corpus = read({"007": {"title": "One title"}, "7": {"title": "Two titles"}})
    assert ids(corpus) == ["007", "7"]


def test_texts_keyed_by_id() -> None:
    corpus = read({f"d{n}": f"Text number {n}" for n in range(25)})
    assert corpus["d3"].text("text") == "Text number 3"


def test_one_record_alone() -> None:
    corpus = read({"id": "a", "title": "One", "authors": [{"name": "Ann"}]})
    assert corpus["a"].fields["authors.name"] == ["Ann"]


def test_a_list_of_texts() -> None:
    assert read(["First text here", "Second text here"])["doc-00001"].text("text") == "First text here"


@pytest.mark.parametrize(
    "columns",
    [
        {"id": {"0": "a", "1": "b"}, "title": {"0": "One title", "1": "Two titles"}},
        {"id": ["a", "b"], "title": ["One title", "Two titles"]},
        {"columns": ["id", "title"], "index": [0, 1], "data": [["a", "One title"], ["b", "Two titles"]]},
        [["id", "title"], ["a", "One title"], ["b", "Two titles"]],
    ],
)
def test_columns_as_data_frames_write_them(columns: Any) -> None:
    corpus = read(columns)
    assert ids(corpus) == ["a", "b"]
    assert corpus["b"].text("title") == "Two titles"


def test_geojson_lifts_properties_and_points() -> None:
    features = [
        {
            "type": "Feature",
            "id": 1,
            "properties": {"name": "Home"},
            "geometry": {"type": "Point", "coordinates": [7.1, 50.7]},
        },
        {
            "type": "Feature",
            "id": 2,
            "properties": {"name": "Lake"},
            "geometry": {"type": "Polygon", "coordinates": [[[0, 0]]]},
        },
    ]
    corpus = read({"type": "FeatureCollection", "name": "places", "features": features})
    assert (corpus["1"].fields["name"], corpus["1"].fields["longitude"], corpus["1"].fields["latitude"]) == (
        "Home",
        7.1,
        50.7,
    )
    assert corpus["2"].fields["geometry"] == "Polygon"
    assert any("outlines" in text for text in corpus.warnings)


@pytest.mark.parametrize("text", ["[]", "{}", "[[]]", "   [ ]  "])
def test_no_records_are_refused(text: str) -> None:
    with pytest.raises(CorpusError, match="there is no document in it"):
        read(text if text != "{}" else "[]")


@pytest.mark.parametrize("text", ["3", '"text"', "null"])
def test_a_single_value_is_no_corpus(text: str) -> None:
    with pytest.raises(CorpusError, match=r"x\.json: a corpus should be a list of records|x\.json"):
        read(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"id": "a"}, {"id": }]', r"x\.json, record 2: not valid JSON at column 22: expecting value"),
        ('[{"id": "a"}\n {"id": "b"}]', r"x\.json, behind record 1 \(line 2\): expected ',' or '\]', but found"),
        ('[{"id": "a"}', r"expected ',' or '\]', but the file ends"),
        ('[{"id": "a"}] and more', r"x\.json, line 1: the list ends, but then comes \"and more\""),
        ('{"id": "a", }', r"x\.json: not valid JSON at column"),
        ('[{"id": "a", "id": "b"}]', r"x\.json, record 1: the key 'id' appears twice in one object"),
        ('[{"id": 1e999}]', r"record 1: the number 1e999 is larger than a number can be"),
        ('[{"id": ' + "9" * 5000 + "}]", r"record 1: a whole number has 5,000 digits; at most 400 are allowed"),
        ("[" * 100_000, r"x\.json, record 1: it is nested too deeply"),
        ('{"a":' * 100_000, r"x\.json: it is nested too deeply"),
        ('[{"a": ' + "[" * 200 + "1" + "]" * 200 + "}]", r"record 1: it is nested more than 50 levels deep"),
    ],
)
def test_broken_json_is_named_with_its_place(text: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        read(text)


def test_nan_and_infinity_count_as_missing_and_are_told() -> None:
    corpus = read('[{"id": "a", "n": NaN}, {"id": "b", "n": -Infinity}, {"id": "c", "n": 2}]')
    assert [document.fields["n"] for document in corpus] == [None, None, 2]
    assert corpus.warnings == (
        "NaN and Infinity, which JSON does not know, count as missing (2 times, first in record 1).",
    )


def test_long_integers_are_exact() -> None:
    assert read(f'[{{"id": "a", "n": {2**63}}}]')["a"].fields["n"] == 2**63


def test_ids_of_every_kind_are_kept_apart() -> None:
    corpus = read('[{"id": 1}, {"id": true}, {"id": 1.0}, {"id": null}, {"id": NaN}]')
    assert ids(corpus) == ["1", "true", "1.0", "doc-00004", "doc-00005"]
    with pytest.raises(CorpusError, match="id '1' is used by record 1 and record 2"):
        read('[{"id": 1}, {"id": "1"}]')


def test_a_lone_surrogate_is_replaced_and_told() -> None:
    corpus = read(r'[{"id": "a", "t": "x\ud800y"}]')
    assert corpus["a"].text("t") == "x\ufffdy"
    assert "replaced by \ufffd (record 1)" in corpus.warnings[0]


LINES = [json.dumps({"id": f"d{n}", "title": f"Title number {n}"}) for n in range(1, 11)]


def test_lines_are_records_and_keep_their_numbers() -> None:
    corpus = read("\n\n".join(LINES), "x.jsonl")
    assert len(corpus) == 10
    assert corpus["d2"].provenance.row == 3


def test_a_broken_line_stops_with_its_number() -> None:
    with pytest.raises(CorpusError, match=r"x\.jsonl, line 4: not valid JSON at column 2"):
        read("\n".join([*LINES[:3], "{broken", *LINES[4:]]), "x.jsonl")


def test_a_broken_line_can_be_skipped_and_both_numbers_are_told() -> None:
    corpus = read("\n".join([*LINES[:3], "{broken", *LINES[4:]]), "x.jsonl", skip_bad_rows=True)
    assert len(corpus) == 9
    assert corpus.warnings[0].startswith("9 records loaded, 1 rejected; the first: line 4: not valid JSON")


def test_line_separators_inside_texts_do_not_cut_lines() -> None:
    corpus = read(
        json.dumps({"id": "a", "t": "x\u2028y\x85z"}, ensure_ascii=False) + "\r\n" + LINES[0] + "\r\n", "x.jsonl"
    )
    assert corpus["a"].text("t") == "x\u2028y\x85z"
    assert len(corpus) == 2


def test_the_last_line_may_be_cut_off() -> None:
    with pytest.raises(CorpusError, match="line 3: not valid JSON"):
        read("\n".join(LINES[:3])[:-10], "x.jsonl")


def test_a_line_that_is_a_text_is_a_document() -> None:
    assert read('{"id": "a", "text": "One"}\n"Two words"\n', "x.jsonl").documents[1].text("text") == "Two words"


def test_a_byte_order_mark_before_json() -> None:
    assert ids(read_bytes("\ufeff".encode() + json.dumps([A]).encode(), "x.json")) == ["a"]
    assert ids(read_bytes("\ufeff".encode() + LINES[0].encode(), "x.jsonl")) == ["d1"]
