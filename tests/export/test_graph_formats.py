"""Exports are read back by the libraries that people will read them with."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass

import igraph
import networkx as nx
import numpy as np
import pytest

from cnrag_core.corpus.document import Document
from cnrag_core.export.attributed_graph import attributed_graph
from cnrag_core.export.graph_formats import FORMATS, gexf, graphml, node_link_json, pajek, vosviewer_json
from cnrag_core.graph.similarity_graph import SimilarityGraph, sorted_edges


@dataclass
class Labels:
    labels: np.ndarray


@dataclass
class Values:
    values: np.ndarray
    exact: bool = True


@dataclass
class Positions:
    positions: np.ndarray


class HandMade:
    """Three documents with awkward texts: markup, quotes, control characters, mixed kinds."""

    documents = (
        Document("01", {"title": "A & <B>", "year": 2001, "id": "kept apart", "tags": ["ml", "nlp"]}),
        Document('q"uote', {"title": "bell \x07 and \ud800", "year": "unknown"}),
        Document("漢字", {"title": "三"}),
    )
    left, right, weight = sorted_edges(np.array([0, 1]), np.array([1, 2]), np.array([0.85, 0.4]))
    graph = SimilarityGraph(tuple(d.id for d in documents), left, right, weight)
    communities = Labels(np.array([0, 0, 1]))
    betweenness = Values(np.array([0.0, 1.0, 0.0]))
    layout = Positions(np.array([[0, 1], [2, 3], [4, 5]], dtype=np.float32))

    @property
    def tags(self) -> dict[int, list[str]]:
        return {0: ["ml"]}

    def title(self, node_id: str) -> str:
        return next(d for d in self.documents if d.id == node_id).text("title")


@pytest.fixture
def graph() -> nx.Graph:
    return attributed_graph(HandMade())


def test_ids_titles_communities_and_weights_survive_graphml(graph):
    read = nx.read_graphml(io.BytesIO(graphml(graph)))
    assert set(read) == {"01", 'q"uote', "漢字"}
    assert read.nodes["01"]["label"] == "A & <B>"
    assert read.nodes["01"]["field_id"] == "kept apart"
    assert read.nodes["漢字"]["community"] == 1
    assert read.edges["01", 'q"uote']["weight"] == pytest.approx(0.85)
    assert read.edges["01", 'q"uote']["strong"] is True


def test_igraph_reads_the_graphml(graph, tmp_path):
    path = tmp_path / "network.graphml"
    path.write_bytes(graphml(graph))
    read = igraph.Graph.Read_GraphML(str(path))
    assert (read.vcount(), read.ecount()) == (3, 2)
    assert sorted(read.es["weight"]) == pytest.approx([0.4, 0.85])


def test_gexf_keeps_positions(graph):
    text = gexf(graph).decode("utf-8")
    read = nx.read_gexf(io.StringIO(text))
    assert read.nodes["01"]["viz"]["position"]["x"] == pytest.approx(0.0)
    assert read.nodes["漢字"]["viz"]["position"]["y"] == pytest.approx(-5.0)


def test_node_link_json_is_read_by_networkx(graph):
    read = nx.node_link_graph(json.loads(node_link_json(graph)), edges="edges")
    assert nx.utils.graphs_equal(read, graph)


def test_vosviewer_clusters_count_from_one(graph):
    network = json.loads(vosviewer_json(graph))["network"]
    assert [item["cluster"] for item in network["items"]] == [1, 1, 2]
    assert len(network["links"]) == 2


def test_pajek_is_read_back(graph):
    read = nx.parse_pajek(pajek(graph).decode("utf-8").splitlines())
    assert (read.number_of_nodes(), read.number_of_edges()) == (3, 2)


def test_an_attribute_of_mixed_kinds_becomes_text(graph):
    read = nx.read_graphml(io.BytesIO(graphml(graph)))
    assert read.nodes["01"]["year"] == "2001.0"
    assert read.nodes['q"uote']["year"] == "unknown"


@pytest.mark.parametrize("ending", sorted(FORMATS))
def test_every_format_is_utf8_and_valid_for_a_graph_without_edges(graph, ending):
    lonely = graph.copy()
    lonely.remove_edges_from(list(graph.edges))
    assert FORMATS[ending][2](lonely).decode("utf-8")


@pytest.mark.parametrize("ending", sorted(FORMATS))
def test_every_format_is_written_of_a_graph_without_nodes(ending):
    written = FORMATS[ending][2](nx.Graph())
    readers = {
        "graphml": lambda data: nx.read_graphml(io.BytesIO(data)),
        "gexf": lambda data: nx.read_gexf(io.BytesIO(data)),
        "json": lambda data: nx.node_link_graph(json.loads(data), edges="edges"),
        "vosviewer.json": lambda data: json.loads(data)["network"]["items"],
        "net": lambda data: nx.parse_pajek(data.decode().splitlines()),
    }
    assert len(readers[ending](written)) == 0


def test_ids_that_xml_cannot_hold_are_written_and_stay_apart():
    class Awkward(HandMade):
        documents = (Document("a\x07"), Document("a\x08"), Document("a\ud800"))
        graph = SimilarityGraph(tuple(d.id for d in documents), HandMade.left, HandMade.right, HandMade.weight)

        def title(self, node_id: str) -> str:
            return node_id

    awkward = attributed_graph(Awkward())
    assert list(awkward) == ["a ", "a _", "a\ufffd"]
    for write, read in ((graphml, nx.read_graphml), (gexf, nx.read_gexf)):
        assert set(read(io.BytesIO(write(awkward)))) == set(awkward)
