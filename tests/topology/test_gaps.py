"""Gaps: communities that share words and no links come first."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from cnrag_core.errors import ConfigError
from cnrag_core.graph.similarity_graph import graph_of_networkx
from cnrag_core.topology.gaps import gaps

# Three triangles. Communities 0 and 1 say the same words and do not link; 0 and 2 link.
GRAPH = graph_of_networkx(
    nx.Graph([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (6, 7), (7, 8), (6, 8), (0, 6), (1, 7), (2, 8)])
)
LABELS = np.repeat([0, 1, 2], 3)
ROWS = np.repeat([[1.0, 0.8, 0.0], [0.9, 1.0, 0.1], [0.3, 0.0, 1.0]], 3, axis=0)


def test_alike_and_unlinked_communities_are_the_widest_gap():
    widest = gaps(GRAPH, LABELS, ROWS, terms=["star", "planet", "virus"])[0]
    assert (widest.first, widest.second, widest.n_edges, widest.link_share) == (0, 1, 0, 0.0)
    assert widest.similarity == pytest.approx(1.7 / np.sqrt(1.64 * 1.82))
    assert widest.score == pytest.approx(widest.similarity)
    assert widest.shared_terms == ("star", "planet")


def test_communities_that_link_as_by_chance_are_no_gap():
    assert all((gap.first, gap.second) != (0, 2) for gap in gaps(GRAPH, LABELS, ROWS))


def test_sparse_rows_give_the_same_as_dense_ones():
    assert gaps(GRAPH, LABELS, sp.csr_matrix(ROWS)) == gaps(GRAPH, LABELS, ROWS)


def test_small_communities_and_short_lists_are_respected():
    assert gaps(GRAPH, LABELS, ROWS, min_size=4) == ()
    assert len(gaps(GRAPH, LABELS, ROWS, n_gaps=1)) == 1


def test_one_community_has_no_gap():
    assert gaps(GRAPH, np.zeros(9, dtype=np.int64), ROWS) == ()


def test_communities_without_words_have_no_gap():
    assert gaps(GRAPH, LABELS, np.zeros((9, 3))) == ()


def test_rows_of_other_documents_are_refused():
    with pytest.raises(ConfigError, match="the network has 9 documents, but there are 4 rows and 9 labels"):
        gaps(GRAPH, LABELS, ROWS[:4])
