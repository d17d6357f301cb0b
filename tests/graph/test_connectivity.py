"""Components as edges are added, against networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.graph.connectivity import connectivity
from cnrag_core.graph.similarity_graph import WeightedEdges, sorted_edges
from cnrag_core.similarity import pairwise


def random_edges(random_state: int, n: int, m: int) -> WeightedEdges:
    rng = np.random.default_rng(random_state)
    left, right = np.triu_indices(n, 1)
    chosen = rng.permutation(len(left))[:m]
    weight = np.round(rng.random(len(chosen)), 2) + 0.01
    arrays = sorted_edges(left[chosen].astype(np.int32), right[chosen].astype(np.int32), weight)
    return WeightedEdges(tuple(f"{i:03}" for i in range(n)), *arrays)


@pytest.mark.parametrize("compiled", [False, True])
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 25), st.integers(0, 80))
def test_counts_after_any_number_of_edges_equal_networkx(compiled: bool, random_state: int, n: int, m: int) -> None:
    edges = random_edges(random_state, n, m)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairwise, "use_compiled", lambda n: compiled)
        growth = connectivity(edges)
    counts = np.arange(edges.n_edges + 1)
    components, giant, isolates = growth.after(counts)
    graph: nx.Graph[int] = nx.empty_graph(n)
    for count in counts.tolist():
        if count:
            graph.add_edge(int(edges.left[count - 1]), int(edges.right[count - 1]))
        sizes = sorted(map(len, nx.connected_components(graph)))
        assert components[count] == len(sizes)
        assert giant[count] == (sizes[-1] if sizes else 0)
        assert isolates[count] == nx.number_of_isolates(graph)


def test_joining_edges_are_the_maximum_spanning_forest() -> None:
    edges = random_edges(3, 20, 90)
    graph = nx.Graph()
    graph.add_weighted_edges_from(zip(edges.left.tolist(), edges.right.tolist(), edges.weight.tolist(), strict=True))
    forest = nx.maximum_spanning_tree(graph)
    found = edges.weight[connectivity(edges).join_edge]
    assert sorted(found) == pytest.approx(sorted(weight for *_, weight in forest.edges(data="weight")))
