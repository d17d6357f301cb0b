"""The models: complete after validation, refusing nonsense in our words, equal when they say the same."""

from __future__ import annotations

import pytest

from cnrag_core.config.annotations import models_below
from cnrag_core.config.components_dialect import ComponentsDocument
from cnrag_core.config.graph_document import GraphDocument
from cnrag_core.config.spec import (
    DEFAULT_EDGE_RULE,
    AttributeSimilarityComponent,
    ChunkingStrategy,
    CompositeEmbeddingComponent,
    CompositeField,
    EdgeRule,
    FieldEmbeddingComponent,
    FieldSpec,
    PipelineConfig,
)
from cnrag_core.errors import ConfigError

TITLE = FieldEmbeddingComponent(field="title")


def config(**options: object) -> PipelineConfig:
    return PipelineConfig(**{"components": [TITLE], **options})


def test_ratio_three_five_two_is_normalised_to_shares() -> None:
    parts = [FieldEmbeddingComponent(field=f, weight=w) for f, w in [("title", 3), ("abstract", 5), ("tags", 2)]]
    assert PipelineConfig(components=parts).normalized_weights == {"title": 0.3, "abstract": 0.5, "tags": 0.2}


def test_shares_that_add_up_to_one_stay_exactly_as_written() -> None:
    written = {"title": 0.3, "abstract": 0.4, "tags": 0.2, "authors": 0.1}
    parts = [FieldEmbeddingComponent(field=name, weight=weight) for name, weight in written.items()]
    assert PipelineConfig(components=parts).normalized_weights == written


@pytest.mark.parametrize(
    ("spelling", "canonical"), [("fixed", "fixed_tokens"), ("sentence", "sentences"), ("paragraph", "paragraphs")]
)
def test_other_spellings_of_chunking_are_reported_by_one_name(spelling: str, canonical: str) -> None:
    assert ChunkingStrategy(method=spelling).method == canonical


@pytest.mark.parametrize("spelling", ["tf-idf", "sbert", "sentence-transformers"])
def test_other_spellings_of_models_are_known(spelling: str) -> None:
    assert FieldEmbeddingComponent(field="title", model=spelling).model in ("tfidf", "sentence_bert")


def test_other_spellings_of_metrics_and_kinds_are_known() -> None:
    assert AttributeSimilarityComponent(field="tags", metric="containment").metric == "overlap"
    assert FieldSpec(kind="string").kind == "text"


def test_a_field_of_only_a_kind_may_be_written_as_one_word() -> None:
    assert config(schema={"title": "text"}) == config(schema={"title": {"type": "text"}})


def test_a_component_named_like_its_default_is_the_same_as_an_unnamed_one() -> None:
    assert FieldEmbeddingComponent(field="title", component_id="title") == TITLE
    named = AttributeSimilarityComponent(field="tags", component_id="tag_sim")
    assert (named.name, named.default_name) == ("tag_sim", "tags")


def test_a_composite_is_named_after_its_fields() -> None:
    parts = (CompositeField(field="title"), CompositeField(field="abstract"))
    assert CompositeEmbeddingComponent(fields=parts).name == "title+abstract"


def test_an_empty_edge_rule_becomes_the_default_and_keeps_what_counts_as_strong() -> None:
    edges = config(edges=EdgeRule(strong=0.9)).edges
    assert (edges.density, edges.min_neighbors, edges.strong_similarity) == (0.05, 3, 0.9)
    assert config().edges == DEFAULT_EDGE_RULE


def test_notes_do_not_make_configurations_different() -> None:
    assert config(notes=("Something was filled in.",)) == config()
    assert config(notes=("Something was filled in.",)).digest == config().digest


def test_digest_changes_with_everything_else() -> None:
    digests = {
        config(**options).digest for options in ({}, {"name": "a"}, {"random_state": 1}, {"edges": {"min": 0.4}})
    }
    assert len(digests) == 4


def test_text_fields_are_those_of_embeddings_in_order_of_use() -> None:
    parts = (CompositeField(field="title"), CompositeField(field="body"))
    tags = AttributeSimilarityComponent(field="tags")
    composite = CompositeEmbeddingComponent(fields=parts)
    assert PipelineConfig(components=[tags, composite, TITLE]).text_fields == ("title", "body")


def test_configurations_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        config().name = "other"  # type: ignore[misc]


def test_python_construction_reports_in_the_words_of_the_loader() -> None:
    with pytest.raises(ConfigError) as caught:
        AttributeSimilarityComponent(field=True, metric="jacard", weight="3")  # type: ignore[arg-type]
    assert set(map(str, caught.value.problems)) == {
        "AttributeSimilarityComponent.field: field must be text, got boolean: quote it.",
        "AttributeSimilarityComponent.metric: 'jacard' is not a set metric. "
        "Use one of 'dice', 'exact', 'jaccard', 'numeric', 'overlap'. Did you mean 'jaccard'?",
        "AttributeSimilarityComponent.weight: weight must be a number, got text '3': remove the quotes.",
    }


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ChunkingStrategy(max_tokens=50, overlap=50), "overlap 50 must be smaller than max_tokens 50"),
        (lambda: ChunkingStrategy(method="recursive", max_chars=10, overlap_chars=10), "smaller than max_chars 10"),
        (lambda: AttributeSimilarityComponent(field="year", metric="numeric"), "metric 'numeric' needs `scale`"),
        (lambda: AttributeSimilarityComponent(field="tags", scale=2.0), "`scale` belongs to metric 'numeric'"),
        (
            lambda: FieldEmbeddingComponent(field="a", host="http://x"),
            "`host` belongs to model 'ollama', not to 'tfidf'",
        ),
        (lambda: FieldEmbeddingComponent(field="a", model_name="x"), "`model_name` belongs to models 'sentence_bert'"),
        (lambda: FieldEmbeddingComponent(field="a", role_weights={"user": 0}), "all role weights are 0"),
        (lambda: CompositeEmbeddingComponent(fields=[{"field": "a", "weight": 0}]), "all field weights are 0"),
        (lambda: CompositeField(field="a", aggregation="concat"), "'concat' makes vectors of different lengths"),
        (lambda: config(components=[{**TITLE.model_dump(), "weight": 0}]), "all component weights are 0"),
        (lambda: config(components=[TITLE, TITLE]), "two components are named 'title'"),
        (lambda: config(engine={"scheduler": "tcp://x"}), "`scheduler` belongs to engine 'dask'"),
        (lambda: config(traversal={"concepts": "field"}), "concepts: field needs `concept_field`"),
    ],
)
def test_values_that_do_not_go_together_are_refused(make: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make()  # type: ignore[operator]


@pytest.mark.parametrize("default", [float("nan"), {1: 2}, object(), {"a": [float("inf")]}])
def test_a_default_that_no_yaml_can_hold_is_refused(default: object) -> None:
    with pytest.raises(ConfigError, match="default must be text, a finite number, true or false"):
        FieldSpec(default=default)


def test_every_key_of_both_dialects_says_what_it_means() -> None:
    for document in (ComponentsDocument, GraphDocument):
        for place, model in models_below(document):
            for key, info in model.model_fields.items():
                assert info.description, f"{place}.{key}"
