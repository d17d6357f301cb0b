"""What a search returns: nodes in order, each saying why it stands where it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import overload


@dataclass(frozen=True)
class PathStep:
    """One edge of the path that brought a node in: similarity or a typed link, with its evidence words."""

    source: str
    target: str
    kind: str
    weight: float
    evidence: tuple[str, ...] = ()
    sentence: str = ""


@dataclass(frozen=True)
class ScoredNode:
    """A node of a ranking.

    `score` orders; `similarity` is the plain similarity to the query; `boosts` maps each rule that
    moved the node to the amount it added; `base_rank` is the 1-based rank under plain similarity, None
    where plain similarity would not have found it; `path` leads from the match that brought it in.
    """

    node_id: str
    score: float
    similarity: float
    boosts: Mapping[str, float] = field(default_factory=dict)
    base_rank: int | None = None
    path: tuple[PathStep, ...] = ()
    matched_terms: tuple[str, ...] = ()


@dataclass(frozen=True)
class RankedResults:
    """Nodes for one query, best first; `reason` says in words why it is empty or what was chosen.

    `hints` are sentences about parts of the question that look like filters and were read otherwise; where nothing
    was found, they stand in the reason.
    """

    query: str
    strategy: str
    nodes: tuple[ScoredNode, ...] = ()
    reason: str = ""
    seconds: float = 0.0
    hints: tuple[str, ...] = ()

    def finished(self, seconds: float, hints: Sequence[str]) -> RankedResults:
        """The same with the time that it took and what is to be said about the filters."""
        if self.nodes:
            return replace(self, seconds=seconds, hints=tuple(hints))
        return replace(self, seconds=seconds, reason=" ".join([self.reason, *hints]))

    @property
    def ids(self) -> list[str]:
        """Node ids, best first."""
        return [node.node_id for node in self.nodes]

    def __iter__(self) -> Iterator[ScoredNode]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)

    @overload
    def __getitem__(self, index: int) -> ScoredNode: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ScoredNode]: ...
    def __getitem__(self, index: int | slice) -> ScoredNode | Sequence[ScoredNode]:
        return self.nodes[index]
