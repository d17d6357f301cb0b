"""`NetworkAnalyzer`: the topology of a graph by node id, with the method names of guide 002.

It holds a graph and forwards; every algorithm lives in a module of its own. What is asked for is computed
once, on first use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np

from cnrag_core.corpus.document import Document
from cnrag_core.errors import ConfigError
from cnrag_core.graph.similarity_graph import SimilarityGraph, graph_of_networkx
from cnrag_core.topology import centrality, communities, neighborhood, roles, tagging, terms
from cnrag_core.topology.centrality import Betweenness
from cnrag_core.topology.communities import Algorithm, Communities
from cnrag_core.types import Scores


class NetworkAnalyzer:
    """Communities, hubs, bridges and neighbourhoods of a graph.

    Parameters
    ----------
    graph
        A `SimilarityGraph`, or a networkx graph whose edges carry ``weight`` (1 where missing).
    documents
        What the nodes say, for tags: documents, or a mapping from id to a document, to its fields, or to
        its text. By default the node attributes of a networkx graph. A node without a document has no
        words.
    fields
        Fields that tags are made from; by default all that hold texts or lists.
    algorithm, resolution, random_state
        How communities are found; the random state also chooses samples and the sources of estimates.
    found
        Communities that are known already.

    Raises
    ------
    ConfigError
        If an edge of a networkx graph has no positive weight, or two of its ids are the same text.

    Examples
    --------
    Two triangles that share the document "m":

    >>> analyzer = NetworkAnalyzer(nx.Graph(["ab", "bm", "am", "mc", "cd", "md"]))
    >>> analyzer.get_bridge_nodes()
    ['m']
    >>> analyzer.get_hub_nodes(min_degree=3)
    ['m']
    >>> sorted(analyzer.get_neighbors("a"))
    ['b', 'm']
    """

    def __init__(
        self,
        graph: nx.Graph[Any] | SimilarityGraph,
        documents: Iterable[Document] | Mapping[str, Document | Mapping[str, Any] | str] | None = None,
        *,
        fields: Sequence[str] | None = None,
        algorithm: Algorithm = "louvain",
        resolution: float = 1.0,
        random_state: int = 0,
        found: Communities | None = None,
    ) -> None:
        if not isinstance(graph, SimilarityGraph):
            if documents is None:
                documents = {str(node): attributes for node, attributes in graph.nodes(data=True)}
            graph = graph_of_networkx(_simple(graph))
        self.graph = graph
        self._given = documents
        self._fields = fields
        self._algorithm, self._resolution, self._random_state = algorithm, resolution, random_state
        if found is not None:
            self.__dict__["communities"] = found  # in place of the value computed on first use

    # What is computed once.

    @cached_property
    def communities(self) -> Communities:
        """The communities of the graph."""
        return communities.find_communities(
            self.graph, algorithm=self._algorithm, resolution=self._resolution, random_state=self._random_state
        )

    @cached_property
    def betweenness(self) -> Betweenness:
        """Betweenness of every node, exact or estimated."""
        return centrality.betweenness(self.graph, random_state=self._random_state)

    @cached_property
    def clustering(self) -> Scores:
        """(n,) clustering coefficient of every node."""
        return centrality.clustering(self.graph)

    @cached_property
    def pagerank(self) -> Scores:
        """(n,) PageRank of every node."""
        return centrality.pagerank(self.graph)

    @cached_property
    def participation(self) -> Scores:
        """(n,) how evenly the edges of every node spread over communities."""
        return centrality.participation(self.graph, self.communities.labels)

    @cached_property
    def documents(self) -> tuple[Document, ...]:
        """The document of every node, in the order of their ids; empty where none was given."""
        by_id = _documents_by_id(self._given)
        return tuple(by_id.get(node_id, Document(node_id)) for node_id in self.graph.node_ids)

    @cached_property
    def term_table(self) -> terms.TermTable:
        """Which document uses which term."""
        fields = terms.describing_fields(self.documents) if self._fields is None else self._fields
        return terms.term_table(self.documents, fields)

    @property
    def modularity(self) -> float | None:
        """Quality of the communities; None without edges."""
        return self.communities.modularity

    # Communities.

    def detect_communities(self) -> dict[str, int]:
        """Community number by node id; 0 is the largest, isolated nodes have communities of their own."""
        return self.communities.as_dict()

    def get_community_for_node(self, node_id: str) -> int:
        """Community of a node; `UnknownNameError` where there is no such node."""
        return self.communities.of(str(node_id))

    def get_community_nodes(self, community_id: int) -> list[str]:
        """Ids of all nodes of a community; `UnknownNameError` where there is no such community."""
        return self.communities.member_ids(community_id)

    def sample_community_nodes(self, community_id: int, n: int = 20) -> list[str]:
        """Up to `n` nodes of a community, the same ones every time, in the order of their ids."""
        members = np.array(self.communities.members(community_id), dtype=np.int64)
        chosen = tagging.sample_members(members, n, self._random_state)
        return [self.graph.node_ids[node] for node in chosen.tolist()]

    def auto_tag_community(self, community_id: int, n_samples: int = 20, *, n_tags: int = tagging.N_TAGS) -> list[str]:
        """Words that set a sample of a community apart from all documents outside it; empty without texts."""
        members = np.array(self.communities.members(community_id), dtype=np.int64)
        chosen = tagging.sample_members(members, n_samples, self._random_state)
        return tagging.tags_of_members(self.term_table, self.communities.labels, community_id, chosen, n_tags=n_tags)

    # Roles.

    def get_hub_nodes(self, min_degree: int = 10, top: int | None = None) -> list[str]:
        """Nodes with at least `min_degree` neighbours, or the `top` ones whatever the minimum; most first."""
        return [hub.node_id for hub in roles.find_hubs(self.graph, min_degree=min_degree, top=top)]

    def get_bridge_nodes(self, min_betweenness: float = 0.1, top: int | None = None) -> list[str]:
        """Nodes with at least this betweenness, or the `top` ones whatever the minimum; highest first.

        Beyond a few thousand documents nobody reaches 0.1: ask for `top` there.
        """
        return [bridge.node_id for bridge in self.bridges(min_betweenness=min_betweenness, top=top)]

    def hubs(self, *, min_degree: int = 10, top: int | None = None) -> tuple[roles.Hub, ...]:
        """The hubs with their figures."""
        return roles.find_hubs(self.graph, min_degree=min_degree, top=top, labels=self.communities.labels)

    def bridges(self, *, min_betweenness: float = 0.1, top: int | None = None) -> tuple[roles.Bridge, ...]:
        """The bridges with their figures, their kind, and the communities that they join."""
        return roles.find_bridges(
            self.graph, self.betweenness, self.communities.labels, min_betweenness=min_betweenness, top=top
        )

    def get_hubs_for_community(self, community_id: int, min_degree: int = 5) -> list[str]:
        """Nodes of a community with at least `min_degree` neighbours anywhere, most first."""
        members = set(self.communities.member_ids(community_id))
        return [node_id for node_id in self.get_hub_nodes(min_degree) if node_id in members]

    def get_bridges_for_community(self, community_id: int) -> list[str]:
        """Nodes of a community that have neighbours in others and lie on shortest paths, highest betweenness first."""
        members = set(self.communities.member_ids(community_id))
        return [
            bridge.node_id
            for bridge in self.bridges(min_betweenness=0.0)
            if bridge.node_id in members and any(community != community_id for community in bridge.communities)
        ]

    # Around a node.

    def get_neighbors(self, node_id: str, k_hops: int = 1) -> set[str]:
        """Nodes within `k_hops` edges, without the node itself; `UnknownNameError` where there is none."""
        return neighborhood.k_hop(self.graph, str(node_id), k_hops)

    def get_degree(self, node_id: str) -> int:
        """Number of neighbours of a node."""
        return int(self.graph.degree[self.graph.index(str(node_id))])


def _simple(graph: nx.Graph[Any]) -> nx.Graph[Any]:
    """The graph without directions and parallel edges, refused where its ids or weights cannot be used."""
    if graph.is_directed() or graph.is_multigraph():
        graph = nx.Graph(graph)
    if len(set(map(str, graph.nodes))) < len(graph):
        twice = next(name for name, n in Counter(map(str, graph.nodes)).items() if n > 1)
        raise ConfigError(f"Two nodes of the graph are called {twice!r} when their ids are read as text.")
    for a, b, attributes in graph.edges(data=True):
        weight = attributes.get("weight", 1.0)
        if not (isinstance(weight, int | float | np.number) and 0 < weight < float("inf")):
            raise ConfigError(f"The edge from {a!r} to {b!r} has the weight {weight!r}; it must be a positive number.")
    return graph


def _documents_by_id(
    given: Iterable[Document] | Mapping[str, Document | Mapping[str, Any] | str] | None,
) -> dict[str, Document]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        return {document.id: document for document in given}
    found = {}
    for node_id, value in given.items():
        if isinstance(value, Document):
            found[str(node_id)] = value
        else:
            found[str(node_id)] = Document(str(node_id), {"content": value} if isinstance(value, str) else dict(value))
    return found
