"""Following a change equals a rebuild under the same vocabulary statistics, exactly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.config.spec import (
    AttributeSimilarityComponent,
    EdgeRule,
    FieldEmbeddingComponent,
    PipelineConfig,
)
from cnrag_core.corpus.document import Document
from cnrag_core.embedding.fields import embed_component
from cnrag_core.graph.builder import build_graph
from cnrag_core.incremental import drift, updated_network, worth_following
from cnrag_core.network import Network
from cnrag_core.similarity.components import build_columns

WORDS = ["coral", "reef", "ocean", "bond", "yield", "market", "gene", "protein", "cell", "quark", "lepton", "boson"]
RULES = [
    EdgeRule(min_similarity=0.3),
    EdgeRule(density=0.1, min_neighbors=2),
    EdgeRule(max_per_node=3),
    EdgeRule(min_similarity=0.2, max_per_node=2),
]


def config(rule: EdgeRule) -> PipelineConfig:
    return PipelineConfig(
        components=[
            FieldEmbeddingComponent(field="text", weight=3),
            AttributeSimilarityComponent(field="tags", weight=1),
            AttributeSimilarityComponent(field="kind", metric="exact", weight=1),
            AttributeSimilarityComponent(field="year", metric="numeric", scale=5, weight=1),
        ],
        edges=rule,
    )


def random_document(rng: np.random.Generator, node_id: str) -> Document:
    words = rng.choice(WORDS, size=int(rng.integers(0, 6))).tolist()
    fields = {
        "text": " ".join(words),
        "tags": rng.choice(WORDS, size=int(rng.integers(0, 3))).tolist(),
        "kind": str(rng.choice(["a", "b"])),
        "year": int(rng.integers(1990, 2020)),
    }
    return Document(node_id, fields)


def built(documents: list[Document], rule: EdgeRule, like: Network | None = None) -> Network:
    """A whole build; with `like`, under the vocabulary of another network."""
    ordered = sorted(documents, key=lambda document: document.id)
    spec = config(rule)
    part = spec.components[0]
    provider = None if like is None else like.embedded[part.name].provider
    embedded = {part.name: embed_component(ordered, part, provider=provider)}
    columns = build_columns(ordered, spec, embedded)
    graph = build_graph([document.id for document in ordered], columns, rule)
    return Network(tuple(ordered), spec, embedded, columns, graph.candidates, graph.graph)


@settings(max_examples=40, deadline=None)
@given(state=st.integers(0, 10**6), rule=st.sampled_from(RULES))
def test_adding_removing_and_updating_equals_a_rebuild(state, rule):
    rng = np.random.default_rng(state)
    documents = [random_document(rng, f"d{i:02d}") for i in range(20)]
    network = built(documents, rule)
    removed = ["d03", "d11"]
    changed = random_document(rng, "d07")
    added = [random_document(rng, "a-first"), random_document(rng, "d05x"), random_document(rng, "z-last")]
    followed = updated_network(network, added=[*added, changed], removed=[*removed, "d07"])
    expected = built([*(d for d in documents if d.id not in {*removed, "d07"}), changed, *added], rule, like=network)
    assert followed.node_ids == expected.node_ids
    assert followed.graph.digest == expected.graph.digest
    assert followed.candidates.digest == expected.candidates.digest


def test_removing_the_last_but_one_document_leaves_one_node_without_edges():
    rng = np.random.default_rng(0)
    network = built([random_document(rng, "a"), random_document(rng, "b")], RULES[0])
    alone = updated_network(network, removed=["a"])
    assert (alone.node_ids, alone.graph.n_edges) == (("b",), 0)


def test_the_network_that_was_followed_is_unchanged():
    rng = np.random.default_rng(1)
    network = built([random_document(rng, f"d{i}") for i in range(10)], RULES[0])
    before = network.graph.digest
    updated_network(network, removed=["d3"], added=[random_document(rng, "new")])
    assert network.graph.digest == before


def test_drift_is_the_share_of_words_that_the_vocabulary_lacks():
    documents = [Document("a", {"text": "coral reef"}), Document("b", {"text": "coral ocean"})]
    network = built(documents, RULES[0])
    assert drift(network, [Document("c", {"text": "coral"})]) == {"text": 0.0}
    assert drift(network, [Document("c", {"text": "coral quark boson lepton"})]) == {"text": pytest.approx(0.75)}


def test_a_few_documents_are_followed_and_many_are_not():
    rng = np.random.default_rng(2)
    network = built([random_document(rng, f"d{i}") for i in range(40)], RULES[0])
    assert worth_following(network, 2)
    assert not worth_following(network, 3)
