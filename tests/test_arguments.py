"""Whatever a public function is given, a caller meets a sentence and no bare exception."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from cnrag_core.config.infer import infer_config
from cnrag_core.config.loader import load_config
from cnrag_core.corpus.document import Corpus, Document
from cnrag_core.corpus.readers import read_corpus
from cnrag_core.corpus.records import corpus_of_records
from cnrag_core.errors import CNRagError, ConfigError, CorpusError, UnknownNameError
from cnrag_core.evaluation.judgements import JudgedQuery
from cnrag_core.rag import NetworkRAG
from cnrag_core.workspace import Workspace

TEXTS = ("coral reefs bleach", "coral reefs recover", "bond yields rise", "coral bonds", "reefs")
WRONG: list[Any] = [None, 5, -1, 1.5, float("nan"), True, b"x", "", "   ", ["a"], {"a": 1}, object()]


def make() -> NetworkRAG:
    rag = NetworkRAG(min_similarity=0.1)
    for number, text in enumerate(TEXTS):
        rag.add(text, id=f"d{number}", year=2000 + number)
    rag.build_network()
    return rag


@pytest.fixture(scope="module")
def rag() -> NetworkRAG:
    return make()


CHANGING: dict[str, tuple[Any, ...]] = {
    "add": ("text", "new"),
    "add_node": ("new", "text", {"year": 1}),
    "add_corpus": ([Document("new")],),
    "remove": ("d1",),
    "update": ("d1", {"content": "sea"}),
    "build_network": (True,),
}
ASKING: dict[str, tuple[Any, ...]] = {
    "at_threshold": (0.3,),
    "explain": ("d0", "d1"),
    "get_community_for_node": ("d0",),
    "sample_community_nodes": (0, 5),
    "auto_tag_community": (0, 5),
    "get_hub_nodes": (1,),
    "get_hubs_for_community": (0, 1),
    "get_bridge_nodes": (0.1,),
    "get_bridges_for_community": (0,),
    "get_neighbors": ("d0", 1),
    "shortest_path": ("d0", "d1"),
    "search": ("coral",),
    "find_similar": ("coral", 3, "hybrid"),
    "compare": ("coral", ["hybrid"], 3),
    "traverse": ("coral", None, None),
    "evaluate": ([JudgedQuery("q", "coral", {"d0": 1.0})], ["hub"], (2,)),
    "of_network": (None,),
    "from_config": ("similarity: {components: [{field: content}]}",),
}
WITHOUT_ARGUMENTS = {
    "builder", "detect_communities", "threshold_curve", "suggest_threshold", "drift",
}  # fmt: skip


def test_every_public_method_is_tried() -> None:
    methods = {name for name, _ in inspect.getmembers(NetworkRAG, callable) if not name.startswith("_")}
    assert methods == {*CHANGING, *ASKING, *WITHOUT_ARGUMENTS}


@pytest.mark.parametrize("name", [*ASKING, *CHANGING])
def test_a_wrong_argument_of_a_method_is_one_sentence(name: str, rag: NetworkRAG) -> None:
    right = {**ASKING, **CHANGING}[name]
    for place in range(len(right)):
        for wrong in WRONG:
            subject = make() if name in CHANGING else rag
            n_before = len(subject)
            with suppress(CNRagError):
                getattr(subject, name)(*right[:place], wrong, *right[place + 1 :])
                continue
            assert len(subject) == n_before


KEYWORDS: dict[str, Callable[[NetworkRAG, Any], object]] = {
    "embedding_provider": lambda _, wrong: NetworkRAG(embedding_provider=wrong),
    "min_similarity": lambda _, wrong: NetworkRAG(min_similarity=wrong),
    "similarity_spec": lambda _, wrong: NetworkRAG(similarity_spec=wrong),
    "config": lambda _, wrong: NetworkRAG(config=wrong),
    "model_name": lambda _, wrong: NetworkRAG.builder().with_sentence_transformer_embeddings(wrong),
    "host": lambda _, wrong: NetworkRAG.builder().with_ollama_embeddings(wrong),
    "max_features": lambda _, wrong: NetworkRAG.builder().with_tfidf_embeddings(max_features=wrong),
    "executor": lambda _, wrong: make().build_network(True, executor=wrong),
    "progress": lambda _, wrong: make().build_network(True, progress=wrong),
    "top of hubs": lambda rag, wrong: rag.get_hub_nodes(top=wrong),
    "top of bridges": lambda rag, wrong: rag.get_bridge_nodes(top=wrong),
    "top of a search": lambda rag, wrong: rag.search("coral").top(wrong),
    "strategy": lambda rag, wrong: rag.search("coral").with_strategy(wrong),
    "weights": lambda rag, wrong: rag.search("coral").with_weights(wrong),
    "one weight": lambda rag, wrong: rag.search("coral").with_weights(hub=wrong).top(3),
    "mode": lambda rag, wrong: rag.search("coral").with_query_mode(wrong).top(3),
    "filter": lambda rag, wrong: rag.search("coral").filter(year=wrong).top(3),
    "walk": lambda rag, wrong: rag.traverse("coral", walk=wrong),
    "seeds": lambda rag, wrong: rag.traverse("coral", n_seeds=wrong),
    "check": lambda rag, wrong: rag.traverse("coral", check=wrong),
    "cost": lambda rag, wrong: rag.traverse("coral", cost=wrong),
    "document": lambda _, wrong: make().add("new", document=wrong),
}


@pytest.mark.parametrize("name", KEYWORDS)
def test_a_wrong_option_is_one_sentence(name: str, rag: NetworkRAG) -> None:
    for wrong in WRONG:
        with suppress(CNRagError):
            KEYWORDS[name](rag, wrong)


@pytest.mark.parametrize("wrong", [None, 5, b"x", ["coral"]])
def test_a_question_that_is_no_text_is_refused_wherever_it_is_asked(rag: NetworkRAG, wrong: Any) -> None:
    for ask in (rag.search, rag.find_similar, rag.compare, rag.traverse):
        with pytest.raises(ConfigError, match=r"^`query` should be the question as a text, found "):
            ask(wrong)


@pytest.mark.parametrize("empty", ["", "   "])
def test_an_empty_question_is_answered_with_its_reason(rag: NetworkRAG, empty: str) -> None:
    found = rag.search(empty).top(3)
    assert len(found) == 0
    assert found.reason == "The question is empty."


@pytest.mark.parametrize("wrong", [None, 5, b"x", True])
def test_nothing_is_no_document(wrong: Any) -> None:
    rag = NetworkRAG()
    with pytest.raises(CorpusError, match=r"^A document to add should be a text or a mapping of fields, found "):
        rag.add(wrong)
    assert len(rag) == 0


def test_fields_alone_make_a_document() -> None:
    rag = NetworkRAG()
    rag.add(id="a", title="Trees")
    assert rag.documents[0].fields == {"title": "Trees"}


def test_a_blank_id_is_refused_where_it_is_named_and_numbered_in_a_record() -> None:
    rag = NetworkRAG()
    with pytest.raises(CorpusError, match=r"^The id of a document should not be empty"):
        rag.add("text", id="  ")
    assert [rag.add({"id": " ", "content": "one"}), rag.add({"id": " ", "content": "two"})] == [
        "doc-00001",
        "doc-00002",
    ]


def test_mappings_in_a_corpus_are_sent_to_what_makes_documents_of_them() -> None:
    with pytest.raises(
        CorpusError, match=r"^Entry 2 of the corpus should be a Document, found an object with 1 key; `co"
    ):
        NetworkRAG().add_corpus([Document("a"), {"id": "b"}])  # type: ignore[list-item]


def test_one_name_is_no_list_of_names(rag: NetworkRAG) -> None:
    with pytest.raises(
        ConfigError, match=r'^`strategies` should be a list of names of strategies, found the text "hub"'
    ):
        rag.compare("coral", "hub")


def test_an_id_of_another_kind_names_no_document(rag: NetworkRAG) -> None:
    with pytest.raises(UnknownNameError, match=r"^A document is named by its id, which is a text; found a list of 1"):
        rag.explain("d0", ["d1"])  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [None, 5, "", True])
def test_a_storage_without_a_path_makes_no_file(wrong: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"^`storage` should be a path, found "):
        NetworkRAG(wrong)
    assert list(tmp_path.iterdir()) == []


READING: dict[str, Callable[[Any], object]] = {
    "read_corpus": read_corpus,
    "infer_config": infer_config,
    "load_config": load_config,
    "corpus_of_records": corpus_of_records,
    "id of a document": Document,
    "fields of a document": lambda wrong: Document("a", wrong),
    "document of a corpus": lambda wrong: Corpus((Document("a"),))[wrong],
    "Workspace.build": Workspace.build,
    "Workspace.open": Workspace.open,
    "Workspace.of_source": Workspace.of_source,
    "Workspace.of_sample": Workspace.of_sample,
}


@pytest.mark.parametrize("name", READING)
def test_a_wrong_source_is_one_sentence(name: str) -> None:
    for wrong in WRONG:
        with suppress(CNRagError):
            READING[name](wrong)


def test_fields_that_are_no_mapping_are_told() -> None:
    with pytest.raises(CorpusError, match=r'^A document\'s fields should be a mapping .*, found the text "coral"\.$'):
        Document("a", "coral")  # type: ignore[arg-type]
