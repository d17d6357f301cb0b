"""From documents to the rows of one similarity component.

Enters: documents and an embedding component of the configuration. Leaves: `EmbeddedComponent`, one
L2-normalised row a document, with the provider that embeds queries and later documents in the same
space. Guide 000, "Component Types"; guide 003, "Three-Layer Design".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.corpus.document import Document
from cnrag_core.embedding.aggregation import aggregate_groups
from cnrag_core.embedding.model_rows import check_rows_fit, embed_with_model
from cnrag_core.embedding.parts import CutPart, EmbeddingComponent, cut_part, parts_of
from cnrag_core.embedding.provider import EmbeddingProvider
from cnrag_core.embedding.rows import freeze_rows, join_columns, normalize_rows, stack_rows, zero_rows
from cnrag_core.embedding.store import EmbeddingStore
from cnrag_core.embedding.tfidf import TFIDFEmbedding
from cnrag_core.types import Progress, Rows, silent

_SHOWN_IDS = 5


@dataclass(frozen=True, eq=False)
class EmbeddedComponent:
    """The rows of one component, and the means to embed more in the same space.

    Attributes
    ----------
    rows
        (n_documents, d) float32, in the order of the documents, write-protected.
    missing
        (n_documents,) bool: nothing to compare, because the field is empty or has no usable word.
    provider
        Fitted; `embed_query` and `embed_documents` use its vocabulary.
    notes
        Sentences for the person: documents without words, chunks made smaller, the script found.
    n_embedded, n_reused
        Texts sent to the model, and texts that were repeated or already in the store.
    slot_scales
        For `concat`: what each stretch of a row was multiplied with, so that queries match it.
    """

    name: str
    component: EmbeddingComponent
    rows: Rows
    missing: NDArray[np.bool_]
    provider: EmbeddingProvider
    notes: tuple[str, ...] = ()
    n_embedded: int = 0
    n_reused: int = 0
    slot_scales: tuple[float, ...] = (1.0,)

    def embed_query(self, text: str) -> Rows:
        """(1, d) row of a question, compared with every stretch of a concatenated row alike."""
        if not text.strip():
            row: Rows = normalize_rows(np.zeros((1, self.provider.get_dimension())))
            if isinstance(self.provider, TFIDFEmbedding):
                row = sp.csr_matrix(row)
        else:
            row = self.provider.embed_rows([text])
        return normalize_rows(join_columns([row * scale for scale in self.slot_scales]))

    def embed_documents(
        self, documents: Sequence[Document], *, store: EmbeddingStore | None = None, progress: Progress = silent
    ) -> tuple[Rows, NDArray[np.bool_]]:
        """Rows and missing flags of further documents under the same vocabulary and idf."""
        added = _embed(documents, self.component, self.provider, store, progress, n_slots=len(self.slot_scales))
        return added.rows, added.missing

    def terms(self) -> list[str] | None:
        """What each column stands for, where columns are words; None for models."""
        if not isinstance(self.provider, TFIDFEmbedding):
            return None
        return self.provider.terms() * len(self.slot_scales)


def make_provider(component: EmbeddingComponent) -> EmbeddingProvider:
    """The provider that a component asks for, not yet fitted.

    Raises
    ------
    EmbeddingError
        If the model's library is not installed, or the model is not on this machine.
    ConfigError
        If the model or the host is not allowed here.
    """
    if component.model == "sentence_bert":
        from cnrag_core.embedding.sentence_transformer import DEFAULT_MODEL, SentenceTransformerEmbedding

        return SentenceTransformerEmbedding(component.model_name or DEFAULT_MODEL)
    if component.model == "ollama":
        from cnrag_core.embedding.ollama import DEFAULT_HOST, OllamaEmbedding
        from cnrag_core.embedding.ollama import DEFAULT_MODEL as OLLAMA_MODEL

        return OllamaEmbedding(component.host or DEFAULT_HOST, component.model_name or OLLAMA_MODEL)
    return TFIDFEmbedding()


def embed_component(
    documents: Sequence[Document],
    component: EmbeddingComponent,
    *,
    provider: EmbeddingProvider | None = None,
    store: EmbeddingStore | None = None,
    progress: Progress = silent,
) -> EmbeddedComponent:
    """Embed the fields of all documents as the component says.

    Equal texts are embedded once, blank texts never. Texts beyond the model's limit are cut into
    sentences, and the chunks aggregated. A composite has one vocabulary for all its fields.

    Parameters
    ----------
    documents
        In the order that the rows will have.
    provider
        Instead of the one that the component names. A `TFIDFEmbedding` that was fitted keeps its
        vocabulary; one that was not is fitted on these documents.
    store
        Keeps rows of models (not of TF-IDF, which is faster than reading them). Rows found there by
        the hash of their text, model and configuration are not embedded again; after an interruption
        only the missing texts are.
    progress
        Called with the step ``embed <name>``.

    Raises
    ------
    EmbeddingError
        If the provider fails or returns unusable rows; what the store holds by then stays.
    ResourceLimitError
        If a document would be cut into too many chunks, or the rows would not fit into memory.
    """
    return _embed(documents, component, provider or make_provider(component), store, progress)


def _embed(
    documents: Sequence[Document],
    component: EmbeddingComponent,
    provider: EmbeddingProvider,
    store: EmbeddingStore | None,
    progress: Progress,
    n_slots: int | None = None,
) -> EmbeddedComponent:
    step = f"embed {component.name}"
    progress(step, 0.0)
    parts, combine = parts_of(component)
    cuts = [cut_part(part, documents, provider) for part in parts]
    n_texts = sum(len(cut.owner) for cut in cuts)
    if isinstance(provider, TFIDFEmbedding):
        chunk_rows: list[Rows] = [*_tfidf_rows(cuts, documents, provider)]
        n_embedded = n_texts
    else:
        node_ids = [document.id for document in documents]
        chunk_rows, n_embedded = embed_with_model(cuts, node_ids, provider, store, lambda share: progress(step, share))
    # chunks side by side need as many places as the longest document has chunks, now and for later documents
    in_places = len(parts) == 1 and parts[0].aggregation == "concat"
    n_slots = (n_slots or max(1, cuts[0].most_chunks)) if in_places else 1
    part_rows = [_one_row_a_document(cut, rows, n_slots) for cut, rows in zip(cuts, chunk_rows, strict=True)]
    rows, slot_scales = _combine(part_rows, [part.weight for part in parts], combine)
    missing = zero_rows(rows)
    missing.flags.writeable = False
    progress(step, 1.0)
    return EmbeddedComponent(
        name=component.name,
        component=component,
        rows=freeze_rows(rows),
        missing=missing,
        provider=provider,
        notes=tuple(_notes(component, provider, documents, missing, cuts)),
        n_embedded=n_embedded,
        n_reused=n_texts - n_embedded,
        slot_scales=(1.0,) * n_slots if in_places else slot_scales,
    )


def _tfidf_rows(
    cuts: Sequence[CutPart], documents: Sequence[Document], provider: TFIDFEmbedding
) -> Iterator[sp.csr_matrix]:
    """Rows of all chunks, part by part, in one vocabulary learned from the uncut texts."""
    texts = [text for cut in cuts for text in cut.texts]
    if provider.is_fitted:
        rows = provider.embed_rows(texts)
    elif all(cut.most_chunks <= 1 for cut in cuts):
        rows = provider.fit_embed(texts)
    else:
        provider.fit(["\n".join(cut.part.pieces(document)) for cut in cuts for document in documents])
        rows = provider.embed_rows(texts)
    start = 0
    for cut in cuts:
        yield rows[start : start + len(cut.owner)]
        start += len(cut.owner)


def _one_row_a_document(cut: CutPart, rows: Rows, n_slots: int) -> Rows:
    """The chunk rows of each document aggregated and normalised, (n_documents, d * n_slots).

    A document of one chunk keeps that chunk's row to the last digit, whatever company it is in: a
    document that is added later then equals itself in a rebuild.
    """
    n_documents = len(cut.chunks)
    if len(cut.owner) == n_documents and cut.most_chunks <= 1 and n_slots == 1:
        return rows
    if n_slots > 1 and isinstance(rows, np.ndarray):
        check_rows_fit(n_documents, rows.shape[1] * n_slots)
    method, decay_from = cut.part.aggregation, cut.part.decay_from
    aggregated = aggregate_groups(rows, cut.owner, n_documents, method, decay_from=decay_from, n_slots=n_slots)
    if cut.most_chunks <= 1 and n_slots == 1:
        return aggregated.astype(np.float32)
    has_many = np.bincount(cut.owner, minlength=n_documents) > 1
    normalized = normalize_rows(aggregated)
    if isinstance(normalized, np.ndarray):
        return np.where(has_many[:, None], normalized, aggregated.astype(np.float32))
    chosen, others = sp.diags_array(has_many.astype(np.float32)), sp.diags_array((~has_many).astype(np.float32))
    joined = sp.csr_matrix(chosen @ normalized + others @ aggregated.astype(np.float32))
    joined.eliminate_zeros()
    return joined


def _combine(part_rows: Sequence[Rows], weights: Sequence[float], method: str) -> tuple[Rows, tuple[float, ...]]:
    """The parts of each document in one row, and what a query is multiplied with to match it."""
    if len(part_rows) == 1:
        return part_rows[0], (1.0,)
    if method == "concat":
        scales = tuple(float(scale) for scale in np.sqrt(np.asarray(weights) / np.sum(weights)))
        joined = join_columns([rows * np.float32(scale) for rows, scale in zip(part_rows, scales, strict=True)])
        return normalize_rows(joined), scales
    # what a document lacks takes no part in it: it is neither the first nor the largest
    present = np.column_stack([~zero_rows(rows) for rows in part_rows]) & (np.asarray(weights) > 0)
    owner, number = np.nonzero(present)
    n_documents = len(present)
    stacked = stack_rows(part_rows)[number * n_documents + owner]
    by_weight = np.asarray(weights, dtype=np.float64)[number]
    return normalize_rows(aggregate_groups(stacked, owner, n_documents, method, by_weight)), (1.0,)


def _notes(
    component: EmbeddingComponent,
    provider: EmbeddingProvider,
    documents: Sequence[Document],
    missing: NDArray[np.bool_],
    cuts: Sequence[CutPart],
) -> Iterator[str]:
    """Sentences for the person."""
    for cut in cuts:
        yield from cut.notes
    if isinstance(provider, TFIDFEmbedding):
        if provider.warning and len(documents):
            yield f"{component.name}: {provider.warning}"
        elif provider.analyzer_in_use == "character_ngrams":
            yield (
                f"{component.name}: most letters belong to a script without spaces, so texts are compared by pieces "
                "of 2 to 4 characters."
            )
    if missing.any():
        ids = [documents[number].id for number in np.flatnonzero(missing)[:_SHOWN_IDS]]
        more = ", ..." if missing.sum() > len(ids) else ""
        yield (
            f"{component.name}: {int(missing.sum())} of {len(documents)} documents have no usable words "
            f"({', '.join(ids)}{more})."
        )
