"""`cnrag build` tells what reading found; `cnrag config` converts and guesses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cnrag_core.cli import app
from cnrag_core.config.loader import dialect_in
from cnrag_core.errors import CNRagError, CorpusError


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=True)
    if isinstance(result.exception, CNRagError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Rivers\n\nA river flows to the sea.")
    (folder / "b.md").write_text("# Seas\n\nThe sea takes every river.")
    (folder / "empty.md").write_text("")
    return folder


def test_build_tells_what_reading_left_out(notes):
    assert "note: Left out: empty.md is empty." in run("build", notes)
    assert "Left out: empty.md is empty." in json.loads(run("build", notes, "--json"))["warnings"]


def test_what_reading_left_out_is_told_of_a_saved_workspace_too(notes, tmp_path):
    saved = tmp_path / "notes.cnrag"
    run("build", notes, "--save", saved)
    assert "note: Left out: empty.md is empty." in run("build", saved)


def test_repeated_ids_are_kept_on_request(tmp_path):
    references = tmp_path / "refs.bib"
    references.write_text("@book{k, title={Red rivers}}\n@book{k, title={Rivers in red}}\n@book{l, title={Red seas}}")
    with pytest.raises(CorpusError, match=r"id 'k' is used .* use `cnrag build --keep-duplicates`"):
        run("build", references)
    told = json.loads(run("build", references, "--keep-duplicates", "--json"))
    assert told["figures"]["documents"] == 3
    assert any("'k#2'" in warning for warning in told["warnings"])
    assert "field: title" in run("config", "guess", references)


def test_convert_writes_the_other_dialect(tmp_path):
    components, graph = tmp_path / "components.yaml", tmp_path / "graph.yaml"
    components.write_text(
        "similarity:\n  components:\n    - {type: field_embedding, field: title}\n  min_combined_similarity: 0.2\n"
    )
    graph.write_text(run("config", "convert", components))
    assert dialect_in(graph) == "graph"
    back = run("config", "convert", graph)
    assert dialect_in(back) == "components"
    assert run("config", "convert", components, "--to", "components") == back


def test_a_configuration_is_guessed_of_a_sample():
    assert "similarity:" in run("config", "guess", "larkspur")


def test_where_no_pair_is_alike_no_threshold_is_suggested(tmp_path):
    corpus, config = tmp_path / "c.json", tmp_path / "c.yaml"
    corpus.write_text(json.dumps([{"id": str(n), "size": f"{n} cm"} for n in range(3)]))
    config.write_text(
        "similarity:\n  components:\n    - {type: attribute_similarity, field: size, metric: numeric, scale: 1}\n"
        "  min_combined_similarity: 0.1\n"
    )
    warnings = json.loads(run("build", corpus, "-c", config, "--json"))["warnings"]
    assert (
        "Field 'size' is compared as a number, but none of its values is one (such as the text \"0 cm\"); "
        "what is none counts as missing." in warnings
    )
    assert (
        "3 of 3 documents are linked to nothing at threshold 0.10. No two of the 3 documents have any similarity."
        in warnings
    )


def test_a_question_without_results_says_why(notes):
    assert run("search", notes, "zzzz qqqq").endswith("No word of the question occurs in the documents.\n\n")


def test_a_schema_that_a_saved_workspace_cannot_follow_is_told(tmp_path):
    corpus, saved, config = tmp_path / "c.json", tmp_path / "c.cnrag", tmp_path / "c.yaml"
    corpus.write_text(json.dumps([{"id": str(n), "body": f"red apple {n}", "kind": "a-b"} for n in range(3)]))
    run("build", corpus, "--save", saved)
    rest = "similarity:\n  components:\n    - {type: field_embedding, field: body}\n  min_combined_similarity: 0.1\n"
    config.write_text("schema: {body: text, kind: {type: list, separator: '-'}}\n" + rest)
    assert "not applied to 'kind'. Build from the original file" in run("build", saved, "-c", config)
    assert "not applied" not in run("build", corpus, "-c", config)
    config.write_text("schema: {body: text}\n" + rest)
    assert "not applied" not in run("build", saved, "-c", config)


def test_weights_without_effect_are_told_by_check_and_build(tmp_path):
    rules, corpus = tmp_path / "rules.yaml", tmp_path / "reefs.csv"
    rules.write_text(
        "similarity:\n  components:\n    - type: composite_embedding\n      aggregation: max_pool\n"
        "      fields: [{field: title, weight: 3}, {field: text, weight: 1}]\n  min_combined_similarity: 0.2\n"
    )
    corpus.write_text("id,title,text\na,red reef,corals bleach\nb,blue reef,corals recover\n")
    told = "note: title+text: aggregation 'max_pool' takes no weights"
    assert told in run("config", "check", rules)
    assert told in run("build", corpus, "--config", rules)
