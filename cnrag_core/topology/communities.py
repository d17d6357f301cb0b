"""Communities of a similarity graph: groups of documents that are linked more among themselves than outwards.

Enters: a `SimilarityGraph`. Leaves: `Communities`, one number a node, with the modularity of the
partition and the name of the library that found it. Guide 000, "Communities".

How stable a partition is says `stability.py`, how two compare `partitions.py`, how tight each
community is `cohesion.py`, which ones should perhaps be linked `gaps.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import networkx as nx
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from cnrag_core.errors import ConfigError, UnknownNameError
from cnrag_core.graph.similarity_graph import SimilarityGraph

if TYPE_CHECKING:
    from cnrag_core.config.spec import CommunitySpec

Algorithm: TypeAlias = Literal["louvain", "leiden"]
Library: TypeAlias = Literal["python-louvain", "networkx", "cnrag", "networkit"]

MAX_EDGES_IN_PYTHON = 5_000
"""Above it, our compiled Louvain: hundreds of times faster, once it is compiled."""

_WEIGHT_DECIMALS = 9
"""Weights are rounded to this before a search, so that float noise cannot tip a tie between communities."""

_networkit_lock = threading.Lock()  # its thread count and its random state are global to the process


@dataclass(frozen=True, eq=False)
class Communities:
    """A partition of the nodes, numbered by size: 0 is the largest, ties go to the smallest node id.

    Attributes
    ----------
    node_ids
        Sorted ids; node i of the labels is ``node_ids[i]``.
    labels
        (n,) int64 community number of each node; a node without edges is a community of its own.
    modularity
        Weighted modularity Q of the partition at resolution 1, so that partitions found at different
        resolutions compare; None for a graph without edges, where Q is undefined.
    library
        What found it: ``python-louvain``, ``networkx``, ``cnrag`` (`louvain.py`), ``networkit``, or ``none`` for a
        graph without edges.
    algorithm, resolution, random_state
        What was asked.
    threshold
        Threshold of the graph, for messages.
    """

    node_ids: tuple[str, ...]
    labels: NDArray[np.int64]
    modularity: float | None
    library: str
    algorithm: Algorithm = "louvain"
    resolution: float = 1.0
    random_state: int = 0
    threshold: float = 0.0

    def __post_init__(self) -> None:
        self.labels.flags.writeable = False

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def n_communities(self) -> int:
        """Number of communities, isolated nodes included."""
        return len(self.sizes)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """(n_communities,) int64 number of nodes of each community, descending."""
        return np.bincount(self.labels).astype(np.int64)

    @property
    def n_grouped(self) -> int:
        """Number of communities of at least two nodes; they are numbered first, 0 to ``n_grouped - 1``."""
        return int(np.count_nonzero(self.sizes > 1))

    @property
    def n_single(self) -> int:
        """Number of communities of one node, which views fold into "isolated"."""
        return self.n_communities - self.n_grouped

    def members(self, community: int) -> list[int]:
        """Node numbers of a community, ascending; `UnknownNameError` where there is none of that number."""
        start, end = self._bounds(community)
        members: list[int] = self._by_community[start:end].tolist()
        return members

    def member_ids(self, community: int) -> list[str]:
        """Node ids of a community, ascending."""
        return [self.node_ids[node] for node in self.members(community)]

    def of(self, node_id: str) -> int:
        """Community of a node; `UnknownNameError` where there is no such node."""
        try:
            return int(self.labels[self._index_of[node_id]])
        except KeyError:
            raise UnknownNameError(f"There is no document {node_id!r} in the network.") from None

    def as_dict(self) -> dict[str, int]:
        """Community by node id, the form of guide 002."""
        return dict(zip(self.node_ids, self.labels.tolist(), strict=True))

    def _bounds(self, community: int) -> tuple[int, int]:
        if not len(self):
            raise UnknownNameError(f"Community {community} does not exist: the network has no documents.")
        is_number = isinstance(community, int | np.integer) and not isinstance(community, bool)
        if not is_number or not 0 <= community < len(self):
            known = "the only community is 0" if len(self) == 1 else f"the communities are 0 to {len(self) - 1}"
            raise UnknownNameError(
                f"Community {community!r} does not exist at threshold {self.threshold:.2f}; {known}."
            )
        return int(self._starts[community]), int(self._starts[community + 1])

    @cached_property
    def _index_of(self) -> dict[str, int]:
        return {node_id: index for index, node_id in enumerate(self.node_ids)}

    @cached_property
    def _by_community(self) -> NDArray[np.int64]:
        return np.argsort(self.labels, kind="stable")

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)


def find_communities(
    graph: SimilarityGraph,
    *,
    algorithm: Algorithm = "louvain",
    resolution: float = 1.0,
    random_state: int = 0,
    library: Library | None = None,
) -> Communities:
    """The communities of a graph, by maximising its weighted modularity.

    Parameters
    ----------
    graph
        Edge weights are positive similarities; more similar pulls harder.
    algorithm
        ``louvain``, or ``leiden`` (networkit), which refines each level.
    resolution
        1 is plain modularity; larger gives more and smaller communities.
    random_state
        Fixes the order in which nodes are tried; the same number gives the same partition.
    library
        Whose Louvain, where it should not be chosen: python-louvain up to 5,000 edges (networkx's at
        another resolution than 1), our own above. networkit's has the same quality; filling its graph edge
        by edge takes several times as long as the whole of ours.

    Returns
    -------
    Communities
        Every community is connected: one that Louvain left in several pieces is cut into them, which
        never lowers modularity.

    Raises
    ------
    ConfigError
        If the algorithm or library is unknown, or the resolution is not positive and finite.

    Notes
    -----
    Blondel et al. 2008, doi:10.1088/1742-5468/2008/10/P10008; Staudt and Meyerhenke 2016,
    doi:10.1109/TPDS.2015.2390633; Traag et al. 2019, doi:10.1038/s41598-019-41695-z.

    Examples
    --------
    Two triangles joined by one edge, and a document that resembles nothing:

    >>> import networkx as nx
    >>> from cnrag_core.graph.similarity_graph import graph_of_networkx
    >>> g = nx.Graph(["ab", "bc", "ac", "cd", "de", "ef", "df"])
    >>> g.add_node("z")
    >>> found = find_communities(graph_of_networkx(g))
    >>> found.as_dict()
    {'a': 0, 'b': 0, 'c': 0, 'd': 1, 'e': 1, 'f': 1, 'z': 2}
    >>> round(found.modularity, 4)
    0.3571
    """
    if algorithm not in ("louvain", "leiden"):
        raise ConfigError(f"communities: {algorithm!r} is not an algorithm. Use 'louvain' or 'leiden'.")
    if not 0 < resolution < float("inf"):
        raise ConfigError(f"communities: resolution must be a positive number, got {resolution}.")
    if graph.n_edges == 0:
        chosen, labels = "none", np.arange(graph.n_nodes, dtype=np.int64)
    else:
        chosen = library or _fitting_library(graph.n_edges, algorithm, resolution)
        search = _SEARCHES.get((algorithm, chosen))
        if search is None:
            raise ConfigError(f"communities: {chosen!r} is not a library that finds communities by {algorithm}.")
        labels = search(graph, resolution, random_state)
    if chosen != "cnrag":  # whose communities are connected
        labels = _connected_parts(graph, labels)
    labels = numbered_by_size(labels)
    return Communities(
        graph.node_ids,
        labels,
        modularity(graph, labels),
        chosen,
        algorithm,
        float(resolution),
        random_state,
        graph.threshold,
    )


def communities_of_spec(graph: SimilarityGraph, spec: CommunitySpec, *, random_state: int = 0) -> Communities:
    """`find_communities` with the options of a configuration."""
    return find_communities(graph, algorithm=spec.algorithm, resolution=spec.resolution, random_state=random_state)


def modularity(graph: SimilarityGraph, labels: NDArray[np.int64], *, resolution: float = 1.0) -> float | None:
    """Weighted modularity of a partition: how much weight lies inside communities beyond chance.

    Q = sum over communities c of  W_c / W - resolution (S_c / 2W)^2, with W the weight of all edges,
    W_c of those inside c, S_c the summed weighted degree of c's nodes.

    Returns
    -------
    float or None
        In [-0.5, 1] at resolution 1; None without edges, where it is undefined.
    """
    total = float(graph.weight.sum())
    if not total:
        return None
    n = int(labels.max()) + 1
    left, right = labels[graph.left], labels[graph.right]
    inside = float(graph.weight[left == right].sum())
    strength = np.bincount(left, graph.weight, minlength=n) + np.bincount(right, graph.weight, minlength=n)
    return inside / total - resolution * float(((strength / (2 * total)) ** 2).sum())


def numbered_by_size(labels: NDArray[Any]) -> NDArray[np.int64]:
    """The same partition with its communities numbered by descending size, ties by smallest node number.

    Examples
    --------
    >>> numbered_by_size(np.array([7, 3, 3, 5, 5])).tolist()
    [2, 0, 0, 1, 1]
    """
    _, first, inverse, counts = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    rank = np.empty(len(counts), dtype=np.int64)
    rank[np.lexsort((first, -counts))] = np.arange(len(counts))
    numbered: NDArray[np.int64] = rank[inverse]
    return numbered


def _fitting_library(n_edges: int, algorithm: Algorithm, resolution: float) -> Library:
    if algorithm == "leiden":
        return "networkit"
    if n_edges > MAX_EDGES_IN_PYTHON:
        return "cnrag"
    # python-louvain 0.16 stops by a quality that uses 1 / resolution, so that it is right at 1 only
    return "python-louvain" if resolution == 1 else "networkx"


def _connected_parts(graph: SimilarityGraph, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """The partition with every community that is not connected cut into its pieces."""
    inside = labels[graph.left] == labels[graph.right]
    left, right = graph.left[inside], graph.right[inside]
    kept = sp.csr_matrix((np.ones(len(left), dtype=np.int8), (left, right)), shape=(graph.n_nodes, graph.n_nodes))
    _, parts = connected_components(kept, directed=False)
    labels_of_parts: NDArray[np.int64] = parts.astype(np.int64)
    return labels_of_parts


@dataclass(frozen=True, eq=False)
class _EdgesInOrder:
    """What a search walks through: edges in the order of node numbers rather than of weights."""

    n_nodes: int
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    weight: NDArray[np.float64]

    @classmethod
    def of(cls, graph: SimilarityGraph) -> _EdgesInOrder:
        order = np.lexsort((graph.right, graph.left))
        left, right = graph.left[order].astype(np.int64), graph.right[order].astype(np.int64)
        return cls(graph.n_nodes, left, right, _rounded(graph.weight[order]))

    def networkx(self) -> nx.Graph[int]:
        graph: nx.Graph[int] = nx.Graph()
        graph.add_nodes_from(np.unique(np.concatenate([self.left, self.right])).tolist())  # linked nodes only
        graph.add_weighted_edges_from(zip(self.left.tolist(), self.right.tolist(), self.weight.tolist(), strict=True))
        return graph

    def labels(self, groups: Iterable[tuple[int, Iterable[int]]]) -> NDArray[np.int64]:
        """Labels of (label, nodes) groups; a node in no group keeps a label of its own."""
        labels = np.arange(self.n_nodes, dtype=np.int64)
        for label, nodes in groups:
            labels[list(nodes)] = self.n_nodes + label
        return labels


def _rounded(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.maximum(np.round(weight, _WEIGHT_DECIMALS), 10.0**-_WEIGHT_DECIMALS)


def _own_louvain(graph: SimilarityGraph, resolution: float, random_state: int) -> NDArray[np.int64]:
    from cnrag_core.topology.louvain import louvain

    step = graph.adjacency
    indptr, indices = step.indptr.astype(np.int64), step.indices.astype(np.int32, copy=False)
    return louvain(indptr, indices, _rounded(step.data), resolution=resolution, random_state=random_state)


def _python_louvain(graph: SimilarityGraph, resolution: float, random_state: int) -> NDArray[np.int64]:
    """Twice, from the first partition on: single nodes may still change sides, which gains modularity."""
    import community

    edges = _EdgesInOrder.of(graph)
    links = edges.networkx()
    first = community.best_partition(links, resolution=resolution, random_state=random_state)
    found = community.best_partition(links, partition=first, resolution=resolution, random_state=random_state)
    return edges.labels((label, (node,)) for node, label in found.items())


def _networkx_louvain(graph: SimilarityGraph, resolution: float, random_state: int) -> NDArray[np.int64]:
    edges = _EdgesInOrder.of(graph)
    found = nx.community.louvain_communities(edges.networkx(), resolution=resolution, seed=random_state)
    return edges.labels(enumerate(found))


def _networkit_louvain(graph: SimilarityGraph, resolution: float, random_state: int) -> NDArray[np.int64]:
    return _networkit(
        _EdgesInOrder.of(graph), random_state, "PLM", refine=True, gamma=resolution, par="none randomized"
    )


def _networkit_leiden(graph: SimilarityGraph, resolution: float, random_state: int) -> NDArray[np.int64]:
    return _networkit(_EdgesInOrder.of(graph), random_state, "ParallelLeiden", iterations=10, gamma=resolution)


def _networkit(edges: _EdgesInOrder, random_state: int, name: str, **options: Any) -> NDArray[np.int64]:
    """One thread: with two, the same random state gives a different partition at every run."""
    import networkit as nk

    ends = (edges.left.astype(np.uint64), edges.right.astype(np.uint64))
    graph = nk.GraphFromCoo((edges.weight, ends), n=edges.n_nodes, weighted=True)
    with _networkit_lock:
        n_threads = nk.getMaxNumberOfThreads()
        nk.setNumberOfThreads(1)
        try:
            nk.setSeed(random_state, False)
            search = getattr(nk.community, name)(graph, **options)
            search.run()
            partition = search.getPartition()  # moved out of the search: asked for a second time, it crashes
        finally:
            nk.setNumberOfThreads(n_threads)
    labels: NDArray[np.int64] = np.asarray(partition.getVector(), dtype=np.int64)
    return labels


_SEARCHES: dict[tuple[str, str], Callable[[SimilarityGraph, float, int], NDArray[np.int64]]] = {
    ("louvain", "python-louvain"): _python_louvain,
    ("louvain", "networkx"): _networkx_louvain,
    ("louvain", "cnrag"): _own_louvain,
    ("louvain", "networkit"): _networkit_louvain,
    ("leiden", "networkit"): _networkit_leiden,
}
