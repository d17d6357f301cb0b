"""The similarity graph as arrays; a threshold is a prefix of them.

Enters: scored pairs. Leaves: `CandidateEdges` (every pair at or above a floor) and `SimilarityGraph`
(the pairs that an edge rule kept), both sorted by descending weight, with CSR and networkx views made
on request. Nodes are numbered in the sorted order of their ids, so that ties "by smallest id" are ties
by smallest number and nothing depends on the order in which documents arrive. Guide 000, "From
Embeddings to Graphs".
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import networkx as nx
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from cnrag_core.errors import UnknownNameError
from cnrag_core.similarity.scoring import TIE_TOLERANCE as TIE_TOLERANCE


@dataclass(frozen=True, eq=False)
class WeightedEdges:
    """Undirected weighted pairs over named nodes.

    Attributes
    ----------
    node_ids
        Sorted ids; node i of the arrays is ``node_ids[i]``.
    left, right
        (n_edges,) int32 node numbers, ``left < right``.
    weight
        (n_edges,) float64 combined similarity in (0, 1], descending; ties ascend by (left, right).
    """

    node_ids: tuple[str, ...]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    weight: NDArray[np.float64]

    def __post_init__(self) -> None:
        for array in (self.left, self.right, self.weight):
            array.flags.writeable = False

    @property
    def n_nodes(self) -> int:
        return len(self.node_ids)

    @property
    def n_edges(self) -> int:
        return len(self.weight)

    @cached_property
    def index_of(self) -> dict[str, int]:
        """Node number by id."""
        return {node_id: index for index, node_id in enumerate(self.node_ids)}

    def index(self, node_id: str) -> int:
        """Number of a node; `UnknownNameError` where there is none of that id."""
        try:
            return self.index_of[node_id]
        except KeyError:
            raise UnknownNameError(f"There is no document {node_id!r} in the network.") from None

    def n_edges_at(self, threshold: float) -> int:
        """How many edges have at least this weight: the length of the prefix."""
        return int(np.searchsorted(-self.weight, -(threshold - TIE_TOLERANCE), side="right"))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of ids, pairs and weights: equal graphs have equal digests on every machine."""
        digest = hashlib.sha256("\0".join(self.node_ids).encode("utf-8", "surrogatepass"))
        for array in (self.left, self.right, np.round(self.weight, 9) + 0.0):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class CandidateEdges(WeightedEdges):
    """Every pair at or above `floor`; the material for every threshold at or above it.

    `n_pairs` is the number of all pairs, n(n-1)/2.
    """

    floor: float = 0.0

    @property
    def n_pairs(self) -> int:
        return self.n_nodes * (self.n_nodes - 1) // 2


@dataclass(frozen=True, eq=False)
class SimilarityGraph(WeightedEdges):
    """The pairs that an edge rule kept.

    `threshold` is the weight that every edge has at least: the rule's minimum, or the smallest weight
    kept by a rule without one. `strong_similarity` marks edges at or above it as strong. `rule` says
    in words how the edges were chosen.
    """

    threshold: float = 0.0
    strong_similarity: float = 0.8
    rule: str = ""

    def at_threshold(self, threshold: float) -> SimilarityGraph:
        """The edges of at least this weight: a prefix of the arrays, nothing is computed again."""
        n = self.n_edges_at(threshold)
        return SimilarityGraph(
            self.node_ids, self.left[:n], self.right[:n], self.weight[:n],
            threshold, self.strong_similarity, f"threshold {threshold:.2f}",
        )  # fmt: skip

    @cached_property
    def adjacency(self) -> sp.csr_matrix:
        """(n, n) symmetric float64 CSR with sorted indices and no diagonal."""
        n = self.n_nodes
        rows = np.concatenate([self.left, self.right])
        columns = np.concatenate([self.right, self.left])
        matrix = sp.csr_matrix((np.concatenate([self.weight, self.weight]), (rows, columns)), shape=(n, n))
        matrix.sort_indices()
        return matrix

    @cached_property
    def degree(self) -> NDArray[np.int64]:
        """(n,) number of neighbours."""
        counts = np.bincount(self.left, minlength=self.n_nodes) + np.bincount(self.right, minlength=self.n_nodes)
        return counts.astype(np.int64)

    @cached_property
    def component_sizes(self) -> tuple[int, ...]:
        """Documents of every connected component, an isolated document being one of its own; the largest first."""
        _, labels = connected_components(self.adjacency, directed=False)
        return tuple(sorted(np.bincount(labels).tolist(), reverse=True))

    @property
    def density(self) -> float:
        """2m / (n (n - 1)); 0 for fewer than two nodes."""
        n = self.n_nodes
        return 2 * self.n_edges / (n * (n - 1)) if n > 1 else 0.0

    def to_networkx(self) -> nx.Graph[str]:
        """A networkx view: nodes are ids, edges carry `weight` and `strong`; isolated nodes are kept."""
        graph: nx.Graph[str] = nx.Graph()
        graph.add_nodes_from(self.node_ids)
        ids, strong = self.node_ids, self.strong_similarity - TIE_TOLERANCE
        graph.add_edges_from(
            (ids[a], ids[b], {"weight": w, "strong": w >= strong})
            for a, b, w in zip(self.left.tolist(), self.right.tolist(), self.weight.tolist(), strict=True)
        )
        return graph


def sorted_edges(
    left: NDArray[np.int32], right: NDArray[np.int32], weight: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """The pairs in canonical order: left < right, descending weight, ties ascending by (left, right).

    Weights within `TIE_TOLERANCE` of each other may still differ; they are ordered by their value.
    """
    low, high = np.minimum(left, right).astype(np.int32), np.maximum(left, right).astype(np.int32)
    order = np.lexsort((high, low, -weight))
    return low[order], high[order], weight[order].astype(np.float64)


def merged_edges(
    edges: WeightedEdges, left: NDArray[np.int32], right: NDArray[np.int32], weight: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """A few more pairs put in their places among edges in canonical order; cheaper than sorting them all.

    Parameters
    ----------
    edges
        In canonical order; none of the pairs to add is among them.
    left, right, weight
        The pairs to add, in any order.
    """
    low, high, added = sorted_edges(left, right, weight)
    first = np.searchsorted(-edges.weight, -added, side="left")
    after = np.searchsorted(-edges.weight, -added, side="right")
    place = first.copy()
    n = edges.n_nodes
    for i in np.flatnonzero(first < after):  # of equal weights, the pairs decide
        run = slice(first[i], after[i])
        keys = edges.left[run].astype(np.int64) * n + edges.right[run]
        place[i] += int(np.searchsorted(keys, int(low[i]) * n + int(high[i])))
    return (
        np.insert(edges.left, place, low),
        np.insert(edges.right, place, high),
        np.insert(edges.weight, place, added),
    )


def graph_of_networkx(graph: nx.Graph[str]) -> SimilarityGraph:
    """The array form of a networkx graph; a missing `weight` counts as 1, self-loops are dropped."""
    node_ids = tuple(sorted(map(str, graph.nodes)))
    index = {node_id: i for i, node_id in enumerate(node_ids)}
    edges = [
        (index[str(a)], index[str(b)], float(d.get("weight", 1.0))) for a, b, d in graph.edges(data=True) if a != b
    ]
    left = np.array([a for a, _, _ in edges], dtype=np.int32)
    right = np.array([b for _, b, _ in edges], dtype=np.int32)
    weight = np.array([w for _, _, w in edges], dtype=np.float64)
    low, high, sorted_weight = sorted_edges(left, right, weight)
    smallest = float(sorted_weight[-1]) if len(edges) else 0.0
    return SimilarityGraph(node_ids, low, high, sorted_weight, threshold=smallest, rule="given")
