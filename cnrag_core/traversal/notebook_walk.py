"""The course notebook's walk with its faults, for teaching: what it reaches, and why it stops there.

Enters: a concept graph and seeds with L2 distances. Leaves: the same `TraversalTrace` as the audited
walk, with its faults in words. Three faults are kept on purpose (guide 001, Table 4): a seed's priority
is 1 / distance, so the farthest seed goes first; a neighbour enters the context when it is discovered
and is skipped when it is popped, so its own neighbours are never examined; a chunk without new concepts
pushes nothing. No budget is read, as in the notebook.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import replace

from cnrag_core.graph.concept_graph import ConceptEdge, ConceptGraph
from cnrag_core.traversal.budget import Budget
from cnrag_core.traversal.completeness import CompletenessCheck, RequiredEvidence
from cnrag_core.traversal.evidence import evidence_report
from cnrag_core.traversal.tokenizer import Tokenizer, default_tokenizer
from cnrag_core.traversal.trace import Discovery, Seed, SourceSpan, Step, TraversalTrace

INVERTED_SEEDS = "The seed priority is 1 / distance, so the farthest seed was taken first."
ZERO_DISTANCE = "A seed at distance 0 divides by zero; the notebook stops there, here it goes last."
NEVER_EXPANDED = "Chunks that were discovered but never expanded: {names}."
GATED = "Chunks that pushed nothing because all their concepts had been seen: {names}."
MOST_NAMED = 8
OVER_BUDGET = "The context holds {tokens:,} tokens; the limit of {limit:,} was never read."


def notebook_walk(
    graph: ConceptGraph,
    seeds: Sequence[Seed],
    budget: Budget | None = None,
    *,
    query: str = "",
    check: CompletenessCheck | None = None,
    required_evidence: Sequence[str] = (),
    tokenizer: Tokenizer | None = None,
) -> TraversalTrace:
    """Walk as the notebook does; `budget` is reported, and, as there, never read.

    Parameters
    ----------
    seeds
        As for `audited_walk`; the score is read as an L2 distance whatever its declared kind.
    check
        Asked after every chunk; without one, `required_evidence` is the checklist.
    """
    budget = budget or Budget()
    tokenizer = tokenizer or default_tokenizer()
    if check is None:
        check = RequiredEvidence.of(graph, required_evidence)
    walk = _NotebookWalk(graph, query, check, tokenizer)
    present = [seed for seed in seeds if seed.chunk_id in graph.chunks]
    complete = walk.run(present)
    report = evidence_report(graph, [seed.chunk_id for seed in seeds], required_evidence, walk.texts)
    return TraversalTrace(
        query=query,
        walk="notebook",
        seeds=tuple(seeds),
        steps=tuple(walk.steps),
        stopping_reason="complete" if complete else "queue_empty" if present else "no_seeds",
        budget=budget,
        n_checks=len(walk.steps),
        n_chunks_sent=sum(range(len(walk.steps) + 1)),
        required_evidence=tuple(required_evidence),
        missing_evidence=report.missing,
        unreachable_evidence=report.unreachable,
        unknown_evidence=report.unknown,
        tokenizer=tokenizer.name,
        faults=tuple(walk.faults(present, budget)),
        texts=walk.texts,
    )


class _NotebookWalk:
    """State of one walk; `run` follows the notebook's loop."""

    def __init__(self, graph: ConceptGraph, query: str, check: CompletenessCheck, tokenizer: Tokenizer) -> None:
        self.graph, self.query, self.check, self.tokenizer = graph, query, check, tokenizer
        self.texts: dict[str, str] = {}
        self.steps: list[Step] = []
        self.seen_concepts: set[str] = set()
        self.expanded: set[str] = set()
        self.gated: list[str] = []
        self.total_tokens = 0

    def run(self, seeds: Sequence[Seed]) -> bool:
        queue: list[tuple[float, str]] = []
        distance: dict[str, float] = {}
        hops: dict[str, int] = {}
        for seed in seeds:
            priority = 1.0 / seed.score if seed.score else math.inf
            distance[seed.chunk_id], hops[seed.chunk_id] = priority, 0
            heapq.heappush(queue, (priority, seed.chunk_id))
        while queue:
            priority, chunk_id = heapq.heappop(queue)
            if priority > distance[chunk_id] or chunk_id in self.texts:
                continue  # already in the path: the fault that keeps it from being expanded
            if self._add(chunk_id, None, None, priority, hops[chunk_id]):
                return True
            concepts = set(self.graph.chunks[chunk_id].concepts)
            if concepts <= self.seen_concepts:
                self.gated.append(chunk_id)
                continue
            self.seen_concepts |= concepts
            self.expanded.add(chunk_id)
            found: list[Discovery] = []
            complete = False
            for edge in self.graph.neighbors(chunk_id):
                through = priority + 1.0 / edge.weight
                if through >= distance.get(edge.target, math.inf):
                    found.append(Discovery(edge.target, edge.weight, through, "not_cheaper"))
                    continue
                distance[edge.target], hops[edge.target] = through, hops[chunk_id] + 1
                heapq.heappush(queue, (through, edge.target))
                found.append(Discovery(edge.target, edge.weight, through, "pushed"))
                if edge.target in self.texts:
                    continue
                complete = self._add(edge.target, chunk_id, edge, through, hops[edge.target])
                self.seen_concepts |= set(self.graph.chunks[edge.target].concepts)
                if complete:
                    break
            self._record_discoveries(chunk_id, found)
            if complete:
                return True
        return False

    def _add(self, chunk_id: str, parent: str | None, edge: ConceptEdge | None, cost: float, hop: int) -> bool:
        chunk = self.graph.chunks[chunk_id]
        tokens = self.tokenizer.count(chunk.text)
        self.texts[chunk_id] = chunk.text
        self.total_tokens += tokens
        answer = self.check(self.query, list(self.texts), list(self.texts.values()))
        verdict = "complete" if answer else "not complete yet"
        self.steps.append(
            Step(
                order=len(self.steps) + 1,
                action="visit",
                chunk_id=chunk_id,
                parent=parent,
                edge_weight=edge.weight if edge else None,
                edge_kind=edge.kind if edge else None,
                evidence=(edge.evidence or edge.shared) if edge else (),
                cost=cost,
                hop=hop,
                tokens=tokens,
                total_tokens=self.total_tokens,
                check=answer,
                new_concepts=tuple(c for c in chunk.concepts if c not in self.seen_concepts),
                decision=("Seed popped" if parent is None else f"Added when discovered from {parent}")
                + f"; {verdict}.",
                span=SourceSpan.of(chunk),
            )
        )
        return answer

    def _record_discoveries(self, chunk_id: str, found: Sequence[Discovery]) -> None:
        at = next(i for i, step in enumerate(self.steps) if step.chunk_id == chunk_id)
        self.steps[at] = replace(self.steps[at], discovered=tuple(found))

    def faults(self, seeds: Sequence[Seed], budget: Budget) -> list[str]:
        """What went wrong in this walk, in words."""
        found = []
        if len({seed.score for seed in seeds}) > 1:
            found.append(INVERTED_SEEDS)
        if any(seed.score == 0 for seed in seeds):
            found.append(ZERO_DISTANCE)
        gated = [c for c in self.gated if self.graph.neighbors(c)]
        stuck = [c for c in self.texts if c not in self.expanded and c not in gated and self.graph.neighbors(c)]
        last = self.steps[-1] if self.steps else None
        if stuck and not (last is not None and last.check):
            found.append(NEVER_EXPANDED.format(names=_listed(stuck)))
        if gated:
            found.append(GATED.format(names=_listed(gated)))
        if self.total_tokens > budget.max_tokens:
            found.append(OVER_BUDGET.format(tokens=self.total_tokens, limit=budget.max_tokens))
        return found


def _listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
