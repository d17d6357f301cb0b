"""`cnrag traverse` and `cnrag reach`."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from cnrag_core.cli import app
from cnrag_core.errors import CNRagError, ConfigError

QUESTION = "Which export mechanism remains available after cancellation, and for how long is the data kept?"


def run(*arguments: str):
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=True)
    if isinstance(result.exception, CNRagError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_traverse_shows_every_step_and_why_it_ended():
    shown = run("traverse", "larkspur", QUESTION)
    assert "everything that was required is in it" in shown
    assert "each check sends the whole context so far" in shown


def test_a_judged_question_may_be_named_by_its_id():
    told = json.loads(run("traverse", "larkspur", "m01", "--json"))
    assert told["query"] == QUESTION
    assert told["stopping_reason"] == "complete"
    assert told["steps"][0]["parent"] is None


@pytest.mark.parametrize(
    ("option", "name", "reason"),
    [
        ("--nodes", "max_nodes", "node_budget"),
        ("--hops", "max_hops", "hop_budget"),
        ("--checks", "max_checks", "check_budget"),
    ],
)
def test_budgets_are_options(option, name, reason):
    told = json.loads(run("traverse", "larkspur", "m01", option, "1", "--json"))
    assert told["budget"][name] == 1
    assert told["stopping_reason"] == reason
    assert told["missing_evidence"]


def test_evidence_can_be_given():
    told = json.loads(run("traverse", "larkspur", "snapshots", "-e", "snapshot-retention", "--json"))
    assert told["required_evidence"] == ["snapshot-retention"]


def test_the_notebooks_walk_names_its_faults():
    shown = run("traverse", "larkspur", "m01", "--walk", "notebook")
    assert "never expanded" in shown
    assert "snapshot-retention" in shown


def test_the_audit_log_is_written(tmp_path):
    path = tmp_path / "walk.jsonl"
    run("traverse", "larkspur", "m01", "--audit", str(path))
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {record["record"] for record in records} == {"seed", "step", "summary"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--walk", "best"], "'best' is not a walk"),
        (["--ask-model", "m", "--model-host", "http://elsewhere"], "is not a model server"),
        (["--ask-model", "m", "--model-api", "grpc"], "'grpc' is not a way to ask"),
    ],
)
def test_a_wrong_option_is_one_sentence(options, said):
    with pytest.raises(ConfigError, match=said):
        run("traverse", "larkspur", "m01", *options)


def test_reach_measures_the_walk_beside_flat_retrieval():
    told = json.loads(run("reach", "larkspur", "--json"))
    assert told["n_questions"] == 22
    by_walk = {entry["walk"]: entry for entry in told["walks"]}
    assert by_walk["audited"]["whole"] >= by_walk["flat"]["whole"] + 0.2


def test_reach_prints_intervals_and_the_tokenizer():
    shown = run("reach", "larkspur", "--nodes", "4")
    assert "22 questions, at most 4 chunks" in shown
    assert "Evidence, walk over flat: +" in shown


def test_reach_reads_questions_from_a_file(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text('{"id": "x", "text": "snapshots", "relevant": ["snapshot-retention"]}\n', encoding="utf-8")
    assert json.loads(run("reach", "larkspur", "--queries", str(path), "--json"))["n_questions"] == 1
