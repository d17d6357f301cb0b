"""The network in the formats that other tools read.

Enters: an attributed networkx graph (`attributed_graph`). Leaves: the bytes of one file. GraphML and GEXF
for Gephi, yEd, igraph and networkx; node-link JSON for D3; VOSviewer JSON; Pajek. GraphML, GEXF and Pajek
are written by networkx.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from typing import Any

import networkx as nx

from cnrag_core.export.attributed_graph import distinct


def graphml(graph: nx.Graph[str]) -> bytes:
    """GraphML, UTF-8."""
    buffer = io.BytesIO()
    nx.write_graphml(_uniform(graph), buffer, encoding="utf-8")
    return buffer.getvalue()


def gexf(graph: nx.Graph[str]) -> bytes:
    """GEXF 1.2 with positions and weights, as Gephi reads it."""
    placed: nx.Graph[str] = nx.Graph()
    for node, values in _uniform(graph).nodes(data=True):
        rest = {key: value for key, value in values.items() if key not in ("x", "y", "id")}
        placed.add_node(node, viz={"position": {"x": values["x"], "y": -values["y"], "z": 0.0}}, **rest)
    placed.add_edges_from(graph.edges(data=True))
    buffer = io.BytesIO()
    nx.write_gexf(placed, buffer, encoding="utf-8", version="1.2draft")
    return buffer.getvalue()


def node_link_json(graph: nx.Graph[str]) -> bytes:
    """Node-link JSON: ``nodes`` and ``edges``, as `networkx.node_link_graph` reads it."""
    return _json(nx.node_link_data(graph, edges="edges"))


def vosviewer_json(graph: nx.Graph[str]) -> bytes:
    """JSON for VOSviewer Online: items with positions and clusters (from 1), links with strengths."""
    number = {node: index + 1 for index, node in enumerate(graph.nodes)}
    items = [
        {
            "id": number[node],
            "label": values["label"],
            "x": values["x"] / 1000.0,
            "y": -values["y"] / 1000.0,
            "cluster": values["community"] + 1,
            "weights": {"Links": values["degree"]},
            "scores": {"Betweenness": values["betweenness"]},
            "description": values["tags"],
        }
        for node, values in graph.nodes(data=True)
    ]
    links = [
        {"source_id": number[a], "target_id": number[b], "strength": values["weight"]}
        for a, b, values in graph.edges(data=True)
    ]
    return _json({"network": {"items": items, "links": links}})


def pajek(graph: nx.Graph[str]) -> bytes:
    """Pajek: ids, positions and weights; its format has no place for other attributes, quotes or line breaks."""
    plain_ids = (" ".join(node.replace('"', "\u2019").replace("'", "\u2019").split()) or "_" for node in graph.nodes)
    name = dict(zip(graph.nodes, distinct(plain_ids), strict=True))
    plain: nx.Graph[str] = nx.Graph()
    for node, values in graph.nodes(data=True):
        plain.add_node(name[node], x=str(values["x"]), y=str(values["y"]))
    for a, b, values in graph.edges(data=True):
        plain.add_edge(name[a], name[b], weight=values["weight"])
    return "\n".join(nx.generate_pajek(plain)).encode("utf-8")


FORMATS: Mapping[str, tuple[str, str, Callable[[nx.Graph[str]], bytes]]] = {
    "graphml": ("GraphML", "application/xml", graphml),
    "gexf": ("GEXF", "application/xml", gexf),
    "json": ("node-link JSON", "application/json", node_link_json),
    "vosviewer.json": ("VOSviewer JSON", "application/json", vosviewer_json),
    "net": ("Pajek", "text/plain", pajek),
}
"""File ending -> (name for people, MIME type, writer)."""


def _uniform(graph: nx.Graph[str]) -> nx.Graph[str]:
    """The graph with one type an attribute, as the XML formats demand: mixed ones become text."""
    kinds: dict[str, set[type]] = {}
    for _, values in graph.nodes(data=True):
        for key, value in values.items():
            kinds.setdefault(key, set()).add(type(value))
    mixed = {key for key, types in kinds.items() if len(types) > 1}
    uniform: nx.Graph[str] = nx.Graph()
    for node, values in graph.nodes(data=True):
        uniform.add_node(node, **{key: str(value) if key in mixed else value for key, value in values.items()})
    uniform.add_edges_from(graph.edges(data=True))
    return uniform


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
