"""What is worked out before visitors come: they all get the same, and nothing is left for the first click."""

from __future__ import annotations

from collections import Counter

from cnrag_core.views.community_names import community_names
from cnrag_core.views.network_ahead import (
    closest_to_begin_with,
    colors_to_choose,
    first_drawing,
    first_message,
    ranges_to_choose,
    titles_to_choose,
    where_to_begin,
    work_out_ahead,
)
from cnrag_core.views.network_first import FIRST_LOOK
from cnrag_core.views.network_picture import draw
from cnrag_core.workspace import Workspace


def test_everybody_gets_what_was_worked_out_ahead():
    workspace = Workspace.of_sample("papers")
    network, kinds = workspace.network, workspace.corpus.kinds
    work_out_ahead(network, kinds)
    assert {"participation", "similarity"} <= set(vars(network))
    assert first_drawing(network, kinds) is first_drawing(network, kinds)
    assert first_drawing(network, kinds).order == draw(network, FIRST_LOOK, kinds).order
    assert first_message(network, kinds) is first_message(network, kinds)
    assert where_to_begin(network) is where_to_begin(network)
    assert colors_to_choose(network, kinds) is colors_to_choose(network, dict(kinds))
    assert list(ranges_to_choose(network, kinds)) == ["year"]


def test_titles_are_offered_in_one_order_at_every_threshold():
    network = Workspace.of_sample("papers").network
    offered = titles_to_choose(network)
    assert titles_to_choose(network.at_threshold(0.9)) is offered
    degrees = [int(network.graph.degree[network.graph.index(node_id)]) for node_id in offered.ids]
    assert degrees == sorted(degrees, reverse=True)
    assert all(offered.ids[place] == node_id for node_id, place in offered.place.items())


def test_the_communities_with_most_links_between_them_are_counted():
    network = Workspace.of_sample("papers").network
    names, labels, graph = community_names(network), network.communities.labels, network.graph
    counted = Counter(
        frozenset((names[a], names[b]))
        for a, b in zip(labels[graph.left].tolist(), labels[graph.right].tolist(), strict=True)
        if a != b and a in names and b in names
    )
    found = closest_to_begin_with(network)
    assert [counted[frozenset((a, b))] for a, b, _ in found] == [n for *_, n in found]
    assert [n for *_, n in found] == sorted(counted.values(), reverse=True)[:6]
