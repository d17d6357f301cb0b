"""The seam between embedding and storage: what a place that keeps rows must offer.

`storage.sqlite_embedding_store` implements it; stages that need a store take this protocol.
Guide 003, "Dual storage pattern": chunk rows 0, 1, ... and the aggregate as ``chunk_index = -1``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

AGGREGATE_INDEX = -1


@dataclasses.dataclass(frozen=True, eq=False)
class FieldEmbedding:
    """Everything kept of one field of one document: its chunk rows and their aggregate.

    `chunks` is (k, d) float32, `aggregate` (d,) float32. `config_hash` tells configurations of one
    model apart and `text_hashes` are the SHA-256 of the k chunk texts; with both, a row can be found
    again by its text, whichever document it came from.
    """

    node_id: str
    field: str
    model: str
    chunks: NDArray[np.float32]
    aggregate: NDArray[np.float32]
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    config_hash: str = ""
    text_hashes: tuple[str, ...] = ()


class EmbeddingStore(Protocol):
    """Keeps chunk rows and their aggregate by node, field and model."""

    def save_chunked_embeddings(
        self,
        node_id: str,
        field: str,
        model: str,
        chunk_embeddings: Sequence[NDArray[np.float32]],
        aggregated_embedding: NDArray[np.float32],
        metadata: Mapping[str, Any] | None = None,
    ) -> None: ...

    def load_field_embedding(self, node_id: str, field: str, model: str) -> NDArray[np.float32] | None: ...

    def load_field_embeddings(
        self, node_ids: Sequence[str], field: str, model: str
    ) -> dict[str, NDArray[np.float32]]: ...

    def load_chunk_embeddings(self, node_id: str, field: str, model: str) -> list[NDArray[np.float32]]: ...

    def get_metadata(self, node_id: str, field: str, model: str) -> dict[str, Any] | None: ...

    def has_embedding(self, node_id: str, field: str, model: str) -> bool: ...

    def save_many(self, records: Iterable[FieldEmbedding]) -> None:
        """All of the records, or none."""

    def load_metadata(self, node_ids: Sequence[str], field: str, model: str) -> dict[str, dict[str, Any]]: ...

    def load_text_embeddings(
        self, model: str, config_hash: str, text_hashes: Sequence[str]
    ) -> dict[str, NDArray[np.float32]]:
        """Rows of chunk texts that are known under this model and configuration, by text hash."""
