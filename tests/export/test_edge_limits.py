"""A graph that is too large for a browser's export is refused with the threshold that fits."""

from __future__ import annotations

import networkx as nx
import pytest

from cnrag_core.export import edge_limits
from cnrag_core.export.edge_limits import fitting_threshold, refused_export, slow_export
from cnrag_core.graph.similarity_graph import graph_of_networkx


@pytest.fixture
def graph():
    """Ten edges of weight 0.05, 0.15, ... 0.95."""
    star = nx.Graph()
    star.add_weighted_edges_from(("hub", f"n{i}", i / 10 + 0.05) for i in range(10))
    return graph_of_networkx(star)


def test_a_graph_within_the_limit_is_written(graph):
    assert refused_export(graph, 10) is None
    assert slow_export(graph) is None


def test_a_larger_one_is_refused_with_the_lowest_threshold_that_fits(graph):
    said = refused_export(graph, 4)
    assert said == (
        "The network has 10 edges; at most 4 are written in the browser. The lowest threshold that fits is 0.56."
    )
    assert graph.n_edges_at(0.56) == 4
    assert graph.n_edges_at(0.55) == 5


def test_where_everything_is_alike_no_threshold_fits():
    alike = graph_of_networkx(nx.complete_graph(["a", "b", "c"]))
    assert fitting_threshold(alike, 2) is None
    assert "No threshold makes it fit" in str(refused_export(alike, 2))


def test_many_edges_are_warned_of(graph, monkeypatch):
    monkeypatch.setattr(edge_limits, "WORTH_A_WARNING", 9)
    assert "10 edges" in str(slow_export(graph))
