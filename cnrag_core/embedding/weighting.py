"""Weights of the parts that one row is made of: chunks by place, speakers by role.

Guide 003, "Custom Aggregation Weights"; guide 002, "WeightedEmbeddingConfig".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cnrag_core.config.names import AGGREGATION_ALIASES, canonical
from cnrag_core.errors import ConfigError

DECAY = 0.9
DecayFrom: TypeAlias = Literal["first", "last"]
PartsAggregation: TypeAlias = Literal["weighted_avg", "concat", "max_pool"]
PARTS_AGGREGATIONS: tuple[PartsAggregation, ...] = ("weighted_avg", "concat", "max_pool")


def decay_weights(places: NDArray[np.int64]) -> NDArray[np.float64]:
    """0.9 to the power of each place; place 0 counts most."""
    return np.asarray(DECAY ** places.astype(np.float64))


def check_weights(weights: Sequence[float], n_parts: int) -> NDArray[np.float64]:
    """The weights as (n_parts,) float64.

    Raises
    ------
    ConfigError
        If there is not one weight a part, one is negative, NaN or infinite, or all are 0.
    """
    checked = np.asarray(weights, dtype=np.float64)
    if checked.shape != (n_parts,):
        raise ConfigError(f"{checked.size} weights were given for {n_parts} embeddings.")
    if not np.isfinite(checked).all() or (checked < 0).any():
        raise ConfigError(f"Weights should be finite numbers, 0 or above; got {list(weights)}.")
    if not checked.any():
        raise ConfigError("All weights are 0; at least one must be positive.")
    return checked


@dataclass(frozen=True)
class WeightedEmbeddingConfig:
    """How the speakers of a conversation, or the parts of any text, weigh in one row.

    A role that is not listed weighs `default_weight`. `weighted_avg` averages the roles' rows,
    `concat` keeps a stretch of the row for each role, `max_pool` takes the largest value of each
    dimension among the roles that weigh anything.

    Examples
    --------
    >>> WeightedEmbeddingConfig({"user": 1.5, "assistant": 1.0}).weight_of("system")
    1.0
    """

    weights: Mapping[str, float] = field(default_factory=lambda: {"user": 1.5, "assistant": 1.0})
    aggregation: PartsAggregation = "weighted_avg"
    default_weight: float = 1.0

    def __post_init__(self) -> None:
        name = canonical(self.aggregation, AGGREGATION_ALIASES)
        if name not in PARTS_AGGREGATIONS:
            allowed = ", ".join(map(repr, PARTS_AGGREGATIONS))
            raise ConfigError(f"aggregation: {self.aggregation!r} does not combine roles; use one of {allowed}.")
        object.__setattr__(self, "aggregation", name)
        check_weights([*self.weights.values(), self.default_weight], len(self.weights) + 1)

    def weight_of(self, role: str) -> float:
        """Weight of a role; `default_weight` where it is not listed."""
        return float(self.weights.get(role, self.default_weight))
