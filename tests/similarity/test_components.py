"""Columns: one per component, aligned with the documents, weights summing to 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.config.spec import AttributeSimilarityComponent, FieldEmbeddingComponent, PipelineConfig
from cnrag_core.corpus.document import Document
from cnrag_core.errors import EmbeddingError
from cnrag_core.similarity.components import (
    CodeColumn,
    NumberColumn,
    SetColumn,
    VectorColumn,
    build_columns,
    concat_columns,
    n_rows,
    sorted_csr,
    take_rows,
)
from cnrag_core.similarity.scoring import score_pairs
from tests.similarity.random_columns import random_columns

DOCUMENTS = [
    Document("a", {"tags": ["x", "y"], "kind": "news", "year": 2001}),
    Document("b", {"tags": ["y"], "kind": ["news"], "year": "1,999"}),
    Document("c", {"tags": [], "kind": "", "year": None}),
    Document("d", {"tags": "y", "kind": ["b", "a"], "year": 2001.0}),
    Document("e", {"kind": ["a", "b"]}),
]


@dataclass
class Embedded:
    rows: NDArray[np.float32] | sp.csr_matrix
    missing: NDArray[np.bool_]


def attribute(field: str, metric: str, **options: object) -> AttributeSimilarityComponent:
    return AttributeSimilarityComponent(field=field, metric=metric, **options)


def columns_of(*components: object, embedded: dict[str, Embedded] | None = None) -> tuple:
    return build_columns(DOCUMENTS, PipelineConfig(components=components), embedded or {})


def test_weights_may_be_any_ratio() -> None:
    columns = columns_of(
        attribute("tags", "jaccard", weight=3), attribute("kind", "exact", weight=5),
        attribute("year", "numeric", scale=5, weight=2),
    )  # fmt: skip
    assert [column.weight for column in columns] == [0.3, 0.5, 0.2]
    assert [column.metric for column in columns] == ["jaccard", "exact", "numeric"]


def test_weights_added_up_in_order_never_exceed_one() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        parts = [
            attribute("tags", "jaccard", weight=float(w), component_id=str(i)) for i, w in enumerate(rng.random(9))
        ]
        total = 0.0
        for column in columns_of(*parts):
            total += column.weight
        assert 1 - 1e-12 < total <= 1.0


def test_set_column_counts_items_without_repeats() -> None:
    (column,) = columns_of(attribute("tags", "dice"))
    assert isinstance(column, SetColumn)
    assert column.labels == ("x", "y")
    assert column.items.toarray().tolist() == [[1, 1], [0, 1], [0, 0], [0, 1], [0, 0]]
    assert column.missing.tolist() == [False, False, True, False, True]


def test_exact_column_codes_whole_values_in_any_order_of_items() -> None:
    (column,) = columns_of(attribute("kind", "exact"))
    assert isinstance(column, CodeColumn)
    assert column.codes[0] == column.codes[1] != column.codes[3] == column.codes[4]
    assert column.codes[2] == -1
    assert column.missing.tolist() == [False, False, True, False, False]


def test_number_column_reads_numbers_however_written() -> None:
    (column,) = columns_of(attribute("year", "numeric", scale=5))
    assert isinstance(column, NumberColumn)
    assert column.values[[0, 1, 3]].tolist() == [2001.0, 1999.0, 2001.0]
    assert column.missing.tolist() == [False, False, True, False, True]


def test_a_list_of_one_text_with_a_comma_is_not_a_list_of_two() -> None:
    documents = [Document("a", {"kind": ["p, q"]}), Document("b", {"kind": ["p", "q"]})]
    (column,) = build_columns(documents, PipelineConfig(components=[attribute("kind", "exact")]), {})
    assert column.codes[0] != column.codes[1]
    assert len(set(column.labels)) == 2


def test_embedded_rows_become_a_vector_column() -> None:
    rows = sp.csr_matrix(np.eye(5, dtype=np.float32))
    part = FieldEmbeddingComponent(field="text", min_similarity=0.2)
    (column,) = columns_of(part, embedded={"text": Embedded(rows, np.zeros(5, bool))})
    assert isinstance(column, VectorColumn)
    assert (column.name, column.weight, column.min_similarity, column.metric) == ("text", 1.0, 0.2, "cosine")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.eye(4, dtype=np.float32), "4 rows were given for 5 documents"),
        (2 * np.eye(5, dtype=np.float32), "row 1 has length 2"),
        (np.diag([1, 1, np.nan, 1, 1]).astype(np.float32), "row 3 has a value that is not a finite number"),
    ],
)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_rows_that_cannot_be_compared_are_refused(rows: NDArray[np.float32], message: str, form: object) -> None:
    part = FieldEmbeddingComponent(field="text")
    with pytest.raises(EmbeddingError, match=message):
        columns_of(part, embedded={"text": Embedded(form(rows), np.zeros(len(rows), bool))})


def test_a_component_without_rows_is_named() -> None:
    with pytest.raises(EmbeddingError, match="'text' compares embeddings, but no rows"):
        columns_of(FieldEmbeddingComponent(field="text"))


def test_taken_rows_score_as_before() -> None:
    rng = np.random.default_rng(1)
    columns = random_columns(rng, 30)
    order = rng.permutation(30)
    left, right = rng.integers(0, 30, 50), rng.integers(0, 30, 50)
    taken = take_rows(columns, order)
    assert n_rows(taken) == 30
    assert score_pairs(taken, left, right).tolist() == score_pairs(columns, order[left], order[right]).tolist()


def test_columns_of_two_batches_join_as_if_made_at_once() -> None:
    components = [attribute("tags", "jaccard"), attribute("kind", "exact"), attribute("year", "numeric", scale=5)]
    config = PipelineConfig(components=components)
    whole = build_columns(DOCUMENTS, config, {})
    joined = concat_columns(build_columns(DOCUMENTS[:2], config, {}), build_columns(DOCUMENTS[2:], config, {}))
    left, right = (part.astype(np.int64) for part in np.triu_indices(5, 1))
    assert score_pairs(joined, left, right).tolist() == score_pairs(whole, left, right).tolist()
    assert joined[0].labels == whole[0].labels
    assert joined[0].items.has_sorted_indices


def test_rows_of_another_vocabulary_cannot_join() -> None:
    one, other = (VectorColumn("text", 1.0, None, np.eye(d, dtype=np.float32), np.zeros(d, bool)) for d in (3, 4))
    with pytest.raises(EmbeddingError, match="rows of dimension 4 cannot join rows of dimension 3"):
        concat_columns([one], [other])


def test_columns_of_another_kind_cannot_join() -> None:
    sets, codes = columns_of(attribute("tags", "jaccard"))[0], columns_of(attribute("tags", "exact"))[0]
    with pytest.raises(EmbeddingError, match="was compared by jaccard and would now be compared by exact"):
        concat_columns([sets], [codes])


def test_sorting_indices_leaves_the_given_matrix_alone() -> None:
    unsorted = sp.csr_matrix((np.array([1.0, 2.0]), np.array([1, 0]), np.array([0, 2])), shape=(1, 2))
    before = unsorted.indices.tolist()
    assert sorted_csr(unsorted).indices.tolist() == [0, 1]
    assert unsorted.indices.tolist() == before
