"""Which required evidence a walk did not bring in, and whether it could have."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from cnrag_core.graph.concept_graph import ConceptGraph


@dataclass(frozen=True)
class EvidenceReport:
    """Required ids that are missing from the context; of these, without a path; and no chunks at all."""

    missing: tuple[str, ...]
    unreachable: tuple[str, ...]
    unknown: tuple[str, ...]


def evidence_report(
    graph: ConceptGraph, seeds: Sequence[str], required: Sequence[str], in_context: Collection[str]
) -> EvidenceReport:
    """Compare a context with its checklist."""
    missing = tuple(chunk_id for chunk_id in dict.fromkeys(required) if chunk_id not in in_context)
    unknown = tuple(chunk_id for chunk_id in missing if chunk_id not in graph.chunks)
    reachable = graph.reachable(seeds) if missing else set()
    unreachable = tuple(chunk_id for chunk_id in missing if chunk_id in graph.chunks and chunk_id not in reachable)
    return EvidenceReport(missing, unreachable, unknown)
