"""The walk that can be audited: cheapest first, every budget checked before it is exceeded.

Enters: a concept graph, seeds, a budget. Leaves: a `TraversalTrace`. Dijkstra's algorithm: a chunk
is *discovered* when it is pushed and *visited* (text, tokens, check, expansion) when it is popped, so
that what is discovered is also expanded. Guide 001, "How the traversal runs", mended.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Callable, Sequence

from cnrag_core.errors import ConfigError
from cnrag_core.graph.concept_graph import ConceptEdge, ConceptGraph
from cnrag_core.traversal.budget import Budget, StoppingReason
from cnrag_core.traversal.completeness import CompletenessCheck, RequiredEvidence
from cnrag_core.traversal.evidence import evidence_report
from cnrag_core.traversal.tokenizer import Tokenizer, default_tokenizer
from cnrag_core.traversal.trace import Discovery, Seed, SourceSpan, Step, TraversalTrace

MOST_LOGGED = 100
"""Queued chunks that the log of a step names, cheapest first."""

EdgeCost = Callable[[str, ConceptEdge], float]
"""What following an edge from a chunk adds to the cost; smaller is sooner, never negative."""


def inverse_weight(source: str, edge: ConceptEdge) -> float:
    """1 / weight, the cost of guide 001; an edge of no weight is never followed."""
    return 1.0 / edge.weight if edge.weight > 0 else math.inf


def audited_walk(
    graph: ConceptGraph,
    seeds: Sequence[Seed],
    budget: Budget | None = None,
    *,
    query: str = "",
    check: CompletenessCheck | None = None,
    required_evidence: Sequence[str] = (),
    edge_cost: EdgeCost = inverse_weight,
    tokenizer: Tokenizer | None = None,
    gate: bool = False,
) -> TraversalTrace:
    """Walk from the seeds until the context is complete or a budget is reached.

    Parameters
    ----------
    seeds
        See `seeds.seeds_of`; seeds that are no chunks of the graph are left out.
    check
        Asked every `budget.check_every` chunks; without one, `required_evidence` is the checklist.
    required_evidence
        Ids that the answer needs: chunks, or documents, of which any chunk will do. The trace says which are
        missing, and which have no path.
    edge_cost
        Cost of an edge; the cost of a chunk is its seed's cost plus those of the edges on the way. 1 / weight
        by default; `query_cost.QueryAwareCost` looks at the question as well.
    gate
        For teaching: expand only chunks that bring a new concept, as the notebook does.

    Raises
    ------
    ConfigError
        If an edge costs less than 0, or nothing that is a number.

    Returns
    -------
    TraversalTrace
        Its stopping reason is the first that applied; where the queue ran empty, a chunk that did not
        fit makes it ``token_budget`` and a neighbour beyond the hops ``hop_budget``.
    """
    budget = budget or Budget()
    tokenizer = tokenizer or default_tokenizer()
    if check is None and required_evidence:
        check = RequiredEvidence.of(graph, required_evidence)
    walk = _Walk(graph, budget, query, check, edge_cost, tokenizer, gate)
    reason = walk.run([seed for seed in seeds if seed.chunk_id in graph.chunks])
    report = evidence_report(graph, [seed.chunk_id for seed in seeds], required_evidence, walk.texts)
    return TraversalTrace(
        query=query,
        walk="audited",
        seeds=tuple(seeds),
        steps=tuple(walk.steps),
        stopping_reason=reason,
        budget=budget,
        n_checks=walk.n_checks,
        n_chunks_sent=walk.n_chunks_sent,
        required_evidence=tuple(required_evidence),
        missing_evidence=report.missing,
        unreachable_evidence=report.unreachable,
        unknown_evidence=report.unknown,
        tokenizer=tokenizer.name,
        texts=walk.texts,
    )


class _Walk:
    """State of one walk; `run` is the algorithm."""

    def __init__(
        self,
        graph: ConceptGraph,
        budget: Budget,
        query: str,
        check: CompletenessCheck | None,
        edge_cost: EdgeCost,
        tokenizer: Tokenizer,
        gate: bool,
    ) -> None:
        self.graph, self.budget, self.query = graph, budget, query
        self.check = check if budget.max_checks else None
        self.edge_cost, self.tokenizer, self.gate = edge_cost, tokenizer, gate
        # sorted, and every queued chunk once: the log shows the queue after each step
        self.queue: list[tuple[float, str]] = []
        self.cost: dict[str, float] = {}
        self.arrival: dict[str, tuple[str | None, ConceptEdge | None, int]] = {}
        self.settled: set[str] = set()
        self.concepts: set[str] = set()
        self.texts: dict[str, str] = {}
        self.tokens: dict[str, int] = {}
        self.steps: list[Step] = []
        self.total_tokens = 0
        self.n_checks = self.n_chunks_sent = self.since_check = 0
        self.skipped_for_tokens = self.withheld_by_hops = False

    def run(self, seeds: Sequence[Seed]) -> StoppingReason:
        if not seeds:
            return "no_seeds"
        for seed in seeds:
            self._offer(seed.chunk_id, seed.cost, None, None, 0)
        while (cheapest := self._pop()) is not None:
            if len(self.texts) >= self.budget.max_nodes:
                return "node_budget"
            if self.check is not None and self.n_checks >= self.budget.max_checks:
                return "check_budget"
            if self._visit(*cheapest):
                return "complete"
            if self.steps[-1].action == "skip_tokens" and not self._something_fits():
                break
        if self.check is not None and self.since_check and self.n_checks < self.budget.max_checks and self._ask():
            return "complete"
        if self.skipped_for_tokens:
            return "token_budget"
        return "hop_budget" if self.withheld_by_hops else "queue_empty"

    def _offer(self, chunk_id: str, cost: float, parent: str | None, edge: ConceptEdge | None, hop: int) -> bool:
        """Queue a chunk at a cost, where that is cheaper than before."""
        if cost >= self.cost.get(chunk_id, float("inf")):
            return False
        if chunk_id in self.cost:
            del self.queue[bisect_left(self.queue, (self.cost[chunk_id], chunk_id))]
        self.cost[chunk_id], self.arrival[chunk_id] = cost, (parent, edge, hop)
        insort(self.queue, (cost, chunk_id))
        return True

    def _pop(self) -> tuple[float, str] | None:
        """The cheapest chunk that is queued."""
        if not self.queue:
            return None
        cost, chunk_id = self.queue.pop(0)
        self.settled.add(chunk_id)
        return cost, chunk_id

    def _visit(self, cost: float, chunk_id: str) -> bool:
        """Add a chunk that fits, ask whether the context is complete, expand it if not."""
        chunk = self.graph.chunks[chunk_id]
        parent, edge, hop = self.arrival[chunk_id]
        tokens = self._tokens(chunk_id)
        fits = self.total_tokens + tokens <= self.budget.max_tokens
        answer: bool | None = None
        new: tuple[str, ...] = ()
        discovered: tuple[Discovery, ...] = ()
        if fits:
            self.texts[chunk_id] = chunk.text
            self.total_tokens += tokens
            self.since_check += 1
            new = tuple(dict.fromkeys(concept for concept in chunk.concepts if concept not in self.concepts))
            self.concepts.update(new)
            if self.check is not None and self.since_check >= self.budget.check_every:
                answer = self._ask()
            if not answer and (new or not self.gate):
                discovered = tuple(self._discover(chunk_id, cost, hop))
        else:
            self.skipped_for_tokens = True
        self.steps.append(
            Step(
                order=len(self.steps) + 1,
                action="visit" if fits else "skip_tokens",
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
                new_concepts=new,
                discovered=discovered,
                frontier=tuple((waiting, at) for at, waiting in self.queue[:MOST_LOGGED]),
                n_queued=len(self.queue),
                decision=self._decision(fits, tokens, answer, new, parent),
                span=SourceSpan.of(chunk),
            )
        )
        return bool(answer)

    def _tokens(self, chunk_id: str) -> int:
        """Tokens of a chunk, counted once."""
        if chunk_id not in self.tokens:
            self.tokens[chunk_id] = self.tokenizer.count(self.graph.chunks[chunk_id].text)
        return self.tokens[chunk_id]

    def _something_fits(self) -> bool:
        """Whether any queued chunk fits into what is left of the context: else there is no use in going on."""
        left = self.budget.max_tokens - self.total_tokens
        return any(self._tokens(chunk_id) <= left for _, chunk_id in self.queue)

    def _ask(self) -> bool:
        assert self.check is not None
        self.n_checks += 1
        self.n_chunks_sent += len(self.texts)
        self.since_check = 0
        return self.check(self.query, list(self.texts), list(self.texts.values()))

    def _discover(self, chunk_id: str, cost: float, hop: int) -> list[Discovery]:
        found = []
        for edge in self.graph.neighbors(chunk_id):
            step = self.edge_cost(chunk_id, edge)
            if not step >= 0:
                raise ConfigError(f"An edge costs a number of at least 0; the one to {edge.target!r} costs {step}.")
            through = cost + step
            if edge.target in self.settled:
                outcome = "visited"
            elif hop + 1 > self.budget.max_hops:
                outcome = "beyond_hops" if edge.target not in self.cost else "not_cheaper"
                self.withheld_by_hops |= outcome == "beyond_hops"
            else:
                outcome = "pushed" if self._offer(edge.target, through, chunk_id, edge, hop + 1) else "not_cheaper"
            found.append(Discovery(edge.target, edge.weight, through, outcome))  # type: ignore[arg-type]
        return found

    def _decision(self, fits: bool, tokens: int, answer: bool | None, new: Sequence[str], parent: str | None) -> str:
        if not fits:
            left = self.budget.max_tokens - self.total_tokens
            return f"Passed over: its {tokens} tokens do not fit into the {left} left."
        how = "Seed" if parent is None else f"Reached from {parent}"
        verdict = {True: "; the context is complete", False: "; not complete yet", None: ""}[answer]
        gated = "; not expanded, it brings no new concept" if self.gate and not new and not answer else ""
        return f"{how}, cheapest in the queue{verdict}{gated}."
