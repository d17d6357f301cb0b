"""Each command names another kind of file than it takes, and the command that takes it."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cnrag_core.cli import app
from cnrag_core.errors import CNRagError
from cnrag_core.evaluation.judgements import read_judgements
from cnrag_core.file_kinds import kind_of_file
from cnrag_core.rag import NetworkRAG

LINES = '{"id": "a", "text": "coral reefs"}\n{"id": "b", "text": "reefs bleach"}\n'
YAML = "similarity:\n  components:\n    - {type: field_embedding, field: text}\n  min_combined_similarity: 0.1\n"


def said(*arguments: str) -> str:
    """What a command says, or the sentence that it ends with."""
    result = CliRunner().invoke(app, list(arguments))
    if isinstance(result.exception, CNRagError):
        return str(result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("files")
    (place / "d.jsonl").write_text(LINES)
    (place / "lines.cnrag").write_text(LINES)
    (place / "d.csv").write_text("id,text\na,coral reefs\nb,reefs bleach\n")
    (place / "c.yaml").write_text(YAML)
    (place / "broken.yaml").write_text("similarity:\n  components: [\n")
    (place / "notes.txt").write_text("Coral reefs bleach when the sea warms.\n")
    (place / "empty.db").touch()
    (place / "bin.dat").write_bytes(bytes(range(256)) * 4)
    (place / "dir").mkdir()
    said("build", str(place / "d.jsonl"), "--save", str(place / "w.cnrag"))
    shutil.copy(place / "w.cnrag", place / "w.zip")
    (place / "cut.cnrag").write_bytes((place / "w.cnrag").read_bytes()[:500])
    rag = NetworkRAG(place / "a.db")
    rag.add("coral reefs", id="a")
    rag.storage.close()
    return place


@pytest.fixture(autouse=True)
def _there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("d.jsonl", "corpus"), ("d.csv", "corpus"), ("lines.cnrag", "corpus"), ("c.yaml", "configuration"),
        ("broken.yaml", "configuration"), ("notes.txt", "text"), ("empty.db", "empty"), ("bin.dat", "unknown"),
        ("dir", "folder"), ("w.cnrag", "workspace"), ("w.zip", "workspace"), ("a.db", "database"),
        ("cut.cnrag", "unknown"), ("papers", "sample"), ("nowhere", "nothing"), ("a\0b", "nothing"),
    ],
)  # fmt: skip
def test_the_content_says_what_a_file_is(name: str, kind: str) -> None:
    assert kind_of_file(Path(name))[0] == kind


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["check", "d.jsonl"], "d.jsonl is a corpus (JSON Lines), neither a database nor a workspace written by cnrag; "
         "`cnrag build d.jsonl` reads it"),
        (["check", "notes.txt"], "notes.txt is plain text, neither a database nor"),
        (["check", "c.yaml"], "`cnrag config check c.yaml` checks it"),
        (["check", "dir"], "dir is a folder, neither"),
        (["check", "empty.db"], "empty.db is empty, neither"),
        (["check", "papers"], "`cnrag build papers` builds it"),
        (["check", "w.zip"], "w.zip: no damage found."),
        (["check", "a.db"], "a.db: no damage found."),
        (["check", "nowhere.cnrag"], "There is no workspace 'nowhere.cnrag'."),
        (["config", "check", "d.jsonl"], "d.jsonl is a corpus (JSON Lines), not a configuration; `cnrag config guess "
         "d.jsonl` writes a configuration for it."),
        (["config", "convert", "d.csv"], "d.csv is a corpus (a delimited table), not a configuration"),
        (["config", "check", "w.cnrag"], "w.cnrag is a saved workspace, not a configuration; `cnrag export"),
        (["config", "check", "dir"], "dir is a folder, not a configuration"),
        (["config", "check", "broken.yaml"], "this is not YAML"),
        (["config", "guess", "c.yaml"], "c.yaml is a configuration, not a corpus; give it beside one"),
        (["config", "guess", "w.cnrag"], "`cnrag export w.cnrag config.yaml` writes it"),
        (["build", "c.yaml"], "c.yaml is a configuration, not a corpus; give it beside one"),
        (["search", "broken.yaml", "coral"], "broken.yaml is a configuration, not a corpus"),
        (["build", "a.db"], "a.db is an SQLite database, not a corpus; in Python `NetworkRAG('a.db')`"),
        (["build", "d.jsonl", "-c", "w.cnrag"], "w.cnrag is a saved workspace, not a configuration"),
        (["build", "cut.cnrag"], "cut.cnrag is damaged"),
        (["check", "cut.cnrag"], "damage: cut.cnrag is damaged"),
        (["build", "paper"], "Did you mean 'papers'?"),
        (["serve", "c.yaml"], "c.yaml is a configuration, not a corpus"),
        (["serve", "nowhere"], "'nowhere' is neither a file, a folder nor a sample"),
        (["evaluate", "d.jsonl", "c.yaml"], "c.yaml is a configuration, not a file of judged questions"),
        (["reach", "d.jsonl", "-q", "a.db"], "a.db is an SQLite database, not a file of judged questions"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_named_with_the_command_that_takes_it(arguments: list[str], sentence: str) -> None:
    assert sentence in said(*arguments)


def test_the_content_decides_and_not_the_name() -> None:
    assert "documents" in said("build", "lines.cnrag")
    assert "documents" in said("build", "w.zip")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("On two words\n\nsimilarity:\nhow alike they are: [in part\n  or: in whole\n", "text"),
        ("similarity:\n" + "a line of a long text\n" * 4000, "text"),
        ("similarity:\n\tcomponents:\n\t- {type: field_embedding, field: text}\n", "configuration"),
        ("similarity:  # of all\r\n  min_combined_similarity: 0.1\r\n  edges: [\r\n", "configuration"),
        ("similarities:\n  text_sim: {embedding: text_vec\n", "configuration"),
    ],
)
def test_what_is_no_yaml_is_a_configuration_only_where_more_than_one_line_says_so(
    text: str, kind: str, tmp_path: Path
) -> None:
    (tmp_path / "words.txt").write_text(text)
    assert kind_of_file(tmp_path / "words.txt")[0] == kind


def test_a_pipe_is_left_to_whoever_reads_it(tmp_path: Path) -> None:
    pipe = tmp_path / "queries"
    os.mkfifo(pipe)
    question = '{"text": "coral", "relevant": ["a"]}'
    writer = threading.Thread(target=pipe.write_text, args=(question,), daemon=True)
    writer.start()
    assert kind_of_file(pipe) == ("unknown", "")
    assert [query.text for query in read_judgements(pipe)] == ["coral"]
    writer.join()
