"""Every YAML block of guide 000 that is a configuration loads; a fragment stands inside the wrapper that is stated.

The four patterns and the opening example ship with the project, and are compared with what the guide says in numbers.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from cnrag_core.config.loader import load_config, to_yaml
from cnrag_core.config.spec import (
    AttributeSimilarityComponent,
    ChunkingStrategy,
    Component,
    CompositeEmbeddingComponent,
    CompositeField,
    EdgeRule,
    FieldEmbeddingComponent,
    FieldSpec,
)

PATTERNS = Path(__file__).resolve().parents[2] / "sample_data" / "patterns"
WHOLE = "{}"
ONE_COMPONENT = "similarity:\n  components:\n{}"
SIMILARITY = "similarity:\n{}"
IN_A_COMPONENT = "similarity:\n  components:\n    - type: field_embedding\n      field: abstract\n{}"
IN_A_COMPOSITE = (
    "similarity:\n  components:\n    - type: composite_embedding\n      fields: [{{field: a}}, {{field: b}}]\n{}"
)
BESIDE_COMPONENTS = "{}  components:\n    - {{type: field_embedding, field: title}}\n"

FIELD_LEVEL = """\
similarity:
  components:
    # Semantic similarity on title (30%)
    - type: field_embedding
      field: title
      model: tfidf
      weight: 0.3

    # Semantic similarity on abstract (40%)
    - type: field_embedding
      field: abstract
      model: tfidf
      weight: 0.4

    # Set overlap on tags (20%)
    - type: attribute_similarity
      field: tags
      metric: jaccard
      weight: 0.2

    # Set overlap on authors (10%)
    - type: attribute_similarity
      field: authors
      metric: jaccard
      weight: 0.1
"""
FIELD_EMBEDDING = """\
- type: field_embedding
  field: title
  model: tfidf              # or: sentence_bert, ollama
  weight: 0.3
  min_similarity: 0.5       # Only consider if >= 0.5

  # Optional: For long text
  chunking:
    method: sentences       # or: fixed, sliding
    max_tokens: 512
    overlap: 50
"""
ATTRIBUTE = """\
- type: attribute_similarity
  field: tags
  metric: jaccard           # or: dice, exact, overlap
  weight: 0.2
  min_similarity: 0.1
"""
COMPOSITE = """\
- type: composite_embedding
  component_id: full_text
  fields:
    - field: name
      weight: 0.4
    - field: description
      weight: 0.6
  model: tfidf
  aggregation: weighted_avg
  weight: 0.8
"""
RATIOS = """\
components:
  - field: title
    weight: 3      # 3/10 = 0.3
  - field: abstract
    weight: 5      # 5/10 = 0.5
  - field: tags
    weight: 2      # 2/10 = 0.2
"""
SHARES = """\
components:
  - field: title
    weight: 0.3
  - field: abstract
    weight: 0.5
  - field: tags
    weight: 0.2
"""
SENTENCES = "chunking:\n  method: sentences\n  max_tokens: 512\n  overlap: 50\n"
FIXED = "chunking:\n  method: fixed\n  max_tokens: 256\n  overlap: 0\n"
SLIDING = "chunking:\n  method: sliding\n  max_tokens: 256\n  overlap: 128\n"
SENTENCE_BERT = """\
- type: field_embedding
  field: abstract
  model: sentence_bert
  model_name: all-MiniLM-L6-v2
  weight: 0.5
"""
OLLAMA = """\
- type: field_embedding
  field: content
  model: ollama
  model_name: nomic-embed-text
  host: http://localhost:11434
  weight: 0.7
"""


def loaded(block: str, wrapper: str, indent: int = 0) -> tuple[Component, ...]:
    return load_config(wrapper.format(textwrap.indent(block, " " * indent))).components


def test_field_level_similarity() -> None:
    assert loaded(FIELD_LEVEL, WHOLE) == (
        FieldEmbeddingComponent(field="title", weight=0.3),
        FieldEmbeddingComponent(field="abstract", weight=0.4),
        AttributeSimilarityComponent(field="tags", metric="jaccard", weight=0.2),
        AttributeSimilarityComponent(field="authors", metric="jaccard", weight=0.1),
    )


def test_field_embedding_component() -> None:
    chunking = ChunkingStrategy(method="sentences", max_tokens=512, overlap=50)
    expected = FieldEmbeddingComponent(field="title", weight=0.3, min_similarity=0.5, chunking=chunking)
    assert loaded(FIELD_EMBEDDING, ONE_COMPONENT, 4) == (expected,)


def test_attribute_similarity_component() -> None:
    expected = AttributeSimilarityComponent(field="tags", metric="jaccard", weight=0.2, min_similarity=0.1)
    assert loaded(ATTRIBUTE, ONE_COMPONENT, 4) == (expected,)


@pytest.mark.parametrize("metric", ["jaccard", "dice", "exact", "overlap"])
def test_each_metric_that_the_comment_offers(metric: str) -> None:
    (component,) = loaded(ATTRIBUTE.replace("jaccard", metric, 1), ONE_COMPONENT, 4)
    assert isinstance(component, AttributeSimilarityComponent)
    assert component.metric == metric


def test_composite_embedding_component() -> None:
    parts = (CompositeField(field="name", weight=0.4), CompositeField(field="description", weight=0.6))
    expected = CompositeEmbeddingComponent(
        component_id="full_text", fields=parts, model="tfidf", aggregation="weighted_avg", weight=0.8
    )
    assert loaded(COMPOSITE, ONE_COMPONENT, 4) == (expected,)


def test_ratios_and_shares_are_the_same_weights() -> None:
    ratios = load_config(SIMILARITY.format(textwrap.indent(RATIOS, "  ")))
    shares = load_config(SIMILARITY.format(textwrap.indent(SHARES, "  ")))
    assert ratios.normalized_weights == shares.normalized_weights == {"title": 0.3, "abstract": 0.5, "tags": 0.2}


@pytest.mark.parametrize(
    ("block", "strategy"),
    [
        (SENTENCES, ChunkingStrategy(method="sentences", max_tokens=512, overlap=50)),
        (FIXED, ChunkingStrategy(method="fixed_tokens", max_tokens=256, overlap=0)),
        (SLIDING, ChunkingStrategy(method="sliding", max_tokens=256, overlap=128)),
    ],
    ids=["sentences", "fixed", "sliding"],
)
def test_chunking_strategies(block: str, strategy: ChunkingStrategy) -> None:
    assert loaded(block, IN_A_COMPONENT, 6) == (FieldEmbeddingComponent(field="abstract", chunking=strategy),)


@pytest.mark.parametrize("method", ["weighted_avg", "max_pool", "concat", "sum"])
def test_aggregation_methods(method: str) -> None:
    (component,) = loaded(f"aggregation: {method}", IN_A_COMPOSITE, 6)
    assert isinstance(component, CompositeEmbeddingComponent)
    assert component.aggregation_method == method


def test_similarity_threshold() -> None:
    config = load_config(BESIDE_COMPONENTS.format("similarity:\n  min_combined_similarity: 0.4\n"))
    assert config.edges == EdgeRule(min=0.4)


@pytest.mark.parametrize(
    ("block", "component"),
    [
        (
            "- type: field_embedding\n  field: title\n  model: tfidf\n  weight: 0.3\n",
            FieldEmbeddingComponent(field="title", model="tfidf", weight=0.3),
        ),
        (
            SENTENCE_BERT,
            FieldEmbeddingComponent(field="abstract", model="sentence_bert", model_name="all-MiniLM-L6-v2", weight=0.5),
        ),
        (
            OLLAMA,
            FieldEmbeddingComponent(
                field="content",
                model="ollama",
                model_name="nomic-embed-text",
                host="http://localhost:11434",
                weight=0.7,
            ),
        ),
    ],
    ids=["tfidf", "sentence_bert", "ollama"],
)
def test_embedding_components(block: str, component: FieldEmbeddingComponent) -> None:
    assert loaded(block, ONE_COMPONENT, 4) == (component,)


def test_pattern_of_products() -> None:
    config = load_config(PATTERNS / "products.yaml")
    assert config.components == (
        CompositeEmbeddingComponent(
            component_id="text_sim",
            fields=(CompositeField(field="name", weight=0.3), CompositeField(field="description", weight=0.7)),
            weight=0.6,
        ),
        AttributeSimilarityComponent(component_id="category_sim", field="category", metric="exact", weight=0.3),
        AttributeSimilarityComponent(component_id="brand_sim", field="brand", metric="exact", weight=0.1),
    )
    assert config.edges == EdgeRule(min=0.4)
    assert dict(config.fields) == dict.fromkeys(("name", "description", "category", "brand"), FieldSpec(kind="text"))


def test_pattern_of_research_papers() -> None:
    config = load_config(PATTERNS / "papers.yaml")
    abstract = CompositeField(
        field="abstract", weight=0.6, chunking=ChunkingStrategy(method="sentences", max_tokens=512)
    )
    assert config.components == (
        CompositeEmbeddingComponent(
            component_id="text_sim", fields=(CompositeField(field="title", weight=0.4), abstract), weight=0.7
        ),
        AttributeSimilarityComponent(component_id="tag_sim", field="tags", metric="jaccard", weight=0.2),
        AttributeSimilarityComponent(component_id="author_sim", field="authors", metric="jaccard", weight=0.1),
    )
    assert config.edges == EdgeRule(min=0.35)
    assert config.fields["tags"] == config.fields["authors"] == FieldSpec(kind="list", default=[])


def test_pattern_of_hierarchical_content() -> None:
    config = load_config(PATTERNS / "blog.yaml")
    content = CompositeField(
        field="content", weight=0.25, chunking=ChunkingStrategy(method="sentences", max_tokens=1024)
    )
    parts = (CompositeField(field="title", weight=0.4), CompositeField(field="summary", weight=0.35), content)
    assert config.components == (
        CompositeEmbeddingComponent(component_id="text_sim", fields=parts, weight=0.9),
        AttributeSimilarityComponent(component_id="tag_sim", field="tags", metric="jaccard", weight=0.1),
    )
    assert config.edges == EdgeRule(min=0.4)


def test_pattern_of_conversations() -> None:
    config = load_config(PATTERNS / "chats.yaml")
    parts = (
        CompositeField(field="user_message", weight=0.6),
        CompositeField(field="assistant_message", weight=0.4),
    )
    assert config.components == (
        CompositeEmbeddingComponent(component_id="chat_sim", fields=parts, weight=0.8),
        AttributeSimilarityComponent(component_id="topic_sim", field="topic", metric="exact", weight=0.2),
    )
    assert config.edges == EdgeRule(min=0.4)


def test_example_of_the_components_dialect() -> None:
    config = load_config(PATTERNS / "papers_components.yaml")
    assert config.components == load_config(FIELD_LEVEL).components
    assert config.edges == EdgeRule(min=0.4)


@pytest.mark.parametrize("path", sorted(PATTERNS.glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_patterns_need_no_notes_and_survive_conversion(path: Path) -> None:
    config = load_config(path)
    assert config.notes == ()
    assert load_config(to_yaml(config, "components")) == config
    assert load_config(to_yaml(config, "graph")) == config
    assert path.read_text(encoding="utf-8").startswith("# ")


def test_the_same_comparison_in_both_dialects_differs_in_names_only() -> None:
    components = load_config(
        """
        schema: {name: text, description: text, category: text, brand: text}
        similarity:
          components:
            - type: composite_embedding
              fields: [{field: name, weight: 0.3}, {field: description, weight: 0.7}]
              weight: 0.6
            - {type: attribute_similarity, field: category, metric: exact, weight: 0.3}
            - {type: attribute_similarity, field: brand, metric: exact, weight: 0.1}
          min_combined_similarity: 0.4
        """
    )
    graph = load_config(PATTERNS / "products.yaml")
    unnamed = tuple(component.model_copy(update={"component_id": None}) for component in graph.components)
    assert graph.model_copy(update={"components": unnamed}) == components
    assert tuple(graph.normalized_weights.values()) == tuple(components.normalized_weights.values())


def test_links_and_retrieval_are_read_in_either_dialect() -> None:
    sections = """
links:
  - {type: mention, of: title, in: [abstract, body]}
  - {type: shared_concepts, in: [abstract], max_share: 0.02}
  - {type: reference, from: cites, to: id}
  - {type: adjacent, within: conversation, order: turn}
retrieval: {query: fused, strategy: auto, weights: {community: 0.05, hub: 0.0, bridge: 0.0}}
"""
    one = load_config("similarity: {components: [{type: field_embedding, field: title}]}" + sections)
    other = load_config("embeddings: {v: {field: title}}\nsimilarities: {title: {embedding: v}}" + sections)
    assert one == other
    assert [link.type for link in one.links] == ["mention", "shared_concepts", "reference", "adjacent"]
    assert one.retrieval.weights.hub == 0.0
