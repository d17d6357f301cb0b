"""Graphs of every edge rule, equal to choosing among all pairs by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.config.spec import EdgeRule
from cnrag_core.errors import ConfigError, EmbeddingError, ResourceLimitError
from cnrag_core.graph import builder
from cnrag_core.graph.builder import NetworkBuilder, build_graph, graph_of_candidates
from cnrag_core.graph.edge_rules import effective_rule
from cnrag_core.graph.similarity_graph import WeightedEdges
from cnrag_core.similarity import estimate, pairwise, search
from cnrag_core.similarity.components import CodeColumn, ComponentColumn, take_rows
from tests.similarity.random_columns import KINDS, edges_of_rule, one_column, random_columns, score_matrix

RULES = [
    EdgeRule(),
    EdgeRule(min=0.0),
    EdgeRule(min=0.3),
    EdgeRule(max_per_node=1),
    EdgeRule(max_per_node=4),
    EdgeRule(min=0.15, max_per_node=3),
    EdgeRule(density=0.08),
    EdgeRule(density=0.5),
    EdgeRule(min_neighbors=1),
    EdgeRule(min_neighbors=4),
    EdgeRule(density=0.02, min_neighbors=3),
    EdgeRule(density=0.1, min=0.2),
    EdgeRule(density=0.05, min_neighbors=3, min=0.1, max_per_node=4),
]


@pytest.fixture(params=["all pairs kept", "floor from an estimate", "floor and compiled search"])
def route(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The ways that corpora of different size go, with limits low enough for small ones to go them."""
    if request.param != "all pairs kept":
        monkeypatch.setattr(builder, "KEEP_ALL_PAIRS", 20)
        monkeypatch.setattr(builder, "MIN_CANDIDATES", 15)
        monkeypatch.setattr(builder, "CANDIDATES_PER_NODE", 1)
        monkeypatch.setattr(builder, "CANDIDATES_PER_EDGE", 1)
        monkeypatch.setattr(estimate, "N_SAMPLED", 200)
    compiled = request.param == "floor and compiled search"
    monkeypatch.setattr(pairwise, "use_compiled", lambda n: compiled)
    monkeypatch.setattr(search, "TILE", 16)
    return str(request.param)


def ids(n: int) -> list[str]:
    return [f"d{number:04}" for number in range(n)]


def edges(graph: WeightedEdges) -> list[tuple[int, int, float]]:
    return list(zip(graph.left.tolist(), graph.right.tolist(), graph.weight.tolist(), strict=True))


def equal_documents(n: int) -> Sequence[ComponentColumn]:
    return [CodeColumn("kind", 1.0, None, np.zeros(n, dtype=np.int64), ("same",), np.zeros(n, dtype=bool))]


@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("rule", RULES, ids=str)
@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 30),
    st.lists(st.sampled_from(KINDS), min_size=1, max_size=4, unique=True).map(sorted),
)
def test_every_rule_keeps_what_its_words_say(rule: EdgeRule, random_state: int, n: int, kinds: list[str]) -> None:
    columns = random_columns(np.random.default_rng(random_state), n, kinds)
    scores = score_matrix(columns, n)
    built = build_graph(ids(n), columns, rule)
    assert edges(built.graph) == edges_of_rule(scores, effective_rule(rule, n))
    everything = edges_of_rule(scores, EdgeRule(min=0.0))
    assert edges(built.candidates) == [edge for edge in everything if edge[2] >= built.candidates.floor - 1e-9]


@pytest.mark.usefixtures("route")
def test_documents_in_any_order_make_the_same_graph() -> None:
    rng = np.random.default_rng(8)
    columns = random_columns(rng, 50)
    order = rng.permutation(50)
    for rule in (EdgeRule(), EdgeRule(min=0.2), EdgeRule(max_per_node=3)):
        built = build_graph(ids(50), columns, rule)
        shuffled = build_graph([ids(50)[i] for i in order], take_rows(columns, order), rule)
        assert shuffled.graph.digest == built.graph.digest
        assert shuffled.candidates.digest == built.candidates.digest


@pytest.mark.usefixtures("route")
def test_no_document_has_more_than_its_strongest_edges() -> None:
    built = build_graph(ids(60), random_columns(np.random.default_rng(1), 60), EdgeRule(max_per_node=3))
    assert built.graph.degree.max() <= 3


@pytest.mark.usefixtures("route")
def test_no_document_with_any_similarity_is_left_alone() -> None:
    columns = random_columns(np.random.default_rng(1), 60)
    built = build_graph(ids(60), columns, EdgeRule(density=0.001, min_neighbors=2))
    assert np.all(built.graph.degree[score_matrix(columns, 60).any(axis=1)] >= 1)


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_documents_for_a_pair_make_a_graph_without_edges(n: int) -> None:
    columns = take_rows(random_columns(np.random.default_rng(0), 1), np.arange(n))
    built = build_graph(ids(n), columns, EdgeRule())
    assert (built.graph.n_nodes, built.graph.n_edges, built.candidates.n_edges) == (n, 0, 0)


def test_the_graph_says_its_threshold_and_rule() -> None:
    columns = random_columns(np.random.default_rng(1), 60)
    by_value = build_graph(ids(60), columns, EdgeRule(min=0.3, strong=0.7)).graph
    assert (by_value.threshold, by_value.strong_similarity, by_value.rule) == (0.3, 0.7, "similarity at least 0.30")
    by_rank = build_graph(ids(60), columns, EdgeRule(density=0.1)).graph
    assert by_rank.threshold == by_rank.weight[-1]


def test_ids_and_rows_must_match() -> None:
    with pytest.raises(ValueError, match="3 rows were given for 2 node ids"):
        build_graph(ids(2), equal_documents(3), EdgeRule())


@pytest.mark.parametrize("promised", [0.01, 0.03, 0.9])
def test_an_estimate_that_promised_too_much_is_looked_below(promised: float, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = random_columns(np.random.default_rng(2), 40)
    too_much = estimate.PairEstimate(780, np.array([0.0, promised, promised]))
    monkeypatch.setattr(builder, "KEEP_ALL_PAIRS", 20)
    monkeypatch.setattr(builder, "estimate_pairs", lambda columns: too_much)
    built = build_graph(ids(40), columns, EdgeRule(density=1.0))
    assert edges(built.graph) == edges_of_rule(score_matrix(columns, 40), EdgeRule(density=1.0))


# What would cost too much.


@pytest.fixture
def small_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "KEEP_ALL_PAIRS", 100)
    monkeypatch.setattr(builder, "MIN_CANDIDATES", 50)
    monkeypatch.setattr(builder, "CANDIDATES_PER_NODE", 1)


@pytest.mark.usefixtures("small_budget")
def test_a_low_threshold_is_refused_with_the_estimate_and_what_fits() -> None:
    columns = random_columns(np.random.default_rng(0), 200, ("text", "jaccard", "numbers"))
    with pytest.raises(ResourceLimitError) as refused:
        build_graph(ids(200), columns, EdgeRule(min=0.0), max_edges=1_000)
    message = str(refused.value)
    assert message.startswith("A threshold of 0.00 would give about ")
    assert "the limit is 1,000" in message
    lowest = float(message.split("fits here is ")[1].rstrip("."))
    built = build_graph(ids(200), columns, EdgeRule(min=lowest), max_edges=1_000)
    assert 0 < built.graph.n_edges <= 1_000
    assert len(pairwise.pairs_above(columns, lowest - 0.01)) > 1_000


def test_a_threshold_that_just_does_not_fit_is_refused_by_the_exact_count() -> None:
    columns = random_columns(np.random.default_rng(0), 60, ("text", "jaccard"))
    n_edges = build_graph(ids(60), columns, EdgeRule(min=0.2)).graph.n_edges
    assert build_graph(ids(60), columns, EdgeRule(min=0.2), max_edges=n_edges).graph.n_edges == n_edges
    with pytest.raises(ResourceLimitError, match=rf"A threshold of 0\.20 would give {n_edges:,} edges"):
        build_graph(ids(60), columns, EdgeRule(min=0.2), max_edges=n_edges - 1)


def test_a_density_that_does_not_fit_is_refused_with_the_one_that_does() -> None:
    with pytest.raises(
        ResourceLimitError, match=r"is 2,475 edges; the limit is 1,000\. The highest density .* 0\.20202"
    ):
        build_graph(ids(100), equal_documents(100), EdgeRule(density=0.5), max_edges=1_000)


def test_a_complete_graph_of_two_thousand_documents_is_refused() -> None:
    numbers = replace(one_column(np.random.default_rng(0), 2_000, "numbers"), weight=0.5)
    kinds = replace(equal_documents(2_000)[0], weight=0.5)
    with pytest.raises(
        ResourceLimitError, match=r"would give about 2,000,000 edges; the limit is 1,000,000\. The lowest"
    ):
        build_graph(ids(2_000), [kinds, numbers], EdgeRule(min=0.0))


@pytest.mark.usefixtures("small_budget")
@pytest.mark.parametrize("rule", [EdgeRule(min=0.5), EdgeRule(), EdgeRule(max_per_node=3)], ids=str)
def test_many_equal_documents_are_refused(rule: EdgeRule) -> None:
    with pytest.raises(ResourceLimitError, match=r"No threshold (fits|makes a graph that fits)"):
        build_graph(ids(300), equal_documents(300), rule, max_edges=10_000)


def test_a_few_equal_documents_are_linked_each_with_each() -> None:
    built = build_graph(ids(30), equal_documents(30), EdgeRule(min=1.0))
    assert built.graph.n_edges == 435
    assert set(built.graph.weight.tolist()) == {1.0}


def test_many_neighbours_are_refused() -> None:
    columns = random_columns(np.random.default_rng(0), 60)
    with pytest.raises(ResourceLimitError, match=r"\(the 50 best neighbours of every document\) keeps .* limit is 600"):
        build_graph(ids(60), columns, EdgeRule(min_neighbors=50), max_edges=600)


# Rules applied to candidates that are already there.


def test_a_rule_within_the_candidates_needs_no_new_search() -> None:
    columns = random_columns(np.random.default_rng(3), 50)
    for rule in (EdgeRule(min=0.2), EdgeRule(density=0.1, min_neighbors=2), EdgeRule(max_per_node=2)):
        built = build_graph(ids(50), columns, rule)
        again = graph_of_candidates(built.candidates, columns, rule)
        assert again is not None
        assert again.digest == built.graph.digest


@pytest.mark.usefixtures("small_budget")
def test_a_rule_below_the_floor_says_so() -> None:
    columns = random_columns(np.random.default_rng(3), 80)
    built = build_graph(ids(80), columns, EdgeRule(min=0.4))
    assert built.candidates.floor > 0.1
    assert graph_of_candidates(built.candidates, columns, EdgeRule(min=0.05)) is None
    assert graph_of_candidates(built.candidates, columns, EdgeRule(density=0.9)) is None


# The guide's builder.


def test_network_builder_links_vectors_that_are_similar_enough() -> None:
    embeddings = {
        "a": np.array([1.0, 0.0]),
        "b": np.array([3.0, 0.3]),
        "c": np.array([0.0, 2.0]),
        "opposite": np.array([-1.0, 0.0]),
        "nothing": np.zeros(2),
    }
    graph = NetworkBuilder(min_similarity=0.7).build_network(embeddings)
    assert set(graph) == set(embeddings)
    assert list(graph.edges) == [("a", "b")]
    assert graph["a"]["b"]["weight"] == pytest.approx(1 / np.sqrt(1.01), abs=1e-6)
    assert graph["a"]["b"]["strong"] is True


def test_network_builder_takes_another_minimum_for_one_graph() -> None:
    rng = np.random.default_rng(0)
    embeddings = {f"n{i}": rng.standard_normal(5) for i in range(30)}
    made = NetworkBuilder(min_similarity=0.9)
    low, high = made.build_network(embeddings, min_similarity=0.2), made.build_network(embeddings)
    matrix = np.array([embeddings[f"n{i}"] for i in range(30)])
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    assert low.number_of_edges() == np.count_nonzero(np.triu(matrix @ matrix.T, 1) >= 0.2)
    assert high.number_of_edges() < low.number_of_edges()
    assert nx.utils.graphs_equal(made.build_network({}), nx.Graph())


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ({"a": [1.0, 2.0], "b": [1.0]}, "vector of 'b' has 1 dimensions, that of 'a' has 2"),
        ({"a": [1.0, np.nan]}, "vector of 'a' has a value that is not a finite number"),
    ],
)
def test_vectors_that_cannot_be_compared_are_refused(vectors: dict[str, list[float]], message: str) -> None:
    with pytest.raises(EmbeddingError, match=message):
        NetworkBuilder().build_network({name: np.array(vector) for name, vector in vectors.items()})


@pytest.mark.parametrize("least", [-0.1, 1.1, float("nan")])
def test_a_minimum_outside_zero_to_one_is_refused(least: float) -> None:
    with pytest.raises(ConfigError, match="threshold must be"):
        NetworkBuilder(min_similarity=least)
