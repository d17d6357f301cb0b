"""Tags: they name the topic, they do not repeat themselves, and nothing comes of nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cnrag_core.corpus.document import Document
from cnrag_core.errors import ConfigError
from cnrag_core.topology import tagging
from cnrag_core.topology.tagging import auto_tag, community_tags, sample_members, tags_of_members
from cnrag_core.topology.terms import term_table

PLANETS = [
    "The orbit of the planet was seen by the telescope.",
    "A telescope shows the planets and their orbits around a star.",
    "Each star has planets, and the telescope finds the planet in its orbit.",
    "The planet was new to the telescope, and its orbit is long.",
]
BREAD = [
    "The dough of the bread is baked in the oven.",
    "Bake the bread in an oven until the dough is brown.",
    "A good dough makes good bread, and the oven is hot.",
    "The oven was cold, so the bread is only dough.",
]


def corpus(*groups, field="text"):
    documents = [
        Document(f"{number:03}", {field: text}) for number, text in enumerate(t for group in groups for t in group)
    ]
    return documents, np.repeat(np.arange(len(groups)), [len(group) for group in groups])


def test_tags_name_what_a_community_talks_about():
    documents, labels = corpus(PLANETS, BREAD)
    tags = community_tags(documents, labels, ["text"])
    assert set(tags[0][:3]) <= {"planet", "orbit", "telescope", "star"}
    assert set(tags[1][:3]) == {"bread", "dough", "oven"}


def test_a_table_made_before_gives_the_same_tags():
    documents, labels = corpus(PLANETS, BREAD)
    table = term_table(documents, ["text"])
    assert community_tags(documents, labels, ["text"], table=table) == community_tags(documents, labels, ["text"])


def test_words_that_everybody_uses_are_no_tags():
    documents, labels = corpus([f"{t} experiment" for t in PLANETS], [f"{t} experiment" for t in BREAD])
    assert not any("experiment" in tag for tags in community_tags(documents, labels, ["text"]).values() for tag in tags)


def test_at_most_as_many_tags_as_asked_for():
    documents, labels = corpus(PLANETS, BREAD)
    assert [len(tags) for tags in community_tags(documents, labels, ["text"], n_tags=2).values()] == [2, 2]
    assert community_tags(documents, labels, ["text"], n_tags=0) == {0: [], 1: []}


def test_list_items_are_tags_as_a_whole():
    documents, labels = corpus([["Deep Learning", "vision"]] * 3, [["crop rotation", "soil"]] * 3, field="tags")
    assert community_tags(documents, labels, ["tags"]) == {0: ["deep learning", "vision"], 1: ["crop rotation", "soil"]}


def test_a_recurring_phrase_stands_for_its_words():
    documents, labels = corpus(["The black hole is in the galaxy."] * 4, BREAD)
    tags = community_tags(documents, labels, ["text"])[0]
    assert "black hole" in tags
    assert not {"black", "hole"} & set(tags)


def test_no_two_tags_share_a_word():
    documents, labels = corpus(["red giant star, dwarf star, star cluster, giant planet"] * 4, BREAD)
    words = [word for tag in community_tags(documents, labels, ["text"])[0] for word in tag.split()]
    assert len(words) == len(set(words))


def test_forms_of_one_word_are_one_tag_where_no_language_is_known_too():
    reefs = ["glaciers crevasse meltwater", "glacier crevasse moraine", "glaciers glacier moraine meltwater"]
    shops = ["invoice refund voucher", "invoice refund basket", "refund voucher basket"]
    documents, labels = corpus(reefs, shops)
    tags = community_tags(documents, labels, ["text"])
    assert len({"glacier", "glaciers"} & set(tags[0])) == 1
    assert {"crevasse", "moraine", "meltwater"} <= set(tags[0])


def test_tags_of_chinese_communities_are_chinese_words():
    documents, labels = corpus(
        ["量子计算机使用量子比特", "量子比特很脆弱", "研究人员改进了量子计算机"],
        ["这种面包需要酵母和面粉", "酵母让面粉发酵", "面包师使用酵母"],
    )
    tags = community_tags(documents, labels, ["text"])
    assert any("量子" in tag for tag in tags[0])
    assert any("酵母" in tag for tag in tags[1])


def test_a_word_of_one_document_does_not_speak_for_its_community():
    documents, labels = corpus([*PLANETS, "The planet and the giraffe giraffe giraffe giraffe."], BREAD)
    assert "giraffe" not in community_tags(documents, labels, ["text"], n_tags=20)[0]


def test_two_documents_are_tagged_by_what_they_share():
    documents, labels = corpus(["The giraffe eats an acacia.", "A giraffe sleeps in a meadow."], BREAD)
    assert community_tags(documents, labels, ["text"])[0] == ["giraffe"]


def test_empty_texts_and_function_words_give_no_tags():
    documents, labels = corpus(["", "   ", "the of and"])
    assert community_tags(documents, labels, ["text"]) == {0: []}


def test_one_document_alone_has_no_tags_in_the_table_of_all():
    documents, labels = corpus(PLANETS, BREAD, ["A lonely volcano."])
    assert community_tags(documents, labels, ["text"])[2] == []


def test_one_document_alone_is_tagged_when_asked_for():
    documents, labels = corpus(PLANETS, BREAD, ["A lonely volcano."])
    assert set(auto_tag(documents, labels, 2, ["text"])) <= {"lonely", "volcano", "lonely volcano"}
    documents, labels = corpus(PLANETS, BREAD, [""])
    assert auto_tag(documents, labels, 2, ["text"]) == []


def test_without_other_communities_the_most_shared_words_are_the_tags():
    documents, labels = corpus(BREAD)
    assert set(community_tags(documents, labels, ["text"])[0][:3]) == {"bread", "dough", "oven"}


def test_no_documents_have_no_communities_to_tag():
    assert community_tags([], np.array([], dtype=np.int64), ["text"]) == {}


def test_a_sample_of_everything_gives_the_same_tags_as_all():
    documents, labels = corpus(PLANETS, BREAD)
    assert auto_tag(documents, labels, 0, ["text"], n_samples=20) == community_tags(documents, labels, ["text"])[0]


def test_a_sample_is_compared_with_all_documents_outside():
    documents, labels = corpus(PLANETS * 10, BREAD * 10)
    tags = auto_tag(documents, labels, 0, ["text"], n_samples=6)
    assert "telescope" in tags
    assert not {"bread", "oven", "dough"} & set(tags)


def test_samples_are_repeatable_and_within_the_community():
    members = np.arange(100, 200)
    first, second = sample_members(members, 10, 3), sample_members(members, 10, 3)
    assert np.array_equal(first, second)
    assert len(set(first.tolist())) == 10
    assert sample_members(members, 500, 3).tolist() == members.tolist()
    assert sample_members(members, 0, 3).tolist() == []


def test_a_negative_sample_is_refused():
    with pytest.raises(ConfigError, match="A sample needs a number of at least 0, got -1"):
        sample_members(np.arange(3), -1, 0)


def test_no_members_have_no_tags():
    documents, labels = corpus(PLANETS)
    assert tags_of_members(term_table(documents, ["text"]), labels, 0, []) == []


def test_labels_of_other_documents_are_refused():
    with pytest.raises(ConfigError, match="1 community labels were given for 4 documents"):
        community_tags(corpus(PLANETS)[0], np.array([0]), ["text"])


def test_of_a_large_corpus_a_share_of_every_community_is_read(monkeypatch):
    monkeypatch.setattr(tagging, "MAX_DOCUMENTS", 40)
    monkeypatch.setattr(tagging, "MIN_SAMPLED", 3)
    labels = np.repeat([0, 1, 2], [150, 48, 2])
    chosen = tagging._sampled(labels, np.bincount(labels), 0)
    assert np.bincount(labels[chosen]).tolist() == [30, 9, 2]
    documents, labels = corpus(PLANETS * 12, BREAD * 12)
    assert "oven" in community_tags(documents, labels, ["text"])[1]


# Real corpora with labels: each label's tags must contain one of a few words that a person would accept.
LABELLED = {
    "bbc-news": (
        ["title", "text"],
        {
            "business": {"bank", "economy", "company", "growth", "stock market", "profit", "profits"},
            "entertainment": {"film", "actor", "music", "star", "awards"},
            "politics": {"labour", "election", "general election", "party", "prime minister"},
            "sport": {"match", "cup", "coach", "game", "champion"},
            "tech": {"technology", "computer", "software", "users"},
        },
    ),
    "agnews-2400": (
        ["title", "text"],
        {
            "business": {"profit", "oil prices", "stocks", "company"},
            "scitech": {"microsoft", "internet", "technology", "computer"},
            "sports": {"game", "win", "cup", "season", "olympic"},
            "world": {"killed", "iraq", "president"},
        },
    ),
}


@pytest.mark.parametrize("name", LABELLED)
def test_tags_of_labelled_corpora_name_their_topics(name, corpora):
    fields, accepted = LABELLED[name]
    lines = (corpora / name / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    records = sorted(map(json.loads, lines), key=lambda record: record["id"])[::3]
    topics = sorted(accepted)
    labels = np.array([topics.index(record["label"]) for record in records])
    documents = [Document(record["id"], record) for record in records]
    tags = community_tags(documents, labels, fields)
    for number, topic in enumerate(topics):
        assert set(tags[number][:3]) & accepted[topic], (topic, tags[number])


def test_tags_of_chinese_articles_are_words_of_their_titles(corpora):
    lines = (corpora / "xquad-zh" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    records = sorted(map(json.loads, lines), key=lambda record: record["id"])
    articles = [record["id"].partition("p")[0] for record in records]
    numbers = sorted(set(articles))
    labels = np.array([numbers.index(article) for article in articles])
    tags = community_tags([Document(record["id"], record) for record in records], labels, ["text"])
    expected = {"a1": "华沙", "a11": "蒸汽", "a13": "石油", "a15": "欧盟", "a16": "亚马逊", "a19": "网络"}
    for article, word in expected.items():
        assert any(word in tag for tag in tags[numbers.index(article)]), (article, tags[numbers.index(article)])
