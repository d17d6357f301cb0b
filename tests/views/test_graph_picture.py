from __future__ import annotations

import json
import re

import numpy as np
import pytest

from cnrag_core.graph.similarity_graph import SimilarityGraph, sorted_edges
from cnrag_core.views.graph_picture import choose_nodes, component_data, picture_of, pyvis_network, sizes_of
from cnrag_core.views.standalone_page import standalone_html

HOSTILE = ["<img src=x onerror=alert(1)>", "see href here", "</script><script>alert(1)</script>"]


@pytest.fixture
def graph() -> SimilarityGraph:
    left, right, weight = sorted_edges(np.array([0, 1]), np.array([1, 2]), np.array([0.5, 0.6]))
    return SimilarityGraph(("a", "b", "c"), left, right, weight)


def picture(graph, **options):
    given = {
        "shown": np.arange(3),
        "colors": ["#111111"] * 3,
        "sizes": sizes_of(np.array([1.0, 2.0, 3.0])),
        "names": HOSTILE,
        "tips": HOSTILE,
    }
    return picture_of(graph, np.zeros((3, 2), np.float32), **{**given, **options})


def test_counts_say_what_is_left_out(graph):
    assert picture(graph, max_edges=1).counts == "3 of 3 documents, 1 of 2 edges (strongest first)"
    assert picture(graph, shown=np.array([0, 1])).counts == "2 of 3 documents, 1 of 2 edges"


def test_the_strongest_edges_are_drawn(graph):
    assert picture(graph, max_edges=1).edges.tolist() == [[1, 2]]


def test_important_nodes_are_chosen_and_kept_ones_stay():
    importance = np.array([5.0, 1.0, 5.0, 9.0])
    assert choose_nodes(importance, 2).tolist() == [0, 3]
    assert choose_nodes(importance, 2, keep=[1]).tolist() == [1, 3]


def test_pyvis_places_nodes_without_physics(graph):
    network = pyvis_network(picture(graph))
    assert [node["id"] for node in network.nodes] == ["0", "1", "2"]
    assert not any(node["physics"] for node in network.nodes)
    assert len(network.edges) == 2


def test_no_tooltip_switches_pyvis_to_markup(graph):
    assert not any("href" in node["title"] for node in pyvis_network(picture(graph)).nodes)


def test_component_data_is_plain_json(graph):
    data = component_data(picture(graph), revision="r", layout="l", view="v", focus=1)
    assert json.loads(json.dumps(data, allow_nan=False))["focus"] == "1"
    assert data["edges"]["from"] == ["1", "0"]


def test_a_standalone_page_fetches_nothing_and_admits_only_its_own_scripts(graph):
    html = standalone_html(picture(graph))
    assert not re.search(r"<(?:link|script|img|iframe)\b[^>]*\b(?:src|href)\s*=", html, re.IGNORECASE)
    assert "default-src 'none'" in html
    assert "onerror=alert(1)>" not in html.replace("\\u003e", "")


def test_missing_values_get_the_smallest_size():
    assert sizes_of(np.array([np.nan, 4.0, 1.0]))[0] == sizes_of(np.array([0.0, 4.0, 1.0]))[0]
