"""Dialect B: how definitions that refer to each other become components."""
# ruff: noqa: E501  (sentences stay on one line, as people read them)

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cnrag_core.config.dialect import weight_notes
from cnrag_core.config.graph_dialect import as_mapping, read
from cnrag_core.config.graph_flattening import flat_weights
from cnrag_core.config.loader import load_config
from cnrag_core.config.spec import (
    DEFAULT_EDGE_RULE,
    AttributeSimilarityComponent,
    ChunkingStrategy,
    CompositeEmbeddingComponent,
    CompositeField,
    EdgeRule,
    FieldEmbeddingComponent,
)
from cnrag_core.errors import ConfigError

VECTORS = "embeddings:\n  a_vec: {field: a}\n  b_vec: {field: b}\n  c_vec: {field: c}\n"


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load_config(text)
    return [str(problem) for problem in caught.value.problems]


def test_each_similarity_that_overall_reaches_is_a_component() -> None:
    config = load_config(
        """
        embeddings:
          title_vec: {field: title, model: sbert, model_name: all-MiniLM-L6-v2, chunking: {method: fixed}}
        similarities:
          title_sim: {embedding: title_vec}
          tags: {field: tags, metric: dice}
          year_sim: {field: year, metric: numeric, scale: 5}
          overall:
            combine:
              - {ref: title_sim, weight: 6, min: 0.2}
              - {ref: tags, weight: 3}
              - {ref: year_sim}
        network: {edges: {similarity: overall, min: 0.4, max_per_node: 9}, communities: {algorithm: leiden}}
        """
    )
    assert config.components == (
        FieldEmbeddingComponent(
            component_id="title_sim",
            field="title",
            model="sentence_bert",
            model_name="all-MiniLM-L6-v2",
            chunking=ChunkingStrategy(method="fixed_tokens"),
            weight=6,
            min_similarity=0.2,
        ),
        AttributeSimilarityComponent(field="tags", metric="dice", weight=3),
        AttributeSimilarityComponent(component_id="year_sim", field="year", metric="numeric", scale=5, weight=1),
    )
    assert config.edges == EdgeRule(min=0.4, max_per_node=9)
    assert config.communities.algorithm == "leiden"
    assert config.notes == ()


def test_combined_embeddings_are_one_composite_with_a_weighted_average() -> None:
    config = load_config(
        VECTORS
        + """
  text_vec: {combine: [{ref: a_vec, weight: 2}, {ref: b_vec, weight: 3}]}
similarities: {text_sim: {embedding: text_vec}, other: {embedding: c_vec}, overall: {combine: [{ref: text_sim}]}}
network: {edges: {min: 0.3}}
"""
    )
    (component,) = config.components
    assert component == CompositeEmbeddingComponent(
        component_id="text_sim",
        fields=(CompositeField(field="a", weight=2), CompositeField(field="b", weight=3)),
        aggregation="weighted_avg",
    )
    assert config.notes == (
        "The similarity 'other' is defined, but no edge rests on it.",
        "The embedding 'c_vec' is defined, but nothing compares it.",
    )


def test_nested_embeddings_multiply_their_weights() -> None:
    config = load_config(
        VECTORS
        + """
  inner: {combine: [{ref: b_vec, weight: 1}, {ref: c_vec, weight: 3}]}
  outer: {combine: [{ref: a_vec, weight: 6}, {ref: inner, weight: 4}], aggregation: weighted_avg}
similarities: {s: {embedding: outer}}
"""
    )
    (component,) = config.components
    assert isinstance(component, CompositeEmbeddingComponent)
    assert {part.field: part.weight for part in component.fields} == {"a": 6, "b": 1, "c": 3}


def test_nested_sums_do_not_share_a_weight_out() -> None:
    config = load_config(
        VECTORS
        + """
  inner: {combine: [{ref: b_vec, weight: 1}, {ref: c_vec, weight: 3}], aggregation: sum}
  outer: {combine: [{ref: a_vec, weight: 6}, {ref: inner, weight: 4}], aggregation: sum}
similarities: {s: {embedding: outer}}
"""
    )
    (component,) = config.components
    assert isinstance(component, CompositeEmbeddingComponent)
    assert {part.field: part.weight for part in component.fields} == {"a": 6, "b": 4, "c": 12}


def test_parts_keep_their_own_chunking_and_aggregation() -> None:
    config = load_config(
        """
        embeddings:
          a_vec: {field: a, chunking: {method: none}, aggregation: max}
          b_vec: {field: b, aggregation: weighted_mean, decay_from: last}
          text: {combine: [{ref: a_vec}, {ref: b_vec}], chunking: {max_tokens: 99}, aggregation: concat}
        similarities: {s: {embedding: text}}
        """
    )
    assert config.components == (
        CompositeEmbeddingComponent(
            component_id="s",
            fields=(
                CompositeField(field="a", chunking=ChunkingStrategy(method="none"), aggregation="max_pool"),
                CompositeField(field="b", aggregation="weighted_mean", decay_from="last"),
            ),
            chunking=ChunkingStrategy(max_tokens=99),
            aggregation="concat",
        ),
    )


def test_nested_similarities_multiply_their_weights_and_keep_their_minimums() -> None:
    config = load_config(
        """
        similarities:
          a: {field: a}
          b: {field: b}
          c: {field: c}
          meta: {combine: [{ref: b, weight: 3, min: 0.5}, {ref: c, weight: 1}]}
          overall: {combine: [{ref: a, weight: 0.6}, {ref: meta, weight: 0.4}]}
        network: {edges: {min: 0.3}}
        """
    )
    assert config.normalized_weights == pytest.approx({"a": 0.6, "b": 0.3, "c": 0.1})
    assert [component.min_similarity for component in config.components] == [None, 0.5, None]


def test_two_ways_to_the_same_similarity_add_up() -> None:
    weights = flat_weights("all", {"all": [("x", 1), ("pair", 1)], "pair": [("x", 1), ("y", 1)]}, normalise=True)
    assert weights == {"x": 1.5, "y": 0.5}


def test_many_ways_are_added_up_without_walking_each() -> None:
    doubling = {f"n{i}": [(f"n{i - 1}", 1.0), (f"n{i - 1}", 1.0)] for i in range(1, 200)}
    assert flat_weights("n199", doubling, normalise=True) == {"n0": 2.0}


@given(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=4), min_size=1, max_size=6))
def test_flat_weights_are_those_of_exact_fractions(levels: list[list[int]]) -> None:
    combinations = {}
    expected: dict[str, Fraction] = {}
    share = Fraction(1)
    for depth, weights in enumerate(levels):
        parts = [(f"leaf{depth}.{i}", float(weight)) for i, weight in enumerate(weights)]
        total = Fraction(sum(weights) + 1) if depth else Fraction(1)
        expected |= {name: share * Fraction(weight) / total for (name, weight) in parts}
        share = share / total
        last = depth == len(levels) - 1
        combinations[f"n{depth}"] = [*parts, (f"n{depth + 1}" if not last else "end", 1.0)]
    expected["end"] = share
    found = flat_weights("n0", combinations, normalise=True)
    assert found.keys() == expected.keys()
    for name, weight in expected.items():
        assert found[name] == pytest.approx(float(weight), rel=1e-12)


@pytest.mark.parametrize(
    ("similarities", "network", "names"),
    [
        ("s: {field: a}", "", ["a"]),
        ("x: {field: a}, overall: {combine: [{ref: x}]}, y: {field: b}", "", ["a"]),
        ("x: {field: a}, y: {field: b}, top: {combine: [{ref: x}, {ref: y}]}", "", ["a", "b"]),
        ("x: {field: a}, y: {field: b}", "network: {edges: {similarity: y}}", ["b"]),
    ],
    ids=["the only one", "overall", "the one left over", "the one that is named"],
)
def test_the_similarity_that_makes_the_edges(similarities: str, network: str, names: list[str]) -> None:
    config = load_config(f"similarities: {{{similarities}}}\n{network}")
    assert [component.field for component in config.components] == names  # type: ignore[union-attr]


def test_it_must_be_named_where_it_is_not_clear() -> None:
    assert problems("similarities: {x: {field: a}, y: {field: b}}") == [
        "network.edges.similarity: this key is required here, because it is not clear which similarity makes the edges. "
        "Use one of 'x', 'y'."
    ]


def test_without_an_edge_rule_the_default_is_used_and_said() -> None:
    config = read({"similarities": {"s": {"field": "tags"}}, "network": {"edges": {"strong": 0.5}}})
    assert config.edges == DEFAULT_EDGE_RULE.model_copy(update={"strong_similarity": 0.5})
    assert "Nothing says which pairs become edges" in config.notes[0]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            VECTORS + "  t: {combine: [{ref: a_vek}]}\nsimilarities: {s: {embedding: t}}",
            ["line 5, embeddings.t.combine[0].ref: 'a_vek' is not an embedding that is defined here. "
             "Use one of 'a_vec', 'b_vec', 'c_vec', 't'. Did you mean 'a_vec'?"],
        ),
        (
            "similarities:\n  s: {embedding: a_vec}",
            ["line 2, similarities.s.embedding: 'a_vec' is not defined; there is no embedding at all."],
        ),
        (
            "similarities:\n  s: {field: tags}\n  all: {combine: [{ref: t}]}\nnetwork: {edges: {similarity: al}}",
            ["line 3, similarities.all.combine[0].ref: 't' is not a similarity that is defined here. Use one of 'all', 's'.",
             "line 4, network.edges.similarity: 'al' is not a similarity that is defined here. Use one of 'all', 's'. "
             "Did you mean 'all'?"],
        ),
        (
            VECTORS + "similarities: {all: {combine: [{ref: a_vec}]}}",
            ["line 5, similarities.all.combine[0].ref: 'a_vec' is an embedding. "
             "Define a similarity with `embedding: a_vec` and refer to that one."],
        ),
        (
            "similarities:\n  a: {combine: [{ref: b}]}\n  b: {combine: [{ref: c}]}\n  c: {combine: [{ref: a}]}",
            ["line 2, similarities.a.combine[0].ref: the references run in a circle: 'a' → 'b' → 'c' → 'a'."],
        ),
        (
            "embeddings:\n  t: {combine: [{ref: t}]}\nsimilarities: {s: {embedding: t}}",
            ["line 2, embeddings.t.combine[0].ref: the references run in a circle: 't' → 't'."],
        ),
        (
            "embeddings:\n  a: {field: a}\n  b: {field: b, model: ollama, model_name: m}\n"
            "  t: {combine: [{ref: a}, {ref: b}]}\nsimilarities: {s: {embedding: t}}",
            ["line 4, embeddings.t.combine: 'a' (tfidf) and 'b' (ollama m) have different models, and their vectors "
             "cannot be mixed. Make a similarity of each and combine those."],
        ),
        (
            VECTORS + "  i: {combine: [{ref: a_vec}], aggregation: max_pool}\n  o: {combine: [{ref: i}, {ref: b_vec}]}\n"
            "similarities: {s: {embedding: o}}",
            ["line 5, embeddings.i.aggregation: 'i' (max_pool) is part of 'o' (weighted_avg); combinations in each other "
             "must both use the same of concat, max_pool, sum, weighted_avg."],
        ),
        (
            VECTORS + "  i: {combine: [{ref: a_vec}], chunking: {max_tokens: 9}}\n  o: {combine: [{ref: i}]}\n"
            "similarities: {s: {embedding: o}}",
            ["line 5, embeddings.i.chunking: 'i' is part of 'o'; set `chunking` there, or on the embeddings of fields."],
        ),
        (
            "embeddings:\n  m: {field: m, role_weights: {user: 2}, aggregation: concat}\n  o: {combine: [{ref: m}]}\n"
            "similarities: {s: {embedding: o}}",
            ["line 2, embeddings.m.role_weights: 'm' is part of 'o', where speakers cannot weigh differently. "
             "Compare it as a similarity of its own.",
             "line 2, embeddings.m.aggregation: 'm' is part of 'o', and 'concat' makes vectors of different lengths. "
             "Use another aggregation for its chunks."],
        ),
        (
            "similarities:\n  x: {field: x}\n  g: {combine: [{ref: x}]}\n  all: {combine: [{ref: g, min: 0.5}]}",
            ["line 4, similarities.all.combine[0].min: 'g' is a combination itself; set `min` on the references in it."],
        ),
        (
            "similarities:\n  x: {field: x}\n  g: {combine: [{ref: x, min: 0.1}]}\n  all: {combine: [{ref: g}, {ref: x}]}",
            ["line 3, similarities.g.combine[0].min: 'x' is referred to twice with different `min`; give both the same."],
        ),
        (
            "similarities:\n  x: {field: x}\n  all: {combine: [{ref: x, weight: 0}]}",
            ["line 3, similarities.all: all weights are 0; at least one must be positive."],
        ),
        (
            "similarities:\n  x: {metric: exact}",
            ["line 2, similarities.x.field: this key is required and missing: the field that is compared; instead, "
             "`embedding` compares vectors and `combine` similarities."],
        ),
        (
            "similarities:\n  x: {field: x, min: 0.5}",
            ["line 2, similarities.x.min: 'min' is not known here. Known keys: 'field', 'metric', 'scale'. "
             "'min' belongs under `similarities.<name>.combine[]`."],
        ),
        ("similarities: {}", ["line 1, similarities: similarities must hold at least one entry."]),
        (
            "embeddings: {a: title}\nsimilarities: {s: {embedding: a}}",
            ["line 1, embeddings.a: a must be a mapping with the keys 'aggregation', 'chunking', 'decay_from', 'field', "
             "'host', 'model', 'model_name', 'role_weights', got text 'title'."],
        ),
        (
            "similarities: {s: {field: x}}\ncommunities: {}\nnetwork:\n  communities: {}",
            ["line 4, network.communities: `communities` is given twice, at the top and under `network`; keep one."],
        ),
    ],
)  # fmt: skip
def test_mistakes_between_definitions(text: str, found: list[str]) -> None:
    assert problems(text) == found


def test_wrong_references_are_told_beside_wrong_values() -> None:
    text = "similarities:\n  x: {field: x, metric: jacard}\n  overall: {combine: [{ref: y}]}\nrandom_state: a"
    assert [sentence.split(": ")[0] for sentence in problems(text)] == [
        "line 2, similarities.x.metric",
        "line 3, similarities.overall.combine[0].ref",
        "line 4, random_state",
    ]


def test_names_that_are_taken_get_a_number() -> None:
    config = load_config(
        """
        similarity:
          components:
            - {type: field_embedding, field: title, component_id: overall}
            - {type: composite_embedding, fields: [{field: title}, {field: title, chunking: {method: none}}]}
        """
    )
    written = as_mapping(config)
    assert list(written["similarities"]) == ["overall", "title+title", "overall_2"]
    assert list(written["embeddings"]) == ["title_vec", "title_vec_2", "text_vec"]
    assert read(written) == config


def test_weights_that_an_aggregation_cannot_follow_are_said() -> None:
    both = "  both: {combine: [{ref: a_vec, weight: 3}, {ref: b_vec}], aggregation: max_pool}\n"
    config = load_config(VECTORS + both + "similarities: {overall: {embedding: both}}\nnetwork: {edges: {min: 0.4}}\n")
    (note,) = weight_notes(config.components)
    assert note.startswith(
        "overall: aggregation 'max_pool' takes no weights, so the weights of its fields do not count; "
    )
