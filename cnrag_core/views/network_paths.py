"""How two documents hang together: a path step by step, its weakest link, or what would join them.

Enters: a network and two document ids. Leaves: a path, its steps, and sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from cnrag_core.graph.similarity_graph import CandidateEdges, SimilarityGraph
from cnrag_core.topology.neighborhood import Path, joining_threshold, shortest_path, widest_path
from cnrag_core.views.network_options import PathKind


class PathView(Protocol):
    """What is read of a network."""

    @property
    def graph(self) -> SimilarityGraph: ...
    @property
    def candidates(self) -> CandidateEdges: ...
    def title(self, node_id: str) -> str: ...


@dataclass(frozen=True)
class PathStep:
    """One document on a path and its similarity to the next; None at the end."""

    node_id: str
    title: str
    similarity: float | None
    weakest: bool = False


def find_path(graph: SimilarityGraph, ends: tuple[str, str], kind: PathKind) -> Path | None:
    """The path of fewest hops, or the one whose weakest link is strongest; None where there is none."""
    return (widest_path if kind == "strongest" else shortest_path)(graph, *ends)


def path_steps(path: Path, network: PathView) -> list[PathStep]:
    """The documents along a path; the weakest link is marked once."""
    weights: list[float | None] = [*path.weights, None]
    weakest = path.weights.index(min(path.weights)) if path.weights else None
    return [
        PathStep(node_id, network.title(node_id), weight, place == weakest)
        for place, (node_id, weight) in enumerate(zip(path.node_ids, weights, strict=True))
    ]


def path_sentence(path: Path, network: PathView, kind: PathKind) -> str:
    """How long a path is and where it is weakest."""
    link = path.weakest_link
    if link is None:
        return "Both ends are the same document."
    hops = f"{path.n_hops} hop{'s' if path.n_hops > 1 else ''}"
    if path.n_hops == 1:
        return f"They are linked directly, similarity {link[2]:.3f}."
    first, second, weight = link
    choice = "no path has fewer" if kind == "fewest hops" else "no path has a stronger weakest link"
    return (
        f"{hops}, {choice}. The weakest link, {weight:.3f}, joins "
        f"“{network.title(first)}” and “{network.title(second)}”."
    )


def missing_path(network: PathView, ends: tuple[str, str]) -> tuple[str, float | None]:
    """Why there is no path, and the largest threshold at which there would be one (None if none would do)."""
    threshold = joining_threshold(network.candidates, *ends)
    here = f"No path joins them ({network.graph.rule})."
    if threshold is None:
        floor = network.candidates.floor
        why = f"no pair below {floor:.2f} was kept" if floor > 0 else "they have nothing in common with each other"
        return f"{here} No threshold would: {why}.", None
    return f"{here} The largest threshold that joins them is {threshold:.3f}.", threshold


def path_ids(path: Path, number_of: Mapping[str, int]) -> dict[str, list[str]]:
    """The nodes and edges of a path as the live component knows them."""
    nodes = [number_of[node_id] for node_id in path.node_ids]
    edges = [f"{min(a, b)}-{max(a, b)}" for a, b in pairwise(nodes)]
    return {"nodes": [str(node) for node in nodes], "edges": edges}
