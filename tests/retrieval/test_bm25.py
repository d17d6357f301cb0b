"""BM25 against its formula, worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cnrag_core.retrieval.bm25 import TermIndex
from cnrag_core.retrieval.language import Language
from cnrag_core.retrieval.terms import TermAnalyzer

PLAIN = TermAnalyzer(Language())
TEXTS = ["cat cat dog", "dog", "", "bird dog bird bird"]


def by_hand(query: str) -> list[float]:
    """Lucene's BM25 with k1 = 1.5, b = 0.75."""
    documents = [text.split() for text in TEXTS]
    mean = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        score = 0.0
        for term in query.split():
            df = sum(term in other for other in documents)
            tf = document.count(term)
            idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
            score += idf * tf / (tf + 1.5 * (1 - 0.75 + 0.75 * len(document) / mean))
        scores.append(score)
    return scores


@pytest.mark.parametrize("query", ["cat", "dog", "cat dog", "bird cat dog", "cat cat"])
def test_scores_follow_the_formula(query):
    index = TermIndex(TEXTS, PLAIN)
    np.testing.assert_allclose(index.score(index.query_terms(query)), by_hand(query), rtol=1e-6)


def test_unknown_words_are_no_terms_of_the_query():
    index = TermIndex(TEXTS, PLAIN)
    assert index.query_terms("cat unicorn").words == ("cat",)
    assert not index.score(index.query_terms("unicorn")).any()


def test_words_in_a_document_are_those_of_the_query_in_its_order():
    index = TermIndex(TEXTS, PLAIN)
    terms = index.query_terms("bird dog cat")
    assert index.words_in(terms, 0) == ("dog", "cat")
    assert index.words_in(terms, 2) == ()


def test_rare_terms_weigh_more():
    index = TermIndex(TEXTS, PLAIN)
    assert index.idf[index.vocabulary["cat"]] > index.idf[index.vocabulary["dog"]] > 0


@pytest.mark.parametrize("texts", [[], [""], ["", "  "]])
def test_texts_without_a_word_match_nothing(texts):
    index = TermIndex(texts)
    assert index.score(index.query_terms("cat")).tolist() == [0.0] * len(texts)


def test_order_of_documents_changes_no_score():
    forward, backward = TermIndex(TEXTS, PLAIN), TermIndex(TEXTS[::-1], PLAIN)
    terms = "bird dog cat"
    assert forward.vocabulary == backward.vocabulary
    assert (
        forward.score(forward.query_terms(terms)).tolist() == backward.score(backward.query_terms(terms))[::-1].tolist()
    )


def test_contributions_are_those_of_bm25s_to_the_bit():
    import bm25s

    texts = [
        "The Café's dogs bark; dogs bark at dogs", "", "Größe und Grösse der Hunde", "猫咖啡馆 opens at nine",
        "dogs", "ニューヨークの猫 and the dogs", *(f"word{i % 7} word{i % 5} and more" for i in range(40)),
    ]  # fmt: skip
    index = TermIndex(texts)
    documents = [index.analyzer.terms(text) for text in texts]
    assert list(index.vocabulary) == sorted({term for document in documents for term in document})
    other = bm25s.BM25()
    ids = [[index.vocabulary[term] for term in document] for document in documents]
    other.index((ids, dict(index.vocabulary)), create_empty_token=False, show_progress=False)
    scores = other.scores
    for column in range(len(index.vocabulary)):
        part = slice(scores["indptr"][column], scores["indptr"][column + 1])
        order = np.argsort(scores["indices"][part])
        found, contributions = index.column(column)
        assert found.tolist() == scores["indices"][part][order].tolist()
        assert contributions.tobytes() == scores["data"][part][order].tobytes()


@pytest.mark.parametrize("texts", [[], ["", " "], ["!?"]])
def test_texts_without_words_make_an_empty_index(texts):
    index = TermIndex(texts, PLAIN)
    assert index.vocabulary == {}
    assert index.score(index.query_terms("cat")).tolist() == [0.0] * len(texts)
