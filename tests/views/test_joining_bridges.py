from __future__ import annotations

from cnrag_core.topology.roles import find_bridges
from cnrag_core.views.community_names import community_names
from cnrag_core.views.role_tables import joining, joining_sentence
from tests.views.network_of_tags import network_of_tags


def test_only_bridges_with_neighbours_in_every_topic_join_them_and_the_strongest_is_named():
    network = network_of_tags()
    every = find_bridges(network.graph, network.betweenness, network.communities.labels, min_betweenness=0.0)
    topics = list(community_names(network).values())
    found = joining(every, topics, network)
    assert {bridge.node_id for bridge in found} == {"a3", "b3"}
    assert joining_sentence(found, topics, network).startswith("“Title of a3” is the strongest bridge that joins")
    assert joining_sentence(found, topics, network).endswith("1 other does.")


def test_where_nothing_joins_them_it_is_said():
    network = network_of_tags(0.6)
    every = find_bridges(network.graph, network.betweenness, network.communities.labels, min_betweenness=0.0)
    topics = list(community_names(network).values())
    assert joining(every, topics, network) == []
    assert joining_sentence([], topics, network).startswith("No document has neighbours in")
