"""The columns that are compared: one per similarity component, aligned with the node ids.

Enters: embedded rows, sets or numbers. Leaves: `ComponentColumn`, the only form that pair scoring,
all-pairs search and explanations read. Guide 000, "Component Types".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.types import Rows


@dataclass(frozen=True, eq=False)
class VectorColumn:
    """Cosine of L2-normalised rows; `rows` is (n, d) float32, CSR or dense, zero where missing."""

    name: str
    weight: float
    min_similarity: float | None
    rows: Rows
    missing: NDArray[np.bool_]
    metric: Literal["cosine"] = "cosine"


@dataclass(frozen=True, eq=False)
class SetColumn:
    """Overlap of item sets; `items` is a binary (n, n_items) CSR with sorted indices, `labels` names its columns."""

    name: str
    weight: float
    min_similarity: float | None
    metric: Literal["jaccard", "dice", "overlap"]
    items: sp.csr_matrix
    labels: tuple[str, ...]
    missing: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class CodeColumn:
    """Equality of whole values; `codes` is (n,) int64, equal where the values are, -1 where missing."""

    name: str
    weight: float
    min_similarity: float | None
    codes: NDArray[np.int64]
    labels: tuple[str, ...]
    missing: NDArray[np.bool_]
    metric: Literal["exact"] = "exact"


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """Closeness exp(-d^2 / 2 scale^2); `values` is (n,) float64, NaN where missing."""

    name: str
    weight: float
    min_similarity: float | None
    values: NDArray[np.float64]
    scale: float
    missing: NDArray[np.bool_]
    metric: Literal["numeric"] = "numeric"


ComponentColumn: TypeAlias = VectorColumn | SetColumn | CodeColumn | NumberColumn
"""`weight` is normalised: the weights of all columns of a pipeline sum to 1."""
