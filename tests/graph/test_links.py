"""Typed links over hand-sized corpora."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cnrag_core.config.spec import AdjacentLinks, MentionLinks, ReferenceLinks, SharedConceptLinks
from cnrag_core.corpus.document import Document
from cnrag_core.errors import ConfigError, UnknownNameError
from cnrag_core.graph.concept_sets import concept_sets, strongest_pairs
from cnrag_core.graph.links import KINDS, find_links
from cnrag_core.graph.name_index import index_names

FILMS = (
    Document("angi", {"title": "Angi Vera", "text": "Angi Vera is a film by Pál Gábor. It won at Cannes."}),
    Document("blank", {"title": "", "text": ""}),
    Document("budapest", {"title": "Budapest", "text": "Budapest is the capital of Hungary."}),
    Document("film", {"title": "Film", "text": "A film is shown in a cinema."}),
    Document("gabor", {"title": "Pál Gábor (director)", "text": "Pal Gabor was born in Budapest; he made Angi Vera."}),
)
MENTION = MentionLinks(of="title", fields=("text",))


def pairs(links) -> list[tuple[str, str]]:
    return [(link.source, link.target) for link in links]


def test_mention_leads_from_the_text_to_the_titled_document():
    links = find_links(FILMS, [MENTION])
    assert pairs(links) == [("angi", "gabor"), ("gabor", "angi"), ("gabor", "budapest")]
    assert links.counts == {"mention": 3}
    assert all(link.directed for link in links)


def test_mention_knows_its_words_and_its_sentence():
    link = find_links(FILMS, [MENTION])[0]
    assert link.evidence == ("Pál Gábor",)
    assert link.sentence == "Angi Vera is a film by Pál Gábor."


def test_mention_of_a_title_named_once_weighs_most():
    documents = [Document(f"d{i}", {"title": f"T{i}x", "text": "We see Rome." if i < 3 else ""}) for i in range(7)]
    documents += [Document("r", {"title": "Rome", "text": "By Oslo."}), Document("o", {"title": "Oslo", "text": ""})]
    weight = {(link.source, link.target): link.weight for link in find_links(documents, [MENTION])}
    assert weight["r", "o"] == pytest.approx(1.0)
    assert weight["d0", "r"] == pytest.approx(math.log(1 + 9 / 3) / math.log(1 + 9))


def test_common_word_in_lower_case_is_no_mention():
    assert ("angi", "film") not in pairs(find_links(FILMS, [MENTION]))


def test_part_of_a_longer_name_is_no_mention():
    documents = [
        Document("a", {"title": "Michael", "text": ""}),
        Document("b", {"title": "", "text": "Michael Gambon."}),
    ]
    assert len(find_links(documents, [MENTION])) == 0


def test_title_that_many_documents_share_names_none():
    documents = [Document(f"d{i:03d}", {"title": "Introduction", "text": "See the Introduction."}) for i in range(60)]
    assert len(find_links(documents, [MENTION])) == 0


def test_order_of_documents_changes_nothing():
    forward, backward = find_links(FILMS, [MENTION]), find_links(FILMS[::-1], [MENTION])
    assert list(forward) == list(backward)


def test_shared_concepts_join_documents_with_rare_words_or_names_in_common():
    documents = [
        Document("a", {"text": "The walrus met Lewis Carroll here."}),
        Document("b", {"text": "Here Lewis Carroll drew a walrus."}),
        Document("c", {"text": "Nothing of that sort."}),
    ]
    link = find_links(documents, [SharedConceptLinks(fields=("text",))])[0]
    assert (link.source, link.target, link.directed) == ("a", "b", False)
    assert link.evidence == ("lewis carroll", "walrus")
    assert link.weight == pytest.approx(1.0)


def test_common_concepts_join_nothing():
    documents = [Document(f"d{i}", {"text": "every document says walrus"}) for i in range(10)]
    assert len(find_links(documents, [SharedConceptLinks(fields=("text",), max_share=0.2)])) == 0
    assert len(find_links(documents, [SharedConceptLinks(fields=("text",), max_share=1.0)])) > 0


def test_shared_concepts_agree_with_brute_force():
    rng = np.random.default_rng(0)
    words = [f"word{i:02d}" for i in range(30)]
    documents = [Document(f"d{i:02d}", {"text": " ".join(rng.choice(words, 6))}) for i in range(25)]
    sets = concept_sets(documents, ("text",), max_share=1.0)
    left, right, weight = strongest_pairs(sets, per_document=25)
    dense = sets.held.toarray()
    expected = {(i, j): dense[i] @ dense[j] for i in range(25) for j in range(i + 1, 25) if dense[i] @ dense[j] >= 0.1}
    assert dict(zip(zip(left.tolist(), right.tolist(), strict=True), weight, strict=True)) == pytest.approx(expected)


def test_each_document_keeps_its_strongest_shared_links_only():
    documents = [Document(f"d{i:02d}", {"text": f"walrus number{i:02d} alone{i:02d}"}) for i in range(30)]
    sets = concept_sets(documents, ("text",), max_share=1.0)
    left, right, _ = strongest_pairs(sets, per_document=2)
    assert len(left) <= 2 * 30
    assert (left < right).all()


def test_reference_leads_to_the_document_of_that_id():
    documents = [Document("007", {"cites": ["7", "nobody", "007"]}), Document("7", {"cites": []})]
    links = find_links(documents, [ReferenceLinks(source="cites")])
    assert [(link.source, link.target, link.weight) for link in links] == [("007", "7", 1.0)]
    assert links[0].evidence == ("7",)
    assert links.notes == ("Field 'cites' refers to 'nobody', which no document has as 'id'.",)


def test_reference_may_lead_to_another_field():
    documents = [Document("a", {"parent": "X"}), Document("b", {"code": "X"}), Document("c", {"code": "x"})]
    assert pairs(find_links(documents, [ReferenceLinks(source="parent", target="code")])) == [("a", "b")]


def test_adjacent_joins_neighbours_in_the_order_of_numbers():
    documents = [Document(f"t{i}", {"talk": "one", "turn": str(i)}) for i in (10, 9, 2)]
    documents += [Document("u1", {"talk": "two", "turn": 1}), Document("v", {"turn": 1})]
    links = find_links(documents, [AdjacentLinks(within="talk", order="turn")])
    assert {frozenset(pair) for pair in pairs(links)} == {frozenset(("t2", "t9")), frozenset(("t9", "t10"))}
    assert links[0].evidence == ("one",)
    assert not links[0].directed


def test_several_kinds_stand_side_by_side():
    links = find_links(FILMS, [SharedConceptLinks(fields=("text",), max_share=1.0), MENTION])
    assert set(links.counts) == {"mention", "shared_concepts"}
    assert links.of_kind("mention").counts == {"mention": 3}
    assert list(links.of_kind("mention")) == list(find_links(FILMS, [MENTION]))
    assert [KINDS[k] for k in sorted(set(links.kind.tolist()))] == ["mention", "shared_concepts"]


def test_links_around_a_node_are_those_from_and_to_it():
    links = find_links(FILMS, [MENTION])
    gabor = links.node_ids.index("gabor")
    assert [pairs(links)[link] for link in links.around(gabor)] == pairs(links)
    assert links.around(links.node_ids.index("blank")) == []


def test_adjacency_leads_both_ways_for_undirected_links_only():
    documents = [Document("a", {"talk": "x", "turn": 1, "cites": "c"}), Document("b", {"talk": "x", "turn": 2})]
    documents.append(Document("c", {}))
    specs = [AdjacentLinks(within="talk", order="turn"), ReferenceLinks(source="cites")]
    assert find_links(documents, specs).adjacency.toarray().tolist() == [[0, 1, 1], [1, 0, 0], [0, 0, 0]]


def test_unknown_field_is_refused_with_those_that_exist():
    with pytest.raises(ConfigError, match=r"links\[0\] \(mention\): no document has a field 'titel'; .* text, title"):
        find_links(FILMS, [MentionLinks(of="titel", fields=("text",))])


def test_unknown_kind_is_refused():
    with pytest.raises(UnknownNameError, match="no kind of link 'mentions'; the kinds are mention"):
        find_links(FILMS, [MENTION]).of_kind("mentions")


@pytest.mark.parametrize("documents", [(), FILMS[1:2]])
@pytest.mark.parametrize("specs", [(), (MENTION, SharedConceptLinks(fields=("text",)))])
def test_nothing_to_link_is_no_links(documents, specs):
    links = find_links(documents, specs)
    assert len(links) == 0
    assert links.counts == {}
    assert links.adjacency.shape == (len(documents), len(documents))


def test_name_index_tells_where_names_stand():
    index = index_names(FILMS, title_field="title", text_fields=["text"])
    number = index.names.index("pal gabor")
    assert index.titled.of(number).tolist() == [4]
    assert index.in_texts.of(number).tolist() == [0, 4]
    assert index.named_in_question("who is pal gabor of Budapest") == {
        number: False,
        index.names.index("budapest"): True,
    }
    assert index.rarity[number] == pytest.approx(math.log(1 + 5 / 2) / math.log(6))


def test_without_titles_the_first_phrase_names_a_document():
    documents = [Document("a", {"text": "There is Hank Snow in it."}), Document("b", {"text": "It is by Hank Snow."})]
    index = index_names(documents, title_field=None, text_fields=["text"])
    assert index.titled.of(index.names.index("hank snow")).tolist() == [0, 1]


def test_function_words_join_nothing_and_concepts_keep_their_accents():
    texts = {
        "a": "Drucker druckt nicht mehr; für Büro",
        "b": "Telefon klingelt mehr für Büro",
        "c": "Regen",
        "d": "Wind",
    }
    documents = [Document(name, {"text": text}) for name, text in texts.items()]
    spec = SharedConceptLinks(fields=("text",), max_share=0.5)
    assert find_links(documents, [spec], function_words={"mehr", "für"})[0].evidence == ("büro",)
    assert "mehr" in find_links(documents, [spec])[0].evidence


def test_words_of_a_list_are_found_without_their_accents():
    documents = [Document(name, {"text": "während der Störung"}) for name in "ab"]
    sets = concept_sets(documents, ("text",), max_share=1.0, skip={"während"})
    assert sets.concepts == ("störung",)
