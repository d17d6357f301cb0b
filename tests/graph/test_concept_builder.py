"""Chunks linked by the seed's rule and by typed links, on corpora that fit on the screen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.config.spec import (
    AdjacentLinks,
    MentionLinks,
    ReferenceLinks,
    SharedConceptLinks,
    TraversalSpec,
)
from cnrag_core.corpus.document import Document
from cnrag_core.errors import ConfigError, ResourceLimitError
from cnrag_core.graph import concept_builder
from cnrag_core.graph.chunk_nodes import TextFields, cut_documents
from cnrag_core.graph.concept_builder import build_concept_graph, default_links
from cnrag_core.graph.concepts import Concepts
from cnrag_core.similarity.components import VectorColumn

FIELDS = TextFields("title", ("text",))
SEED, TYPED = TraversalSpec(links="seed"), TraversalSpec(links="typed")

PAGES = [
    Document("billing", {"title": "Billing cycle", "text": "An invoice is sent on the first day."}),
    Document("cancel", {"title": "Cancellation", "text": "The route is described under Export options."}),
    Document("export", {"title": "Export options", "text": "A Glacier parcel is kept for you."}),
    Document("parcel", {"title": "Parcels", "text": "Opening a Glacier parcel takes a key."}),
]


def column(rows) -> VectorColumn:
    array = np.asarray(rows, dtype=np.float32)
    return VectorColumn("text", 1.0, None, array, np.zeros(len(array), dtype=bool))


def built(documents=PAGES, spec=TYPED, *, rows=None, concepts=None, links=(), fields=FIELDS):
    corpus = cut_documents(sorted(documents, key=lambda document: document.id), fields)
    found = Concepts(tuple(concepts or [()] * len(corpus.chunks)), "keywords", "Concepts are given.")
    columns = () if rows is None else (column(rows),)
    return build_concept_graph(corpus, found, columns, spec, links=links)


def edges_of(graph, source) -> dict[str, str]:
    return {edge.target: edge.kind for edge in graph.neighbors(source)}


def long_text(begin: str = "") -> str:
    """Some 3,000 characters in which no word stands twice."""
    return begin + " ".join(f"w{chr(97 + i // 26)}{chr(97 + i % 26)}x{'yz'[i % 2] * 3}" for i in range(320))


def two_rows(cosine: float) -> list[list[float]]:
    return [[1.0, 0.0], [cosine, (1.0 - cosine**2) ** 0.5]]


def test_a_title_that_a_text_mentions_makes_a_directed_edge():
    graph = built()
    assert edges_of(graph, "cancel") == {"export": "mention"}
    assert "cancel" not in edges_of(graph, "export")
    (edge,) = graph.neighbors("cancel")
    assert edge.evidence == ("Export options",)


def test_rare_concepts_in_common_make_an_edge_with_their_words():
    graph = built()
    assert edges_of(graph, "export") == {"parcel": "shared_concepts"}
    assert edges_of(graph, "parcel") == {"export": "shared_concepts"}
    assert set(graph.neighbors("export")[0].evidence) >= {"glacier"}


def test_function_words_join_nothing_however_rare_they_are():
    documents = [Document("a", {"text": "ice beneath water"}), Document("b", {"text": "dust beneath carpets"})]
    corpus = cut_documents(documents, FIELDS)
    found = Concepts(((), ()), "keywords", "Concepts are given.")
    assert build_concept_graph(corpus, found, (), TYPED).kinds == {"shared_concepts": 1}
    assert build_concept_graph(corpus, found, (), TYPED, stop_words={"beneath"}).n_edges == 0


def test_the_seeds_rule_makes_no_edge_of_titles_and_concepts():
    assert built(spec=SEED).n_edges == 0


@pytest.mark.parametrize(("cosine", "n_edges"), [(0.25, 0), (0.5, 0), (0.75, 1)])
def test_the_seeds_rule_needs_a_cosine_strictly_above_the_threshold(cosine, n_edges):
    spec = TraversalSpec(links="seed", min_cosine=0.5)  # which float32 rows can meet exactly
    assert built(PAGES[:2], spec, rows=two_rows(cosine)).n_edges == n_edges


@pytest.mark.parametrize(("cosine", "n_edges"), [(0.79, 0), (0.81, 1)])
def test_the_seeds_threshold_is_080(cosine, n_edges):
    assert built(PAGES[:2], SEED, rows=two_rows(cosine)).n_edges == n_edges


def test_concepts_reweight_an_edge_of_the_seeds_rule():
    graph = built(PAGES[:2], SEED, rows=two_rows(0.85), concepts=[("a", "b", "c", "d"), ("a", "b", "e", "f")])
    (edge,) = graph.neighbors("billing")
    assert edge.weight == pytest.approx(0.745, abs=1e-6)
    assert edge.shared == ("a", "b")


def test_weights_and_threshold_are_configured():
    spec = TraversalSpec(links="seed", min_cosine=0.5, cosine_weight=1.0, concept_weight=0.0)
    graph = built(PAGES[:2], spec, rows=two_rows(0.6))
    assert graph.neighbors("billing")[0].weight == pytest.approx(0.6, abs=1e-6)


@pytest.mark.parametrize(("n", "n_pairs"), [(30, 435), (60, 1770)])
def test_every_pair_is_compared(n, n_pairs):
    documents = [Document(f"d{i:02d}", {"text": f"text {i}"}) for i in range(n)]
    assert built(documents, SEED, rows=np.eye(n)).n_pairs == n_pairs


def test_the_build_says_how_many_chunks_the_seeds_rule_isolates():
    graph = built(rows=np.eye(4))
    assert graph.n_isolated_by_cosine == 4
    assert "A cosine above 0.8 alone leaves 4 of 4 chunks without an edge." in graph.notes
    assert "With typed links 1 is without one." in graph.notes


def test_a_reference_leads_to_the_beginning_of_the_document_it_names():
    documents = [Document("a", {"text": "short", "cites": ["b"]}), Document("b", {"text": long_text()})]
    graph = built(documents, links=[ReferenceLinks(source="cites")])
    assert edges_of(graph, "a") == {"b#0": "reference"}


def test_neighbours_in_a_conversation_are_joined_both_ways():
    turns = [Document(f"t{i}", {"text": f"turn number {i}", "talk": "x", "turn": i}) for i in range(3)]
    graph = built(turns, links=[AdjacentLinks(within="talk", order="turn")])
    assert [edge.target for edge in graph.neighbors("t1") if edge.kind == "adjacent"] == ["t0", "t2"]


def test_chunks_of_one_document_stand_side_by_side():
    graph = built([Document("a", {"text": long_text()})])
    ids = list(graph.chunks)
    assert len(ids) >= 3
    assert edges_of(graph, ids[1]) == {ids[0]: "adjacent", ids[2]: "adjacent"}
    assert f"1 document makes {len(ids)} chunks; 1 was cut." in graph.notes


def test_a_chunk_does_not_mention_its_own_document():
    text = long_text("Export options are many. ") + " Export options."
    graph = built([Document("a", {"title": "Export options", "text": text}), PAGES[0]])
    assert "mention" not in graph.kinds


def test_of_several_links_between_two_chunks_the_one_that_was_written_down_is_followed():
    documents = [
        Document("a", {"title": "Alpha", "text": "The zeppelin of Beta Centre."}),
        Document("b", {"title": "Beta Centre", "text": "A zeppelin lands."}),
    ]
    graph = built(documents)
    assert edges_of(graph, "a")["b"] == "mention"
    assert edges_of(graph, "b")["a"] == "shared_concepts"


def test_configured_links_replace_the_default_of_their_type_only():
    corpus = cut_documents(PAGES, FIELDS)
    asked = [SharedConceptLinks(fields=("text",), max_share=0.5)]
    assert [link.type for link in default_links(corpus, TYPED)] == ["mention", "shared_concepts"]
    assert [link.type for link in default_links(corpus, TYPED, beside=asked)] == ["mention"]
    assert default_links(corpus, TYPED, beside=[*asked, MentionLinks(of="title", fields=("text",))]) == []


def test_a_small_corpus_may_share_a_concept_in_four_chunks():
    (_, shared) = default_links(cut_documents(PAGES, FIELDS), TYPED)
    assert shared.max_share == 1.0
    many = [Document(f"d{i:04d}", {"title": "T", "text": "x"}) for i in range(2000)]
    (_, shared) = default_links(cut_documents(many, FIELDS), TYPED)
    assert shared.max_share == 0.005


def test_concepts_of_a_field_join_by_that_field():
    documents = [Document(n, {"text": f"text {n}", "tags": ["rare thing"]}) for n in "ab"]
    spec = TraversalSpec(concepts="field", concept_field="tags")
    (shared,) = default_links(cut_documents(documents, TextFields(None, ("text",))), spec)
    assert shared.fields == ("tags",)


def test_too_many_pairs_are_refused_with_what_to_do(monkeypatch):
    monkeypatch.setattr(concept_builder, "MAX_COSINE_PAIRS", 2)
    rows = np.tile([1.0, 0.0], (4, 1))
    with pytest.raises(ResourceLimitError, match=r"More than 2 pairs are at least 0\.80 similar; raise the threshold"):
        built(rows=rows)


def test_a_link_over_a_field_that_nobody_has_is_refused():
    with pytest.raises(ConfigError, match="no document has a field 'cites'"):
        built(links=[ReferenceLinks(source="cites")])


def test_the_graph_does_not_depend_on_the_order_of_the_documents():
    there, back = built(PAGES), built(PAGES[::-1])
    assert there.edges == back.edges
    assert list(there.chunks) == list(back.chunks)


def test_edges_are_counted_once_whichever_way_they_lead():
    graph = built()
    assert graph.kinds == {"mention": 1, "shared_concepts": 1}
    assert graph.n_edges == 2


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 25), threshold=st.sampled_from([0.0, 0.3, 0.8, 0.95]))
def test_the_edges_are_those_of_brute_force(seed, n, threshold):
    rows = np.random.default_rng(seed).normal(size=(n, 4)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    documents = [Document(f"d{i:02d}", {"text": f"text {i}"}) for i in range(n)]
    graph = built(documents, TraversalSpec(links="seed", min_cosine=threshold), rows=rows)
    exact = rows.astype(np.float64)
    wanted = {
        (f"d{a:02d}", f"d{b:02d}")
        for a in range(n)
        for b in range(n)
        if a != b and float(exact[a] @ exact[b]) > max(threshold, 0.0) + 1e-9
    }
    assert {(source, edge.target) for source, edges in graph.edges.items() for edge in edges} == wanted
