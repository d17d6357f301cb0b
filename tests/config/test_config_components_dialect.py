"""Dialect A: what the list of components says, and what is filled in."""

from __future__ import annotations

import pytest

from cnrag_core.config.components_dialect import as_mapping, read, write
from cnrag_core.config.dialect import weight_notes
from cnrag_core.config.loader import load_config
from cnrag_core.config.spec import (
    DEFAULT_EDGE_RULE,
    AttributeSimilarityComponent,
    CommunitySpec,
    CompositeEmbeddingComponent,
    EdgeRule,
    FieldEmbeddingComponent,
    PipelineConfig,
)
from cnrag_core.errors import ConfigError

COMPONENT = {"type": "field_embedding", "field": "title"}


def test_the_threshold_and_the_other_edge_rules_hold_together() -> None:
    config = read(
        {
            "similarity": {"components": [COMPONENT], "min_combined_similarity": 0.4},
            "network": {"edges": {"max_per_node": 10, "strong": 0.7}},
        }
    )
    assert config.edges == EdgeRule(min=0.4, max_per_node=10, strong=0.7)


def test_the_threshold_may_stand_under_network_but_not_in_both_places() -> None:
    assert read({"similarity": {"components": [COMPONENT]}, "network": {"edges": {"min": 0.4}}}).edges == EdgeRule(
        min=0.4
    )
    twice = {
        "similarity": {"components": [COMPONENT], "min_combined_similarity": 0.4},
        "network": {"edges": {"min": 0.4}},
    }
    with pytest.raises(
        ConfigError, match=r"^network\.edges\.min: the threshold is given twice, as `similarity\.min_comb"
    ):
        read(twice)


def test_without_an_edge_rule_the_default_is_used_and_said() -> None:
    config = read({"similarity": {"components": [COMPONENT]}})
    assert config.edges == DEFAULT_EDGE_RULE
    assert config.notes == (
        "Nothing says which pairs become edges, so the default does: the most similar 5% of all pairs, and the 3 best "
        "neighbours of every document. A threshold can be set instead once the curve has been seen.",
    )


def test_with_an_edge_rule_there_is_nothing_to_say() -> None:
    assert read({"similarity": {"components": [COMPONENT], "min_combined_similarity": 0.4}}).notes == ()


def test_communities_may_stand_at_the_top_or_under_network() -> None:
    for place in ({"communities": {"algorithm": "leiden"}}, {"network": {"communities": {"algorithm": "leiden"}}}):
        assert read({"similarity": {"components": [COMPONENT]}, **place}).communities == CommunitySpec(
            algorithm="leiden"
        )


def test_a_missing_type_is_told_by_the_other_keys_or_the_schema() -> None:
    config = load_config(
        """
        schema: {tags: list, brand: category, title: text}
        similarity:
          components:
            - {fields: [{field: title}, {field: body}], weight: 5}
            - {field: title, model: tfidf}
            - {field: authors, metric: dice}
            - {field: tags}
            - {field: brand}
            - {field: abstract}
          min_combined_similarity: 0.4
        """
    )
    kinds = [type(component) for component in config.components]
    assert kinds == [
        CompositeEmbeddingComponent,
        FieldEmbeddingComponent,
        AttributeSimilarityComponent,
        AttributeSimilarityComponent,
        AttributeSimilarityComponent,
        FieldEmbeddingComponent,
    ]
    assert [c.metric for c in config.components if isinstance(c, AttributeSimilarityComponent)] == [
        "dice",
        "jaccard",
        "exact",
    ]
    assert config.notes == (
        "Field 'tags' is a list, so it is compared with jaccard.",
        "Field 'brand' is a category, so it is compared with exact.",
        "The component of field 'abstract' has no `type`, so the field is compared as text with tfidf.",
    )


def test_reading_does_not_change_the_mapping() -> None:
    mapping = {"similarity": {"components": [{"field": "title"}]}}
    read(mapping)
    assert mapping == {"similarity": {"components": [{"field": "title"}]}}


def test_one_word_is_enough_where_a_list_has_one_entry() -> None:
    link = {"type": "mention", "of": "title", "in": "abstract"}
    config = read({"similarity": {"components": [COMPONENT]}, "links": [link], "engine": "dask"})
    assert config.links[0].fields == ("abstract",)  # type: ignore[union-attr]
    assert config.engine.engine == "dask"


def test_the_written_form_leaves_out_what_is_the_default() -> None:
    config = PipelineConfig(
        components=[FieldEmbeddingComponent(field="title", weight=3)], edges=EdgeRule(min=0.4), schema={"title": "text"}
    )
    assert as_mapping(config) == {
        "schema": {"title": "text"},
        "similarity": {
            "components": [{"type": "field_embedding", "field": "title", "model": "tfidf", "weight": 3}],
            "min_combined_similarity": 0.4,
        },
    }


def test_texts_that_would_read_as_something_else_are_quoted() -> None:
    config = PipelineConfig(
        components=[FieldEmbeddingComponent(field="2017")],
        edges=EdgeRule(min=1e-5),
        name="true",
        description="a: b\n#c",
    )
    text = write(config)
    assert 'field: "2017"' in text
    assert 'name: "true"' in text
    assert load_config(text) == config


def test_weights_that_an_aggregation_cannot_follow_are_said() -> None:
    fields = [{"field": "title", "weight": 3}, {"field": "body", "weight": 1}]
    chat = {"field": "messages", "model": "tfidf", "aggregation": "max_pool", "role_weights": {"user": 2.0}}
    followed = {"fields": fields, "type": "composite_embedding", "aggregation": "mean", "component_id": "followed"}
    ignored = {"fields": fields, "type": "composite_embedding", "aggregation": "first"}
    equal = {**ignored, "fields": [{"field": "title"}, {"field": "body"}], "component_id": "equal"}
    similarity = {"components": [followed, ignored, equal, chat | {"type": "field_embedding"}]}
    config = read({"similarity": {**similarity, "min_combined_similarity": 0.4}})
    assert config.notes == ()  # which say what was filled in, and are written with the configuration
    assert weight_notes(config.components) == [
        "title+body: aggregation 'first' takes no weights, so the weights of its fields do not count; 'weighted_avg' "
        "follows them.",
        "messages: aggregation 'max_pool' takes no weights, so the weights of the speakers do not count; "
        "'weighted_avg' follows them.",
    ]
