"""Compiles the loops of this layer ahead of their first use.

For a server: called once in the background after it started, so that the first visitor with a large
corpus does not wait for a compiler.
"""

from __future__ import annotations

import numpy as np


def warm_up() -> None:
    """Makes everything ready that a large graph would need; a few seconds once, less where a cache is kept."""
    from cnrag_core.topology.centrality_loops import accumulate_dependencies, count_triangles
    from cnrag_core.topology.coarsening import Level
    from cnrag_core.topology.layout_loops import leading_axes, majorise, relax_compiled
    from cnrag_core.topology.louvain import louvain

    # a path of three nodes
    indptr, indices = np.array([0, 1, 3, 4], dtype=np.int64), np.array([1, 0, 2, 1], dtype=np.int32)
    accumulate_dependencies(indptr, indices.astype(np.uint32), np.arange(3, dtype=np.uint32), np.full(3, 3))
    count_triangles(indptr, indices)
    louvain(indptr, indices, np.ones(4), resolution=1.0, random_state=0)
    path = Level(np.ones(3), np.array([0, 1]), np.array([1, 2]), np.ones(2))
    positions = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.5]])
    relax_compiled(positions, path, n_rounds=1, first_step=0.1, last_step=0.1, exponent=0)
    leading_axes(np.eye(3), np.ones((2, 3)), 1)
    majorise(np.ones((3, 3)), positions[:, 0].copy(), positions[:, 1].copy(), 1)
