"""The numbers against other ways of getting them: exact fractions, and networkx."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest

from cnrag_core.config.spec import AttributeSimilarityComponent, EdgeRule, PipelineConfig
from cnrag_core.corpus.document import Document
from cnrag_core.graph.similarity_graph import graph_of_networkx
from cnrag_core.network import build_network
from cnrag_core.similarity.set_metrics import dice, exact, jaccard, overlap
from cnrag_core.topology.centrality import betweenness, clustering
from cnrag_core.topology.communities import find_communities
from tests.hardening import campaign

N_CASES = (1_000, 150)
TOLERANCE = 1e-9


def set_of(value: Any) -> set[str]:
    """What a field's value is as a set, in the plainest words: texts and numbers are one item."""
    if value is None or value == "":
        return set()
    return {str(item) for item in value if str(item)} if isinstance(value, list) else {str(value)}


ORACLES: dict[str, Callable[[set[str], set[str]], Fraction]] = {
    "jaccard": lambda a, b: Fraction(len(a & b), len(a | b)),
    "dice": lambda a, b: Fraction(2 * len(a & b), len(a) + len(b)),
    "overlap": lambda a, b: Fraction(len(a & b), min(len(a), len(b))),
    "exact": lambda a, b: Fraction(a == b),
}


def oracle(metric: str, a: Any, b: Any) -> Fraction:
    """The metric in exact fractions; nothing to compare is no evidence."""
    first, second = set_of(a), set_of(b)
    return ORACLES[metric](first, second) if first and second else Fraction(0)


def value(chosen: random.Random) -> Any:
    """A field's value: a list, a single item, or nothing."""
    kind = chosen.random()
    if kind < 0.12:
        return chosen.choice([None, "", []])
    if kind < 0.3:
        return chosen.choice(["a", "b", "ab", 3, "3"])
    return [chosen.choice("abcdefgh") for _ in range(chosen.randrange(12))]


def test_t18_set_metrics_are_the_fractions_that_they_are() -> None:
    chosen = campaign.random_of("T18 sets")
    n_cases = campaign.count(*N_CASES)
    worst = 0.0
    for _ in range(n_cases):
        a, b = value(chosen), value(chosen)
        for name, metric in (("jaccard", jaccard), ("dice", dice), ("overlap", overlap), ("exact", exact)):
            error = abs(Fraction(metric(a, b)) - oracle(name, a, b))
            assert error <= TOLERANCE, (name, a, b)
            assert metric(a, b) == metric(b, a)
            worst = max(worst, float(error))
    campaign.report("T18 set metrics", n_cases, n_cases, f"4 metrics each, largest error {worst:.1e}")


def test_t18_the_combined_similarity_is_the_weighted_sum() -> None:
    chosen = campaign.random_of("T18 sums")
    n_cases = campaign.count(*N_CASES)
    worst, done = 0.0, 0
    while done < n_cases:
        metrics = [chosen.choice(list(ORACLES)) for _ in range(chosen.randint(1, 5))]
        weights = [chosen.choice([0.0, 1e-9, 0.1, 0.3, 1.0, 3.0, 1e9]) for _ in metrics]
        if not any(weights):
            continue
        least = [chosen.choice([None, None, 0.0, 0.25, 0.5, 1.0]) for _ in metrics]
        documents = [Document(f"d{i}", {f"f{j}": value(chosen) for j in range(len(metrics))}) for i in range(6)]
        components = [
            AttributeSimilarityComponent(
                field=f"f{j}", metric=metrics[j], weight=weights[j], min_similarity=least[j], component_id=f"c{j}"
            )
            for j in range(len(metrics))
        ]
        for j in range(len(metrics)):  # a field that nobody has is refused, rightly
            documents[0].fields[f"f{j}"] = ["a", "b"]  # type: ignore[index]
        network = build_network(documents, PipelineConfig(components=components, edges=EdgeRule(min=0.0)))
        edges = {(a, b): w for a, b, w in network.networkx.edges(data="weight")}
        total = sum(map(Fraction, weights))
        for i in range(6):
            for k in range(i + 1, 6):
                a, b = documents[i], documents[k]
                expected = Fraction(0)
                for j, metric in enumerate(metrics):
                    part = oracle(metric, a.fields[f"f{j}"], b.fields[f"f{j}"])
                    if least[j] is None or part >= Fraction(least[j]):
                        expected += Fraction(weights[j]) / total * part
                found = network.similarity.compute(a.id, b.id)
                error = abs(Fraction(found) - expected)
                assert error <= TOLERANCE, (a, b, metrics, weights, least)
                explained = network.similarity.explain(a.id, b.id)
                assert explained.similarity == found
                edge = edges.get((a.id, b.id), edges.get((b.id, a.id), 0.0))
                assert edge == found
                worst = max(worst, float(error))
                done += 1
    campaign.report("T18 weighted sum", done, done, f"largest error {worst:.1e}, edges and explanations the same bits")


def random_graph(chosen: random.Random) -> nx.Graph:
    """Up to thirty nodes: sparse, dense, in pieces, with isolated ones, with repeats of one weight."""
    n = chosen.randint(1, 30)
    graph: nx.Graph = nx.gnp_random_graph(n, chosen.choice([0.0, 0.05, 0.15, 0.4, 1.0]), seed=chosen.randrange(2**31))
    for a, b in graph.edges:
        graph[a][b]["weight"] = chosen.choice([0.5, 1.0, round(chosen.uniform(0.01, 1.0), 3)])
    return nx.relabel_nodes(graph, {node: f"n{node:02d}" for node in graph})


def test_t18_betweenness_clustering_and_modularity_are_those_of_networkx() -> None:
    chosen = campaign.random_of("T18 graphs")
    n_cases = campaign.count(*N_CASES)
    worst = dict.fromkeys(("betweenness", "clustering", "modularity"), 0.0)
    for case in range(n_cases):
        graph = random_graph(chosen)
        arrays = graph_of_networkx(graph)
        found = find_communities(arrays, algorithm=chosen.choice(["louvain", "leiden"]), random_state=case)
        groups = [set(found.member_ids(number)) for number in range(len(found))]
        assert sum(map(len, groups)) == len(graph)
        measured = {
            "betweenness": (betweenness(arrays).values, nx.betweenness_centrality(graph)),
            "clustering": (clustering(arrays), nx.clustering(graph)),
        }
        for name, (values, expected) in measured.items():
            error = max(abs(values[arrays.index(node)] - expected[node]) for node in graph)
            worst[name] = max(worst[name], float(error))
        if graph.number_of_edges():
            modularity = nx.community.modularity(graph, groups, weight="weight")
            assert found.modularity is not None
            worst["modularity"] = max(worst["modularity"], abs(found.modularity - modularity))
        else:
            assert found.modularity is None
        assert all(math.isfinite(error) and error <= TOLERANCE for error in worst.values()), (case, worst)
    campaign.report("T18 graphs", n_cases, n_cases, ", ".join(f"{name} {error:.1e}" for name, error in worst.items()))


@pytest.mark.parametrize("metric", ["jaccard", "dice", "overlap"])
def test_t18_large_sets_keep_their_exactness(metric: str) -> None:
    chosen = campaign.random_of(f"T18 large {metric}")
    a = [str(n) for n in chosen.sample(range(40_000), 20_000)]
    b = [str(n) for n in chosen.sample(range(40_000), 17_001)]
    function = {"jaccard": jaccard, "dice": dice, "overlap": overlap}[metric]
    assert abs(Fraction(function(a, b)) - oracle(metric, a, b)) <= Fraction(np.finfo(float).eps)
