"""The facade, by the names that the guides use."""

from __future__ import annotations

import sys

import networkx as nx
import pytest

from cnrag_core import (
    ConfigError,
    CorpusError,
    FieldEmbeddingComponent,
    NetworkRAG,
    NotBuiltError,
    SQLiteStorage,
    TFIDFEmbedding,
    UnknownNameError,
    load_sample,
    read_corpus,
)
from cnrag_core.corpus.records import corpus_of_records

TEXTS = {
    "reef1": "coral reefs bleach in warm sea water",
    "reef2": "warm sea water bleaches coral reefs",
    "reef3": "coral reefs recover when sea water cools",
    "bond1": "bond yields rise with inflation",
    "bond2": "inflation makes bond yields rise",
    "lonely": "",
}


@pytest.fixture
def rag() -> NetworkRAG:
    rag = NetworkRAG(min_similarity=0.3)
    for node_id, text in TEXTS.items():
        rag.add_node(node_id, text, {"kind": node_id[:4]})
    return rag


def test_the_usage_pattern_of_guide_002(rag):
    rag.build_network()
    communities = rag.detect_communities()
    assert communities["reef1"] == communities["reef2"] == communities["reef3"] == 0
    assert communities["bond1"] == communities["bond2"] == 1
    assert [node.node_id for node in rag.find_similar("bond inflation", n=2, strategy="hybrid")] == ["bond1", "bond2"]
    assert "coral" in rag.auto_tag_community(0)
    assert rag.get_hubs_for_community(0, min_degree=2)
    assert rag.get_bridges_for_community(0) == []


def test_the_graph_is_a_networkx_graph_with_weights_and_keeps_isolated_documents(rag):
    graph = rag.graph
    assert isinstance(graph, nx.Graph)
    assert graph.degree("lonely") == 0
    assert graph.edges["reef1", "reef2"]["strong"] == (graph.edges["reef1", "reef2"]["weight"] >= 0.8)


def test_searching_builds_what_is_not_built_yet(rag):
    assert rag.search("coral").top(1).ids


def test_an_empty_network_says_what_to_do():
    with pytest.raises(NotBuiltError, match="add some, then build"):
        NetworkRAG().find_similar("anything")


def test_three_ways_to_add_a_document():
    rag = NetworkRAG(min_similarity=0.1)
    assert rag.add({"id": "a", "content": "one", "year": 2001}) == "a"
    assert rag.add("two", id="b", year=2002) == "b"
    assert rag.add("c", document={"content": "three"}) == "c"
    assert [document.id for document in rag.documents] == ["a", "b", "c"]
    assert rag.documents[1].fields["year"] == 2002


def test_a_document_without_an_id_gets_one():
    rag = NetworkRAG()
    first, second = rag.add("some text"), rag.add("other text")
    assert first != second
    assert len(rag) == 2


@pytest.mark.parametrize(("id_field", "stays"), [("doi", True), ("paper", False)])
def test_the_configured_field_names_a_document_and_so_does_an_id(tmp_path, id_field, stays):
    config = {"id_field": id_field, "similarity": {"components": [{"type": "field_embedding", "field": "content"}]}}
    rag = NetworkRAG.from_config(config, str(tmp_path / "documents.db"))
    assert rag.add("text", "doc1") == "doc1"
    assert rag.add({"id": "doc2", "content": "text"}) == "doc2"
    assert rag.add({"id": " ", id_field: "x1", "content": "old"}) == "x1"
    assert rag.add({id_field: 7, "content": "old"}) == "7"
    assert rag.add("text") == "doc-00005"
    rag.update("x1", {"content": "new"})
    rag.update("7", {"content": "new", id_field: 7})
    rag.update("doc1", {"content": "new", id_field: "another"})
    rag.storage.close()
    found = {document.id: dict(document.fields) for document in NetworkRAG(str(tmp_path / "documents.db")).documents}
    assert found == {
        "7": {"content": "new", **({id_field: "7"} if stays else {})},
        "doc-00005": {"content": "text"},
        "doc1": {"content": "new", id_field: "another"},
        "doc2": {"content": "text"},
        "x1": {"content": "new", **({id_field: "x1"} if stays else {})},
    }


def test_an_id_that_is_taken_is_refused_and_nothing_is_added(rag):
    with pytest.raises(CorpusError, match="already a document 'reef1'"):
        rag.add_corpus(corpus_of_records([{"id": "new", "content": "x"}, {"id": "reef1", "content": "y"}], name="more"))
    assert "new" not in {document.id for document in rag.documents}


def test_the_graph_follows_added_updated_and_removed_documents(rag):
    rag.build_network()
    rag.add_node("reef4", "coral reefs in warm sea water", {})
    assert "reef1" in rag.get_neighbors("reef4")
    rag.update("reef4", {"content": "bond yields and inflation"})
    assert rag.get_neighbors("reef4") == {"bond1", "bond2"}
    rag.remove("reef4")
    assert "reef4" not in rag.graph
    with pytest.raises(UnknownNameError, match="no document 'reef4'"):
        rag.remove("reef4")


def test_drift_grows_with_unknown_words_and_a_rebuild_ends_it(rag):
    rag.build_network()
    assert rag.drift() == {"content": 0.0}
    rag.add_node("new", "quasars pulsars magnetars")
    assert rag.drift()["content"] > 0
    rag.build_network(rebuild=True)
    assert rag.drift() == {"content": 0.0}


def test_documents_survive_in_their_database(tmp_path):
    path = tmp_path / "documents.db"
    rag = NetworkRAG(SQLiteStorage(str(path)), min_similarity=0.2)
    rag.add({"id": "007", "content": "coral", "tags": ["a", "b"]})
    rag.storage.close()
    again = NetworkRAG(str(path))
    assert [(document.id, document.text("content"), document.items("tags")) for document in again.documents] == [
        ("007", "coral", ("a", "b"))
    ]


def test_another_threshold_is_a_view_of_the_same_similarities(rag):
    low = rag.at_threshold(0.05)
    assert low.similarity_graph.n_edges >= rag.similarity_graph.n_edges
    assert low.explain("reef1", "reef2") == rag.explain("reef1", "reef2")
    with pytest.raises(ConfigError, match=r"A threshold lies in \[0, 1\]; 1.2 does not"):
        rag.at_threshold(1.2)


def test_contributions_sum_to_the_edge_weight(rag):
    explanation = rag.explain("reef1", "reef2")
    assert sum(part.contribution for part in explanation.contributions) == explanation.similarity
    assert rag.graph.edges["reef1", "reef2"]["weight"] == explanation.similarity


def test_the_builder_gives_the_same_object():
    rag = NetworkRAG.builder().with_tfidf_embeddings().with_similarity_threshold(0.3).build()
    for node_id, text in TEXTS.items():
        rag.add_node(node_id, text)
    assert rag.config.edges.min_similarity == 0.3
    assert "reef2" in rag.get_neighbors("reef1")


def test_each_field_learns_a_vocabulary_of_its_own():
    spec = [FieldEmbeddingComponent(field="title"), FieldEmbeddingComponent(field="body")]
    rag = NetworkRAG(embedding_provider=TFIDFEmbedding(), min_similarity=0.1, similarity_spec=spec)
    rag.add({"id": "a", "title": "reef", "body": "long story about water"})
    rag.add({"id": "b", "title": "coral", "body": "another story about water"})
    rag.build_network()
    terms = {name: part.terms() for name, part in rag.network.embedded.items()}
    assert terms["title"] == ["coral", "reef"]
    assert "water" in terms["body"]
    assert "reef" not in terms["body"]


def test_all_strategies_compare_on_one_question(rag):
    comparison = rag.compare("coral bleaching", n=3)
    assert {"similarity", "community", "hub", "bridge", "hybrid"} <= set(comparison.strategies)
    assert comparison.overlap_of("similarity", "similarity") == 1.0


def test_modularity_is_undefined_without_edges():
    rag = NetworkRAG(min_similarity=0.9)
    rag.add("one", id="a")
    rag.add("two", id="b")
    assert rag.modularity is None
    assert rag.detect_communities() == {"a": 0, "b": 1}


def test_a_path_is_a_list_of_ids_or_none(rag):
    assert rag.shortest_path("reef1", "reef2") == ["reef1", "reef2"]
    assert rag.shortest_path("reef1", "bond1") is None


def test_a_configuration_builds_a_sample():
    sample = load_sample("larkspur")
    rag = NetworkRAG.from_config(sample.config_yaml)
    rag.add_corpus(sample.corpus)
    assert rag.build_network().number_of_nodes() == len(sample.corpus)


def test_an_engine_that_is_not_there_is_refused_before_anything_is_built(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    rag = NetworkRAG.from_config({"similarity": {"components": [{"field": "content"}]}, "engine": "dask"})
    rag.add("text", id="a")
    steps = []
    with pytest.raises(ConfigError, match=r"engine: 'dask' needs an extra package: pip install 'cnrag\[dask\]'"):
        rag.build_network(progress=lambda step, share: steps.append(step))
    assert steps == []


def test_a_folder_of_files_is_a_corpus(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.md").write_text(f"# {name.title()}\n\nSome text about {name}.", encoding="utf-8")
    assert len(read_corpus(tmp_path)) == 2
