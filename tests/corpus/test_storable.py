"""Text that no file can hold is cleaned in documents made in Python as it is in files."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cnrag_core.corpus.document import Corpus, Document, Provenance
from cnrag_core.corpus.storable import is_storable, storable_text
from cnrag_core.errors import CorpusError
from cnrag_core.rag import NetworkRAG
from cnrag_core.workspace import Workspace

HALF = "reefs \ud800 bleach"


def test_halves_that_belong_together_are_joined_and_lone_ones_replaced() -> None:
    assert storable_text("\ud83d\ude00") == "\U0001f600"
    assert storable_text("a\ud800b\x00c") == "a\ufffdb\ufffdc"
    same = "naïve 猫"
    assert storable_text(same) is same


@pytest.mark.parametrize("value", [[["a\ud800"]], {"k\ud800": 1}, {"k": {"a\x00"}}, (1, None, "\udfff")])
def test_what_cannot_be_stored_is_found_at_any_depth(value: object) -> None:
    assert not is_storable(value)


def test_a_document_made_in_python_is_cleaned_like_one_of_a_file() -> None:
    document = Document("d\ud800", {"t": HALF, "n\x00": ["ok", HALF], "turns": [{"role": "u", "content": HALF}]})
    assert document.id == "d\ufffd"
    clean = "reefs \ufffd bleach"
    assert document.fields == {"t": clean, "n\ufffd": ["ok", clean], "turns": [{"role": "u", "content": clean}]}
    assert Document("d", {}, Provenance("x\ud800.csv", row=3)).provenance == Provenance("x\ufffd.csv", row=3)


def test_a_document_without_such_text_keeps_its_very_fields() -> None:
    fields = {"t": "naïve", "n": 3, "tags": ["a", "猫"]}
    assert Document("d", fields).fields is fields


def test_fields_without_end_are_one_sentence() -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(CorpusError, match=r"^Document 'd': the fields are nested too deeply"):
        Document("d", {"t": endless})


def test_documents_made_in_python_are_saved_and_found_again(tmp_path) -> None:  # type: ignore[no-untyped-def]
    corpus = Corpus((Document("a\ud800", {"t": HALF}), Document("b", {"t": "reefs recover"})), {"t": "text"})
    path = tmp_path / "reefs.cnrag"
    workspace = Workspace.build(corpus)
    workspace.save(path)
    assert Workspace.open(path).corpus.digest == corpus.digest
    named = Workspace.open(replace(workspace, name=HALF, view={"q": HALF}).to_bytes())
    assert (named.name, named.view) == ("reefs � bleach", {"q": "reefs � bleach"})
    assert [found.node_id for found in workspace.network.search("bleach").top(1)] == ["a\ufffd"]


def test_memory_and_database_hold_the_same_text(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "reefs.db"
    rag = NetworkRAG(path, min_similarity=0.1)
    rag.add_corpus([Document("a", {"content": HALF, "note": HALF})])
    assert NetworkRAG(path).documents == rag.documents
