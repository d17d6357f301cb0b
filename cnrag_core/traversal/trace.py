"""What a walk did: every step with its reason, the stopping reason, and what it never reached.

Enters: steps as a walk takes them. Leaves: `TraversalTrace`, the one result type of every walk, and
its audit log as JSON Lines. Guide 001, "For each query, log ...".
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal

from cnrag_core.graph.concept_graph import ChunkNode
from cnrag_core.traversal.budget import REASON_IN_WORDS, Budget, StoppingReason

Action = Literal["visit", "skip_tokens"]
WalkName = Literal["audited", "notebook", "flat"]


QUEUE_EMPTY_IN_WORDS: Mapping[str, str] = {
    "notebook": "The queue ran empty: what was discovered is never expanded, so the walk ends one hop out.",
    "flat": "Every chunk that was ranked was taken; nothing is followed.",
}
"""What an empty queue means where it does not mean that everything within reach was visited."""


@dataclass(frozen=True)
class Seed:
    """Where a walk starts: the score as found, its kind, and the cost that it became.

    `kind` says whether `score` is a similarity (larger is nearer) or a distance (smaller is nearer);
    it is declared by whoever found the seeds, never guessed.
    """

    chunk_id: str
    score: float
    kind: Literal["similarity", "distance"]
    cost: float


@dataclass(frozen=True)
class SourceSpan:
    """Where a chunk stands: document, field, characters ``[start, end)`` of the field, page from 1."""

    document_id: str
    field: str
    start: int
    end: int
    page: int | None = None

    @classmethod
    def of(cls, chunk: ChunkNode) -> SourceSpan:
        """The place of a chunk."""
        return cls(chunk.document_id, chunk.field, chunk.start, chunk.end, chunk.page)


@dataclass(frozen=True)
class Discovery:
    """A neighbour seen from a visited chunk, and what became of it."""

    chunk_id: str
    weight: float
    cost: float
    outcome: Literal["pushed", "not_cheaper", "visited", "beyond_hops"]


@dataclass(frozen=True)
class Step:
    """One chunk taken from the queue.

    Attributes
    ----------
    order
        1-based number of the step.
    action
        ``visit``: text added, counted, checked, expanded; ``skip_tokens``: it did not fit.
    parent, edge_weight, edge_kind, evidence
        The edge that led here: all empty for a seed.
    cost
        Sum of the seed's cost and of the edge costs on the way.
    hop
        Edges from the seed.
    tokens, total_tokens
        Of this chunk; of the context after it.
    check
        What the completeness check said after this chunk: None where none was made.
    new_concepts
        Concepts that no chunk before had.
    discovered
        Neighbours seen from here.
    frontier, n_queued
        Queue after this step, cheapest first: (chunk id, cost), the first hundred; and how many there are.
    decision
        In words, why this chunk was taken or passed over.
    span
        Where the text of the chunk stands in its document.
    """

    order: int
    action: Action
    chunk_id: str
    parent: str | None
    edge_weight: float | None
    edge_kind: str | None
    evidence: tuple[str, ...]
    cost: float
    hop: int
    tokens: int
    total_tokens: int
    check: bool | None = None
    new_concepts: tuple[str, ...] = ()
    discovered: tuple[Discovery, ...] = ()
    frontier: tuple[tuple[str, float], ...] = ()
    n_queued: int = 0
    decision: str = ""
    span: SourceSpan | None = None


@dataclass(frozen=True)
class TraversalTrace:
    """Everything that one walk did, and why it ended.

    Attributes
    ----------
    walk
        ``audited``, ``notebook``, or ``flat`` for retrieval that follows nothing.
    seeds, steps
        In the order in which the walk took them.
    stopping_reason
        One of `StoppingReason`.
    n_checks, n_chunks_sent
        Completeness checks made, and chunks sent by them in total.
    missing_evidence
        Required evidence that is not in the context.
    unreachable_evidence
        The part of it that no path from any seed reaches, whatever the budgets: more context cannot
        create a relation that the index does not hold.
    unknown_evidence
        Required ids that are no chunks at all.
    tokenizer
        What counted the tokens.
    faults
        For the notebook's walk: what it did wrong here, in words.
    texts
        Text of every visited chunk, by id.
    """

    query: str
    walk: WalkName
    seeds: tuple[Seed, ...]
    steps: tuple[Step, ...]
    stopping_reason: StoppingReason
    budget: Budget
    n_checks: int = 0
    n_chunks_sent: int = 0
    required_evidence: tuple[str, ...] = ()
    missing_evidence: tuple[str, ...] = ()
    unreachable_evidence: tuple[str, ...] = ()
    unknown_evidence: tuple[str, ...] = ()
    tokenizer: str = "words x 1.3"
    faults: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)

    @cached_property
    def visited(self) -> tuple[Step, ...]:
        """The steps that added a chunk to the context."""
        return tuple(step for step in self.steps if step.action == "visit")

    @property
    def path(self) -> list[str]:
        """Ids of the chunks in the context, in the order in which they entered it."""
        return [step.chunk_id for step in self.visited]

    @property
    def total_tokens(self) -> int:
        """Tokens of the context."""
        return self.visited[-1].total_tokens if self.visited else 0

    @property
    def is_complete(self) -> bool:
        return self.stopping_reason == "complete"

    @property
    def reason_in_words(self) -> str:
        """Why the walk ended, in a sentence."""
        if self.stopping_reason == "queue_empty" and self.walk in QUEUE_EMPTY_IN_WORDS:
            return QUEUE_EMPTY_IN_WORDS[self.walk]
        return REASON_IN_WORDS[self.stopping_reason]

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences about what the context lacks, and what the walk did wrong."""
        if self.walk == "flat":
            known = [name for name in self.missing_evidence if name not in self.unknown_evidence]
            return (f"Missing from the context: {', '.join(known)}.",) if known else ()
        without_path = {*self.unreachable_evidence, *self.unknown_evidence}
        reachable = [name for name in self.missing_evidence if name not in without_path]
        told = []
        if reachable:
            told.append(f"Missing from the context, though a path leads there: {', '.join(reachable)}.")
        if self.unreachable_evidence:
            told.append(
                "Missing, and no path leads there from any seed, so that a longer walk would not help: "
                f"{', '.join(self.unreachable_evidence)}."
            )
        if self.unknown_evidence:
            told.append(f"Not in the corpus at all: {', '.join(self.unknown_evidence)}.")
        return (*told, *self.faults)

    @property
    def context(self) -> str:
        """The texts of the visited chunks, in order, separated by blank lines."""
        return "\n\n".join(self.texts[chunk_id] for chunk_id in self.path)

    def route(self, chunk_id: str) -> list[str]:
        """Ids from the seed to a visited chunk, along the edges that were followed."""
        parents = {step.chunk_id: step.parent for step in self.visited}
        route, at = [], chunk_id if chunk_id in parents else None
        while at is not None:
            route.append(at)
            at = parents.get(at)
        return route[::-1]

    def summary(self) -> dict[str, Any]:
        """The trace without its steps and texts, as plain values."""
        return {
            "record": "summary",
            "query": self.query,
            "walk": self.walk,
            "stopping_reason": self.stopping_reason,
            "reason": self.reason_in_words,
            "visited": self.path,
            "total_tokens": self.total_tokens,
            "tokenizer": self.tokenizer,
            "n_checks": self.n_checks,
            "n_chunks_sent": self.n_chunks_sent,
            "required_evidence": list(self.required_evidence),
            "missing_evidence": list(self.missing_evidence),
            "unreachable_evidence": list(self.unreachable_evidence),
            "unknown_evidence": list(self.unknown_evidence),
            "faults": list(self.faults),
            "budget": self.budget.model_dump(),
        }

    def to_dict(self) -> dict[str, Any]:
        """The whole trace without its texts, as plain values that JSON can hold."""
        told: dict[str, Any] = _finite(
            {
                **self.summary(),
                "seeds": [asdict(seed) for seed in self.seeds],
                "steps": [asdict(step) for step in self.steps],
            }
        )
        return told

    def to_jsonl(self) -> str:
        """The audit log: one JSON object a line, seeds first, then steps, then the summary."""
        records = [
            *({"record": "seed", **asdict(seed)} for seed in self.seeds),
            *({"record": "step", **asdict(step)} for step in self.steps),
            self.summary(),
        ]
        return "".join(json.dumps(_finite(record), ensure_ascii=False) + "\n" for record in records)


def _finite(value: Any) -> Any:
    """The value with null for infinity, which JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
