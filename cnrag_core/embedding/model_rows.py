"""Rows of a model for many texts: each distinct text once, and never again while a store remembers it.

Enters: cut texts, a provider, perhaps a store. Leaves: dense rows. Guide 003, "Dual storage pattern".
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cnrag_core.embedding.aggregation import EmbeddingAggregator
from cnrag_core.embedding.parts import CutPart
from cnrag_core.embedding.provider import EmbeddingProvider
from cnrag_core.embedding.rows import normalize_rows
from cnrag_core.embedding.store import EmbeddingStore, FieldEmbedding
from cnrag_core.errors import EmbeddingError, ResourceLimitError
from cnrag_core.types import Rows

GROUP_SIZE = 128
"""New texts between two writes to the store; what was written is never embedded again."""

MAX_ROWS_BYTES = 4_000_000_000


def text_hash(text: str) -> str:
    """SHA-256 of a text, under which its row is known."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def config_hash(provider: EmbeddingProvider) -> str:
    """SHA-256 of a provider's configuration in canonical form."""
    canonical = json.dumps(provider.get_model_config(), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(canonical.encode("utf-8")).hexdigest()


def check_rows_fit(n_rows: int, dimension: int) -> None:
    """Refuse dense rows that would take more than 4 GB.

    Raises
    ------
    ResourceLimitError
        With both numbers.
    """
    n_bytes = n_rows * dimension * 4
    if n_bytes > MAX_ROWS_BYTES:
        raise ResourceLimitError(
            f"{n_rows:,} rows of {dimension:,} numbers would take {n_bytes / 1e9:.1f} GB, "
            f"the limit is {MAX_ROWS_BYTES / 1e9:.0f} GB; choose another aggregation than 'concat', or larger chunks."
        )


def embed_with_model(
    cuts: Sequence[CutPart],
    node_ids: Sequence[str],
    provider: EmbeddingProvider,
    store: EmbeddingStore | None,
    progress: Callable[[float], None],
) -> tuple[list[Rows], int]:
    """Rows of all texts, part by part, and how many texts were sent to the model.

    New texts are embedded in groups, sorted by hash so that a group's batches do not depend on the
    order of the documents. With a store, each group's documents are written in one transaction:
    an interruption keeps all groups before it and nothing of its own.

    Returns
    -------
    rows
        One (n_texts, d) float32 array a part, L2-normalised.
    n_embedded
        Texts that were neither repeated nor in the store.

    Raises
    ------
    EmbeddingError
        If the provider fails, or its rows do not fit the stored ones.
    """
    hashes = [[tuple(map(text_hash, texts)) for texts in cut.chunks] for cut in cuts]
    distinct = dict.fromkeys(key for part in hashes for keys in part for key in keys)
    embedder = _GroupEmbedder(provider, store)
    embedder.recall(list(distinct))
    n_new = len(distinct) - len(embedder.row_of)
    for cut, part_hashes in zip(cuts, hashes, strict=True):
        embedder.begin(cut, node_ids)
        for number, keys in enumerate(part_hashes):
            embedder.add(number, keys)
            if len(embedder.new) >= GROUP_SIZE:
                embedder.flush()
                progress(embedder.n_embedded / n_new)
        embedder.flush()
    dimension = len(next(iter(embedder.row_of.values()))) if embedder.row_of else provider.get_dimension()
    check_rows_fit(sum(len(cut.owner) for cut in cuts), dimension)
    rows: list[Rows] = []
    for part_hashes in hashes:
        found = [embedder.row_of[key] for keys in part_hashes for key in keys]
        rows.append(np.vstack(found) if found else np.zeros((0, dimension), dtype=np.float32))
    return rows, embedder.n_embedded


class _GroupEmbedder:
    """Collects documents until enough of their texts are new, then embeds and stores them together."""

    def __init__(self, provider: EmbeddingProvider, store: EmbeddingStore | None) -> None:
        self._provider = provider
        self._store = store
        self._model = provider.get_model_name()
        self._config_hash = config_hash(provider)
        self.row_of: dict[str, NDArray[np.float32]] = {}
        self.new: dict[str, str] = {}
        self.n_embedded = 0

    def recall(self, keys: Sequence[str]) -> None:
        """Take the rows that the store knows."""
        if self._store is not None:
            self.row_of = self._store.load_text_embeddings(self._model, self._config_hash, keys)

    def begin(self, cut: CutPart, node_ids: Sequence[str]) -> None:
        """Start with a part of all documents."""
        self._cut, self._node_ids = cut, node_ids
        self._waiting: list[tuple[int, tuple[str, ...]]] = []
        self._stored: Mapping[str, Mapping[str, Any]] = {}
        if self._store is not None:
            self._stored = self._store.load_metadata(node_ids, cut.part.key, self._model)

    def add(self, number: int, keys: tuple[str, ...]) -> None:
        """Note what is new among the texts of document `number`."""
        for key, text in zip(keys, self._cut.chunks[number], strict=True):
            if key not in self.row_of:
                self.new[key] = text
        self._waiting.append((number, keys))

    def flush(self) -> None:
        """Embed what is new and store the documents that waited for it."""
        if self.new:
            keys = sorted(self.new)
            rows = self._provider.embed([self.new[key] for key in keys])
            self._remember(keys, rows)
            self.n_embedded += len(keys)
            self.new = {}
        if self._store is not None:
            changed = [record for number, keys in self._waiting if (record := self._record(number, keys)) is not None]
            if changed:
                self._store.save_many(changed)
        self._waiting = []

    def _remember(self, keys: Sequence[str], rows: NDArray[np.float32]) -> None:
        known = next(iter(self.row_of.values()), None)
        if rows.ndim != 2 or len(rows) != len(keys):
            raise EmbeddingError(f"{self._model} gave rows of shape {rows.shape} for {len(keys)} texts.")
        if known is not None and rows.shape[1] != len(known):
            raise EmbeddingError(
                f"{self._model} gives rows of {rows.shape[1]} numbers, but earlier ones have {len(known)}; "
                "the model behind this name has changed: give it a new name, or a new store."
            )
        self.row_of.update(zip(keys, np.asarray(normalize_rows(rows)), strict=True))

    def _record(self, number: int, keys: tuple[str, ...]) -> FieldEmbedding | None:
        """What is to be stored of a document; None if it has no text or is stored already."""
        part, node_id = self._cut.part, self._node_ids[number]
        if not keys:
            return None
        metadata = {
            "aggregation": part.aggregation,
            "decay_from": part.decay_from,
            "chunking": self._cut.strategy.model_dump() if self._cut.strategy and len(keys) > 1 else None,
            "num_chunks": len(keys),
            "text_sha256": text_hash("\n".join(keys)),
            "config_sha256": self._config_hash,
        }
        if self._stored.get(node_id) == metadata:
            return None
        chunks = np.vstack([self.row_of[key] for key in keys])
        aggregate = EmbeddingAggregator().aggregate(chunks, part.aggregation, decay_from=part.decay_from)
        return FieldEmbedding(
            node_id, part.key, self._model, chunks, aggregate, metadata, self._config_hash, tuple(keys)
        )
