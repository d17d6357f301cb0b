"""One battery that every strategy must pass, then what each promises by itself."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from cnrag_core.config.spec import AdjacentLinks, FieldEmbeddingComponent, PipelineConfig
from cnrag_core.corpus.document import Document
from cnrag_core.errors import ConfigError, EmbeddingError
from cnrag_core.graph.links import find_links
from cnrag_core.retrieval.boosting import candidates
from cnrag_core.retrieval.bridge import BridgeRetrieval
from cnrag_core.retrieval.community import CommunityRetrieval
from cnrag_core.retrieval.hub import HubRetrieval
from cnrag_core.retrieval.hybrid import HybridRetrieval
from cnrag_core.retrieval.query import QueryScorer
from cnrag_core.retrieval.search import STRATEGIES, Search, context_of_embeddings
from cnrag_core.retrieval.similarity import SimilarityRetrieval
from cnrag_core.retrieval.smoothing import SmoothingRetrieval, strongest_neighbors
from cnrag_core.retrieval.strategy import RetrievalContext, RetrievalStrategy

every_strategy = pytest.mark.parametrize("strategy", list(STRATEGIES))
QUESTIONS = ("honey", "bread and honey", "where is flour baked into a loaf", "the moon")


@every_strategy
def test_it_has_the_name_it_is_known_by(strategy):
    assert isinstance(STRATEGIES[strategy], RetrievalStrategy)
    assert STRATEGIES[strategy].name == strategy


@every_strategy
@pytest.mark.parametrize("query", QUESTIONS)
def test_results_are_the_same_every_time(source, strategy, query):
    first, second = (Search(query, source).with_strategy(strategy).top(10) for _ in range(2))
    assert first.nodes == second.nodes


@every_strategy
@pytest.mark.parametrize("query", QUESTIONS)
def test_results_are_ordered_and_each_document_comes_once(source, strategy, query):
    results = Search(query, source).with_strategy(strategy).top(10)
    scores = [node.score for node in results]
    assert results.ids
    assert len(set(results.ids)) == len(results)
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)


@every_strategy
@pytest.mark.parametrize("n", [0, 1, 2, 100])
def test_no_more_than_n_results(source, strategy, n):
    results = Search("bread and honey", source).with_strategy(strategy).top(n)
    assert len(results) <= n
    assert (len(results) == 0) == (n == 0)


@every_strategy
def test_shorter_answers_are_the_head_of_longer_ones(source, strategy):
    search = Search("bread and honey", source).with_strategy(strategy)
    assert search.top(2).ids == search.top(10).ids[:2]


@every_strategy
def test_filters_are_respected(source, strategy):
    results = Search("bread and honey", source).with_strategy(strategy).filter(tags=["insects"]).top(10)
    assert results.ids
    assert set(results.ids) <= {"ants", "bees"}


@every_strategy
def test_filters_typed_into_the_question_are_respected(source, strategy):
    results = Search("honey year:2010..2010", source).with_strategy(strategy).top(10)
    assert results.ids == ["bread"]


@every_strategy
def test_filter_that_nothing_passes_gives_nothing_and_says_so(source, strategy):
    results = Search("honey", source).with_strategy(strategy).filter(tags="nowhere").top(10)
    assert results.ids == []
    assert results.reason == "No document passes the filters."


@every_strategy
@pytest.mark.parametrize("query", ["", "  ", "unicorn", "?!"])
def test_question_that_matches_nothing_gives_nothing_and_a_reason(source, strategy, query):
    results = Search(query, source).with_strategy(strategy).top(10)
    assert results.ids == []
    assert results.reason.endswith(".")


@every_strategy
@pytest.mark.parametrize("query", QUESTIONS)
def test_score_is_similarity_plus_boosts(source, strategy, query):
    for node in Search(query, source).with_strategy(strategy).top(10):
        assert node.score == pytest.approx(node.similarity + sum(node.boosts.values()))


@every_strategy
@pytest.mark.parametrize("query", QUESTIONS)
def test_base_rank_is_the_place_under_plain_similarity(source, strategy, query):
    plain = Search(query, source).with_strategy("similarity").top(100).ids
    for node in Search(query, source).with_strategy(strategy).top(10):
        assert node.base_rank == (plain.index(node.node_id) + 1 if node.node_id in plain else None)


@every_strategy
def test_documents_that_similarity_would_not_find_say_how_they_came(source, strategy):
    for query in QUESTIONS:
        for node in Search(query, source).with_strategy(strategy).top(10):
            if node.base_rank is None:
                assert node.path or node.boosts
                assert all(step.target for step in node.path)


@every_strategy
def test_graph_without_edges_is_no_obstacle(source, strategy, make_graph):
    from dataclasses import replace

    alone = replace(source, graph=make_graph(source.graph.node_ids, []))
    assert Search("bread and honey", alone).with_strategy(strategy).top(10).ids


@every_strategy
def test_guide_signature_returns_ids(strategy):
    pytest.importorskip("cnrag_core.topology.communities")
    graph = nx.Graph([("a", "b", {"weight": 0.8}), ("b", "c", {"weight": 0.7})])
    vectors = {"a": np.array([1.0, 0.0]), "b": np.array([0.8, 0.6]), "c": np.array([0.0, 1.0])}
    ids = STRATEGIES[strategy].retrieve(np.array([1.0, 0.1]), vectors, graph, 2)
    assert len(ids) == 2
    assert ids[0] in ("a", "b")


def test_candidates_are_the_matches_and_the_neighbours_of_the_best_ten(make_context):
    context = make_context([0.9, 0.0, 0.0, 0.2], [("a", "b", 0.5), ("b", "c", 0.5)])
    assert candidates(context).tolist() == [True, True, False, True]


def test_candidates_respect_filters(make_context):
    context = make_context([0.9, 0.0, 0.5], [("a", "b", 0.5)], allowed=[True, False, True])
    assert candidates(context).tolist() == [True, False, True]


def test_similarity_ties_go_to_the_smallest_id(make_context):
    assert SimilarityRetrieval().rank(make_context([0.5, 0.9, 0.5])).ids == ["b", "a", "c"]


def test_community_boost_is_the_share_of_the_best_matches_over_the_largest_share(make_context):
    # three of the four matches lie in community 0, one in community 1
    context = make_context([0.9, 0.8, 0.7, 0.6, 0.0], [("a", "e", 0.5)], communities=[0, 0, 0, 1, 1])
    boosts = {node.node_id: node.boosts["community"] for node in CommunityRetrieval().rank(context)}
    assert boosts == pytest.approx({"a": 0.2, "b": 0.2, "c": 0.2, "d": 0.2 / 3, "e": 0.2 / 3})


def test_hub_boost_is_the_degree_over_the_largest_degree_of_the_candidates(make_context):
    context = make_context([0.5, 0.5, 0.5, 0.0, 0.0], [("a", "b", 1.0), ("b", "c", 1.0), ("d", "e", 1.0)])
    results = HubRetrieval().rank(context)
    assert results.ids == ["b", "a", "c"]
    assert [node.boosts["hub"] for node in results] == pytest.approx([0.2, 0.1, 0.1])


def test_bridge_boost_lifts_the_node_between(make_context):
    context = make_context([0.5, 0.5, 0.5], [("a", "b", 1.0), ("b", "c", 1.0)], betweenness=[0.0, 1.0, 0.0])
    results = BridgeRetrieval().rank(context)
    assert results.ids == ["b", "a", "c"]
    assert results[0].boosts == {"bridge": pytest.approx(0.2)}
    assert results[1].boosts == {}


def test_caller_weights_replace_the_defaults(make_context):
    context = make_context([0.5, 0.5], [("a", "b", 1.0)], weights={"hub": 0.4})
    assert HubRetrieval().rank(context)[0].boosts == {"hub": pytest.approx(0.4)}


def test_negative_weight_is_refused(make_context):
    with pytest.raises(ConfigError, match=r"weight of 'hub' is -1\.0; it must be a number of at least 0"):
        HubRetrieval().rank(make_context([0.5], weights={"hub": -1.0}))


def test_smoothing_adds_half_the_weighted_mean_of_the_neighbours(make_context):
    context = make_context([0.2, 0.8, 0.4], [("a", "b", 0.6), ("a", "c", 0.3)])
    nodes = {node.node_id: node for node in SmoothingRetrieval().rank(context)}
    assert nodes["a"].boosts["smoothing"] == pytest.approx(0.5 * (0.6 * 0.8 + 0.3 * 0.4) / 0.9)
    assert nodes["b"].boosts["smoothing"] == pytest.approx(0.5 * 0.2)


def test_smoothing_reads_only_the_ten_strongest_neighbours(make_graph):
    graph = make_graph([f"n{i:02d}" for i in range(13)], [("n00", f"n{i:02d}", 0.1 + i / 100) for i in range(1, 13)])
    row = strongest_neighbors(graph).toarray()[0]
    assert np.flatnonzero(row).tolist() == list(range(3, 13))


def test_smoothing_names_the_neighbour_that_brought_a_document_in(make_context):
    context = make_context([0.9, 0.0], [("a", "b", 0.5)])
    step = SmoothingRetrieval().rank(context)[1].path[0]
    assert (step.source, step.target, step.kind, step.weight) == ("a", "b", "similarity", 0.5)


def test_filter_does_not_change_the_score_of_what_it_keeps(make_context):
    parts = ([0.2, 0.8, 0.4], [("a", "b", 0.6), ("a", "c", 0.3)])
    everything = {node.node_id: node.score for node in SmoothingRetrieval().rank(make_context(*parts))}
    kept = SmoothingRetrieval().rank(make_context(*parts, allowed=[True, False, True]))
    assert {node.node_id: node.score for node in kept} == {k: everything[k] for k in ("a", "c")}


def test_smoothing_reads_the_turns_before_and_after(make_graph):
    documents = [
        Document(f"t{i}", {"text": text, "talk": "x", "turn": i}) for i, text in enumerate(["hello", "", "walrus"])
    ]
    config = PipelineConfig(
        components=[FieldEmbeddingComponent(field="text")], links=[AdjacentLinks(within="talk", order="turn")]
    )
    context = RetrievalContext(
        query="walrus",
        similarity=np.array([0.0, 0.0, 1.0]),
        graph=make_graph([document.id for document in documents], []),
        communities=np.zeros(3, dtype=np.int64),
        betweenness=np.zeros(3),
        links=find_links(documents, config.links),
        texts=QueryScorer(documents, config, {}),
    )
    results = SmoothingRetrieval().rank(context)
    assert results.ids == ["t2", "t1"]
    assert results[1].boosts == {"smoothing": pytest.approx(0.25)}
    assert results[1].path[0].kind == "adjacent"


def test_hybrid_adds_all_four_boosts_with_the_documented_weights(make_context):
    context = make_context([0.8, 0.4], [("a", "b", 0.5)], betweenness=[0.0, 1.0])
    nodes = {node.node_id: dict(node.boosts) for node in HybridRetrieval().rank(context)}
    assert nodes["b"] == pytest.approx({"smoothing": 0.5 * 0.8, "community": 0.05, "hub": 0.02, "bridge": 0.02})


def test_vectors_of_another_length_are_refused():
    graph = nx.Graph([("a", "b")])
    with pytest.raises(EmbeddingError, match="question has 2 dimensions, document 'a' has 3"):
        context_of_embeddings(np.ones(2), {"a": np.ones(3)}, graph, needs=frozenset())


def test_vectors_of_zeros_are_similar_to_nothing():
    graph = nx.Graph([("a", "b")])
    context = context_of_embeddings(np.ones(2), {"a": np.zeros(2), "z": np.ones(2)}, graph, needs=frozenset())
    assert context.similarity.tolist() == [0.0, 0.0]
