"""Flat retrieval with the budgets of a walk: what a walk is measured against.

Enters: a ranking of chunks. Leaves: the same `TraversalTrace` as a walk, so that both are shown, logged and
measured alike. Nothing is followed: the best chunks enter the context in order while they fit, one that does
not is passed over, as a walk does.
"""

from __future__ import annotations

from collections.abc import Sequence

from cnrag_core.graph.concept_graph import ConceptGraph
from cnrag_core.traversal.budget import Budget, StoppingReason
from cnrag_core.traversal.completeness import CompletenessCheck, RequiredEvidence
from cnrag_core.traversal.evidence import evidence_report
from cnrag_core.traversal.tokenizer import Tokenizer, default_tokenizer
from cnrag_core.traversal.trace import Seed, SourceSpan, Step, TraversalTrace


def flat_retrieval(
    graph: ConceptGraph,
    ranking: Sequence[Seed],
    budget: Budget | None = None,
    *,
    query: str = "",
    check: CompletenessCheck | None = None,
    required_evidence: Sequence[str] = (),
    tokenizer: Tokenizer | None = None,
) -> TraversalTrace:
    """Take a ranking from the top until the context is complete or a budget is reached.

    Parameters
    ----------
    ranking
        Chunks that match the question, best first (`seeds.seeds_of` orders them).
    budget, check, required_evidence, tokenizer
        As for `audited_walk`; hops do not matter.
    """
    budget, tokenizer = budget or Budget(), tokenizer or default_tokenizer()
    if check is None and required_evidence:
        check = RequiredEvidence.of(graph, required_evidence)
    texts: dict[str, str] = {}
    steps: list[Step] = []
    n_checks = n_sent = since_check = total = 0
    reason: StoppingReason = "queue_empty" if ranking else "no_seeds"
    for rank, seed in enumerate(ranking, start=1):
        if len(texts) >= budget.max_nodes:
            reason = "node_budget"
            break
        if check is not None and budget.max_checks and n_checks >= budget.max_checks:
            reason = "check_budget"
            break
        chunk = graph.chunk(seed.chunk_id)
        text = chunk.text
        tokens = tokenizer.count(text)
        fits = total + tokens <= budget.max_tokens
        answer: bool | None = None
        if fits:
            texts[seed.chunk_id] = text
            total += tokens
            since_check += 1
            if check is not None and budget.max_checks and since_check >= budget.check_every:
                answer = check(query, list(texts), list(texts.values()))
                n_checks, n_sent, since_check = n_checks + 1, n_sent + len(texts), 0
        else:
            reason = "token_budget"
        steps.append(
            Step(
                order=len(steps) + 1,
                action="visit" if fits else "skip_tokens",
                chunk_id=seed.chunk_id,
                parent=None,
                edge_weight=None,
                edge_kind=None,
                evidence=(),
                cost=seed.cost,
                hop=0,
                tokens=tokens,
                total_tokens=total,
                check=answer,
                decision=f"Number {rank} for the question" + ("." if fits else "; it does not fit."),
                span=SourceSpan.of(chunk),
            )
        )
        if answer:
            reason = "complete"
            break
    report = evidence_report(graph, [], required_evidence, texts)
    return TraversalTrace(
        query=query,
        walk="flat",
        seeds=tuple(ranking[: len(steps)]),
        steps=tuple(steps),
        stopping_reason=reason,
        budget=budget,
        n_checks=n_checks,
        n_chunks_sent=n_sent,
        required_evidence=tuple(required_evidence),
        missing_evidence=report.missing,
        unknown_evidence=report.unknown,
        tokenizer=tokenizer.name,
        texts=texts,
    )
