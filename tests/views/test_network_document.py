from __future__ import annotations

import pytest

from cnrag_core.errors import UnknownNameError
from cnrag_core.views.community_names import ISOLATED, community_name, community_names
from cnrag_core.views.network_document import document_facts
from cnrag_core.views.network_links import evidence_words, link_number, links_between, links_of
from cnrag_core.views.network_measures import MEASURES, betweenness_at_hand, measure_of, rank_of, three_digits
from cnrag_core.views.network_paths import find_path, missing_path, path_steps
from cnrag_core.views.network_start import pairs_across, starting_points
from cnrag_core.views.network_tables import all_edges, edge_table, node_table
from cnrag_core.workspace import Workspace


def test_facts_say_where_a_document_belongs_and_whom_it_resembles(network):
    facts = document_facts(network, "a3")
    assert facts.title == "Title of a3"
    assert facts.community_size == 3
    assert [(neighbor.node_id, round(neighbor.similarity, 3)) for neighbor in facts.neighbors] == [
        ("a1", 0.667),
        ("a2", 0.667),
        ("b3", 0.2),
    ]
    assert facts.neighbors[2].words == ("z",)


def test_a_bridge_is_told_from_a_document_inside(network):
    assert any(role.startswith("Bridge: 1st by betweenness, joins") for role in document_facts(network, "a3").roles)
    assert not any("Bridge" in role for role in document_facts(network, "a1").roles)


def test_a_document_without_links_says_so(network):
    facts = document_facts(network, "c1")
    assert facts.community == ISOLATED
    assert facts.community_number is None
    assert facts.roles == ("It is linked to nothing here.",)
    assert facts.neighbors == ()


def test_no_such_document_is_refused(network):
    with pytest.raises(UnknownNameError, match="no document 'zz'"):
        document_facts(network, "zz")


def test_every_figure_has_value_rank_and_meaning(network):
    figures = document_facts(network, "a3").figures
    assert [name for name, *_ in figures] == list(MEASURES)
    assert figures[0][1:3] == ("3", "1st of 7")
    assert all(meaning for *_, meaning in figures)


def test_betweenness_of_the_bridge_is_the_known_value(network):
    # a3 lies on all 2 x 3 shortest paths between its side and the other, of 15 pairs of other nodes
    assert measure_of(network, "betweenness")[2] == pytest.approx(6 / 15)
    assert betweenness_at_hand(network)


def test_ranks_share_the_best_place(network):
    degree = measure_of(network, "degree")
    assert (rank_of(degree, 2), rank_of(degree, 5), rank_of(degree, 0)) == (1, 1, 3)


@pytest.mark.parametrize(("value", "words"), [(0.5, "0.500"), (123.4, "123"), (0.00004, "<0.0001"), (1e-4, "0.0001")])
def test_numbers_have_the_digits_that_they_need(value, words):
    assert three_digits(value) == words


def test_a_network_begins_with_its_hubs_and_bridges(network):
    found = {heading: [node_id for node_id, _ in nodes] for heading, _, nodes in starting_points(network)}
    assert set(found["Hubs"][:2]) == {"a3", "b3"}
    assert set(found["Bridges"]) == {"a3", "b3"}


def test_pairs_that_reach_across_are_the_most_similar_of_two_communities(network):
    assert [(first, second, round(weight, 3)) for first, second, weight in pairs_across(network)] == [("a3", "b3", 0.2)]


def test_any_two_communities_give_one_pair_the_strongest_first():
    network = Workspace.of_sample("papers").network
    number = dict(zip(network.node_ids, network.communities.labels.tolist(), strict=True))
    found = pairs_across(network)
    joined = [frozenset((number[first], number[second])) for first, second, _ in found]
    assert len(set(joined)) == len(joined) == 3
    assert all(len(two) == 2 for two in joined)
    weights = [weight for *_, weight in found]
    assert weights == sorted(weights, reverse=True)
    graph = network.graph
    across = network.communities.labels[graph.left] != network.communities.labels[graph.right]
    assert weights[0] == graph.weight[across].max()


def test_no_two_communities_have_one_name(network):
    names = community_names(network)
    assert len(set(names.values())) == 2
    assert community_name(network, 2) == ISOLATED


def test_links_are_told_from_either_end(network):
    (link,) = links_of(network.links, 3)
    assert evidence_words(link, "b1") == "refers to it: a1"
    assert evidence_words(link, "a1") == "is referred to by it: a1"
    assert links_between(network.links, 0, 3) == [link]
    assert links_between(network.links, 0, 1) == []


@pytest.mark.parametrize(("edge", "number"), [("L0", 0), ("0-3", None), ("L", None), ("Lx", None)])
def test_only_typed_links_have_a_link_number(edge, number):
    assert link_number(edge) == number


def test_the_weakest_link_is_marked_once(network):
    steps = path_steps(find_path(network.graph, ("a1", "b1"), "strongest"), network)
    assert [step.weakest for step in steps] == [False, True, False, False]
    assert steps[-1].similarity is None


def test_documents_with_nothing_in_common_are_joined_by_no_threshold(network):
    sentence, threshold = missing_path(network, ("a1", "c1"))
    assert threshold is None
    assert "No threshold would" in sentence


def test_tables_hold_every_fact_of_the_picture(network):
    from cnrag_core.views.network_options import NetworkOptions
    from cnrag_core.views.network_picture import draw
    from tests.views.network_of_tags import KINDS

    drawing = draw(network, NetworkOptions(links=("reference",)), KINDS)
    nodes, edges = node_table(network, drawing.picture.nodes), edge_table(network, drawing)
    assert list(nodes["id"]) == ["a1", "a2", "a3", "b1", "b2", "b3"]
    assert set(MEASURES) <= set(nodes.columns)
    assert list(edges["type"]) == ["similarity"] * 7 + ["reference"]
    assert edges["weight"].iloc[:7].is_monotonic_decreasing
    assert edges["evidence"].iloc[-1] == "a1"
    assert len(all_edges(network)) == 7
