"""How good a ranking is, given which documents are relevant.

Enters: ranked ids and grades. Leaves: numbers in [0, 1]. The measures are those of information
retrieval's textbooks (Manning, Raghavan and Schütze 2008, chapter 8), with linear gains in nDCG.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

METRICS = ("recall", "all_evidence", "precision", "ndcg")
"""Measured at each k, named as in ``recall@5``; ``mrr`` is measured over the whole ranking."""


def recall_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Share of the relevant documents among the first k; 0 where nothing is relevant.

    Examples
    --------
    >>> recall_at(["a", "x", "b"], {"a", "b", "c"}, 3)
    0.6666666666666666
    """
    return _hits(ranked, relevant, k) / len(relevant) if relevant else 0.0


def all_evidence_at(ranked: Sequence[str], required: Collection[str], k: int) -> float:
    """1 where all required documents are among the first k, else 0: what a question needs that joins them."""
    return float(bool(required) and _hits(ranked, required, k) == len(required))


def precision_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Share of the first k places that hold a relevant document; an empty place counts as a miss."""
    return _hits(ranked, relevant, k) / k


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """1 over the place of the first relevant document; 0 where there is none."""
    return next((1 / place for place, node_id in enumerate(ranked, start=1) if node_id in relevant), 0.0)


def ndcg_at(ranked: Sequence[str], relevant: Mapping[str, float], k: int) -> float:
    """Normalised discounted cumulative gain: grades over log2(place + 1), as a share of the best order.

    Examples
    --------
    >>> ndcg_at(["a", "b"], {"a": 1, "b": 1}, 10), ndcg_at(["x"], {"a": 1}, 10)
    (1.0, 0.0)
    """
    best = _discounted(sorted(relevant.values(), reverse=True)[:k])
    return _discounted([relevant.get(node_id, 0.0) for node_id in ranked[:k]]) / best if best > 0 else 0.0


def measure(
    ranked: Sequence[str], relevant: Mapping[str, float], ks: Sequence[int], required: Collection[str] = ()
) -> dict[str, float]:
    """All measures of one ranking, by name.

    Parameters
    ----------
    required
        Documents that are needed together; all relevant ones where none are named.
    """
    together = required or relevant.keys()
    values = {"mrr": reciprocal_rank(ranked, relevant.keys())}
    for k in ks:
        values[f"recall@{k}"] = recall_at(ranked, relevant.keys(), k)
        values[f"all_evidence@{k}"] = all_evidence_at(ranked, together, k)
        values[f"precision@{k}"] = precision_at(ranked, relevant.keys(), k)
        values[f"ndcg@{k}"] = ndcg_at(ranked, relevant, k)
    return values


def metric_names(ks: Sequence[int]) -> tuple[str, ...]:
    """Names of the measures, those at each k together."""
    return (*(f"{name}@{k}" for name in METRICS for k in ks), "mrr")


def _hits(ranked: Sequence[str], relevant: Collection[str], k: int) -> int:
    return sum(node_id in relevant for node_id in ranked[:k])


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(place + 1) for place, gain in enumerate(gains, start=1))
