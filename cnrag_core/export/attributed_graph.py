"""The network with everything that is known of its nodes, for the formats of other tools.

Enters: a `Network`. Leaves: a networkx graph whose attributes are plain texts and numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Protocol

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from cnrag_core.corpus.document import Document, as_text
from cnrag_core.graph.similarity_graph import TIE_TOLERANCE, SimilarityGraph


class _Labels(Protocol):
    @property
    def labels(self) -> NDArray[np.int64]: ...


class _Values(Protocol):
    @property
    def values(self) -> NDArray[np.float64]: ...
    @property
    def exact(self) -> bool: ...


class _Positions(Protocol):
    @property
    def positions(self) -> NDArray[np.float32]: ...


class ExportView(Protocol):
    """What is read of a network."""

    @property
    def graph(self) -> SimilarityGraph: ...
    @property
    def communities(self) -> _Labels: ...
    @property
    def betweenness(self) -> _Values: ...
    @property
    def layout(self) -> _Positions: ...
    @property
    def tags(self) -> dict[int, list[str]]: ...
    @property
    def documents(self) -> tuple[Document, ...]: ...
    def title(self, node_id: str) -> str: ...


RESERVED = frozenset({"id", "label", "community", "tags", "degree", "betweenness", "betweenness_is_exact", "x", "y"})


def attributed_graph(network: ExportView) -> nx.Graph[str]:
    """The graph with titles, communities, centralities, positions and the fields of the documents.

    Node attributes: ``label`` (title), ``community``, ``tags``, ``degree``, ``betweenness``,
    ``betweenness_is_exact``, ``x``, ``y``, and every field as a text or a number, prefixed with
    ``field_`` where its name is taken. Edge attributes: ``weight``, ``strong``.
    """
    graph = network.graph
    labels, betweenness, degree = network.communities.labels, network.betweenness, graph.degree
    positions = network.layout.positions
    result: nx.Graph[str] = nx.Graph()
    names = distinct(map(valid_xml, graph.node_ids))
    for number, document in enumerate(network.documents):
        community = int(labels[number])
        result.add_node(
            names[number],
            label=valid_xml(network.title(document.id)),
            community=community,
            tags=valid_xml(", ".join(network.tags.get(community, []))),
            degree=int(degree[number]),
            betweenness=float(betweenness.values[number]),
            betweenness_is_exact=bool(betweenness.exact),
            x=float(positions[number, 0]),
            y=float(positions[number, 1]),
            **_fields(document),
        )
    strong = graph.strong_similarity - TIE_TOLERANCE
    for a, b, weight in zip(graph.left.tolist(), graph.right.tolist(), graph.weight.tolist(), strict=True):
        result.add_edge(names[a], names[b], weight=weight, strong=weight >= strong)
    return result


def distinct(names: Iterable[str]) -> list[str]:
    """The names, with underscores behind those that stand there already: what was cleaned may have become alike.

    Examples
    --------
    >>> distinct(["a", "a", "b", "a"])
    ['a', 'a_', 'b', 'a__']
    """
    found: dict[str, None] = {}
    for name in names:
        while name in found:
            name += "_"
        found[name] = None
    return list(found)


def _fields(document: Document) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in document.fields.items():
        if document.is_missing(name):
            continue
        key = f"field_{name}" if name in RESERVED else name
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        small = is_number and abs(value) < 2**53
        text = "; ".join(map(as_text, value)) if isinstance(value, (list, tuple)) else as_text(value)
        values[valid_xml(key)] = float(value) if small else valid_xml(text)
    return values


def valid_xml(text: str) -> str:
    """The text without the characters that XML 1.0 cannot hold; control characters become spaces.

    Examples
    --------
    >>> valid_xml("a\\x00b\\ud800c\\n")
    'a b�c\\n'
    """
    return "".join(_valid(character) for character in text)


def _valid(character: str) -> str:
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF or code in (0xFFFE, 0xFFFF):
        return "\ufffd"
    return character if code >= 0x20 or character in "\t\n\r" else " "
