"""Explanations: the guide's worked example, and contributions that are the edge weight."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.config.spec import AttributeSimilarityComponent, PipelineConfig
from cnrag_core.corpus.document import Document
from cnrag_core.errors import UnknownNameError
from cnrag_core.similarity.components import VectorColumn, build_columns
from cnrag_core.similarity.structured import StructuredSimilarity
from tests.similarity.random_columns import random_columns


def with_cosine(name: str, weight: float, cosine: float) -> VectorColumn:
    rows = np.array([[1.0, 0.0], [cosine, np.sqrt(1 - cosine**2)]], dtype=np.float32)
    return VectorColumn(name, weight, None, rows, np.zeros(2, dtype=bool))


@pytest.fixture
def two_papers() -> StructuredSimilarity:
    documents = [
        Document(
            "attention",
            {
                "tags": ["transformers", "attention", "seq2seq"],
                "authors": ["Vaswani", "Shazeer", "Parmar", "Uszkoreit"],
            },
        ),
        Document(
            "bert", {"tags": ["transformers", "pretraining", "nlp"], "authors": ["Devlin", "Chang", "Lee", "Toutanova"]}
        ),
    ]
    config = PipelineConfig(
        components=[
            AttributeSimilarityComponent(field="tags", weight=0.2),
            AttributeSimilarityComponent(field="authors", weight=0.1),
            AttributeSimilarityComponent(field="rest", weight=0.7),
        ]
    )
    tags, authors, _ = build_columns(documents, config, {})
    columns = [with_cosine("title", 0.3, 0.75), with_cosine("abstract", 0.4, 0.68), tags, authors]
    return StructuredSimilarity(["attention", "bert"], columns)


def test_worked_example_of_the_guide(two_papers: StructuredSimilarity) -> None:
    explanation = two_papers.explain("attention", "bert")
    parts = {part.name: part for part in explanation.contributions}
    found = [round(parts[name].contribution, 3) for name in ("title", "abstract", "tags", "authors")]
    assert found == [0.225, 0.272, 0.040, 0.000]
    assert round(explanation.similarity, 3) == 0.537
    assert parts["tags"].shared == ("transformers",)
    assert parts["tags"].raw == pytest.approx(0.2)
    assert all(part.status == "ok" for part in explanation.contributions)
    assert two_papers.compute("attention", "bert") == explanation.similarity


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_contributions_are_the_edge_weight_to_the_last_bit(random_state: int, n: int) -> None:
    columns = random_columns(np.random.default_rng(random_state), n)
    ids = [f"d{i:02}" for i in range(n)]
    similarity = StructuredSimilarity(ids, columns)
    left, right = (part.astype(np.int64) for part in np.triu_indices(n, 1))
    for a, b, weight in zip(left, right, similarity.score_pairs(left, right), strict=True):
        explanation = similarity.explain(ids[a], ids[b])
        total = 0.0
        for part in explanation.contributions:
            assert part.contribution == part.weight * part.similarity
            total += part.contribution
        assert total == explanation.similarity == weight


def test_missing_and_below_minimum_are_told_apart() -> None:
    documents = [
        Document("a", {"tags": ["x", "y", "z"], "kind": "k"}),
        Document("b", {"tags": ["z", "u", "v"], "kind": None}),
    ]
    components = [
        AttributeSimilarityComponent(field="tags", weight=3, min_similarity=0.5),
        AttributeSimilarityComponent(field="kind", metric="exact", weight=1),
    ]
    columns = build_columns(documents, PipelineConfig(components=components), {})
    tags, kind = StructuredSimilarity(["a", "b"], columns).explain("a", "b").contributions
    assert (tags.status, tags.raw, tags.similarity, tags.shared) == ("below_minimum", 0.2, 0.0, ("z",))
    assert (kind.status, kind.raw, kind.contribution, kind.shared) == ("missing", 0.0, 0.0, ())


def test_negative_cosine_is_shown_raw() -> None:
    rows = np.array([[1.0, 0.0], [-1.0, 0.0]], dtype=np.float32)
    columns = [VectorColumn("text", 1.0, None, rows, np.zeros(2, bool))]
    (part,) = StructuredSimilarity(["a", "b"], columns).explain("a", "b").contributions
    assert (part.raw, part.similarity, part.status) == (-1.0, 0.0, "ok")


def test_shared_terms_come_largest_part_first() -> None:
    rows = sp.csr_matrix(np.array([[0.8, 0.6, 0.0, 0.0], [0.6, 0.64, 0.48, 0.0]], dtype=np.float32))
    columns = [VectorColumn("text", 1.0, None, rows, np.zeros(2, bool))]
    names = {"text": ["reef", "coral", "bond", "yield"]}
    explained = StructuredSimilarity(["a", "b"], columns, term_names=names).explain("a", "b")
    assert explained.contributions[0].shared == ("reef", "coral")
    unnamed = StructuredSimilarity(["a", "b"], columns).explain("a", "b")
    assert unnamed.contributions[0].shared == ()


def test_fields_side_by_side_share_the_names_of_one_vocabulary() -> None:
    half = np.float32(np.sqrt(0.5))
    rows = sp.csr_matrix(np.array([[half, 0, 0, half], [half, 0, half, 0]], dtype=np.float32))
    columns = [VectorColumn("text", 1.0, None, rows, np.zeros(2, bool))]
    explained = StructuredSimilarity(["a", "b"], columns, term_names={"text": ["reef", "coral"]}).explain("a", "b")
    assert explained.contributions[0].shared == ("reef",)


def test_equal_values_are_named() -> None:
    documents = [Document("a", {"kind": ["p", "q"]}), Document("b", {"kind": ["q", "p"]}), Document("c", {"kind": "p"})]
    config = PipelineConfig(components=[AttributeSimilarityComponent(field="kind", metric="exact")])
    similarity = StructuredSimilarity(["a", "b", "c"], build_columns(documents, config, {}))
    assert similarity.explain("a", "b").contributions[0].shared == ("p", "q")
    assert similarity.explain("a", "c").contributions[0].shared == ()


def test_unknown_documents_are_named(two_papers: StructuredSimilarity) -> None:
    with pytest.raises(UnknownNameError, match="There is no document 'gpt' to compare"):
        two_papers.explain("bert", "gpt")


def test_ids_and_rows_must_match(two_papers: StructuredSimilarity) -> None:
    with pytest.raises(ValueError, match="2 rows were given for 1 node ids"):
        StructuredSimilarity(["attention"], two_papers.columns)
