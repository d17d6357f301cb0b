"""Context packs: citations that point back, budgets that hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cnrag_core.chunking.tokens import count_tokens
from cnrag_core.corpus.document import Document, Provenance
from cnrag_core.errors import ConfigError
from cnrag_core.retrieval.context_pack import (
    Passage,
    pack_context,
    pack_results,
    passages_of_results,
    question_relevance,
)
from cnrag_core.retrieval.search import Search

LONG = " ".join(f"Sentence number {i} speaks of nothing." for i in range(200)) + " The walrus is here."
DOCUMENTS = [
    Document("a", {"text": "Ants carry leaves. They live in colonies."}, Provenance("zoo.pdf", page=3)),
    Document("b", {"text": LONG}),
    Document("c", {"text": "Bees make honey."}),
]
PASSAGES = [Passage(document, "text", title=document.id.upper()) for document in DOCUMENTS]


def about_walrus(sentence: str) -> float:
    return float("walrus" in sentence)


def test_short_passages_are_packed_whole_and_numbered():
    pack = pack_context("What do ants do?", [PASSAGES[0], PASSAGES[2]])
    assert pack.text.startswith(
        "Question: What do ants do?\n\n[1] Ants carry leaves. They live in colonies.\n\n[2] Bees"
    )
    assert [str(citation) for citation in pack.citations] == [
        "[1] A (a, text, page 3, characters 0-41)",
        "[2] C (c, text, characters 0-16)",
    ]
    assert pack.n_tokens == count_tokens(pack.text)


def test_long_passages_are_cut_to_the_sentences_about_the_question():
    pack = pack_context("walrus", [PASSAGES[1]], relevance=about_walrus)
    citation = pack.citations[0]
    assert LONG[citation.start : citation.end] == "The walrus is here."
    assert len(pack.citations) == 1


def test_neighbouring_sentences_are_one_citation():
    pack = pack_context("", [PASSAGES[1]])
    assert len(pack.citations) == 1
    assert pack.citations[0].start == 0


def test_what_does_not_fit_is_named_and_the_next_one_tried():
    long_word = Document("x", {"text": "word " * 300})
    pack = pack_context("q", [Passage(long_word, "text"), PASSAGES[2]], max_tokens=60)
    assert pack.left_out == ("x",)
    assert [citation.node_id for citation in pack.citations] == ["c"]


def test_spans_of_chunks_point_into_the_whole_field():
    pack = pack_context("q", [Passage(DOCUMENTS[0], "text", 19, 41)])
    assert DOCUMENTS[0].text("text")[pack.citations[0].start : pack.citations[0].end] == "They live in colonies."


def test_nothing_to_pack_is_the_question_alone():
    pack = pack_context("Why?", [])
    assert pack.text == "Question: Why?\n\n"
    assert pack.citations == ()


def test_budget_must_be_positive():
    with pytest.raises(ConfigError, match="at least 1 token; got 0"):
        pack_context("q", PASSAGES, max_tokens=0)


@given(st.integers(1, 2500), st.permutations(PASSAGES))
def test_the_budget_is_never_exceeded_and_every_citation_points_back(max_tokens, passages):
    question = "q"
    pack = pack_context(question, passages, max_tokens=max_tokens, relevance=about_walrus)
    assert pack.n_tokens <= max_tokens or not pack.citations
    by_id = {document.id: document for document in DOCUMENTS}
    for citation in pack.citations:
        piece = by_id[citation.node_id].text(citation.field)[citation.start : citation.end]
        assert f"[{citation.number}] {piece}" in pack.text
    assert set(pack.left_out) | {citation.node_id for citation in pack.citations} == set(by_id)


def test_results_of_a_search_are_packed_in_their_order(source):
    results = Search("sweet honey", source).with_strategy("similarity").top(3)
    passages = passages_of_results(results, source.scorer)
    assert [passage.document.id for passage in passages] == results.ids
    assert {passage.field for passage in passages} == {"text"}
    assert passages[0].title == "Bread"
    assert [citation.node_id for citation in pack_results(results, source.scorer).citations] == results.ids
    relevance = question_relevance("sweet honey", source.scorer)
    assert relevance("honey makes it sweet") == pytest.approx(1.0)
    assert 0 < relevance("honey") < 1
    assert relevance("nothing") == 0
