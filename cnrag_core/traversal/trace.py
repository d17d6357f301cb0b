"""What a walk did: every step with its reason, the stopping reason, and what it never reached.

Enters: steps as a walk takes them. Leaves: `TraversalTrace`, the one result type of every walk, and
its audit log as JSON Lines. Guide 001, "For each query, log ...".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal

from cnrag_core.traversal.budget import REASON_IN_WORDS, Budget, StoppingReason

Action = Literal["visit", "skip_tokens"]
WalkName = Literal["audited", "notebook", "flat"]


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
    frontier
        Queue after this step, cheapest first: (chunk id, cost).
    decision
        In words, why this chunk was taken or passed over.
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
    decision: str = ""


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
        return REASON_IN_WORDS[self.stopping_reason]

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

    def to_jsonl(self) -> str:
        """The audit log: one JSON object a line, seeds first, then steps, then the summary."""
        records = [
            *({"record": "seed", **asdict(seed)} for seed in self.seeds),
            *({"record": "step", **asdict(step)} for step in self.steps),
            self.summary(),
        ]
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
