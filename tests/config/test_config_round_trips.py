"""Properties: what is written reads back the same, in either dialect, and any text at all is read or refused."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cnrag_core.config.loader import load_config, to_yaml
from cnrag_core.config.spec import (
    AdjacentLinks,
    AttributeSimilarityComponent,
    ChunkingStrategy,
    CommunitySpec,
    Component,
    CompositeEmbeddingComponent,
    CompositeField,
    DisplaySpec,
    EdgeRule,
    EngineSpec,
    FieldEmbeddingComponent,
    FieldSpec,
    HybridWeights,
    MentionLinks,
    PipelineConfig,
    ReferenceLinks,
    RetrievalSpec,
    SharedConceptLinks,
    TraversalSpec,
)
from cnrag_core.errors import ConfigError

HANG = timedelta(seconds=20)
UNHURRIED = settings(max_examples=60, deadline=HANG, suppress_health_check=[HealthCheck.too_slow])

words = st.one_of(
    st.sampled_from(
        ["title", "abstract", "tags", "no", "2017", "1e-1", "~", "a: b", "# x", "é ü", "日本語", "overall"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12),
)
shares = st.one_of(st.sampled_from([0.0, 0.4, 1.0, 1e-9, 1 / 3]), st.floats(0, 1))
weights = st.one_of(st.integers(0, 10).map(float), st.floats(0, 1e6))
aggregations = st.sampled_from(["mean", "weighted_avg", "weighted_mean", "max_pool", "sum", "first", "last"])


@st.composite
def chunkings(draw: st.DrawFn) -> ChunkingStrategy | None:
    if draw(st.booleans()):
        return None
    largest = draw(st.integers(2, 5000))
    return ChunkingStrategy(
        method=draw(st.sampled_from(["none", "fixed_tokens", "sentences", "paragraphs", "sliding", "recursive"])),
        max_tokens=largest,
        overlap=draw(st.integers(0, largest - 1)),
        max_chars=largest,
        overlap_chars=draw(st.integers(0, largest - 1)),
    )


def vector_options(draw: st.DrawFn) -> dict[str, Any]:
    model = draw(st.sampled_from(["tfidf", "sentence_bert", "ollama"]))
    return {
        "model": model,
        "model_name": draw(st.none() | words) if model != "tfidf" else None,
        "host": draw(st.none() | st.just("http://localhost:11434")) if model == "ollama" else None,
        "chunking": draw(chunkings()),
    }


@st.composite
def components(draw: st.DrawFn) -> Component:
    options: dict[str, Any] = {
        "component_id": draw(st.none() | words),
        "weight": draw(weights),
        "min_similarity": draw(st.none() | shares),
    }
    kind = draw(st.sampled_from(["field", "composite", "attribute"]))
    if kind == "field":
        return FieldEmbeddingComponent(
            **options,
            **vector_options(draw),
            field=draw(words),
            aggregation=draw(aggregations | st.just("concat")),
            decay_from=draw(st.sampled_from(["first", "last"])),
            role_weights=draw(st.none() | st.dictionaries(words, st.floats(0.1, 9), min_size=1, max_size=3)),
        )
    if kind == "attribute":
        metric = draw(st.sampled_from(["jaccard", "dice", "overlap", "exact", "numeric"]))
        scale = draw(st.floats(1e-3, 1e6)) if metric == "numeric" else None
        return AttributeSimilarityComponent(**options, field=draw(words), metric=metric, scale=scale)
    parts = draw(
        st.lists(
            st.builds(
                CompositeField,
                field=words,
                weight=st.floats(0.01, 100),
                chunking=chunkings(),
                aggregation=aggregations,
                decay_from=st.sampled_from(["first", "last"]),
            ),
            min_size=1,
            max_size=4,
        )
    )
    return CompositeEmbeddingComponent(
        **options, **vector_options(draw), fields=tuple(parts), aggregation=draw(aggregations | st.just("concat"))
    )


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=4,
)
field_specs = st.builds(
    FieldSpec,
    kind=st.sampled_from(["text", "list", "number", "category", "boolean", "date"]),
    required=st.booleans(),
    default=plain,
    source=st.none() | st.sampled_from(["title", "$.authors[*].name", "$..x"]),
    reduce=st.none() | st.sampled_from(["join", "unique", "max"]),
    separator=st.none() | st.sampled_from([";", ", ", "\t", "#"]),
    transform=st.lists(st.sampled_from(["strip", "lower", "split"]), max_size=2).map(tuple),
)
links = st.one_of(
    st.builds(MentionLinks, of=words, fields=st.lists(words, min_size=1, max_size=2).map(tuple)),
    st.builds(
        SharedConceptLinks, fields=st.lists(words, min_size=1, max_size=2).map(tuple), max_share=st.floats(0.01, 1)
    ),
    st.builds(ReferenceLinks, source=words, target=words),
    st.builds(AdjacentLinks, within=words, order=words),
)


@st.composite
def configurations(draw: st.DrawFn) -> PipelineConfig:
    parts = draw(st.lists(components(), min_size=1, max_size=4, unique_by=lambda component: component.name))
    if not any(part.weight > 0 for part in parts):
        parts = [part.model_copy(update={"weight": 1.0}) for part in parts]
    return PipelineConfig(
        name=draw(st.none() | words),
        description=draw(st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=300)),
        id_field=draw(words),
        schema=draw(st.dictionaries(words, field_specs, max_size=3)),
        components=tuple(parts),
        edges=draw(
            st.builds(
                EdgeRule,
                min_similarity=st.none() | shares,
                max_per_node=st.none() | st.integers(1, 50),
                density=st.none() | st.floats(0.001, 1),
                min_neighbors=st.none() | st.integers(0, 9),
                strong_similarity=shares,
            )
        ),
        links=tuple(draw(st.lists(links, max_size=2))),
        communities=draw(
            st.builds(CommunitySpec, algorithm=st.sampled_from(["louvain", "leiden"]), resolution=st.floats(0.1, 5))
        ),
        retrieval=draw(
            st.builds(
                RetrievalSpec,
                query=st.sampled_from(["auto", "bm25", "cosine"]),
                weights=st.builds(HybridWeights, hub=weights),
            )
        ),
        traversal=draw(st.builds(TraversalSpec, max_nodes=st.integers(0, 99), min_cosine=shares)),
        display=draw(st.builds(DisplaySpec, title=st.none() | words, color=st.none() | words)),
        engine=draw(st.sampled_from([EngineSpec(), EngineSpec(engine="dask", scheduler="tcp://10.0.0.1:8786")])),
        random_state=draw(st.integers(0, 2**32 - 1)),
    )


@UNHURRIED
@given(configurations())
def test_components_dialect_reads_back_what_it_wrote(config: PipelineConfig) -> None:
    read = load_config(to_yaml(config, "components"))
    assert read == config
    assert read.digest == config.digest


@UNHURRIED
@given(configurations())
def test_graph_dialect_reads_back_what_it_wrote(config: PipelineConfig) -> None:
    read = load_config(to_yaml(config, "graph"))
    assert read == config
    assert read.digest == config.digest


@UNHURRIED
@given(configurations())
def test_conversion_there_and_back_changes_nothing(config: PipelineConfig) -> None:
    there = load_config(to_yaml(config, "graph"))
    back = load_config(to_yaml(there, "components"))
    assert back == config
    assert to_yaml(back, "components") == to_yaml(config, "components")


@UNHURRIED
@given(configurations())
def test_weights_of_any_configuration_add_up_to_one(config: PipelineConfig) -> None:
    assert abs(sum(config.normalized_weights.values()) - 1.0) <= 1e-9


def reads_or_refuses(source: Any) -> None:
    """Load it; anything but a usable configuration or a `ConfigError` that says something fails the test."""
    try:
        weights = load_config(source, uploaded=True).normalized_weights.values()
    except ConfigError as error:
        problems = error.problems
    else:
        problems = ()
        assert abs(sum(weights) - 1.0) <= 1e-9
    assert all(problem.message for problem in problems)


@UNHURRIED
@given(st.text(st.characters()) | st.binary())
def test_any_text_is_read_or_refused(source: str | bytes) -> None:
    reads_or_refuses(source)


KEYS = st.sampled_from(
    [
        "similarity",
        "components",
        "similarities",
        "embeddings",
        "network",
        "edges",
        "combine",
        "ref",
        "weight",
        "min",
        "field",
        "metric",
        "type",
        "chunking",
        "method",
        "schema",
        "links",
        "in",
        "of",
        "overall",
        "gate",
        "<<",
    ]
)
VALUES = st.sampled_from(
    [
        "title",
        "tfidf",
        "jaccard",
        "exact",
        "field_embedding",
        "attribute_similarity",
        "composite_embedding",
        "sentences",
        "0.4",
        "-1",
        ".nan",
        ".inf",
        "1e-1",
        "no",
        "true",
        "~",
        "[]",
        "{}",
        "''",
        '"x"',
        "*a",
        "&a",
        "!!set",
        "|",
        ">",
        "-",
        "?",
        ":",
        "#",
        "2017",
        "overall",
        "a_vec",
    ]
)
MARKS = st.sampled_from(["\n", "\n  ", "\n    ", "\n    - ", ": ", ", ", "{", "}", "[", "]", " ", "- "])


@UNHURRIED
@given(st.lists(KEYS | VALUES | MARKS, max_size=80).map("".join))
def test_any_jumble_of_configuration_words_is_read_or_refused(text: str) -> None:
    reads_or_refuses(text)


tangles = st.recursive(
    VALUES | st.floats() | st.integers() | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=30,
)


@UNHURRIED
@given(st.dictionaries(KEYS, tangles, max_size=6))
def test_any_mapping_is_read_or_refused(mapping: dict[str, Any]) -> None:
    reads_or_refuses(mapping)


@UNHURRIED
@given(configurations(), st.data())
def test_any_damaged_configuration_is_read_or_refused(config: PipelineConfig, data: st.DataObject) -> None:
    text = to_yaml(config, data.draw(st.sampled_from(["components", "graph"])))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 5))
        text = text[:place] + data.draw(st.text(max_size=3) | MARKS) + text[place + cut :]
    reads_or_refuses(text)
