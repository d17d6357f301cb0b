"""Why two documents are similar: every component's raw value, weight and contribution.

Enters: node ids and columns. Leaves: scores and `PairExplanation`. The contributions, added up in order,
are the edge weight to the last bit, because the weight is defined as that sum. Guide 000, "The Solution:
Field-Level Similarity".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.errors import UnknownNameError
from cnrag_core.similarity.components import (
    VALUE_SEPARATOR,
    CodeColumn,
    ComponentColumn,
    SetColumn,
    VectorColumn,
    n_rows,
)
from cnrag_core.similarity.scoring import TIE_TOLERANCE, counted, raw_similarity, score_pairs

Status: TypeAlias = Literal["ok", "missing", "below_minimum"]

N_SHARED = 10
"""Most shared terms named for one component, largest part first."""


@dataclass(frozen=True)
class Contribution:
    """What one component adds to a combined similarity.

    Attributes
    ----------
    name, metric
        The component and how it compares (cosine, jaccard, ...).
    raw
        What the comparison found; a cosine may be negative. 0 where either side is missing.
    similarity
        What of it counts: nothing negative, nothing below the component's own minimum.
    weight
        Share of the component; the shares of all components sum to 1.
    contribution
        weight x similarity.
    status
        ``missing`` where a document has nothing to compare, ``below_minimum`` where the component stays
        below its own minimum.
    shared
        Terms, items or the value in common, the largest part first.
    """

    name: str
    metric: str
    raw: float
    similarity: float
    weight: float
    contribution: float
    status: Status
    shared: tuple[str, ...] = ()


@dataclass(frozen=True)
class PairExplanation:
    """Two documents, their combined similarity and where it comes from.

    `similarity` is the sum of the contributions in their order, and the weight of their edge.
    """

    a: str
    b: str
    similarity: float
    contributions: tuple[Contribution, ...]


class StructuredSimilarity:
    """Combined similarity of any two documents, field by field.

    Parameters
    ----------
    node_ids
        Ids of the documents, row by row of the columns.
    columns
        One per component.
    term_names
        Names of the dimensions of an embedding component, by component name, where its dimensions are
        terms; without them its explanation names no shared terms.
    """

    def __init__(
        self,
        node_ids: Sequence[str],
        columns: Sequence[ComponentColumn],
        *,
        term_names: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        if len(node_ids) != n_rows(columns):
            raise ValueError(f"{n_rows(columns)} rows were given for {len(node_ids)} node ids.")
        self.node_ids = tuple(node_ids)
        self.columns = tuple(columns)
        self.term_names = dict(term_names or {})

    @cached_property
    def _number_of(self) -> dict[str, int]:
        return {node_id: number for number, node_id in enumerate(self.node_ids)}

    def compute(self, a: str, b: str) -> float:
        """Combined similarity of two documents, in [0, 1].

        Raises
        ------
        UnknownNameError
            If there is no document of one of the ids.
        """
        left, right = self._rows_of(a, b)
        return float(score_pairs(self.columns, left, right)[0])

    def explain(self, a: str, b: str) -> PairExplanation:
        """Every component's part in the combined similarity of two documents.

        Raises
        ------
        UnknownNameError
            If there is no document of one of the ids.
        """
        left, right = self._rows_of(a, b)
        parts = tuple(self._contribution(column, left, right) for column in self.columns)
        similarity = 0.0
        for part in parts:  # in order, as scores are added up
            similarity += part.contribution
        return PairExplanation(a, b, similarity, parts)

    def score_pairs(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Combined similarity of listed pairs of node numbers: (n_pairs,) float64 in [0, 1]."""
        return score_pairs(self.columns, np.asarray(left, dtype=np.int64), np.asarray(right, dtype=np.int64))

    def _rows_of(self, a: str, b: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        for node_id in (a, b):
            if node_id not in self._number_of:
                raise UnknownNameError(f"There is no document {node_id!r} to compare.")
        return np.array([self._number_of[a]]), np.array([self._number_of[b]])

    def _contribution(self, column: ComponentColumn, left: NDArray[np.int64], right: NDArray[np.int64]) -> Contribution:
        raw = raw_similarity(column, left, right)
        similarity = counted(column, raw)
        status: Status = "ok"
        if column.missing[left[0]] or column.missing[right[0]]:
            status = "missing"
        elif column.min_similarity is not None and raw[0] < column.min_similarity - TIE_TOLERANCE:
            status = "below_minimum"
        shared = () if status == "missing" else self._shared(column, int(left[0]), int(right[0]))
        return Contribution(
            column.name, column.metric, float(raw[0]), float(similarity[0]), column.weight,
            float(column.weight * similarity[0]), status, shared,
        )  # fmt: skip

    def _shared(self, column: ComponentColumn, a: int, b: int) -> tuple[str, ...]:
        if isinstance(column, VectorColumn):
            return shared_terms(column, self.term_names.get(column.name, ()), a, b)
        if isinstance(column, SetColumn):
            both = np.intersect1d(column.items[a].indices, column.items[b].indices)
            return tuple(column.labels[item] for item in both.tolist())
        if isinstance(column, CodeColumn) and column.codes[a] == column.codes[b]:
            return tuple(column.labels[column.codes[a]].split(VALUE_SEPARATOR))
        return ()


def shared_terms(column: VectorColumn, names: Sequence[str], a: int, b: int) -> tuple[str, ...]:
    """The terms with the largest products, at most `N_SHARED`; ties in alphabetical order.

    Where the dimension is a multiple of the number of names (several fields side by side in one
    vocabulary), the parts of a term are added up.
    """
    dimension = column.rows.shape[1]
    if not len(names) or not sp.issparse(column.rows) or dimension % len(names):
        return ()
    product = column.rows[a].multiply(column.rows[b]).tocoo()
    parts = np.bincount(product.coords[-1] % len(names), weights=product.data, minlength=len(names))
    terms = sorted((-parts[term], names[term]) for term in np.flatnonzero(parts > 0).tolist())
    return tuple(name for _, name in terms[:N_SHARED])
