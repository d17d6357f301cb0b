"""Reading judged questions."""

from __future__ import annotations

import json

import pytest

from cnrag_core.errors import CorpusError
from cnrag_core.evaluation.judgements import (
    JudgedQuery,
    judged_queries,
    read_judgements,
    read_judgements_bytes,
    read_qrels,
    unknown_documents,
)

RECORDS = [
    {"id": "q1", "text": "who?", "relevant": ["a", "b"], "required_evidence": ["a"], "type": "multi"},
    {"id": "q2", "text": "what?", "relevant": {"a": 2, "c": 0}},
    {"id": "q3", "text": "why?", "relevant": []},
]
EXPECTED = (JudgedQuery("q1", "who?", {"a": 1, "b": 1}, ("a",), "multi"), JudgedQuery("q2", "what?", {"a": 2}))


def read(text: str, name: str) -> tuple[JudgedQuery, ...]:
    return read_judgements_bytes(text.encode(), name)


def test_json_lines_and_arrays_read_alike():
    lines = "\n".join(map(json.dumps, RECORDS)) + "\n\n"
    assert read(lines, "queries.jsonl") == EXPECTED
    assert read(json.dumps(RECORDS), "queries.json") == EXPECTED
    assert read(json.dumps({"queries": RECORDS}), "queries.json") == EXPECTED
    assert read(lines, "queries.txt") == EXPECTED


def test_table_with_listed_ids():
    found = read("id,text,relevant\nq1,who?,a;b\nq2,what?,a\n", "queries.csv")
    assert [(q.id, q.text, dict(q.relevant)) for q in found] == [
        ("q1", "who?", {"a": 1, "b": 1}),
        ("q2", "what?", {"a": 1}),
    ]


def test_table_with_one_judgement_a_row():
    text = "query_id\tquestion\tdoc_id\tgrade\nq1\twho?\ta\t2\nq1\twho?\tb\t1\nq1\twho?\tc\t0\n"
    assert read(text, "queries.tsv") == (JudgedQuery("q1", "who?", {"a": 2, "b": 1}),)


def test_semicolon_table_of_a_spreadsheet():
    assert read("\ufeffid;text;relevant\n1;who?;a|b\n", "queries.csv")[0].relevant == {"a": 1, "b": 1}


def test_questions_without_an_id_are_numbered():
    assert [q.id for q in judged_queries([{"text": "x", "relevant": "a"}, {"query": "y", "relevant": "b"}])] == [
        "q1",
        "q2",
    ]


@pytest.mark.parametrize(
    "qrels", ["q1 0 a 1\nq1 0 b 0\nq9 0 a 1\n", "q1\ta\t1\n", "query\tdocument\tgrade\nq1\ta\t1\n"]
)
@pytest.mark.parametrize("questions", ['{"id": "q1", "text": "who?"}\n{"id": "q2", "text": "x"}', "q1\twho?\nq2\tx\n"])
def test_questions_and_qrels_are_joined_by_id(questions, qrels):
    found = read_judgements_bytes(questions.encode(), "queries.tsv" if "\t" in questions else "q.jsonl", qrels.encode())
    assert found == (JudgedQuery("q1", "who?", {"a": 1.0}),)


def test_ids_with_spaces_are_parted_by_tabs():
    assert read_qrels("q 1\tdoc a\t1\n") == {"q 1": {"doc a": 1.0}}


def test_folder_with_questions_and_qrels(tmp_path):
    (tmp_path / "queries.jsonl").write_text('{"id": "q1", "text": "who?"}\n')
    (tmp_path / "qrels.tsv").write_text("q1\ta\t1\n")
    assert read_judgements(tmp_path) == (JudgedQuery("q1", "who?", {"a": 1.0}),)


def test_real_judgements_are_read(corpora):
    found = read_judgements(corpora / "cranfield")
    assert len(found) == 225
    assert max(grade for query in found for grade in query.relevant.values()) == 4


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ('{"id": "q1"}', "q.jsonl", r"q.jsonl, record 1: a question needs a 'text'; found 'id'"),
        ('{"text": "x"}', "q.jsonl", "q.jsonl judges no document; give each question the field 'relevant'"),
        ('{"text": "x", "relevant": {"a": "high"}}', "q.jsonl", "record 1: grade 'high' of document 'a' is no number"),
        ('{"text": "x"', "q.jsonl", "q.jsonl, line 1 is no JSON"),
        ("3\n4\n", "q.jsonl", "no column is called 'text'; the columns are '3'"),
        ("[3]", "q.json", "record 1: expected an object with 'text' and 'relevant', found int"),
        ('{"a": 1}', "q.json", "expected a list of questions"),
        ("a,b,c\n1,2,3\n", "q.csv", "no column is called 'text'; the columns are 'a', 'b', 'c'"),
        ("id,text\n1,2,3\n", "q.csv", "row 2: 3 cells, but the header names 2"),
        ('{"id":1,"text":"x"}\n{"id":1,"text":"y"}', "q.jsonl", "question '1' stands in record 1"),
    ],
)  # fmt: skip
def test_unusable_judgements_say_where_and_what(text, name, message):
    with pytest.raises(CorpusError, match=message):
        read(text, name)


def test_text_in_another_encoding_is_refused():
    with pytest.raises(CorpusError, match=r"q.csv is not UTF-8 text"):
        read_judgements_bytes("text\né\n".encode("latin-1"), "q.csv")


def test_missing_file_is_refused(tmp_path):
    with pytest.raises(CorpusError, match=r"cannot be read: No such file"):
        read_judgements(tmp_path / "queries.jsonl")
    with pytest.raises(CorpusError, match=r"holds no file 'queries.jsonl'"):
        read_judgements(tmp_path)


@pytest.mark.parametrize(
    ("line", "message"), [("q1 a", "line 1: expected .* found 2"), ("q 0 a 1\nq 0 b x", "line 2: grade 'x'")]
)
def test_bad_qrels_say_where(line, message):
    with pytest.raises(CorpusError, match=message):
        read_qrels(line)


def test_qrels_of_other_questions_are_refused():
    with pytest.raises(CorpusError, match=r"No question of q.tsv is judged in qrels"):
        read_judgements_bytes(b"q1\twho?\n", "q.tsv", b"q2 0 a 1\n")


def test_unknown_documents_are_listed():
    assert unknown_documents(EXPECTED, ["b"]) == ("a",)
