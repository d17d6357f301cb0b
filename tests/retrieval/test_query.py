"""How a question is compared with the documents."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from cnrag_core.config.spec import (
    AttributeSimilarityComponent,
    FieldEmbeddingComponent,
    PipelineConfig,
    RetrievalSpec,
)
from cnrag_core.corpus.document import Document
from cnrag_core.errors import ConfigError, EmbeddingError
from cnrag_core.retrieval.query import QueryScorer, min_max

DOCUMENTS = (
    Document("a", {"title": "red fox", "text": "the fox runs in the forest and it is quick", "tags": ["x"]}),
    Document("b", {"title": "blue whale", "text": "the whale swims in the sea and it is slow", "tags": ["x"]}),
    Document("c", {"title": "", "text": "", "tags": []}),
)


@dataclass
class Embedded:
    """Rows of two dimensions: fox and whale."""

    rows: object
    model: str = "fake"

    @property
    def provider(self):
        return SimpleNamespace(get_model_name=lambda: self.model)

    def embed_query(self, text):
        row = np.array([["fox" in text, "whale" in text]], dtype=np.float32)
        return sp.csr_matrix(row) if sp.issparse(self.rows) else row


DENSE = np.array([[1, 0], [0, 1], [0, 0]], dtype=np.float32)


def scorer(*, title=None, text=None, query="auto", documents=DOCUMENTS):
    config = PipelineConfig(
        components=[
            FieldEmbeddingComponent(field="title", weight=1),
            FieldEmbeddingComponent(field="text", weight=3),
            AttributeSimilarityComponent(field="tags", weight=4),
        ],
        retrieval=RetrievalSpec(query=query),
    )
    embedded = {name: part for name, part in (("title", title), ("text", text)) if part is not None}
    return QueryScorer(documents, config, embedded)


def test_bm25_similarity_is_relative_to_the_best_match():
    scores = scorer().score("quick fox in the sea", "bm25")
    assert scores.method == "bm25"
    assert scores.similarity.max() == 1.0
    assert scores.similarity[2] == 0.0


def test_cosine_renormalises_the_weights_of_the_text_components():
    title = Embedded(np.array([[0.6, 0.8], [0, 1], [0, 0]], dtype=np.float32))
    scores = scorer(title=title, text=Embedded(DENSE)).score("fox", "cosine")
    np.testing.assert_allclose(scores.similarity, [(1 * 0.6 + 3 * 1.0) / 4, 0.0, 0.0], atol=1e-6)


def test_negative_cosine_counts_as_nothing():
    text = Embedded(np.array([[-1, 0], [0.5, 0.5], [0, 0]], dtype=np.float32))
    assert scorer(text=text).score("fox", "cosine").similarity[0] == 0.0


def test_sparse_and_dense_rows_give_the_same_cosines():
    dense = scorer(text=Embedded(DENSE)).score("whale", "cosine").similarity
    sparse = scorer(text=Embedded(sp.csr_matrix(DENSE))).score("whale", "cosine").similarity
    np.testing.assert_allclose(dense, sparse)


def test_fused_is_half_words_half_model():
    scores = scorer(text=Embedded(DENSE)).score("whale sea", "fused")
    np.testing.assert_allclose(scores.similarity, [0.0, 1.0, 0.0])


def test_auto_is_bm25_without_a_dense_model_and_says_so():
    scores = scorer(text=Embedded(sp.csr_matrix(DENSE))).score("whale")
    assert scores.method == "bm25"
    assert "no dense model" in scores.reason


def test_auto_fuses_with_a_dense_model_and_names_it():
    scores = scorer(text=Embedded(DENSE, "all-MiniLM-L6-v2")).score("whale")
    assert scores.method == "fused"
    assert "all-MiniLM-L6-v2" in scores.reason


def test_auto_keeps_an_english_model_away_from_chinese():
    documents = (
        Document("a", {"text": "黑豹队的防守只丢了分"}),
        Document("b", {"text": "在联赛中排名第六"}),
        Document("c", {"text": ""}),
    )
    scores = scorer(text=Embedded(DENSE, "all-MiniLM-L6-v2"), documents=documents).score("黑豹队")
    assert scores.method == "bm25"
    assert "English only" in scores.reason
    assert scores.similarity.tolist() == [1.0, 0.0, 0.0]


def test_configured_mode_is_used_unless_another_is_asked_for():
    configured = scorer(text=Embedded(DENSE), query="cosine")
    assert configured.score("fox").method == "cosine"
    assert configured.score("fox", "bm25").method == "bm25"


@pytest.mark.parametrize("query", ["", "   ", "\n"])
def test_empty_question_matches_nothing(query):
    scores = scorer().score(query)
    assert not scores.similarity.any()
    assert scores.reason == "The question is empty."


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("unicorn", "No word of the question occurs in the documents."),
        ("?!", "The question holds no word."),
    ],
)
def test_question_without_a_match_says_why(query, reason):
    scores = scorer().score(query)
    assert not scores.similarity.any()
    assert scores.reason == reason


def test_cosine_without_resemblance_says_so():
    assert "resembles" in scorer(text=Embedded(DENSE)).score("unicorn", "cosine").reason


def test_matched_terms_are_the_words_as_asked():
    terms = scorer().score("Running foxes in forests").matched_terms
    assert terms[0] == ("running", "foxes", "forests")
    assert terms[1] == ()
    assert terms.get(99, ()) == ()


def test_matched_grams_show_the_longest_pieces_only():
    documents = (Document("a", {"text": "黑豹队的防守"}), Document("b", {"text": "联赛"}), Document("c", {}))
    assert scorer(documents=documents).score("黑豹队").matched_terms[0] == ("黑豹队",)


def test_unknown_mode_names_the_known_ones():
    with pytest.raises(ConfigError, match=r"'vector' is not a way to compare .* 'bm25'"):
        scorer().score("fox", "vector")


@pytest.mark.parametrize("mode", ["cosine", "fused"])
def test_embedded_modes_need_an_embedded_component(mode):
    with pytest.raises(ConfigError, match="no text component is embedded"):
        scorer().score("fox", mode)


def test_rows_and_question_of_different_length_are_refused():
    with pytest.raises(EmbeddingError, match="the question in 2 dimensions, its documents in 3"):
        scorer(text=Embedded(np.zeros((3, 3), dtype=np.float32))).score("fox", "cosine")


def test_stop_words_are_searched_only_where_the_question_holds_nothing_else():
    assert scorer().score("is it in the sea").similarity.tolist() == [0.0, 1.0, 0.0]
    assert scorer().score("it is").similarity[0] > 0


def test_compared_lists_are_searched_too():
    assert scorer().score("x").similarity.tolist()[2] == 0.0
    assert scorer().score("x").similarity[0] > 0


def test_attributes_alone_are_searched_in_all_their_words():
    config = PipelineConfig(components=[AttributeSimilarityComponent(field="tags", metric="exact")])
    documents = [Document("a", {"tags": ["ml", "graphs"]}), Document("b", {"tags": ["law"]})]
    assert QueryScorer(documents, config, {}).score("graphs").similarity.tolist() == [1.0, 0.0]


def test_no_documents_is_an_answer_not_an_error():
    assert scorer(documents=()).score("fox").reason == "There are no documents."


def test_min_max_stretches_the_best_and_drops_the_rest():
    assert min_max(np.array([10.0, 5.0, 7.5, 1.0]), over=3).tolist() == [1.0, 0.0, 0.5, 0.0]
    assert min_max(np.array([2.0, 2.0]), over=100).tolist() == [1.0, 1.0]
    assert min_max(np.zeros(3)).tolist() == [0.0, 0.0, 0.0]
