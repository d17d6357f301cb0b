"""A build that ended early goes on: from Python, from the command line, and in the process of the dashboard."""

from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cnrag_core.cli import app
from cnrag_core.config.loader import load_config
from cnrag_core.corpus.samples import load_sample
from cnrag_core.errors import CNRagError, ConfigError
from cnrag_core.rag import NetworkRAG
from cnrag_core.worker import ResumeFolder, build_in_child
from cnrag_core.workspace import Workspace


class StoppedError(Exception):
    pass


@pytest.fixture(scope="module")
def larkspur() -> Workspace:
    return Workspace.of_sample("larkspur")


def stop_after_comparing(step: str, share: float) -> None:
    if step == "Finding communities":
        raise StoppedError


def shards(folder: Path) -> dict[Path, int]:
    return {file: file.stat().st_mtime_ns for file in folder.rglob("tile-*.npz")}


def test_the_facade_resumes_and_takes_an_executor(tmp_path: Path) -> None:
    sample = load_sample("larkspur")
    rag, again, plain = (NetworkRAG.from_config(sample.config_yaml) for _ in range(3))
    for each in (rag, again, plain):
        each.add_corpus(sample.corpus)
    with pytest.raises(StoppedError):
        rag.build_network(resume=tmp_path, progress=stop_after_comparing)
    kept = shards(tmp_path)
    assert kept
    with ThreadPoolExecutor(2) as pool:
        again.build_network(resume=str(tmp_path), executor=pool)
    plain.build_network()
    assert shards(tmp_path) == kept
    assert again.network.graph.digest == plain.network.graph.digest


def test_the_command_line_resumes(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    runner = CliRunner()
    plain = json.loads(runner.invoke(app, ["build", "larkspur", "--json"]).stdout)
    for _ in range(2):
        found = runner.invoke(app, ["build", "larkspur", "--json", "--resume", str(folder)])
        summary = json.loads(found.stdout)
        for one in (plain, summary):
            one["figures"].pop("seconds", None)
        assert summary == plain
    assert shards(folder)
    refused = runner.invoke(app, ["build", "papers", "--json", "--resume", str(folder)])
    assert isinstance(refused.exception, CNRagError)
    assert "from another corpus or configuration than this one" in str(refused.exception)


def test_a_build_of_the_dashboard_that_was_ended_goes_on_in_the_folder_of_its_session(larkspur: Workspace) -> None:
    session = ResumeFolder()
    assert stat.S_IMODE(session.path.stat().st_mode) == 0o700
    with pytest.raises(StoppedError):
        build_in_child(larkspur.corpus, larkspur.config, name="ended", resume=session, progress=stop_after_comparing)
    kept = shards(session.path)
    assert kept
    seen: list[dict[Path, int]] = []
    built = build_in_child(
        larkspur.corpus,
        larkspur.config,
        name="gone on",
        resume=session,
        progress=lambda step, share: seen.append(shards(session.path)) if step == "Saving what was built" else None,
    )
    assert seen[0] == kept
    assert built.network.graph.digest == larkspur.network.graph.digest
    assert list(session.path.iterdir()) == []


def test_a_session_keeps_one_build_and_none_after_it_is_gone(tmp_path: Path) -> None:
    session, other = ResumeFolder(), ResumeFolder()
    assert session.path != other.path
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"id": "a"}\n', encoding="utf-8")
    first = session.for_build(corpus, {"name": "x"})
    first.mkdir()
    assert session.for_build(corpus, {"name": "x"}) == first
    assert first.exists()
    second = session.for_build(corpus, {"name": "y"})
    assert second != first
    assert not first.exists()
    corpus.write_text('{"id": "b"}\n', encoding="utf-8")
    assert session.for_build(corpus, {"name": "y"}) != second
    path = session.path
    del session
    assert not path.exists()
    assert other.path.exists()


def test_a_dashboard_build_on_a_cluster_is_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    from cnrag_core import worker

    called = []
    monkeypatch.setattr(worker, "build_in_child", lambda *_, **options: called.append(options["resume"]))
    corpus = load_sample("larkspur").corpus
    config = load_config("similarity: {components: [{field: text}]}\nengine: dask")
    worker.build_workspace(corpus, config, name="x", resume=ResumeFolder())
    assert called == [None]


def test_two_builds_in_one_folder_are_refused(tmp_path: Path) -> None:
    from cnrag_core.similarity.shards import only_user

    sample = load_sample("larkspur")
    rag = NetworkRAG.from_config(sample.config_yaml)
    rag.add_corpus(sample.corpus)
    with only_user(tmp_path), pytest.raises(ConfigError, match="another build is at work in this folder"):
        rag.build_network(resume=tmp_path)
