"""How far the communities depend on chance: the same graph, searched with several random states.

Enters: a `SimilarityGraph`. Leaves: `Stability`: how much whole partitions agree, and at which edges and
nodes they do not. A document whose place is a matter of luck is itself a finding: it lies between topics.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cnrag_core.errors import ConfigError
from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.topology.communities import Algorithm, Communities, find_communities
from cnrag_core.topology.partitions import adjusted_rand, normalized_mutual_information
from cnrag_core.types import Progress, silent


@dataclass(frozen=True, eq=False)
class Stability:
    """What several searches agree on.

    Attributes
    ----------
    n_runs
        Number of searches; their random states follow each other.
    adjusted_rand, mutual_information
        Mean over all pairs of runs; 1 = every run found the same partition. Read both: the second is
        generous where there are many small communities.
    edge_together
        (n_edges,) share of the runs in which both ends of an edge lie in one community.
    edge_ambiguity
        (n_edges,) 0 where all runs agree on an edge, 1 where half of them join its ends: 1 - abs(2 p - 1).
    node_ambiguity
        (n,) mean ambiguity of a node's edges; 0 for an isolated node.
    node_agreement
        (n,) how often the neighbours that share a node's community in the first run share it in all
        runs; 1 where there is no such neighbour.
    n_communities
        Number of communities of at least two nodes, of each run.
    """

    n_runs: int
    adjusted_rand: float
    mutual_information: float
    edge_together: NDArray[np.float64]
    edge_ambiguity: NDArray[np.float64]
    node_ambiguity: NDArray[np.float64]
    node_agreement: NDArray[np.float64]
    n_communities: tuple[int, ...]


def stability(
    graph: SimilarityGraph,
    *,
    n_runs: int = 10,
    algorithm: Algorithm = "louvain",
    resolution: float = 1.0,
    random_state: int = 0,
    progress: Progress = silent,
) -> Stability:
    """Agreement of `n_runs` searches with the random states `random_state`, `random_state` + 1, ...

    Raises
    ------
    ConfigError
        If `n_runs` is less than 2.
    """
    if n_runs < 2:
        raise ConfigError(f"Stability compares runs: n_runs must be at least 2, got {n_runs}.")
    runs: list[Communities] = []
    for run in range(n_runs):
        state = (random_state + run) % 2**32
        runs.append(find_communities(graph, algorithm=algorithm, resolution=resolution, random_state=state))
        progress("stability of the communities", (run + 1) / n_runs)
    same = np.stack([found.labels[graph.left] == found.labels[graph.right] for found in runs])
    together = same.mean(axis=0)
    ambiguity = 1 - np.abs(2 * together - 1)
    pairs = list(combinations(runs, 2))
    return Stability(
        n_runs,
        float(np.mean([adjusted_rand(a.labels, b.labels) for a, b in pairs])),
        float(np.mean([normalized_mutual_information(a.labels, b.labels) for a, b in pairs])),
        together,
        ambiguity,
        _mean_over_edges(graph, ambiguity, np.ones(graph.n_edges, dtype=np.bool_), otherwise=0.0),
        _mean_over_edges(graph, together, same[0], otherwise=1.0),
        tuple(found.n_grouped for found in runs),
    )


def _mean_over_edges(
    graph: SimilarityGraph, value: NDArray[np.float64], chosen: NDArray[np.bool_], *, otherwise: float
) -> NDArray[np.float64]:
    """(n,) mean of an edge value over the chosen edges of each node."""
    ends = np.concatenate([graph.left[chosen], graph.right[chosen]])
    total = np.bincount(ends, np.tile(value[chosen], 2), minlength=graph.n_nodes)
    count = np.bincount(ends, minlength=graph.n_nodes)
    return np.where(count > 0, total / np.maximum(count, 1), otherwise)
