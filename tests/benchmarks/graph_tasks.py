"""What is measured on a finished graph: communities, betweenness, the step of the threshold slider.

The graph of communities and of the slider holds the strongest pairs of the synthetic corpus. For betweenness,
which needs a graph in one piece, weak pairs are strewn among the strongest ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cnrag_core.graph.similarity_graph import SimilarityGraph
from tests.benchmarks.tasks import SWEEP_FLOOR, Clock, Report, candidates_of

MOST_EDGES = 1_000_000
N_STRONG = 94_000
EVERY = 40
"""Of the weaker pairs, every fortieth is taken for betweenness."""
TOP = 100
N_NETWORKX_SOURCES = 20
N_WARMING = 300
"""Sources that are enough for the compiled loops, which are then in memory."""
SLIDER_STEPS = 5

Labels = NDArray[np.int64]


def community_graph(folder: str, n: int) -> SimilarityGraph:
    """The strongest pairs, a million at most."""
    edges = candidates_of(folder, n, SWEEP_FLOOR[n])
    m = min(edges.n_edges, MOST_EDGES)
    return SimilarityGraph(edges.node_ids, edges.left[:m].copy(), edges.right[:m].copy(), edges.weight[:m].copy())


def path_graph(folder: str, n: int) -> SimilarityGraph:
    """About 100,000 edges over 10,000 documents in one piece: topics, and few ways between them."""
    edges = candidates_of(folder, n, SWEEP_FLOOR[n])
    strong = min(edges.n_edges, N_STRONG * n // 10_000)
    keep = np.concatenate([np.arange(strong), np.arange(strong, edges.n_edges, EVERY)])
    return SimilarityGraph(edges.node_ids, edges.left[keep], edges.right[keep], edges.weight[keep])


# Communities: every method's labels are judged by the same modularity.


def _communities(find: Callable[[SimilarityGraph], Labels]) -> Callable[..., Report]:
    def task(clock: Clock, *, folder: str, n: int, threshold: float) -> Report:
        from cnrag_core.topology.communities import modularity, numbered_by_size

        graph = community_graph(folder, n)
        find(path_graph(folder, 1_000) if n == 1_000 else _beginning(graph))  # imported, compiled
        clock.start()
        labels = find(graph)
        clock.stop()
        quality = modularity(graph, numbered_by_size(np.asarray(labels, dtype=np.int64)))
        return {"edges": graph.n_edges, "modularity": round(quality or 0.0, 6)}

    return task


def _beginning(graph: SimilarityGraph) -> SimilarityGraph:
    """A small graph of more edges than Python's Louvain takes."""
    return SimilarityGraph(graph.node_ids, graph.left[:6_000], graph.right[:6_000], graph.weight[:6_000])


def _ours(graph: SimilarityGraph) -> Labels:
    from cnrag_core.topology.communities import find_communities

    return find_communities(graph).labels


def _networkit(graph: SimilarityGraph) -> Labels:
    from cnrag_core.topology.communities import find_communities

    return find_communities(graph, library="networkit").labels


def _python_louvain(graph: SimilarityGraph) -> Labels:
    import community

    found = community.best_partition(graph.to_networkx(), random_state=0)
    return np.array([found[node_id] for node_id in graph.node_ids])


def _networkx_louvain(graph: SimilarityGraph) -> Labels:
    import networkx as nx

    labels = np.zeros(graph.n_nodes, dtype=np.int64)
    for label, members in enumerate(nx.community.louvain_communities(graph.to_networkx(), seed=0)):
        labels[[graph.index_of[node_id] for node_id in members]] = label
    return labels


def _igraph(graph: SimilarityGraph) -> Any:
    import igraph

    return igraph.Graph(graph.n_nodes, np.stack([graph.left, graph.right], axis=1))


def _igraph_multilevel(graph: SimilarityGraph) -> Labels:
    return np.array(_igraph(graph).community_multilevel(weights=graph.weight.tolist()).membership)


def _leidenalg(graph: SimilarityGraph) -> Labels:
    import leidenalg

    kind = leidenalg.ModularityVertexPartition
    return np.array(leidenalg.find_partition(_igraph(graph), kind, weights=graph.weight.tolist(), seed=0).membership)


# Betweenness: the first hundred of each method beside the true ones.


def between_exact(clock: Clock, *, folder: str, n: int, threshold: float) -> Report:
    from cnrag_core.topology.centrality import betweenness

    graph = path_graph(folder, n)
    betweenness(graph, n_sources=N_WARMING)
    clock.start()
    found = betweenness(graph, n_sources=n)
    clock.stop()
    return {"edges": graph.n_edges, "largest": round(float(found.values.max()), 4)}


def between_sampled(clock: Clock, *, folder: str, n: int, threshold: float) -> Report:
    from cnrag_core.topology.centrality import N_SOURCES, betweenness

    graph = path_graph(folder, n)
    betweenness(graph, n_sources=N_WARMING)
    clock.start()
    found = betweenness(graph, n_sources=N_SOURCES)
    clock.stop()
    return {"edges": graph.n_edges, "of top 100": _of_top(graph, found.values)}


def between_networkit(clock: Clock, *, folder: str, n: int, threshold: float) -> Report:
    import networkit as nk

    graph = path_graph(folder, n)
    nk.setNumberOfThreads(1)
    nk.setSeed(0, False)
    clock.start()
    ends = (graph.left.astype(np.uint64), graph.right.astype(np.uint64))
    estimate = nk.centrality.EstimateBetweenness(nk.GraphFromCoo(ends, n=n), 500, True)
    estimate.run()
    clock.stop()
    return {"edges": graph.n_edges, "of top 100": _of_top(graph, np.array(estimate.scores()))}


def between_igraph(clock: Clock, *, folder: str, n: int, threshold: float) -> Report:
    graph = path_graph(folder, n)
    clock.start()
    sources = list(range(0, n, 10))
    _igraph(graph).betweenness(sources=sources)
    clock.stop()
    return {"edges": graph.n_edges, "share": len(sources) / n}


def between_networkx(clock: Clock, *, folder: str, n: int, threshold: float) -> Report:
    import networkx as nx

    graph = path_graph(folder, n)
    clock.start()
    nx.betweenness_centrality(graph.to_networkx(), k=N_NETWORKX_SOURCES, seed=0)
    clock.stop()
    return {"edges": graph.n_edges, "share": N_NETWORKX_SOURCES / n}


def _of_top(graph: SimilarityGraph, values: NDArray[np.float64]) -> int:
    from cnrag_core.topology.centrality import betweenness

    true = betweenness(graph, n_sources=graph.n_nodes).values
    return len(set(np.argsort(-true)[:TOP].tolist()) & set(np.argsort(-values)[:TOP].tolist()))


# The slider: a new threshold, its counts, its components and its communities.


def slider_step(clock: Clock, *, folder: str, n: int, threshold: float) -> Report:
    """One step, on average over a few; the strongest graph that is asked for has up to a million edges."""
    from cnrag_core.corpus.document import Document
    from cnrag_core.graph.similarity_graph import CandidateEdges
    from cnrag_core.network import Network
    from tests.benchmarks.incremental import CONFIG

    edges = candidates_of(folder, n, SWEEP_FLOOR[n])
    m = min(edges.n_edges, MOST_EDGES)
    kept = CandidateEdges(edges.node_ids, edges.left[:m], edges.right[:m], edges.weight[:m], floor=edges.weight[m - 1])
    graph = SimilarityGraph(kept.node_ids, kept.left, kept.right, kept.weight, threshold=kept.floor)
    network = Network(tuple(map(Document, kept.node_ids)), CONFIG, {}, (), kept, graph)
    curve = network.curve
    find = network.at_threshold(float(kept.weight[6_000])).communities  # compiled
    assert len(find)
    steps = []
    for share in np.linspace(1.0, 0.5, SLIDER_STEPS):
        asked = float(kept.weight[int(share * (m - 1))])
        start = time.process_time()
        moved = network.at_threshold(asked)
        point, communities = curve.at(asked), moved.communities
        steps.append(time.process_time() - start)
        assert point.n_edges == moved.graph.n_edges
        assert communities.n_communities >= point.n_components
    clock.cpu = clock.wall = max(steps)
    return {"edges": m}


GRAPH_TASKS: dict[str, Callable[..., Report]] = {
    "communities_ours": _communities(_ours),
    "communities_networkit": _communities(_networkit),
    "communities_python_louvain": _communities(_python_louvain),
    "communities_networkx": _communities(_networkx_louvain),
    "communities_igraph": _communities(_igraph_multilevel),
    "communities_leidenalg": _communities(_leidenalg),
    **{
        task.__name__: task
        for task in (
            between_exact, between_sampled, between_networkit, between_igraph, between_networkx, slider_step,
        )
    },
}  # fmt: skip
