"""Hand-made graphs, and what a search asks of a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cnrag_core.config.spec import PipelineConfig
from cnrag_core.graph.similarity_graph import SimilarityGraph, sorted_edges
from cnrag_core.retrieval.query import QueryScorer


def graph_of(node_ids: Sequence[str], edges: Sequence[tuple[str, str, float]]) -> SimilarityGraph:
    """A graph from named edges; ids are sorted, as everywhere."""
    ids = tuple(sorted(node_ids))
    index = {node_id: i for i, node_id in enumerate(ids)}
    left = np.array([index[a] for a, _, _ in edges], dtype=np.int32)
    right = np.array([index[b] for _, b, _ in edges], dtype=np.int32)
    return SimilarityGraph(ids, *sorted_edges(left, right, np.array([w for _, _, w in edges], dtype=np.float64)))


@dataclass(frozen=True)
class Labels:
    labels: np.ndarray


@dataclass(frozen=True)
class Values:
    values: np.ndarray


@dataclass(frozen=True)
class Source:
    """Everything that a search asks, made by hand."""

    config: PipelineConfig
    graph: SimilarityGraph
    scorer: QueryScorer
    communities: Labels
    betweenness: Values
    links: Any = None
