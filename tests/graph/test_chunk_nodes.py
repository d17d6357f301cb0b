"""Documents cut into chunks with stable ids; offsets always point back."""

from __future__ import annotations

import json

import pytest

from cnrag_core.config.spec import ChunkingStrategy
from cnrag_core.corpus.document import Document, Provenance
from cnrag_core.graph.chunk_nodes import TextFields, cut_documents

FIELDS = TextFields("title", ("abstract", "body"))
PARAGRAPH = "A sentence that is said again and again. " * 20


def test_a_short_document_is_one_chunk_with_its_id():
    corpus = cut_documents([Document("a", {"title": "T", "body": "short"})], FIELDS)
    (chunk,) = corpus.chunks
    assert (chunk.id, chunk.document_id, chunk.text, chunk.title, chunk.field) == ("a", "a", "short", "T", "body")
    assert (chunk.start, chunk.end) == (0, 5)
    assert corpus.is_uncut
    assert corpus.n_cut == 0


def test_short_fields_stay_together():
    (chunk,) = cut_documents([Document("a", {"abstract": "first", "body": "second"})], FIELDS).chunks
    assert (chunk.text, chunk.field) == ("first\n\nsecond", "abstract+body")


def test_a_long_document_is_cut_field_by_field_and_offsets_point_back():
    document = Document("a", {"abstract": PARAGRAPH, "body": PARAGRAPH * 3})
    corpus = cut_documents([document], FIELDS)
    assert [chunk.id for chunk in corpus.chunks] == [f"a#{i}" for i in range(len(corpus.chunks))]
    assert {chunk.field for chunk in corpus.chunks} == {"abstract", "body"}
    for chunk in corpus.chunks:
        assert document.text(chunk.field)[chunk.start : chunk.end] == chunk.text
        assert len(chunk.text) <= 1000
    assert corpus.of_document == {"a": tuple(chunk.id for chunk in corpus.chunks)}
    assert corpus.n_cut == 1


@pytest.mark.parametrize(("n_characters", "n_chunks"), [(2000, 1), (2001, 3)])
def test_two_thousand_characters_stay_whole(n_characters, n_chunks):
    text = ("word " * 401)[:n_characters].rstrip().ljust(n_characters, "x")
    assert len(cut_documents([Document("a", {"body": text})], FIELDS).chunks) == n_chunks


def test_a_given_strategy_cuts_short_documents_too():
    strategy = ChunkingStrategy(method="sentences", max_tokens=6)
    corpus = cut_documents([Document("a", {"body": "It rained. We stayed. All day long."})], FIELDS, strategy)
    assert [chunk.text for chunk in corpus.chunks] == ["It rained. We stayed.", "All day long."]


def test_a_document_without_a_body_is_read_by_its_title():
    (chunk,) = cut_documents([Document("a", {"title": "Only a title"})], FIELDS).chunks
    assert (chunk.text, chunk.field) == ("Only a title", "title")


def test_an_empty_document_is_an_empty_chunk():
    (chunk,) = cut_documents([Document("a", {})], TextFields(None, ("body",))).chunks
    assert chunk.text == ""


def test_chunks_know_their_page():
    document = Document("p", {"body": PARAGRAPH * 3}, Provenance("x.pdf", page=7))
    assert {chunk.page for chunk in cut_documents([document], FIELDS).chunks} == {7}


def test_chunks_as_documents_carry_the_title_once_or_always():
    document = Document("a", {"title": "T", "tags": ["x"], "body": PARAGRAPH * 3})
    corpus = cut_documents([document, Document("b", {"title": "U", "body": "short"})], FIELDS)
    once = corpus.as_documents(name_all=False)
    assert [d.text("title") for d in once] == ["T", *[""] * (len(once) - 2), "U"]
    assert [d.items("tags") for d in once][:2] == [("x",), ()]
    always = corpus.as_documents(name_all=True)
    assert [d.text("title") for d in always] == [*["T"] * (len(always) - 1), "U"]
    assert [d.text("body") for d in always] == [chunk.text for chunk in corpus.chunks]


def test_pages_of_the_guide_become_its_thirty_chunks(corpora):
    from cnrag_core.corpus.readers import read_corpus

    pages = read_corpus(corpora / "pdf" / "Understanding_Climate_Change.pdf")
    first_ten = [page for page in pages if page.provenance.page <= 10]
    strategy = ChunkingStrategy(method="recursive", max_chars=1000, overlap_chars=200)
    corpus = cut_documents(first_ten, TextFields("title", ("text",)), strategy)
    lines = (corpora / "pdf" / "climate_30_chunks.jsonl").read_text(encoding="utf-8").splitlines()
    wanted = [json.loads(line) for line in lines]
    assert len(corpus.chunks) == 30
    assert [(chunk.page, chunk.text) for chunk in corpus.chunks] == [(w["page"], w["text"]) for w in wanted]
