"""Random columns of every kind, and the edge rules written out plainly as an oracle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.config.spec import EdgeRule
from cnrag_core.similarity.components import (
    CodeColumn,
    ComponentColumn,
    NumberColumn,
    SetColumn,
    VectorColumn,
    sorted_csr,
)
from cnrag_core.similarity.scoring import score_pairs

KINDS = ("text", "signed", "dense", "jaccard", "dice", "overlap", "wide_overlap", "codes", "many_codes", "numbers")


def random_columns(
    rng: np.random.Generator, n: int, kinds: Sequence[str] = KINDS, *, minimums: bool = True
) -> tuple[ComponentColumn, ...]:
    """One column of each kind with random weights; some documents are missing, some equal, some have minimums."""
    weights = rng.random(len(kinds)) + 0.05
    weights /= weights.sum()
    columns = []
    for kind, weight in zip(kinds, weights.tolist(), strict=True):
        least = float(rng.choice([0.1, 0.3, 0.5])) if minimums and rng.random() < 0.3 else None
        columns.append(replace(one_column(rng, n, kind), weight=weight, min_similarity=least))
    return repeat_some(rng, n, columns)


def one_column(rng: np.random.Generator, n: int, kind: str) -> ComponentColumn:
    if kind in ("text", "signed"):
        rows = unit_csr(rng, n, 60, 5.0)
        if kind == "signed":
            rows.data *= rng.choice([-1.0, 1.0], len(rows.data)).astype(np.float32)
        return VectorColumn(kind, 1.0, None, rows, np.diff(rows.indptr) == 0)
    if kind == "dense":
        missing = rng.random(n) < 0.1
        vectors = rng.standard_normal((n, 13)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors[missing] = 0.0
        return VectorColumn(kind, 1.0, None, vectors, missing)
    if kind in ("jaccard", "dice", "overlap", "wide_overlap"):
        size = 40 if kind == "wide_overlap" else 12
        items = sorted_csr(sp.csr_matrix((rng.random((n, size)) < 0.15).astype(np.float32)))
        metric = "overlap" if kind == "wide_overlap" else kind
        return SetColumn(kind, 1.0, None, metric, items, tuple(map(str, range(size))), np.diff(items.indptr) == 0)
    if kind in ("codes", "many_codes"):
        size = 4 if kind == "codes" else 200
        codes = rng.integers(-1, size, n)
        return CodeColumn(kind, 1.0, None, codes, tuple(map(str, range(size))), codes < 0)
    values = np.round(rng.normal(2000.0, 10.0, n), int(rng.integers(0, 3)))
    values[rng.random(n) < 0.1] = np.nan
    return NumberColumn(kind, 1.0, None, values, float(rng.choice([0.5, 3.0, 20.0])), np.isnan(values))


def unit_csr(rng: np.random.Generator, n: int, dimension: int, mean_length: float) -> sp.csr_matrix:
    """L2-normalised rows of positive values whose terms follow a steep law; about one in twenty is empty."""
    chance = 1.0 / np.arange(1, dimension + 1)
    chance *= mean_length / chance.sum()
    present = (rng.random((n, dimension)) < chance) & (rng.random((n, 1)) > 0.05)
    values = np.where(present, rng.random((n, dimension)) + 0.1, 0.0)
    length = np.linalg.norm(values, axis=1, keepdims=True)
    values = np.divide(values, length, out=values, where=length > 0)
    return sorted_csr(sp.csr_matrix(values.astype(np.float32)))


def repeat_some(rng: np.random.Generator, n: int, columns: Sequence[ComponentColumn]) -> tuple[ComponentColumn, ...]:
    """Make a few documents copies of others, so that exact ties are common."""
    from cnrag_core.similarity.components import take_rows

    source = np.arange(n)
    if n > 3:
        copies = rng.integers(0, n, n // 4)
        source[copies] = rng.integers(0, n, len(copies))
    return take_rows(columns, source)


def score_matrix(columns: Sequence[ComponentColumn], n: int) -> NDArray[np.float64]:
    """(n, n) symmetric float64 combined similarities, zero on the diagonal."""
    left, right = (part.astype(np.int64) for part in np.triu_indices(n, 1))
    matrix = np.zeros((n, n))
    matrix[left, right] = score_pairs(columns, left, right)
    return matrix + matrix.T


def edges_of_rule(scores: NDArray[np.float64], rule: EdgeRule) -> list[tuple[int, int, float]]:
    """What a rule keeps, by its words: slow, plain, and sorted as graph edges are."""
    n = len(scores)
    pairs = sorted((-float(scores[a, b]), a, b) for a in range(n) for b in range(a + 1, n) if scores[a, b] > 0)
    if rule.by_density:
        chosen = set(pairs[: int((rule.density or 0.0) * (n * (n - 1) // 2) + 0.5)])
        for node in range(n):
            chosen |= set([pair for pair in pairs if node in pair[1:]][: rule.min_neighbors or 0])
        pairs = sorted(chosen)
    pairs = [pair for pair in pairs if -pair[0] >= (rule.min_similarity or 0.0) - 1e-9]
    if rule.max_per_node is not None:
        strongest = [set([p for p in pairs if node in p[1:]][: rule.max_per_node]) for node in range(n)]
        pairs = [pair for pair in pairs if pair in strongest[pair[1]] and pair in strongest[pair[2]]]
    return [(a, b, -weight) for weight, a, b in pairs]
