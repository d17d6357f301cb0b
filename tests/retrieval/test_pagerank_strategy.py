"""Personalised PageRank against networkx, and forward push against whole-graph rounds."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from cnrag_core.retrieval.forward_push import forward_push
from cnrag_core.retrieval.pagerank import (
    RESTART,
    PageRankRetrieval,
    Transitions,
    personalised_pagerank,
    transitions,
)


def random_steps(n: int, seed: int, share: float = 0.1) -> sp.csr_matrix:
    """Row-normalised random steps; some nodes lead nowhere."""
    rng = np.random.default_rng(seed)
    matrix = sp.random_array((n, n), density=share, rng=rng, format="csr")
    matrix.setdiag(0)
    matrix.eliminate_zeros()
    out = np.asarray(matrix.sum(axis=1)).ravel()
    return sp.csr_matrix(sp.diags_array(np.divide(1, out, out=np.zeros(n), where=out > 0)) @ matrix)


def random_restart(n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    restart = np.zeros(n)
    restart[rng.choice(n, 3, replace=False)] = rng.random(3)
    return restart / restart.sum()


@pytest.mark.parametrize("seed", range(5))
def test_visits_agree_with_networkx(seed):
    n = 40
    steps, restart = random_steps(n, seed), random_restart(n, seed)
    graph = nx.from_scipy_sparse_array(steps, create_using=nx.DiGraph)
    start = dict(enumerate(restart))
    expected = nx.pagerank(graph, alpha=1 - RESTART, personalization=start, dangling=start, tol=1e-12, max_iter=500)
    visits = personalised_pagerank(Transitions(steps), restart)
    np.testing.assert_allclose(visits, [expected[node] for node in range(n)], atol=2e-5)
    assert visits.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(5))
def test_forward_push_agrees_with_whole_graph_rounds(seed):
    n = 200
    steps, restart = random_steps(n, seed, 0.02), random_restart(n, seed)
    pushed = forward_push(steps.indptr, steps.indices, steps.data, restart, RESTART, 1e-9)
    rounds = personalised_pagerank(Transitions(steps), restart)
    np.testing.assert_allclose(pushed, rounds, atol=5e-5)
    assert np.argsort(-pushed, kind="stable")[:10].tolist() == np.argsort(-rounds, kind="stable")[:10].tolist()


def test_forward_push_stays_where_nothing_leads_on():
    steps = sp.csr_matrix((3, 3))
    restart = np.array([0.25, 0.75, 0.0])
    pushed = forward_push(steps.indptr, steps.indices, steps.data, restart, RESTART, 1e-12)
    np.testing.assert_allclose(pushed, restart, atol=1e-9)


def test_on_a_path_visits_fall_with_every_step():
    steps = sp.csr_matrix(np.diag([1.0, 1.0, 1.0], 1))
    visits = personalised_pagerank(Transitions(steps), np.array([1.0, 0, 0, 0]))
    kept = 1 - RESTART
    assert (visits[:-1] > visits[1:]).sum() >= 2
    assert visits[1] / visits[0] == pytest.approx(kept, abs=1e-4)


def test_documents_that_many_matches_lead_to_rise(make_context):
    edges = [("a", "d", 0.5), ("b", "d", 0.5), ("c", "d", 0.5), ("a", "e", 0.5)]
    results = PageRankRetrieval().rank(make_context([0.9, 0.8, 0.7, 0.0, 0.0], edges))
    places = results.ids
    assert places.index("d") < places.index("e")
    d = results[places.index("d")]
    assert d.base_rank is None
    # a is the better match, but shares what it passes on between d and e
    assert (d.path[0].source, d.path[0].target, d.path[0].kind) == ("b", "d", "similarity")


def test_transitions_are_worked_out_once_a_graph(make_context):
    context = make_context([0.9, 0.1], [("a", "b", 0.5)])
    assert transitions(context) is transitions(context)
    rows = np.asarray(transitions(context).steps.sum(axis=1)).ravel()
    assert rows.tolist() == [1.0, 1.0]
