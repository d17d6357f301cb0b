"""Which required evidence a walk did not bring in, and whether it could have."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from cnrag_core.graph.concept_graph import ConceptGraph


@dataclass(frozen=True)
class EvidenceReport:
    """Required ids that are missing from the context; of these, without a path; and neither chunk nor document."""

    missing: tuple[str, ...]
    unreachable: tuple[str, ...]
    unknown: tuple[str, ...]


def evidence_report(
    graph: ConceptGraph, seeds: Sequence[str], required: Sequence[str], in_context: Collection[str]
) -> EvidenceReport:
    """Compare a context with its checklist of chunk and document ids; of a document any chunk will do."""
    chunks_of = {name: graph.chunk_ids_of(name) for name in dict.fromkeys(required)}
    missing = tuple(name for name, ids in chunks_of.items() if not any(chunk_id in in_context for chunk_id in ids))
    reachable = graph.reachable(seeds) if missing else set()
    return EvidenceReport(
        missing,
        tuple(name for name in missing if chunks_of[name] and reachable.isdisjoint(chunks_of[name])),
        tuple(name for name in missing if not chunks_of[name]),
    )
