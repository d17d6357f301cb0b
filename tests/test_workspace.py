from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest

from cnrag_core.config.spec import FieldSpec
from cnrag_core.corpus.records import corpus_of_records
from cnrag_core.errors import CNRagError, CorpusError, ResourceLimitError, StorageCorruptError
from cnrag_core.worker import CorpusFile, build_in_child
from cnrag_core.workspace import Workspace


@pytest.fixture(scope="module")
def larkspur() -> Workspace:
    return Workspace.of_sample("larkspur")


def test_a_saved_workspace_reopens_with_the_same_view(larkspur, tmp_path):
    path = tmp_path / "larkspur.cnrag"
    larkspur.save(path)
    opened = Workspace.open(path)
    assert opened.corpus.digest == larkspur.corpus.digest
    assert opened.config == larkspur.config
    assert opened.queries == larkspur.queries
    assert opened.network.graph.digest == larkspur.network.graph.digest
    assert opened.network.candidates.digest == larkspur.network.candidates.digest
    assert np.array_equal(opened.network.communities.labels, larkspur.network.communities.labels)
    assert np.array_equal(opened.network.layout.positions, larkspur.network.layout.positions)
    question = larkspur.queries[0].text
    assert opened.network.search(question).top(5).ids == larkspur.network.search(question).top(5).ids


def test_bytes_and_file_are_the_same_workspace(larkspur):
    assert Workspace.open(larkspur.to_bytes()).network.graph.digest == larkspur.network.graph.digest


def test_a_failed_save_leaves_the_older_file_alone(larkspur, tmp_path, monkeypatch):
    path = tmp_path / "kept.cnrag"
    larkspur.save(path)
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("cnrag_core.workspace_file.writing.write_stream", full)
    with pytest.raises(CNRagError, match="could not be written: No space left"):
        larkspur.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def damaged(source: bytes, name: str, change) -> bytes:
    """The archive with one entry replaced by what `change` makes of it."""
    import io

    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(source)) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.namelist():
            data = old.read(entry)
            new.writestr(entry, change(data) if entry == name else data)
    return target.getvalue()


@pytest.mark.parametrize(
    ("entry", "change"),
    [
        ("workspace.json", lambda data: b"{}"),
        ("workspace.json", lambda data: b"not json"),
        ("corpus.jsonl", lambda data: b"\n".join(data.splitlines()[:-1])),
        ("corpus.jsonl", lambda data: data.replace(b'"title": "', b'"title": "\\ud83d ', 1)),
        ("corpus.jsonl", lambda data: data.replace(b'"title": "', b'"title": "\xed\xa0\xbd ', 1)),
        ("candidates/left.npy", lambda data: data[:-8]),
        ("graph/weight.npy", lambda data: data[:90]),
        ("communities.npy", lambda data: b"\x93NUMPY junk"),
        ("config.json", lambda data: b'{"components": []}'),
        ("rows/0/indices.npy", lambda data: data[:128] + b"\xff" * (len(data) - 128)),
    ],
)
def test_a_damaged_workspace_is_refused_in_a_sentence(larkspur, entry, change):
    with pytest.raises(CNRagError, match=r"damaged|workspace|config|components"):
        Workspace.open(damaged(larkspur.to_bytes(), entry, change))


def test_a_character_outside_the_basic_plane_may_be_written_as_a_pair(larkspur):
    data = damaged(
        larkspur.to_bytes(), "corpus.jsonl", lambda data: data.replace(b'"title": "', b'"title": "\\ud83d\\ude00 ', 1)
    )
    titles = [str(document.fields["title"]) for document in Workspace.open(data).corpus]
    assert any(title.startswith("\N{GRINNING FACE} ") for title in titles)


def test_something_else_is_no_workspace(tmp_path):
    with pytest.raises(StorageCorruptError, match="not a workspace"):
        Workspace.open(b"PK\x03\x04 nothing of ours")


def test_arrays_with_objects_are_never_loaded(larkspur):
    import io

    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(StorageCorruptError, match="damaged"):
        Workspace.open(damaged(larkspur.to_bytes(), "layout.npy", lambda _: buffer.getvalue()))


def test_a_workspace_of_a_newer_format_says_so(larkspur):
    def newer(data: bytes) -> bytes:
        return json.dumps({**json.loads(data), "version": 99}).encode()

    with pytest.raises(StorageCorruptError, match="written by a newer cnrag"):
        Workspace.open(damaged(larkspur.to_bytes(), "workspace.json", newer))


def test_a_workspace_that_unpacks_to_too_much_is_refused(larkspur, monkeypatch):
    monkeypatch.setattr("cnrag_core.workspace_file.archive.MOST_BYTES", 1000)
    with pytest.raises(ResourceLimitError, match="unpacks to"):
        Workspace.open(larkspur.to_bytes())


def test_an_unknown_source_lists_the_samples():
    with pytest.raises(CorpusError, match=r"neither a file, a folder nor a sample; the samples are .*papers"):
        Workspace.of_source("no such thing")


def test_a_child_process_builds_the_same_network(larkspur):
    steps = []
    built = build_in_child(
        larkspur.corpus,
        larkspur.config,
        name="again",
        queries=larkspur.queries,
        progress=lambda step, share: steps.append(step),
    )
    assert built.network.graph.digest == larkspur.network.graph.digest
    assert built.queries == larkspur.queries
    assert "Comparing all pairs" in steps


def test_documents_that_a_server_holds_already_are_not_made_again(larkspur):
    built = build_in_child(larkspur.corpus, larkspur.config, name="again")
    assert all(a is b for a, b in zip(built.corpus, larkspur.corpus, strict=True))
    held = {id(document) for document in larkspur.corpus}
    assert all(id(document) in held for document in built.network.documents)


@pytest.mark.parametrize("other", [{"n": 1.0}, {"n": True}, {"n": [1]}, {"n": 2}, {"m": 1}, {"n": 1, "m": None}])
def test_a_document_that_differs_in_anything_is_the_one_that_was_saved(other):
    def corpus(fields):
        return corpus_of_records([{"id": "a", "text": "red apples", **fields}, {"id": "b", "text": "red pears"}])

    saved, known = Workspace.build(corpus(other)), corpus({"n": 1})
    opened = Workspace.open(saved.to_bytes(), known=known)
    assert opened.corpus["a"] is not known["a"]
    assert repr(opened.corpus["a"].fields) == repr(saved.corpus["a"].fields)
    assert opened.corpus["b"] is known["b"]


def test_a_child_reads_an_uploaded_file_as_the_configuration_says(larkspur):
    records = [{"id": document.id, **document.fields, "n": "7"} for document in larkspur.corpus]
    file = CorpusFile("\n".join(map(json.dumps, records)).encode(), "larkspur.jsonl")
    draft = file.read()
    config = larkspur.config.model_copy(update={"fields": {"n": FieldSpec(kind="number")}})
    read, unread = (build_in_child(draft, chosen, name="x", file=file) for chosen in (config, larkspur.config))
    assert {document.fields["n"] for document in read.corpus} == {7}
    assert read.network.graph.digest == larkspur.network.graph.digest
    assert all(a is b for a, b in zip(unread.corpus, draft, strict=True))


def test_the_error_of_a_child_arrives_as_its_own_kind(larkspur):
    config = larkspur.config.model_copy(update={"components": larkspur.config.components[1:]})
    wrong = config.components[0].model_copy(update={"field": "no_such_field"})
    with pytest.raises(CorpusError, match="no_such_field"):
        build_in_child(larkspur.corpus, config.model_copy(update={"components": (wrong,)}), name="bad")


def test_cancelling_ends_the_child_and_keeps_nothing(larkspur):
    class EnoughError(Exception):
        pass

    def stop(step: str, share: float) -> None:
        if step == "Comparing all pairs":
            raise EnoughError

    with pytest.raises(EnoughError):
        build_in_child(larkspur.corpus, larkspur.config, name="cancelled", progress=stop)


def test_the_summary_is_plain_json(larkspur):
    summary = json.loads(json.dumps(larkspur.summary()))
    assert summary["figures"]["documents"] == len(larkspur.corpus)
    assert summary["communities"][0]["tags"]


@pytest.mark.parametrize(
    ("entry", "change"),
    [
        ("layout.npy", lambda data: data[:-4] + np.float32(np.nan).tobytes()),
        ("rows/0/data.npy", lambda data: data[:-4] + np.float32(np.inf).tobytes()),
        ("communities.npy", lambda data: data[:-8] + np.int64(-1).tobytes()),
        ("communities.npy", lambda data: data[:-8] + np.int64(2**62).tobytes()),
        ("candidates/weight.npy", lambda data: data.replace(b"'shape': (", b"'shape': (99999999", 1)),
        ("workspace.json", lambda data: data.replace(b'"floor":', b'"floor":7,"was":')),
        ("workspace.json", lambda data: data.replace(b'"modularity":', b'"modularity":NaN,"was":')),
        ("queries.jsonl", lambda data: data.replace(b'"relevant": {', b'"relevant": {"x": "y", ', 1)),
    ],
)
def test_no_number_of_a_workspace_is_taken_on_trust(larkspur, entry, change):
    whole = larkspur.to_bytes()
    changed = damaged(whole, entry, change)
    assert changed != damaged(whole, entry, lambda data: data)
    with pytest.raises(StorageCorruptError, match=rf"damaged.*\({entry.split('/')[0]}"):
        Workspace.open(changed)
