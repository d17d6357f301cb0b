"""How far a walk reaches: walk against flat retrieval with the same budget, on judged questions.

Enters: a walker and questions whose evidence is known. Leaves: `ReachReport`: evidence recall, share of
questions with all their evidence, tokens, checks, and paired intervals. Guide 001: "its reach should be
measured before it is trusted"; "compare against flat retrieval on the same golden questions".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from cnrag_core.errors import CorpusError
from cnrag_core.traversal.budget import Budget
from cnrag_core.traversal.paired import Interval, paired_interval
from cnrag_core.traversal.trace import TraversalTrace, WalkName
from cnrag_core.traversal.walker import Walker
from cnrag_core.types import Progress, silent

WALKS: tuple[WalkName, ...] = ("audited", "flat", "notebook")
UNLIMITED_TOKENS = 10_000_000


class EvidenceQuestion(Protocol):
    """What is read of a judged question (`evaluation.judgements.JudgedQuery`)."""

    @property
    def id(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def relevant(self) -> Mapping[str, float]: ...
    @property
    def required_evidence(self) -> tuple[str, ...]: ...


def evidence_of(question: EvidenceQuestion) -> tuple[str, ...]:
    """Ids that an answer needs all of: the required ones, or every relevant one where none is marked."""
    return question.required_evidence or tuple(name for name, grade in question.relevant.items() if grade > 0)


@dataclass(frozen=True)
class Reached:
    """What one walk brought into the context for one question.

    Attributes
    ----------
    recall
        Share of the evidence in the context, as far as the budget allows.
    tokens, n_chunks
        Of the whole context, also where it exceeds the budget (the notebook's walk reads none).
    n_checks, n_chunks_sent
        Completeness checks, and chunks that they sent.
    """

    recall: float
    tokens: int
    n_chunks: int
    n_checks: int
    n_chunks_sent: int
    stopping_reason: str

    @property
    def is_whole(self) -> bool:
        """Whether all evidence is there."""
        return self.recall == 1.0


@dataclass(frozen=True)
class QuestionReach:
    """One question and what each walk reached for it, by walk."""

    id: str
    text: str
    evidence: tuple[str, ...]
    by_walk: dict[WalkName, Reached]


@dataclass(frozen=True)
class WalkSummary:
    """Means over the questions."""

    walk: str
    recall: float
    whole: float
    tokens: float
    n_chunks: float
    n_checks: float
    n_chunks_sent: float


@dataclass(frozen=True)
class ReachReport:
    """All questions, the budget that every walk had, and how they compare."""

    questions: tuple[QuestionReach, ...]
    budget: Budget
    tokenizer: str
    random_state: int = 0

    @property
    def walks(self) -> tuple[WalkName, ...]:
        return tuple(self.questions[0].by_walk) if self.questions else ()

    def summary(self, walk: WalkName) -> WalkSummary:
        """Means of one walk."""
        reached = [question.by_walk[walk] for question in self.questions]
        n = max(len(reached), 1)
        return WalkSummary(
            walk,
            recall=sum(r.recall for r in reached) / n,
            whole=sum(r.is_whole for r in reached) / n,
            tokens=sum(r.tokens for r in reached) / n,
            n_chunks=sum(r.n_chunks for r in reached) / n,
            n_checks=sum(r.n_checks for r in reached) / n,
            n_chunks_sent=sum(r.n_chunks_sent for r in reached) / n,
        )

    def recall_gain(self, walk: WalkName = "audited", over: WalkName = "flat") -> Interval:
        """Difference of the evidence recall, with its paired interval."""
        pairs = [(q.by_walk[walk].recall, q.by_walk[over].recall) for q in self.questions]
        return paired_interval([a - b for a, b in pairs], random_state=self.random_state)

    def whole_gain(self, walk: WalkName = "audited", over: WalkName = "flat") -> Interval:
        """Difference of the share of questions with all evidence, with its paired interval."""
        pairs = [(q.by_walk[walk].is_whole, q.by_walk[over].is_whole) for q in self.questions]
        return paired_interval([float(a) - float(b) for a, b in pairs], random_state=self.random_state)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "n_questions": len(self.questions),
            "budget": self.budget.model_dump(),
            "tokenizer": self.tokenizer,
            "walks": [vars(self.summary(walk)) for walk in self.walks],
            "gains_over_flat": [
                {"walk": walk, "recall": vars(self.recall_gain(walk)), "whole": vars(self.whole_gain(walk))}
                for walk in self.walks
                if walk != "flat" and "flat" in self.walks
            ],
            "questions": [
                {
                    "id": question.id,
                    "text": question.text,
                    "evidence": list(question.evidence),
                    "walks": {walk: vars(reached) for walk, reached in question.by_walk.items()},
                }
                for question in self.questions
            ],
        }


def measure_reach(
    walker: Walker,
    questions: Iterable[EvidenceQuestion],
    *,
    budget: Budget | None = None,
    walks: Sequence[WalkName] = WALKS,
    progress: Progress = silent,
) -> ReachReport:
    """Put every question to every walk with the same budget.

    Parameters
    ----------
    questions
        Those without evidence are left out.
    budget
        For every walk alike; that of the configuration by default. `at_nodes` gives one of nodes alone.

    Raises
    ------
    CorpusError
        If no question has evidence.
    """
    budget = budget or Budget.of(walker.config.traversal)
    judged = [(question, evidence) for question in questions if (evidence := evidence_of(question))]
    if not judged:
        raise CorpusError("There are no judged questions with evidence, so there is nothing to measure a walk on.")
    found = []
    tokenizer = ""
    for number, (question, evidence) in enumerate(judged):
        progress("Walking", number / len(judged))
        traces = {
            walk: walker.traverse(question.text, budget=budget, required_evidence=evidence, walk=walk) for walk in walks
        }
        tokenizer = next(iter(traces.values())).tokenizer
        by_walk = {walk: _reached(walker, trace, budget) for walk, trace in traces.items()}
        found.append(QuestionReach(question.id, question.text, evidence, by_walk))
    progress("Walking", 1.0)
    return ReachReport(tuple(found), budget, tokenizer, walker.config.random_state)


def at_nodes(n: int, budget: Budget | None = None) -> Budget:
    """The budget with `n` nodes and nothing else that could stop a walk before: one kind of equality at a time."""
    return (budget or Budget()).model_copy(
        update={"max_nodes": n, "max_tokens": UNLIMITED_TOKENS, "max_checks": max(n, 1), "check_every": 1}
    )


def _reached(walker: Walker, trace: TraversalTrace, budget: Budget) -> Reached:
    context = set(_within(trace, budget))
    evidence = trace.required_evidence
    n_found = sum(not context.isdisjoint(walker.graph.chunk_ids_of(name)) for name in evidence)
    return Reached(
        recall=n_found / len(evidence),
        tokens=trace.total_tokens,
        n_chunks=len(trace.path),
        n_checks=trace.n_checks,
        n_chunks_sent=trace.n_chunks_sent,
        stopping_reason=trace.stopping_reason,
    )


def _within(trace: TraversalTrace, budget: Budget) -> list[str]:
    """The chunks of a context up to the budget: the notebook's walk reads none, and is cut off here."""
    return [step.chunk_id for step in trace.visited[: budget.max_nodes] if step.total_tokens <= budget.max_tokens]
