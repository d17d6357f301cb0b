"""Combining embeddings: the guides' numbers, one battery for every method, groups against one by one."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cnrag_core.config.spec import ChunkingStrategy
from cnrag_core.embedding.aggregation import METHODS, EmbeddingAggregator, aggregate_groups, chunk_and_aggregate
from cnrag_core.embedding.tfidf import TFIDFEmbedding
from cnrag_core.embedding.weighting import WeightedEmbeddingConfig
from cnrag_core.errors import ConfigError, EmbeddingError

CHUNKS = [[0.5, 0.2, 0.8], [0.6, 0.1, 0.7], [0.4, 0.3, 0.6]]
aggregate = EmbeddingAggregator().aggregate


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("mean", [0.5, 0.2, 0.7]),
        ("weighted_avg", [0.5, 0.2, 0.7]),
        ("max_pool", [0.6, 0.3, 0.8]),
        ("sum", [1.5, 0.6, 2.1]),
        ("first", [0.5, 0.2, 0.8]),
        ("last", [0.4, 0.3, 0.6]),
        ("concat", [0.5, 0.2, 0.8, 0.6, 0.1, 0.7, 0.4, 0.3, 0.6]),
        ("weighted_mean", [(0.5 + 0.54 + 0.324) / 2.71, (0.2 + 0.09 + 0.243) / 2.71, (0.8 + 0.63 + 0.486) / 2.71]),
    ],
)
def test_the_three_chunks_of_the_guide_are_combined_as_it_says(method: str, expected: list[float]) -> None:
    np.testing.assert_allclose(aggregate(CHUNKS, method), expected, atol=1e-6)


def test_decay_can_favour_the_last_chunk() -> None:
    np.testing.assert_allclose(
        aggregate(CHUNKS, "weighted_mean", decay_from="last"), aggregate(CHUNKS[::-1], "weighted_mean"), atol=1e-6
    )


@pytest.mark.parametrize("method", ["mean", "weighted_avg", "weighted_mean"])
def test_weights_may_be_any_ratio(method: str) -> None:
    expected = np.average(CHUNKS, axis=0, weights=[3, 5, 2])
    np.testing.assert_allclose(aggregate(CHUNKS, method, [3, 5, 2]), expected, atol=1e-6)
    np.testing.assert_allclose(aggregate(CHUNKS, method, [0.3, 0.5, 0.2]), expected, atol=1e-6)


def test_weighted_sum_and_concat() -> None:
    np.testing.assert_allclose(aggregate(CHUNKS, "sum", [1, 0, 2]), np.array(CHUNKS[0]) + 2 * np.array(CHUNKS[2]))
    np.testing.assert_allclose(aggregate([[1.0], [1.0]], "concat", [1, 3]), [0.5, np.sqrt(0.75)])


def test_dot_of_concatenated_rows_is_the_weighted_sum_of_dots() -> None:
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=(2, 3, 5))
    weights = [0.2, 0.5, 0.3]
    dot = aggregate(one, "concat", weights) @ aggregate(two, "concat", weights)
    assert dot == pytest.approx(sum(w * (a @ b) for w, a, b in zip(weights, one, two, strict=True)), abs=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_one_float32_vector(method: str) -> None:
    single = aggregate([[1.0, -2.0]], method)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, [1.0, -2.0])
    repeated = aggregate(np.ones((4, 3)), method)
    assert repeated.shape == ((12,) if method == "concat" else (3,))
    np.testing.assert_allclose(repeated, 4.0 if method == "sum" else 1.0)
    long = aggregate(np.random.default_rng(0).normal(size=(2000, 8)), method)
    assert np.isfinite(long).all()


@pytest.mark.parametrize("method", METHODS)
def test_inputs_are_not_changed(method: str) -> None:
    chunks = np.array(CHUNKS)
    aggregate(chunks, method)
    assert chunks.tolist() == CHUNKS


@pytest.mark.parametrize("method", METHODS)
def test_nothing_to_aggregate_is_refused(method: str) -> None:
    with pytest.raises(EmbeddingError, match="no embedding to aggregate"):
        aggregate([], method)


@pytest.mark.parametrize("method", METHODS)
def test_vectors_of_different_lengths_are_refused(method: str) -> None:
    with pytest.raises(EmbeddingError, match="one length"):
        aggregate([[1.0], [1.0, 2.0]], method)


def test_nan_is_refused() -> None:
    with pytest.raises(EmbeddingError, match="NaN"):
        aggregate([[1.0], [np.nan]])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], "2 weights were given for 3 embeddings"),
        ([1, 2, -1], "0 or above"),
        ([1, 2, float("nan")], "finite"),
        ([0, 0, 0], "at least one must be positive"),
    ],
)
def test_weights_that_do_not_fit_are_refused(weights: list[float], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        aggregate(CHUNKS, "weighted_avg", weights)


@pytest.mark.parametrize("method", ["max_pool", "first", "last"])
def test_weights_are_refused_where_they_mean_nothing(method: str) -> None:
    with pytest.raises(ConfigError, match="takes no weights"):
        aggregate(CHUNKS, method, [1, 1, 1])


def test_an_unknown_method_is_named_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="'median' is not known; use one of 'concat', 'first'"):
        aggregate(CHUNKS, "median")


def test_an_alias_is_understood() -> None:
    np.testing.assert_allclose(aggregate(CHUNKS, "average"), aggregate(CHUNKS, "mean"))


@given(
    rows=arrays(np.float64, (7, 3), elements=st.floats(0, 10)),
    counts=st.lists(st.integers(0, 4), min_size=1, max_size=5).filter(lambda counts: 0 < sum(counts) <= 7),
    method=st.sampled_from(METHODS),
    decay_from=st.sampled_from(["first", "last"]),
)
def test_groups_equal_one_owner_at_a_time_dense_and_sparse(rows, counts, method, decay_from) -> None:
    owner = np.repeat(np.arange(len(counts)), counts)
    rows = rows[: len(owner)]
    slots = max(counts)
    expected = np.zeros((len(counts), 3 * slots if method == "concat" else 3))
    for number, start in enumerate(np.cumsum(counts) - counts):
        if counts[number]:
            vector = aggregate(rows[start : start + counts[number]], method, decay_from=decay_from)
            expected[number, : len(vector)] = vector
    dense = aggregate_groups(rows, owner, len(counts), method, decay_from=decay_from)
    sparse = aggregate_groups(sp.csr_matrix(rows), owner, len(counts), method, decay_from=decay_from)
    np.testing.assert_allclose(dense, expected, atol=1e-5)
    np.testing.assert_allclose(sparse.toarray(), expected, atol=1e-5)


def test_dense_max_pool_keeps_negative_values() -> None:
    assert aggregate([[-2.0], [-1.0]], "max_pool").tolist() == [-1.0]


def test_chunk_and_aggregate_returns_the_mean_and_its_chunks(fake_model) -> None:
    model = fake_model()
    strategy = ChunkingStrategy(method="sentences", max_tokens=6)
    aggregated, chunks = chunk_and_aggregate("One two. Three four. Five six seven.", model, strategy)
    assert model.texts == ["One two. Three four.", "Five six seven."]
    assert len(chunks) == 2
    np.testing.assert_allclose(aggregated, np.mean(chunks, axis=0), atol=1e-6)


def test_chunk_and_aggregate_of_a_blank_text_is_zero(fake_model) -> None:
    aggregated, chunks = chunk_and_aggregate("  ", fake_model(), ChunkingStrategy())
    assert aggregated.tolist() == [0.0] * 16
    assert chunks == []


def test_chunk_and_aggregate_with_words() -> None:
    aggregated, chunks = chunk_and_aggregate(
        "Red apple. Green pear.", TFIDFEmbedding(), ChunkingStrategy(max_tokens=3), "max_pool"
    )
    assert aggregated.shape == (4,)
    assert len(chunks) == 2


def test_roles_that_are_not_listed_weigh_one() -> None:
    config = WeightedEmbeddingConfig()
    assert (config.weight_of("user"), config.weight_of("assistant"), config.weight_of("tool")) == (1.5, 1.0, 1.0)


def test_weighted_config_refuses_what_cannot_be() -> None:
    with pytest.raises(ConfigError, match="'first' does not combine roles"):
        WeightedEmbeddingConfig(aggregation="first")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="0 or above"):
        WeightedEmbeddingConfig({"user": -1.0})
    assert WeightedEmbeddingConfig(aggregation="max").aggregation == "max_pool"  # type: ignore[arg-type]


ROLES = {"user": [1.0, 0.0], "assistant": [0.0, 1.0], "system": [0.5, 0.5]}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (WeightedEmbeddingConfig(), [2.0 / 3.5, 1.5 / 3.5]),
        (WeightedEmbeddingConfig({"user": 1.5, "assistant": 1.0}, default_weight=0.0), [0.6, 0.4]),
        (WeightedEmbeddingConfig({"user": 1.0, "assistant": 0.0}, "max_pool", 1.0), [1.0, 0.5]),
        (WeightedEmbeddingConfig({"user": 3.0}, "concat", 0.0), [1.0, 0.0]),
    ],
)
def test_roles_are_combined_by_their_weights(config: WeightedEmbeddingConfig, expected: list[float]) -> None:
    np.testing.assert_allclose(EmbeddingAggregator().aggregate_roles(ROLES, config), expected, atol=1e-6)


def test_roles_that_all_weigh_nothing_are_refused() -> None:
    config = WeightedEmbeddingConfig({"user": 1.0, "tool": 0.0})
    with pytest.raises(ConfigError, match="None of the roles tool weighs anything"):
        EmbeddingAggregator().aggregate_roles({"tool": [1.0]}, config)
