"""Paths over names: questions that two documents answer together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cnrag_core.config.spec import (
    AdjacentLinks,
    FieldEmbeddingComponent,
    MentionLinks,
    PipelineConfig,
    ReferenceLinks,
)
from cnrag_core.corpus.document import Document
from cnrag_core.graph.links import find_links
from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.retrieval.auto import MIN_MENTIONS, choose
from cnrag_core.retrieval.links import LinksRetrieval
from cnrag_core.retrieval.path_setting import PATHS
from cnrag_core.retrieval.paths import named_titles, score_paths
from cnrag_core.retrieval.query import QueryScorer
from cnrag_core.retrieval.search import Search
from tests.retrieval.sources import Labels, Source, Values


def film(node_id: str, title: str, text: str) -> Document:
    return Document(node_id, {"title": title, "text": text})


FILMS = (
    film("angi", "Angi Vera", "Angi Vera is a film from 1979. It was directed by Pál Gábor for a studio."),
    film("blank", "", ""),
    film("budapest", "Budapest", "Budapest lies on the Danube; its bridges are famous."),
    film("danube", "Danube Day", "A holiday that several countries keep."),
    film("gabor", "Pál Gábor (Hungarian)", "He grew up in Budapest and studied there."),
    film("horse", "Horse Race", "A film about horses that Angi Miller made in the studio."),
    film("oslo", "Oslo", "A city in the north. Many were born there."),
    film("prize", "Cannes Prize", "Awards went to Istvan Nagy and to the one who once taught Pál Gábor."),
)
CONFIG = PipelineConfig(
    components=[FieldEmbeddingComponent(field="title"), FieldEmbeddingComponent(field="text")],
    links=[MentionLinks(of="title", fields=("text",))],
)


def source_of(documents, config=CONFIG, edges=()) -> Source:
    ids = tuple(document.id for document in documents)
    left = np.array([a for a, _ in edges], dtype=np.int32)
    right = np.array([b for _, b in edges], dtype=np.int32)
    graph = SimilarityGraph(ids, left, right, np.ones(len(edges)))
    communities, betweenness = Labels(np.zeros(len(ids), np.int64)), Values(np.zeros(len(ids)))
    links = find_links(documents, config.links)
    return Source(config, graph, QueryScorer(documents, config, {}), communities, betweenness, links)


@pytest.fixture(scope="module")
def films() -> Source:
    return source_of(FILMS)


def ask(source: Source, question: str, strategy: str = "links"):
    return Search(question, source).with_strategy(strategy).top(10)


def test_the_document_that_a_match_names_is_found(films):
    question = "In which city did the director of Angi Vera grow up?"
    assert "gabor" in ask(films, question).ids[:2]


def test_two_steps_are_followed(films):
    results = ask(films, "Which river runs through the home town of the man who directed Angi Vera?")
    assert "budapest" in results.ids[:5]
    assert "oslo" not in results.ids
    budapest = results[results.ids.index("budapest")]
    assert budapest.path[-1].source == "gabor"


def test_the_path_shows_its_words_and_its_sentence(films):
    results = ask(films, "In which city did the director of Angi Vera grow up?")
    step = results[results.ids.index("gabor")].path[-1]
    assert (step.source, step.target, step.kind) == ("angi", "gabor", "mention")
    assert step.evidence == ("Pál Gábor",)
    assert step.sentence == "It was directed by Pál Gábor for a studio."


def test_boosts_tell_what_the_title_and_what_the_path_gave(films):
    results = ask(films, "the director of Angi Vera")
    assert results[0].node_id == "angi"
    assert results[0].boosts["title"] > 0
    assert results[results.ids.index("gabor")].boosts["path"] > 0


def test_a_shared_rare_name_is_a_weaker_bridge(films):
    scores = score_paths("film directed 1979", films.scorer.score("film directed 1979").similarity, films.scorer)
    bridges = scores.finder.of(films.graph.index("angi"))
    weight = dict(zip(bridges.targets.tolist(), bridges.weights.tolist(), strict=True))
    assert weight[films.graph.index("prize")] == pytest.approx(PATHS.indirect * weight[films.graph.index("gabor")])


def test_a_bridge_is_stronger_in_a_sentence_about_the_question(films):
    def weight(question: str) -> float:
        similarity = films.scorer.score("Vera").similarity
        bridges = score_paths(question, similarity, films.scorer).finder.of(films.graph.index("angi"))
        return dict(zip(bridges.targets.tolist(), bridges.weights.tolist(), strict=True))[films.graph.index("gabor")]

    assert weight("who directed it") == pytest.approx(weight("what year is 1979") * (1 + PATHS.sentence))


def test_a_name_that_the_question_knows_leads_to_little_that_is_new(films):
    def weight(question: str) -> float:
        similarity = films.scorer.score("Vera").similarity
        bridges = score_paths(question, similarity, films.scorer).finder.of(films.graph.index("angi"))
        return dict(zip(bridges.targets.tolist(), bridges.weights.tolist(), strict=True))[films.graph.index("gabor")]

    assert weight("pal gabor") == pytest.approx(PATHS.known * (1 + PATHS.sentence) * weight("xyz"))


def test_what_is_still_to_be_explained_decides_between_targets():
    documents = (
        film("a", "Alpha Film", "Alpha Film was made by Berta Blum and Clara Corn."),
        film("b", "Berta Blum", "She lives in a castle by the sea."),
        film("c", "Clara Corn", "She lives in a house and paints."),
    )
    source = source_of(documents)
    assert ask(source, "Which maker of Alpha Film lives in a castle?").ids[:2] in (["a", "b"], ["b", "a"])
    assert ask(source, "Which maker of Alpha Film paints?").ids[:2] in (["a", "c"], ["c", "a"])


def test_references_and_neighbours_are_bridges_too():
    documents = (
        Document("a", {"text": "walrus report", "cites": ["b"], "talk": "t", "turn": 1}),
        Document("b", {"text": "of whom nothing is known", "talk": "u", "turn": 1}),
        Document("c", {"text": "silence", "talk": "t", "turn": 2}),
    )
    config = CONFIG.model_copy(
        update={"links": (ReferenceLinks(source="cites"), AdjacentLinks(within="talk", order="turn"))}
    )
    results = ask(source_of(documents, config), "walrus")
    assert results.ids[0] == "a"
    assert {node.node_id: node.path[-1].kind for node in results[1:]} == {"b": "reference", "c": "adjacent"}
    assert results[1].path[-1].evidence in (("b",), ("t",))


def test_a_title_named_in_lower_case_counts_no_more_than_its_words():
    documents = [film(f"d{i}", f"T{i}x", "a film about something") for i in range(8)]
    documents += [film("f", "Film", "of a kind"), film("v", "Vera", "of a kind")]
    scorer = QueryScorer(documents, CONFIG, {})
    names = scorer.names
    gained = named_titles(scorer, names.named_in_question("what film and what vera"))
    assert gained[9] > 3 * gained[8] > 0
    capital = named_titles(scorer, names.named_in_question("what Film"))
    assert capital[8] > 3 * gained[8]


def test_without_texts_similarity_stands_and_the_reason_says_so(make_context):
    results = LinksRetrieval().rank(make_context([0.2, 0.9]))
    assert results.ids == ["b", "a"]
    assert results.reason.startswith("There are no texts")


def test_auto_follows_names_where_documents_name_each_other(films):
    assert films.scorer.mentions_per_document >= MIN_MENTIONS
    results = ask(films, "the director of Angi Vera", "auto")
    assert results.strategy == "auto"
    assert results.reason.startswith("links: documents name each other (0.38 mentions a document)")
    assert results.nodes == ask(films, "the director of Angi Vera", "links").nodes


def test_auto_smooths_where_they_do_not(source):
    results = ask(source, "honey", "auto")
    assert results.reason.startswith("smoothing: documents seldom name each other, and 71 % have neighbours")
    assert results.nodes == ask(source, "honey", "smoothing").nodes


def test_auto_keeps_to_similarity_where_the_graph_is_shattered(source, make_graph):
    shattered = replace(source, graph=make_graph(source.graph.node_ids, [("ants", "bees", 0.9)]))
    assert choose(Search("honey", shattered).context(frozenset())).strategy.name == "similarity"


def test_order_of_documents_changes_no_path(films):
    shuffled = find_links(FILMS[::-1], CONFIG.links)
    again = replace(films, links=shuffled, scorer=QueryScorer(FILMS, CONFIG, {}))
    question = "In which city did the director of Angi Vera grow up?"
    assert ask(again, question).nodes == ask(films, question).nodes
