"""The seam between embedding and storage: what a place that keeps rows must offer.

`storage.sqlite_embedding_store` implements it; stages that need a store take this protocol.
Guide 003, "Dual storage pattern": chunk rows 0, 1, ... and the aggregate as ``chunk_index = -1``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

AGGREGATE_INDEX = -1


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
