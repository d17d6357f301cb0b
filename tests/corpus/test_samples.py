"""The shipped samples are found, complete, and fit their configurations."""

from __future__ import annotations

from pathlib import Path

import pytest

from cnrag_core.config.loader import load_config
from cnrag_core.corpus import samples
from cnrag_core.corpus.checks import check_fields
from cnrag_core.corpus.samples import load_sample, sample_names
from cnrag_core.errors import CorpusError, UnknownNameError


def test_the_samples_are_there() -> None:
    assert {"papers", "products", "blog", "chats", "larkspur"} <= set(sample_names())


@pytest.mark.parametrize("name", sample_names())
def test_a_sample_is_complete(name: str) -> None:
    sample = load_sample(name)
    assert sample.title
    assert sample.description
    assert len(sample.corpus) >= 40
    assert sample.corpus.name == name
    assert len(sample.queries) >= 12
    known = {document.id for document in sample.corpus}
    assert all(set(query["relevant"]) <= known for query in sample.queries)
    assert check_fields(sample.corpus, load_config(sample.config_yaml)) == []


def test_an_unknown_sample_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"There is no sample 'paperz'; the samples are .*Did you mean 'papers'"):
        load_sample("paperz")


def test_a_name_is_never_a_path() -> None:
    with pytest.raises(UnknownNameError, match="There is no sample"):
        load_sample("../tests")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another folder of samples than the shipped one; it does not exist until something is written there."""
    folder = tmp_path / "sample_data"
    monkeypatch.setattr(samples, "installed", lambda name: folder if folder.is_dir() else None)
    return folder


def write_sample(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True)
    contents = {"about.md": "# Mine\n\nTwo notes.", "config.yaml": "x", "corpus.jsonl": '{"id": "a"}\n{"id": "b"}'}
    for name, text in {**contents, **{key.replace("_", "."): value for key, value in files.items()}}.items():
        (folder / name).write_text(text, encoding="utf-8")


def test_samples_are_found_where_they_are_installed(installed: Path) -> None:
    write_sample(installed / "mine", synonyms_json='{"a": ["b", "c"]}')
    assert sample_names() == ["mine"]
    sample = load_sample("mine")
    assert (sample.title, sample.description, len(sample.corpus)) == ("Mine", "Two notes.", 2)
    assert sample.synonyms == {"a": ("b", "c")}
    assert sample.queries == ()


def test_without_samples_the_list_is_empty(installed: Path) -> None:
    assert sample_names() == []
    with pytest.raises(UnknownNameError, match="no samples are installed"):
        load_sample("papers")


def test_a_damaged_question_is_named(installed: Path) -> None:
    write_sample(installed / "broken", queries_jsonl='{"id": "q", "text": "?"}')
    with pytest.raises(
        CorpusError, match=r"broken/queries.jsonl, line 1: a question needs 'text' and a list 'relevant'"
    ):
        load_sample("broken")


def test_a_missing_file_is_named(installed: Path) -> None:
    write_sample(installed / "half")
    (installed / "half" / "config.yaml").unlink()
    with pytest.raises(CorpusError, match=r"The sample half is incomplete: config\.yaml cannot be read"):
        load_sample("half")
