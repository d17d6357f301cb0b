"""The two ways in: paths and uploads."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from cnrag_core.config.spec import FieldSpec
from cnrag_core.corpus.limits import UPLOAD_LIMITS, Limits
from cnrag_core.corpus.readers import read_bytes, read_corpus, reading
from cnrag_core.errors import CorpusError

CSV = "id,title,year\n007,One title,1999\n7,Two titles,2001\n"


def test_a_path_and_its_bytes_give_the_same_corpus(tmp_path: Path) -> None:
    path = tmp_path / "papers.csv"
    path.write_text(CSV, encoding="utf-8")
    from_path, from_bytes = read_corpus(path), read_bytes(CSV.encode(), "papers.csv")
    assert from_path.digest == from_bytes.digest
    assert from_path.name == from_bytes.name == "papers"
    assert str(from_path["7"].provenance) == "papers.csv, record 2"


def test_a_path_may_be_text(tmp_path: Path) -> None:
    path = tmp_path / "papers.csv"
    path.write_text(CSV, encoding="utf-8")
    assert len(read_corpus(str(path))) == 2


def test_a_schema_is_applied() -> None:
    corpus = read_bytes(CSV.encode(), "x.csv", fields={"when": FieldSpec(kind="number", source="year")})
    assert (corpus["7"].fields["when"], corpus.kinds["when"]) == (2001, "number")


def test_another_id_field_is_used() -> None:
    assert read_bytes(CSV.encode(), "x.csv", id_field="year")["1999"].text("title") == "One title"


def test_a_path_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"There is no file or folder '.*nowhere\.csv'"):
        read_corpus(tmp_path / "nowhere.csv")


@pytest.mark.parametrize("path", ["a\x00b", "x" * 5000, ""])
def test_names_that_no_system_opens(path: str) -> None:
    with pytest.raises(CorpusError):
        read_corpus(path if path else "\x00")


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CorpusError, match="pipe is no ordinary file"):
        read_corpus(tmp_path / "pipe")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "secret.csv"
    path.write_text(CSV, encoding="utf-8")
    path.chmod(0)
    with pytest.raises(CorpusError, match="cannot be opened: Permission denied"):
        read_corpus(path)


def test_a_file_that_is_too_large_is_not_even_read(tmp_path: Path) -> None:
    path = tmp_path / "big.csv"
    with path.open("wb") as file:
        file.truncate(300 * 2**20)
    with pytest.raises(CorpusError, match=r"big\.csv has 300 MB; at most 200 MB are allowed here"):
        read_corpus(path, limits=Limits())


def test_an_upload_that_is_too_large() -> None:
    with pytest.raises(CorpusError, match="at most 10 bytes are allowed"):
        read_bytes(CSV.encode(), "x.csv", limits=Limits(file_bytes=10))


def test_uploads_are_held_to_a_number_of_documents_and_own_files_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (UPLOAD_LIMITS.documents, Limits().documents) == (100_000, None)
    monkeypatch.setattr(reading, "UPLOAD_LIMITS", replace(UPLOAD_LIMITS, documents=100))
    with pytest.raises(CorpusError, match=r"many\.jsonl has more than 100 documents"):
        read_bytes(b'{"n": 1}\n' * 101, "many.jsonl")


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("../../etc/evil.csv", "evil"),
        ("C:\\x\\papers.csv", "papers"),
        ("a\x00b.csv", "ab"),
        ("<img src=x onerror=alert(1)>.csv", "<img src=x onerror=alert(1)>"),
        (".hidden", ".hidden"),
        ("", "file"),
        ("...", ".."),
        ("a\u202egnp.csv", "agnp"),
    ],
)
def test_names_are_labels_and_never_paths(name: str, label: str) -> None:
    assert read_bytes(CSV.encode(), name).name == label


def test_a_very_long_name_is_shortened() -> None:
    assert len(read_bytes(CSV.encode(), "x" * 4000 + ".csv").name) <= 80
