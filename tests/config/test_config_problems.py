"""Every kind of mistake, with the exact sentence that a person reads."""
# ruff: noqa: E501  (sentences stay on one line, as people read them)

from __future__ import annotations

import pytest

from cnrag_core.config.loader import load_config
from cnrag_core.config.problems import dotted, nearest, number_text, shown
from cnrag_core.config.spec import FieldEmbeddingComponent
from cnrag_core.errors import ConfigError

COMPONENT = "similarity:\n  components:\n    - "
FIELD = "type: field_embedding, field: title"
VALID = f"{COMPONENT}{{{FIELD}}}\n"


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load_config(text)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("component", "sentence"),
    [
        (
            "{type: attribute_similarity, field: tags, metric: jacard}",
            "line 3, similarity.components[0].metric: 'jacard' is not a set metric. "
            "Use one of 'dice', 'exact', 'jaccard', 'numeric', 'overlap'. Did you mean 'jaccard'?",
        ),
        (
            "{type: field_embeding, field: title}",
            "line 3, similarity.components[0].type: 'field_embeding' is not a component type. Use one of "
            "'attribute_similarity', 'composite_embedding', 'field_embedding'. Did you mean 'field_embedding'?",
        ),
        (
            "{type: field_embedding, field: title, model: tfdif}",
            "line 3, similarity.components[0].model: 'tfdif' is not an embedding model. "
            "Use one of 'ollama', 'sentence_bert', 'tfidf'. Did you mean 'tfidf'?",
        ),
        (
            "{type: field_embedding, field: title, model: bert}",
            "line 3, similarity.components[0].model: 'bert' is not an embedding model. "
            "Use one of 'ollama', 'sentence_bert', 'tfidf'. Did you mean 'sentence_bert'?",
        ),
        (
            f"{{{FIELD}, chunking: {{method: sentenses}}}}",
            "line 3, similarity.components[0].chunking.method: 'sentenses' is not a chunking method. Use one of "
            "'fixed_tokens', 'none', 'paragraphs', 'recursive', 'sentences', 'sliding'. Did you mean 'sentences'?",
        ),
        (
            f"{{{FIELD}, aggregation: maxpool}}",
            "line 3, similarity.components[0].aggregation: 'maxpool' is not an aggregation method. Use one of "
            "'concat', 'first', 'last', 'max_pool', 'mean', 'sum', 'weighted_avg', 'weighted_mean'. "
            "Did you mean 'max_pool'?",
        ),
        (
            f"{{{FIELD}, weigth: 2}}",
            "line 3, similarity.components[0].weigth: 'weigth' is not known here. Known keys: 'aggregation', "
            "'chunking', 'component_id', 'decay_from', 'field', 'host', 'min_similarity', 'model', 'model_name', "
            "'role_weights', 'type', 'weight'. Did you mean 'weight'?",
        ),
        (
            "{type: field_embedding, weight: 2}",
            "line 3, similarity.components[0].field: this key is required and missing: the text field that is compared.",
        ),
        (
            "{type: field_embedding, field: true}",
            "line 3, similarity.components[0].field: field must be text, got boolean: quote it.",
        ),
        (
            "{type: field_embedding, field: 2017}",
            "line 3, similarity.components[0].field: field must be text, got number: quote it.",
        ),
        (
            "{type: field_embedding, field: }",
            "line 3, similarity.components[0].field: field must be text, got nothing: write it, or leave the key out.",
        ),
        (
            "{type: field_embedding, field: [title]}",
            "line 3, similarity.components[0].field: field must be text, got list.",
        ),
        ('{type: field_embedding, field: ""}', "line 3, similarity.components[0].field: field must not be empty."),
        (
            f'{{{FIELD}, weight: "0.3"}}',
            "line 3, similarity.components[0].weight: weight must be a number, got text '0.3': remove the quotes.",
        ),
        (
            f"{{{FIELD}, weight: high}}",
            "line 3, similarity.components[0].weight: weight must be a number, got text 'high'.",
        ),
        (f"{{{FIELD}, weight: true}}", "line 3, similarity.components[0].weight: weight must be a number, got true."),
        (f"{{{FIELD}, weight: -1}}", "line 3, similarity.components[0].weight: weight must be 0 or more, got -1."),
        (
            f"{{{FIELD}, weight: .nan}}",
            "line 3, similarity.components[0].weight: weight must be a finite number, got nan.",
        ),
        (
            f"{{{FIELD}, weight: .inf}}",
            "line 3, similarity.components[0].weight: weight must be a finite number, got inf.",
        ),
        (
            f"{{{FIELD}, weight: 1e20}}",
            "line 3, similarity.components[0].weight: weight must be at most 1000000000000, got 1e+20.",
        ),
        (
            f"{{{FIELD}, min_similarity: 1.1}}",
            "line 3, similarity.components[0].min_similarity: min_similarity must lie between 0 and 1, got 1.1.",
        ),
        (
            f"{{{FIELD}, chunking: {{max_tokens: 2.5}}}}",
            "line 3, similarity.components[0].chunking.max_tokens: max_tokens must be a whole number, got 2.5.",
        ),
        (
            f"{{{FIELD}, chunking: {{max_tokens: 10, overlap: 10}}}}",
            "line 3, similarity.components[0].chunking: overlap 10 must be smaller than max_tokens 10, "
            "or the windows would never move on.",
        ),
        (
            f"{{{FIELD}, chunking: sentences}}",
            "line 3, similarity.components[0].chunking: chunking must be a mapping with the keys 'max_chars', "
            "'max_tokens', 'method', 'overlap', 'overlap_chars', got text 'sentences'.",
        ),
        (
            "{type: attribute_similarity, field: year, metric: numeric, scale: 0}",
            "line 3, similarity.components[0].scale: scale must be above 0, got 0.",
        ),
        (
            "{type: composite_embedding, fields: []}",
            "line 3, similarity.components[0].fields: fields must hold at least one entry.",
        ),
        ("title", "line 3, similarity.components[0]: components[0] must be a mapping, got text 'title'."),
    ],
)
def test_mistakes_in_a_component(component: str, sentence: str) -> None:
    assert problems(COMPONENT + component) == [sentence]


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ("schema: {title: txt}", "schema.title: 'txt' is not a field type. Use one of 'boolean', 'category', 'date', "
         "'list', 'number', 'text'. Did you mean 'text'?"),
        ("schema: {title: {required: yes}}", "schema.title.required: required must be true or false, got text 'yes'."),
        ("schema: {title: {transform: lowr}}", "schema.title.transform: 'lowr' is not a transform. Use one of 'collapse', "
         "'lines', 'lower', 'sort', 'split', 'strip', 'strip_html', 'title', 'unique', 'upper'. Did you mean 'lower'?"),
        ('schema: {a: {from: "a[?"}}', "schema.a.from: 'a[?' is not a JSONPath, such as '$.authors[*].name'."),
        ("schema: {a: {default: .nan}}", "schema.a.default: default must be text, a finite number, true or false, "
         "or a list or mapping of these."),
        ("schema: [title]", "schema: schema must be a mapping, got list."),
        ("links: {type: mention}", "links: links must be a list, got mapping."),
        ("links: [{type: mention, of: title, in: [3]}]", "links[0].in[0]: in[0] must be text, got number: quote it."),
        ("links: [{type: mentions, of: title, in: text}]", "links[0].type: 'mentions' is not a link type. Use one of "
         "'adjacent', 'mention', 'reference', 'shared_concepts'. Did you mean 'mention'?"),
        ("communities: {algorithm: leidn}", "communities.algorithm: 'leidn' is not a community algorithm. "
         "Use one of 'leiden', 'louvain'. Did you mean 'leiden'?"),
        ("communities: {resolution: 0}", "communities.resolution: resolution must be above 0 and at most 100, got 0."),
        ("retrieval: {strategy: hybird}", "retrieval.strategy: 'hybird' is not a retrieval strategy. Use one of 'auto', "
         "'bridge', 'community', 'hub', 'hybrid', 'links', 'pagerank', 'similarity', 'smoothing'. Did you mean 'hybrid'?"),
        ("random_state: 1.5", "random_state: random_state must be a whole number, got 1.5."),
        ("random_state: -1", "random_state: random_state must be 0 or more, got -1."),
        ("network: {edges: {min: 40}}", "network.edges.min: min must lie between 0 and 1, got 40. For 40 % write 0.4."),
        ("network: {edges: {density: 0}}", "network.edges.density: density must be above 0 and at most 1, got 0."),
        ("seed: 3", "seed: 'seed' is not known here. Known keys: 'communities', 'description', 'display', 'engine', "
         "'id_field', 'links', 'name', 'network', 'random_state', 'retrieval', 'schema', 'similarity', 'traversal'. "
         "Did you mean 'random_state'?"),
        ("metric: exact", "metric: 'metric' is not known here. Known keys: 'communities', 'description', 'display', "
         "'engine', 'id_field', 'links', 'name', 'network', 'random_state', 'retrieval', 'schema', 'similarity', "
         "'traversal'. 'metric' belongs under `similarity.components[]`."),
        ("corpus: /etc/passwd", "corpus: 'corpus' is not known here: a configuration says how documents are compared, "
         "and names no files or databases."),
        ("communities: {<<: {}}", "communities.<<: '<<' merges mappings, which YAML 1.2 no longer does. Write the keys out."),
    ],
)  # fmt: skip
def test_mistakes_in_the_other_sections(section: str, sentence: str) -> None:
    assert problems(VALID + section) == [f"line 4, {sentence}"]


@pytest.mark.parametrize("operator", ["gate", "boost", "when"])
def test_operators_that_the_guides_mention_are_refused_with_what_to_use_instead(operator: str) -> None:
    text = f"similarities:\n  a: {{field: tags}}\n  all: {{combine: [{{ref: a, {operator}: 0.5}}]}}\n"
    assert problems(text) == [
        f"line 3, similarities.all.combine[0].{operator}: '{operator}' is not supported. To drop weak matches write "
        "`min:` on a reference (in `components`: `min_similarity:`); to make a part count more raise its weight."
    ]


def test_everything_that_is_wrong_is_told_at_once_in_the_order_of_lines() -> None:
    text = (
        "name: 1\n"
        "similarity:\n"
        "  components:\n"
        "    - {type: field_embedding, field: title, weight: 0}\n"
        "    - {type: attribute_similarity, field: true, metric: jacard, weight: 0}\n"
        "    - {type: field_embedding, field: title, weight: 0}\n"
        "  min_combined_similarity: 1.5\n"
        "random_state: x\n"
        "name: again\n"
    )
    assert [sentence.split(": ")[0] for sentence in problems(text)] == [
        "line 1, name",
        "line 3, similarity.components",
        "line 5, similarity.components[1].field",
        "line 5, similarity.components[1].metric",
        "line 6, similarity.components[2]",
        "line 7, similarity.min_combined_similarity",
        "line 8, random_state",
        "line 9, name",
    ]


def test_weights_that_are_all_zero_are_told_beside_other_problems() -> None:
    found = problems(f"{COMPONENT}{{{FIELD}, weight: 0}}\nrandom_state: x")
    assert found[0] == "line 2, similarity.components: all component weights are 0; at least one must be positive."
    assert len(found) == 2


def test_two_components_of_one_name_are_told_with_both_places() -> None:
    assert problems(f"{VALID}    - {{{FIELD}}}\n") == [
        "line 4, similarity.components[1]: two components are named 'title', this one and components[0]; "
        "give one of them a `component_id` of its own."
    ]


def test_values_are_shortened_when_they_are_quoted() -> None:
    (sentence,) = problems(f"{VALID}retrieval: {{strategy: {'x' * 500}}}")
    assert len(sentence) < 300


def test_paths_and_numbers_as_people_write_them() -> None:
    assert dotted(["similarity", "components", 2, "metric"]) == "similarity.components[2].metric"
    assert [number_text(n) for n in (1.0, 0.25, 3, 1e-7, 10**400)] == [
        "1", "0.25", "3", "1e-07", "a number of hundreds of digits",
    ]  # fmt: skip
    assert [shown(value) for value in (None, True, [1], {}, object())] == [
        "nothing", "true", "a list", "a mapping", "an object",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "found"),
    [("fixd", "fixed_tokens"), ("SBERT", "sentence_bert"), ("zzz", None), ("", None), ("x" * 500, None)],
)
def test_other_spellings_help_to_guess_what_was_meant(word: str, found: str | None) -> None:
    assert nearest(word, ["fixed_tokens", "sentences", "sentence_bert"]) == found


def test_half_of_a_surrogate_pair_in_python_is_named() -> None:
    with pytest.raises(ConfigError, match=r"field holds half of a surrogate pair, which no file can store"):
        FieldEmbeddingComponent(field="a\ud800")
