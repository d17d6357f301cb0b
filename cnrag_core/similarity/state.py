"""Columns and a plan as named arrays and plain facts: for files that are mapped, and for one digest of it all.

Enters: columns, or a `SearchState`. Leaves: the same from a folder of ``.npy`` files whose pages are shared
by every process of a machine; and the digest that tells whether two searches compare the same.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.similarity.bounds import BoundPlan
from cnrag_core.similarity.components import (
    CodeColumn,
    ComponentColumn,
    NumberColumn,
    SetColumn,
    VectorColumn,
    sorted_csr,
)

HASHED_AT_ONCE = 1 << 24

Arrays = dict[str, NDArray[Any]]
Facts = dict[str, Any]


@dataclass(eq=False)
class SearchState:
    """What every tile of one search reads and none changes.

    Attributes
    ----------
    columns
        What pairs are scored on.
    plan
        Made of the columns.
    stopped
        Set where nobody waits for the tiles any more; of this process only.
    """

    columns: tuple[ComponentColumn, ...]
    plan: BoundPlan
    stopped: threading.Event = field(default_factory=threading.Event)

    def __reduce__(self) -> tuple[Any, ...]:
        return SearchState, (self.columns, self.plan)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays, each counted once."""
        arrays = [*_of_columns(self.columns)[1].values(), *_of_plan(self.plan)[1].values()]
        return sum({id(array): array.nbytes for array in arrays}.values())


def digest_of(columns: Sequence[ComponentColumn]) -> str:
    """32 hexadecimal digits; the same for two searches that find the same pairs with the same weights.

    The labels of sets and codes do not enter: they name what is compared and change no number.
    """
    facts, arrays = _of_columns(columns)
    digest = hashlib.blake2b(json.dumps(facts, sort_keys=True).encode(), digest_size=16)
    for name, array in sorted(arrays.items()):
        array = np.ascontiguousarray(array)
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        flat = array.reshape(-1).view(np.uint8)
        for start in range(0, len(flat), HASHED_AT_ONCE):
            digest.update(flat[start : start + HASHED_AT_ONCE].data)
    return digest.hexdigest()


def write_state(state: SearchState, folder: Path) -> None:
    """Write a state into an empty folder; the facts come last, so that a folder with them is whole."""
    columns, of_columns = _of_columns(state.columns)
    plan, of_plan = _of_plan(state.plan)
    for name, array in {**of_columns, **of_plan}.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)
    (folder / "state.json").write_text(json.dumps({"columns": columns, "plan": plan}), encoding="utf-8")


def open_state(folder: Path) -> SearchState:
    """Map a written state into memory: pages are read when they are looked at and shared between processes."""
    facts = json.loads((folder / "state.json").read_text(encoding="utf-8"))

    def mapped(name: str) -> NDArray[Any]:
        path = folder / f"{name}.npy"
        # Copy on write instead of read only: the loops are compiled for arrays that may be written to.
        return np.asarray(np.load(path, mmap_mode="c", allow_pickle=False))

    columns = tuple(_column_of(number, about, mapped) for number, about in enumerate(facts["columns"]))
    return SearchState(columns, _plan_of(facts["plan"], mapped))


def _of_columns(columns: Sequence[ComponentColumn]) -> tuple[list[Facts], Arrays]:
    facts, arrays = [], {}
    for number, column in enumerate(columns):
        about, parts = _of_column(column)
        facts.append(about)
        arrays.update({f"column-{number}-{name}": array for name, array in parts.items()})
    return facts, arrays


def _of_column(column: ComponentColumn) -> tuple[Facts, Arrays]:
    about: Facts = {
        "kind": type(column).__name__,
        "name": column.name,
        "weight": float(column.weight),
        "min_similarity": column.min_similarity,
        "metric": column.metric,
    }
    arrays: Arrays = {"missing": column.missing}
    matrix: Any = None
    if isinstance(column, VectorColumn):
        matrix = column.rows
    elif isinstance(column, SetColumn):
        matrix = column.items
    elif isinstance(column, CodeColumn):
        arrays["codes"] = column.codes
    else:
        about["scale"] = float(column.scale)
        arrays["values"] = column.values
    if isinstance(matrix, np.ndarray):
        arrays["dense"] = matrix
    elif matrix is not None:
        matrix = sorted_csr(matrix)
        about["shape"] = [int(size) for size in matrix.shape]
        arrays |= {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}
    return about, arrays


def _column_of(number: int, about: Facts, array: Any) -> ComponentColumn:
    def part(name: str) -> NDArray[Any]:
        found: NDArray[Any] = array(f"column-{number}-{name}")
        return found

    def matrix() -> Any:
        if "shape" not in about:
            return part("dense")
        rows = sp.csr_matrix((part("data"), part("indices"), part("indptr")), shape=tuple(about["shape"]), copy=False)
        rows.has_sorted_indices = rows.has_canonical_format = True  # as written; finding out would read it all
        return rows

    name, weight, least, missing = about["name"], about["weight"], about["min_similarity"], part("missing")
    if about["kind"] == "VectorColumn":
        return VectorColumn(name, weight, least, matrix(), missing)
    if about["kind"] == "SetColumn":
        return SetColumn(name, weight, least, about["metric"], matrix(), (), missing)
    if about["kind"] == "CodeColumn":
        return CodeColumn(name, weight, least, part("codes"), (), missing)
    return NumberColumn(name, weight, least, part("values"), about["scale"], missing)


def _of_plan(plan: BoundPlan) -> tuple[Facts, Arrays]:
    about: Facts = {"n_dense": len(plan.dense), "one_array": plan.index_values is plan.query_values}
    arrays: Arrays = {f"plan-dense-{number}": matrix for number, matrix in enumerate(plan.dense)}
    for name, value in _plain_fields(plan):
        if not isinstance(value, np.ndarray):
            about[name] = value
        elif name != "index_values" or not about["one_array"]:
            arrays[f"plan-{name}"] = value
    return about, arrays


def _plan_of(about: Mapping[str, Any], array: Any) -> BoundPlan:
    parts: Facts = {"dense": tuple(array(f"plan-dense-{number}") for number in range(about["n_dense"]))}
    for part in fields(BoundPlan):
        if part.name in about:
            parts[part.name] = about[part.name]
        elif part.name == "index_values" and about["one_array"]:
            parts[part.name] = parts["query_values"]
        elif part.name != "dense":
            parts[part.name] = array(f"plan-{part.name}")
    return BoundPlan(**parts)


def _plain_fields(plan: BoundPlan) -> Iterator[tuple[str, Any]]:
    return ((part.name, getattr(plan, part.name)) for part in fields(plan) if part.name != "dense")
