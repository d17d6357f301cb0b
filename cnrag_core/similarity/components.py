"""The columns that are compared: one per similarity component, aligned with the node ids.

Enters: embedded rows, sets or numbers. Leaves: `ComponentColumn`, the only form that pair scoring,
all-pairs search and explanations read. Guide 000, "Component Types".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.config.spec import AttributeSimilarityComponent, PipelineConfig
from cnrag_core.corpus.document import Document
from cnrag_core.errors import EmbeddingError
from cnrag_core.types import Rows

VALUE_SEPARATOR = "\x1f"
"""Between the items in the label of a code, so that ["a", "b"] and ["a, b"] have different labels."""

NORM_TOLERANCE = 1e-3
"""How far the length of an embedded row may be from 1 (or from 0, where there is nothing) in float32."""


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
    """Equality of whole values; `codes` is (n,) int64, equal where the values are, -1 where missing.

    A value of several items is labelled by all of them, joined with `VALUE_SEPARATOR`.
    """

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


class EmbeddedRows(Protocol):
    """What a column needs of an embedded component: its rows and which of them are missing."""

    @property
    def rows(self) -> Rows: ...

    @property
    def missing(self) -> NDArray[np.bool_]: ...


def build_columns(
    documents: Sequence[Document], config: PipelineConfig, embedded: Mapping[str, EmbeddedRows]
) -> tuple[ComponentColumn, ...]:
    """One column per component, in the order of the configuration, row i for document i.

    Parameters
    ----------
    documents
        In node order.
    config
        Its components and their weights, which are normalised to sum to 1.
    embedded
        Rows of every embedding component, by component name, aligned with `documents`.

    Raises
    ------
    EmbeddingError
        If a component has no rows, too many or too few, or rows that are not finite and L2-normalised.
    """
    weights = _shares([component.weight for component in config.components])
    return tuple(
        _attribute_column(documents, component, weight)
        if isinstance(component, AttributeSimilarityComponent)
        else _vector_column(component.name, weight, component.min_similarity, embedded, len(documents))
        for component, weight in zip(config.components, weights, strict=True)
    )


def n_rows(columns: Sequence[ComponentColumn]) -> int:
    """How many documents the columns describe."""
    return len(columns[0].missing) if columns else 0


def take_rows(columns: Sequence[ComponentColumn], index: NDArray[np.int64]) -> tuple[ComponentColumn, ...]:
    """The columns with the rows of `index`, in its order: a subset, or the same documents renumbered."""
    return tuple(_take(column, index) for column in columns)


def concat_columns(first: Sequence[ComponentColumn], second: Sequence[ComponentColumn]) -> tuple[ComponentColumn, ...]:
    """The rows of two sets of columns, one below the other; both must come from the same configuration.

    Set items and codes are matched by their labels, so that the second part may have been made from new
    documents alone; embedded rows must share a vocabulary.

    Raises
    ------
    EmbeddingError
        If the embedded rows of a component differ in dimension.
    """
    return tuple(_concat(a, b) for a, b in zip(first, second, strict=True))


def sorted_csr(matrix: sp.csr_matrix) -> sp.csr_matrix:
    """The matrix as CSR with sorted indices and without repeats; the given one is never changed."""
    if not sp.issparse(matrix) or matrix.format != "csr":
        matrix = sp.csr_matrix(matrix)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _shares(weights: Sequence[float]) -> list[float]:
    """Weights divided by their sum, nudged so that adding them up in order never exceeds 1.

    A combined similarity is such a sum with every term scaled down, so it never exceeds 1 either.
    """
    total = sum(weights)
    shares = [weight / total for weight in weights]
    largest = max(range(len(shares)), key=shares.__getitem__)
    while _added_up(shares) > 1.0:
        shares[largest] = float(np.nextafter(shares[largest], 0.0))
    return shares


def _added_up(numbers: Sequence[float]) -> float:
    """The plain left-to-right sum; `sum` compensates rounding on newer Pythons, array addition does not."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def _vector_column(
    name: str, weight: float, min_similarity: float | None, embedded: Mapping[str, EmbeddedRows], n: int
) -> VectorColumn:
    if name not in embedded:
        raise EmbeddingError(f"Component {name!r} compares embeddings, but no rows were given for it.")
    rows, missing = embedded[name].rows, np.asarray(embedded[name].missing, dtype=bool)
    if rows.shape[0] != n or len(missing) != n:
        raise EmbeddingError(f"Component {name!r}: {rows.shape[0]:,} rows were given for {n:,} documents.")
    if sp.issparse(rows):
        rows = sorted_csr(rows).astype(np.float32, copy=False)
        lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64)).reshape(-1)
    else:
        rows = np.ascontiguousarray(rows, dtype=np.float32)
        lengths = np.linalg.norm(rows, axis=1).astype(np.float64)
    wrong = np.flatnonzero(~((np.abs(lengths - 1.0) <= NORM_TOLERANCE) | (lengths <= NORM_TOLERANCE)))
    if len(wrong):
        row = int(wrong[0])
        found = f"length {lengths[row]:.3g}" if np.isfinite(lengths[row]) else "a value that is not a finite number"
        raise EmbeddingError(
            f"Component {name!r}: row {row + 1} has {found}; rows must be L2-normalised, "
            "or zero where there is nothing."
        )
    return VectorColumn(name, weight, min_similarity, rows, missing)


def _attribute_column(
    documents: Sequence[Document], component: AttributeSimilarityComponent, weight: float
) -> ComponentColumn:
    name, least, field = component.name, component.min_similarity, component.field
    if component.metric == "numeric":
        numbers = [document.number(field) for document in documents]
        values = np.array([np.nan if number is None else number for number in numbers], dtype=np.float64)
        assert component.scale is not None  # the specification refuses `numeric` without it
        return NumberColumn(name, weight, least, values, component.scale, np.isnan(values))
    items = [document.items(field) for document in documents]
    missing = np.array([not found for found in items], dtype=bool)
    if component.metric == "exact":
        keys = [tuple(sorted(found)) for found in items]
        known = sorted(set(filter(None, keys)))
        number_of = {key: number for number, key in enumerate(known)}
        codes = np.array([number_of.get(key, -1) for key in keys], dtype=np.int64)
        return CodeColumn(name, weight, least, codes, tuple(map(VALUE_SEPARATOR.join, known)), missing)
    labels = tuple(sorted({item for found in items for item in found}))
    return SetColumn(name, weight, least, component.metric, _item_matrix(items, labels), labels, missing)


def _item_matrix(items: Sequence[Sequence[str]], labels: Sequence[str]) -> sp.csr_matrix:
    """Binary (n, n_items) float32 CSR with sorted indices."""
    number_of = {label: number for number, label in enumerate(labels)}
    indptr = np.cumsum([0, *map(len, items)], dtype=np.int32)
    indices = np.array([number for found in items for number in sorted(map(number_of.__getitem__, found))], np.int32)
    data = np.ones(len(indices), dtype=np.float32)
    return sp.csr_matrix((data, indices, indptr), shape=(len(items), len(labels)))


def _take(column: ComponentColumn, index: NDArray[np.int64]) -> ComponentColumn:
    missing = column.missing[index]
    if isinstance(column, VectorColumn):
        return replace(column, rows=column.rows[index], missing=missing)
    if isinstance(column, SetColumn):
        return replace(column, items=column.items[index], missing=missing)
    if isinstance(column, CodeColumn):
        return replace(column, codes=column.codes[index], missing=missing)
    return replace(column, values=column.values[index], missing=missing)


def _concat(a: ComponentColumn, b: ComponentColumn) -> ComponentColumn:
    missing = np.concatenate([a.missing, b.missing])
    if isinstance(a, VectorColumn) and isinstance(b, VectorColumn):
        if a.rows.shape[1] != b.rows.shape[1]:
            raise EmbeddingError(
                f"Component {a.name!r}: rows of dimension {b.rows.shape[1]} cannot join rows of dimension "
                f"{a.rows.shape[1]}; both must come from the same fitted provider."
            )
        rows = sp.vstack([a.rows, b.rows], format="csr") if sp.issparse(a.rows) else np.vstack([a.rows, b.rows])
        return replace(a, rows=rows, missing=missing)
    if isinstance(a, SetColumn) and isinstance(b, SetColumn):
        labels, of_a, of_b = _merged(a.labels, b.labels)
        items = sp.vstack([_relabelled(a.items, of_a, len(labels)), _relabelled(b.items, of_b, len(labels))], "csr")
        return replace(a, items=items, labels=labels, missing=missing)
    if isinstance(a, CodeColumn) and isinstance(b, CodeColumn):
        labels, of_a, of_b = _merged(a.labels, b.labels)
        parts = [_recoded(codes, number) for codes, number in ((a.codes, of_a), (b.codes, of_b))]
        return replace(a, codes=np.concatenate(parts), labels=labels, missing=missing)
    if isinstance(a, NumberColumn) and isinstance(b, NumberColumn):
        return replace(a, values=np.concatenate([a.values, b.values]), missing=missing)
    raise EmbeddingError(f"Component {a.name!r} was compared by {a.metric} and would now be compared by {b.metric}.")


def _merged(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[tuple[str, ...], NDArray[np.int32], NDArray[np.int32]]:
    """Sorted labels of both, and the new number of each old label."""
    labels = tuple(sorted({*a, *b}))
    number_of = {label: number for number, label in enumerate(labels)}
    return labels, np.array([number_of[x] for x in a], np.int32), np.array([number_of[x] for x in b], np.int32)


def _relabelled(items: sp.csr_matrix, number: NDArray[np.int32], n_items: int) -> sp.csr_matrix:
    """The same sets over other column numbers; both label lists are sorted, so indices stay sorted."""
    return sp.csr_matrix((items.data, number[items.indices], items.indptr), shape=(items.shape[0], n_items))


def _recoded(codes: NDArray[np.int64], number: NDArray[np.int32]) -> NDArray[np.int64]:
    if not len(number):
        return codes
    return np.where(codes >= 0, number[codes], -1).astype(np.int64)
