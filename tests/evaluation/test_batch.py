from __future__ import annotations

import pytest

from cnrag_core.errors import CorpusError, ResourceLimitError
from cnrag_core.evaluation.batch import MOST_QUESTIONS, ask_all
from cnrag_core.evaluation.judgements import JudgedQuery, read_questions_bytes
from cnrag_core.export.csv_table import csv_bytes
from cnrag_core.views.batch_tables import batch_results, batch_sentence, batch_table
from cnrag_core.workspace import Workspace


@pytest.fixture(scope="module")
def network():
    return Workspace.of_sample("larkspur").network


def texts(data: str, name: str = "questions.txt") -> list[str]:
    return [query.text for query in read_questions_bytes(data.encode(), name)]


def test_plain_lines_are_questions_and_empty_ones_are_not():
    assert texts("how, why; and when?\n\n  who?  \n") == ["how, why; and when?", "who?"]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ("id,text\n1,how?\n2,who?\n", "a.csv"),
        ("id;question\n1;how?\n2;who?\n", "pasted"),
        ('{"text": "how?"}\n{"text": "who?", "relevant": ["d1"]}\n', "a.jsonl"),
        ('[{"query": "how?"}, {"query": "who?"}]', "pasted"),
    ],
)
def test_tables_and_json_are_read_with_and_without_judgements(data, name):
    assert texts(data, name) == ["how?", "who?"]


def test_what_cannot_be_read_is_one_sentence():
    with pytest.raises(CorpusError, match="no column is called 'text'"):
        texts("name,number,more\na,1,x\n", "a.csv")
    with pytest.raises(CorpusError, match="holds no question"):
        texts(" \n", "a.txt")


def test_every_strategy_answers_every_question_and_progress_ends_at_one(network):
    shares = []
    questions = read_questions_bytes(b"how are snapshots restored\nzzz qqq", "q.txt")
    answers = ask_all(
        network.search, questions, ["similarity", "links"], 5, progress=lambda _, share: shares.append(share)
    )
    assert [answer.query.text for answer in answers] == ["how are snapshots restored", "zzz qqq"]
    assert shares == [0.0, 0.5, 1.0]
    assert answers[1].agreement == 1.0
    assert 0 < answers[0].agreement <= 1
    rows = batch_results(answers, network)
    first = rows[rows["question"] == "how are snapshots restored"]
    assert first.groupby("strategy")["rank"].max().to_dict() == {"similarity": 5, "links": 5}
    assert rows[rows["question"] == "zzz qqq"]["rank"].isna().all()
    assert (rows[rows["question"] == "zzz qqq"]["why"] != "").all()


def test_finds_of_judged_questions_are_counted(network):
    queries = Workspace.of_sample("larkspur").queries[2:3]
    answers = ask_all(network.search, queries, ["similarity", "links"], 8)
    table = batch_table(answers)
    assert table["similarity found"].tolist() == ["1 of 3"]
    assert table["links found"].tolist() == ["3 of 3"]
    assert "Of 3 judged documents links finds 3." in batch_sentence(answers)


def test_unjudged_questions_count_results(network):
    answers = ask_all(network.search, [JudgedQuery("q", "snapshots")], ["similarity"], 3)
    assert batch_table(answers)["similarity results"].tolist() == [3]
    assert batch_sentence(answers) == "1 question, 1 strategy."


def test_a_question_that_a_spreadsheet_would_run_is_quoted_in_the_file(network):
    answers = ask_all(network.search, [JudgedQuery("=1", "=cmd|' /C calc'!A0 snapshots")], ["similarity"], 1)
    line = csv_bytes(batch_results(answers, network)).decode("utf-8-sig").splitlines()[1]
    assert line.startswith("'=1,'=cmd")


def test_no_question_and_too_many_are_refused(network):
    with pytest.raises(CorpusError, match="no question"):
        ask_all(network.search, [], ["similarity"])
    with pytest.raises(ResourceLimitError, match="at most 2,000"):
        ask_all(network.search, [JudgedQuery("q", "x")] * (MOST_QUESTIONS + 1), ["similarity"])
