"""Hubs and bridges as tables."""

from __future__ import annotations

import networkx as nx

from cnrag_core.graph.similarity_graph import graph_of_networkx
from cnrag_core.views.role_tables import degree_limit, role_chart


def test_ten_neighbours_make_a_hub_where_few_have_them():
    star = nx.star_graph(12)
    star.add_edges_from((0, n) for n in range(13, 40))
    limit = degree_limit(graph_of_networkx(nx.relabel_nodes(star, str)))
    assert (limit.start, limit.most) == (1, 39)


def test_where_all_have_ten_neighbours_about_a_tenth_are_hubs():
    graph = graph_of_networkx(nx.relabel_nodes(nx.gnm_random_graph(300, 9000, seed=1), str))
    limit = degree_limit(graph)
    assert limit.start > 60
    assert 0.02 < (graph.degree >= limit.start).mean() < 0.2


def test_the_strongest_bridge_and_the_largest_hub_have_their_names_beside_them(network):
    points, names = role_chart(network).data
    assert names.mode == "text"
    at_the_top = max(range(len(points.y)), key=lambda place: points.y[place])
    assert points.text[at_the_top] in {name.strip() for name in names.text}
    assert len(set(names.y)) == len(names.y)
