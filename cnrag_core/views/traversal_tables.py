"""Tables of walks. Enters: traces and the graph that they walked. Leaves: data frames and one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from cnrag_core.corpus.wording import count
from cnrag_core.graph.concept_graph import ConceptGraph
from cnrag_core.traversal.trace import TraversalTrace
from cnrag_core.views.traversal_steps import (
    KIND_IN_WORDS,
    WALK_IN_WORDS,
    because,
    check_in_words,
    chunk_label,
    decision,
    evidence_count,
)


def step_table(trace: TraversalTrace, graph: ConceptGraph) -> pd.DataFrame:
    """Every step: where it came from, along which edge, at what cost, and what was decided."""
    steps = trace.steps
    return pd.DataFrame(
        {
            "step": [step.order for step in steps],
            "chunk": [chunk_label(graph, step.chunk_id) for step in steps],
            "reached from": ["" if step.parent is None else chunk_label(graph, step.parent) for step in steps],
            "because": [because(step) for step in steps],
            "weight": ["" if step.edge_weight is None else f"{step.edge_weight:.3f}" for step in steps],
            "cost": [step.cost for step in steps],
            "hop": [step.hop for step in steps],
            "tokens": [step.tokens for step in steps],
            "total": [step.total_tokens for step in steps],
            "check": [check_in_words(step) for step in steps],
            "decision": [decision(step, graph) for step in steps],
        }
    )


def context_table(trace: TraversalTrace, graph: ConceptGraph) -> pd.DataFrame:
    """What is in the context, in order; where evidence is required, whether each chunk is part of it."""
    needed = {chunk_id for name in trace.required_evidence for chunk_id in graph.chunk_ids_of(name)}
    visited = trace.visited
    columns: dict[str, Sequence[object]] = {"#": range(1, len(visited) + 1)}
    columns["chunk"] = [chunk_label(graph, step.chunk_id) for step in visited]
    if needed:
        columns["needed"] = ["yes" if step.chunk_id in needed else "" for step in visited]
    columns["tokens"] = [step.tokens for step in visited]
    return pd.DataFrame(columns)


def frontier_table(trace: TraversalTrace, graph: ConceptGraph, step: int) -> pd.DataFrame:
    """The queue after a step, cheapest first; after step 0 it holds the seeds."""
    waiting = trace.steps[step - 1].frontier if step else tuple((seed.chunk_id, seed.cost) for seed in trace.seeds)
    return pd.DataFrame(
        {"queued": [chunk_label(graph, chunk_id) for chunk_id, _ in waiting], "cost": [cost for _, cost in waiting]}
    )


def kind_table(graph: ConceptGraph) -> pd.DataFrame:
    """Edges of each kind."""
    return pd.DataFrame(
        {
            "edges because of": [KIND_IN_WORDS.get(kind, kind) for kind in graph.kinds],
            "number": list(graph.kinds.values()),
        }
    )


def concept_table(graph: ConceptGraph) -> pd.DataFrame:
    """Every chunk with its concepts, its place and its number of edges."""
    chunks = list(graph.chunks.values())
    return pd.DataFrame(
        {
            "chunk": [chunk_label(graph, chunk.id) for chunk in chunks],
            "concepts": [", ".join(chunk.concepts) for chunk in chunks],
            "characters": [f"{chunk.start:,}–{chunk.end:,}" for chunk in chunks],
            "edges": [len(graph.neighbors(chunk.id)) for chunk in chunks],
        }
    )


def comparison_sentence(traces: Mapping[str, TraversalTrace]) -> str:
    """What each way found of the evidence, or what it gathered where none is required."""
    parts = []
    for name, trace in traces.items():
        found = evidence_count(trace)
        what = f"{found} needed pieces" if found else count(len(trace.path), "chunk")
        parts.append(f"the {WALK_IN_WORDS[name]} holds {what} in {count(trace.total_tokens, 'token')}")
    sentence = "; ".join(parts) + "."
    return sentence[0].upper() + sentence[1:]
