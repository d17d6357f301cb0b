"""The fluent face of searching."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cnrag_core.config.spec import HybridWeights, PipelineConfig, RetrievalSpec
from cnrag_core.errors import ConfigError, UnknownNameError
from cnrag_core.retrieval.search import STRATEGIES, Search


def test_every_step_returns_a_new_search(source):
    search = Search("honey", source)
    search.with_strategy("hub").with_weights(hub=1.0).filter(tags="food").with_query_mode("bm25")
    assert search == search
    assert (search.strategy, dict(search.weights), search.conditions, search.mode) == (None, {}, (), None)


def test_configured_strategy_answers_unless_another_is_asked_for(source):
    config = source.config.model_copy(update={"retrieval": RetrievalSpec(strategy="hub")})
    search = Search("honey", replace(source, config=config))
    assert search.top(3).strategy == "hub"
    assert search.with_strategy("bridge").top(3).strategy == "bridge"


def test_default_of_a_configuration_is_the_best_measured_strategy(source):
    assert Search("honey", source).top(3).strategy == ("auto" if "auto" in STRATEGIES else "hybrid")


def test_unknown_strategy_names_the_nearest(source):
    with pytest.raises(UnknownNameError, match=r"no strategy 'hybird'; the strategies are .* Did you mean 'hybrid'\?"):
        Search("honey", source).with_strategy("hybird")


def test_unknown_boost_is_refused(source):
    with pytest.raises(ConfigError, match="no boost 'hubs' to weigh"):
        Search("honey", source).with_weights(hubs=1.0)


def test_weights_reach_the_strategy(source):
    results = Search("honey", source).with_strategy("hub").with_weights({"hub": 0.0}).top(5)
    assert all(node.boosts == {} for node in results)


def test_configured_weights_apply_to_hybrid_alone(source):
    weights = HybridWeights(smoothing=0, community=0, hub=0, bridge=0)
    config = source.config.model_copy(update={"retrieval": RetrievalSpec(weights=weights)})
    search = Search("honey", replace(source, config=config))
    assert all(node.boosts == {} for node in search.with_strategy("hybrid").top(5))
    assert any(node.boosts for node in search.with_strategy("hub").top(5))


def test_filters_alone_list_what_passes_in_the_order_of_ids(source):
    results = Search("tags:food", source).with_strategy("similarity").top(10)
    assert results.ids == ["bees", "bread", "bread2", "ovens"]
    assert results.reason == "all documents with tags: food"


def test_filters_alone_leave_auto_nothing_to_choose(source):
    results = Search("tags:food", source).with_strategy("auto").top(10)
    assert results.ids == ["bees", "bread", "bread2", "ovens"]
    assert (results.strategy, results.reason) == ("auto", "all documents with tags: food")


def test_filters_add_up(source):
    results = Search("honey tags:food", source).with_strategy("similarity").filter(year=(2010, None)).top(10)
    assert results.ids == ["bread", "bread2"]


def test_unknown_filter_field_is_refused(source):
    with pytest.raises(UnknownNameError, match="no field 'colour' to filter by"):
        Search("honey", source).filter(colour="red").top(3)


def test_results_show_the_matched_words(source):
    assert Search("sweet honey", source).with_strategy("similarity").top(1)[0].matched_terms == ("sweet", "honey")


def test_costly_topology_is_not_computed_for_strategies_that_do_not_read_it(source):
    class Guarded:
        config, graph, scorer, links = source.config, source.graph, source.scorer, None

        @property
        def communities(self):
            raise AssertionError("not needed")

        betweenness = communities

    assert Search("honey", Guarded()).with_strategy("smoothing").top(3).ids


def test_pipeline_without_edges_or_links_can_be_searched(source, make_graph):
    empty = replace(source, graph=make_graph(source.graph.node_ids, []))
    assert isinstance(empty.config, PipelineConfig)
    assert Search("moon", empty).top(1).ids == ["lunar"]
