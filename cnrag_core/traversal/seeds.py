"""Where a walk starts. Enters: scored chunks and what kind the scores are. Leaves: `Seed`s with a cost.

A distance is a cost as it is; a similarity s costs 1 - s. The kind is declared: L2 distances read as
similarities are the inverted seed priority of guide 001.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

from cnrag_core.errors import ConfigError
from cnrag_core.traversal.trace import Seed


def seeds_of(scores: Iterable[tuple[str, float]], *, kind: Literal["similarity", "distance"]) -> tuple[Seed, ...]:
    """Seeds from (chunk id, score), cheapest first, ties by id; of a repeated id the cheapest is kept.

    Raises
    ------
    ConfigError
        If a score is not a finite number, a distance is negative, or a similarity is above 1.
    """
    cheapest: dict[str, Seed] = {}
    for chunk_id, score in scores:
        if (
            not math.isfinite(score)
            or (kind == "distance" and score < 0)
            or (kind == "similarity" and score > 1 + 1e-6)
        ):
            raise ConfigError(f"The seed {chunk_id!r} has the {kind} {score}, which is not one.")
        seed = Seed(chunk_id, score, kind, score if kind == "distance" else max(1.0 - score, 0.0))
        if chunk_id not in cheapest or seed.cost < cheapest[chunk_id].cost:
            cheapest[chunk_id] = seed
    return tuple(sorted(cheapest.values(), key=lambda seed: (seed.cost, seed.chunk_id)))
