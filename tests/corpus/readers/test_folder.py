"""Folders and zips of notes, pages and records."""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path

import pytest

from cnrag_core.corpus.limits import Limits
from cnrag_core.corpus.readers import read_bytes, read_corpus
from cnrag_core.errors import CorpusError

NOTES = {
    "alpha.md": "---\ntags: [x]\n---\n# Alpha\n\nSee [[beta]] and [gamma](sub/gamma.md), not [this](https://example.org).",
    "sub/beta.md": "Beta without a heading, back to [up](../alpha.md).",
    "sub/gamma.md": "# Gamma\n\n" + "Long. " * 3000,
    "plain.txt": "A plain text.",
    "page.html": "<html><title>Page</title><p>Words of it.</p></html>",
}


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def zipped(files: dict[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_a_folder_of_notes(tmp_path: Path) -> None:
    corpus = read_corpus(write(tmp_path / "notes", NOTES))
    assert [document.id for document in corpus] == ["alpha.md", "page.html", "plain.txt", "sub/beta.md", "sub/gamma.md"]
    assert corpus.name == "notes"
    assert corpus["alpha.md"].text("title") == "Alpha"
    assert corpus["sub/beta.md"].text("title") == "beta"
    assert corpus["sub/beta.md"].text("folder") == "sub"
    assert corpus["alpha.md"].provenance.file == "alpha.md"
    assert corpus.kinds["tags"] == "list"


def test_links_between_notes_are_ids(tmp_path: Path) -> None:
    corpus = read_corpus(write(tmp_path, NOTES))
    assert corpus["alpha.md"].fields["links"] == ["sub/beta.md", "sub/gamma.md"]
    assert corpus["sub/beta.md"].fields["links"] == ["alpha.md"]


def test_a_zip_reads_like_its_folder(tmp_path: Path) -> None:
    folder = read_corpus(write(tmp_path, NOTES))
    archive = read_bytes(zipped({f"export/{name}": text for name, text in NOTES.items()}), "notes.zip")
    assert archive.digest == folder.digest


def test_hidden_files_and_links_out_are_left_out(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    folder = write(tmp_path / "notes", {"a.md": "One note.", ".git/config": "x", "b.md": "Two notes."})
    os.symlink(secret, folder / "link.md")
    corpus = read_corpus(folder)
    assert [document.id for document in corpus] == ["a.md", "b.md"]
    assert any("'link.md'" in text or "link.md is a link" in text for text in corpus.warnings)


def test_names_in_an_archive_are_never_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    corpus = read_bytes(
        zipped({"../../evil.md": "One note.", "/etc/other.md": "Two.", "C:\\x\\y.md": "Three."}), "x.zip"
    )
    assert len(corpus) == 3
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_read_is_named_and_the_others_load() -> None:
    corpus = read_bytes(
        zipped({"a.md": "One note.", "b.md": "Two notes.", "c.pdf": b"%PDF-1.4 broken", "d.md": ""}), "x.zip"
    )
    assert [document.id for document in corpus] == ["a.md", "b.md"]
    told = " ".join(corpus.warnings)
    assert "c.pdf: this PDF is damaged" in told
    assert "d.md is empty" in told


def test_many_files_left_out_are_told_in_one_sentence() -> None:
    files: dict[str, str | bytes] = {f"{n}.png": b"\x89PNG\r\n\x1a\n" for n in range(30)}
    corpus = read_bytes(zipped({**files, "a.md": "One note.", "b.md": "Two notes."}), "x.zip")
    (told,) = [text for text in corpus.warnings if "left out" in text]
    assert told.startswith("30 files were left out. The first: 0.png is an image")


def test_a_folder_of_records(tmp_path: Path) -> None:
    records = {f"{n}.json": json.dumps({"id": f"d{n}", "title": f"Title number {n}"}) for n in range(3)}
    corpus = read_corpus(write(tmp_path, {**records, "README.md": "About."}))
    assert [document.id for document in corpus] == ["d0", "d1", "d2"]
    assert corpus["d1"].provenance.file == "1.json"
    assert any("1 file of another sort were left out: 'README.md'" in text for text in corpus.warnings)


def test_ids_that_clash_across_files_name_both_files(tmp_path: Path) -> None:
    files = dict.fromkeys(("a.json", "b.json"), '[{"id": "x", "title": "A title"}]')
    with pytest.raises(CorpusError, match=r"id 'x' is used by a\.json, record 1 and b\.json, record 1"):
        read_corpus(write(tmp_path, files))


def test_a_corpus_beside_other_files_is_the_corpus(tmp_path: Path) -> None:
    files = {
        "corpus.jsonl": '{"id": "a"}\n{"id": "b"}\n',
        "queries.jsonl": '{"id": "q"}\n',
        "README.md": "About." * 100,
    }
    assert [document.id for document in read_corpus(write(tmp_path, files))] == ["a", "b"]


def test_a_zip_of_one_table_is_that_table() -> None:
    corpus = read_bytes(zipped({"table.csv": "id,n\n007,1\n7,2\n"}), "x.zip")
    assert [document.id for document in corpus] == ["007", "7"]
    assert corpus["7"].fields["n"] == 2


@pytest.mark.parametrize("files", [{}, {"a.png": b"\x89PNG\r\n\x1a\n"}, {"inner.zip": zipped({"a.md": "x"})}])
def test_nothing_to_read_is_refused(files: dict[str, str | bytes]) -> None:
    with pytest.raises(CorpusError, match=r"x\.zip"):
        read_bytes(zipped(files), "x.zip")


def test_an_archive_that_unpacks_to_too_much_is_refused() -> None:
    with pytest.raises(CorpusError, match=r"unpacks to 9\.5 MB; at most 4 MB"):
        read_bytes(zipped({"a.txt": "x" * 10_000_000}), "x.zip", limits=Limits(text_bytes=2**20))


def test_a_damaged_or_protected_archive_is_refused() -> None:
    data = zipped(NOTES)
    with pytest.raises(CorpusError, match=r"x\.zip cannot be read as a zip archive"):
        read_bytes(data[:-40], "x.zip")
    info = data.find(b"PK\x01\x02")
    protected = data[: info + 8] + b"\x01" + data[info + 9 :]
    with pytest.raises(CorpusError, match="protected by a password"):
        read_bytes(protected, "x.zip")


def test_an_entry_without_a_name_is_passed_over() -> None:
    data = zipped({"a.md": "One note.", "b.md": "Two notes.", "c.md": "Three."})
    place = data.index(b"PK\x01\x02") + 46
    assert data[place : place + 4] == b"a.md"
    with_nul = data[:place] + b"\x00.md" + data[place + 4 :]
    assert [document.id for document in read_bytes(with_nul, "x.zip")] == ["b.md", "c.md"]


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="there is no file in it that can be read"):
        read_corpus(tmp_path)
