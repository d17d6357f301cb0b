"""What of a document is embedded: the parts of a component and the pieces of their texts.

Enters: a document and a component. Leaves: for each part (a field, a field of a composite, a role in
a conversation) the texts that get a row each, already cut to what the model can read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cnrag_core.chunking.chunker import TextChunker
from cnrag_core.config.spec import ChunkingStrategy, CompositeEmbeddingComponent, FieldEmbeddingComponent
from cnrag_core.corpus.document import Document, as_text
from cnrag_core.corpus.wording import listed, quoted
from cnrag_core.embedding.provider import EmbeddingProvider
from cnrag_core.embedding.weighting import DecayFrom, WeightedEmbeddingConfig
from cnrag_core.errors import ResourceLimitError

EmbeddingComponent: TypeAlias = FieldEmbeddingComponent | CompositeEmbeddingComponent

AUTOMATIC_MAX_TOKENS = 512
AUTOMATIC_OVERLAP = 50
_ROLE_KEYS = ("role", "speaker", "author")


@dataclass(frozen=True)
class Part:
    """One stretch of a document that has a row of its own before the parts are combined.

    `role` is None unless the field is a conversation whose speakers weigh differently; `""` then
    stands for every speaker who has no weight of their own.
    """

    key: str
    field: str
    weight: float
    strategy: ChunkingStrategy | None
    aggregation: str
    decay_from: DecayFrom = "first"
    role: str | None = None
    roles: frozenset[str] = frozenset()

    def pieces(self, document: Document) -> list[str]:
        """The texts of this part: one, or one a turn where turns are to be aggregated; never a blank one."""
        turns = turns_of(document.fields.get(self.field))
        if self.role is not None:
            found = [text for role, text in turns if (role if role in self.roles else "") == self.role]
            if not turns and self.role == "":
                found = [document.text(self.field)]
        else:
            found = [text for _, text in turns]
        if self.role is None and (not turns or self.strategy is not None or self.aggregation == "mean"):
            found = [document.text(self.field)]
        elif self.strategy is not None or self.aggregation == "mean":
            found = ["\n".join(found)]
        return [text for text in found if text.strip()]


def turns_of(value: Any) -> list[tuple[str, str]]:
    """``(role, text)`` of a conversation's turns; none for any other value."""
    if not isinstance(value, (list, tuple)):
        return []
    return [
        (next((str(turn[key]) for key in _ROLE_KEYS if turn.get(key)), ""), as_text(turn))
        for turn in value
        if isinstance(turn, Mapping) and "content" in turn
    ]


def parts_of(component: EmbeddingComponent) -> tuple[tuple[Part, ...], str]:
    """The parts of a component, and the method that combines their rows."""
    if isinstance(component, CompositeEmbeddingComponent):
        composite = tuple(
            Part(
                key=part.field,
                field=part.field,
                weight=part.weight,
                strategy=part.chunking_strategy or component.chunking_strategy,
                aggregation=part.aggregation_method,
                decay_from=part.decay_from,
            )
            for part in component.fields
        )
        return composite, component.aggregation_method
    method, field = component.aggregation_method, component.field
    if not component.role_weights:
        part = Part(field, field, 1.0, component.chunking_strategy, method, component.decay_from)
        return (part,), "first"
    combine = method if method in ("concat", "max_pool") else "weighted_avg"
    inner = "mean" if combine == method else method
    weighting = WeightedEmbeddingConfig(component.role_weights)
    listed = frozenset(component.role_weights)
    roles = tuple(
        Part(
            key=f"{field}#{role}",
            field=field,
            weight=weighting.weight_of(role),
            strategy=component.chunking_strategy,
            aggregation=inner,
            decay_from=component.decay_from,
            role=role,
            roles=listed,
        )
        for role in (*sorted(listed), "")
    )
    return roles, combine


def role_notes(components: Iterable[object], documents: Sequence[Document]) -> list[str]:
    """A sentence for every component whose `role_weights` name somebody who never speaks."""
    notes = []
    for component in components:
        if not isinstance(component, FieldEmbeddingComponent) or not component.role_weights:
            continue
        speakers = {role for document in documents for role, _ in turns_of(document.fields.get(component.field))}
        silent = [role for role in component.role_weights if role not in speakers]
        if silent:
            those = f"it is spoken by {listed(sorted(speakers), at_most=5)}" if speakers else "it holds no conversation"
            notes.append(
                f"{component.name}: `role_weights` names {listed(silent)}, who never speaks in field "
                f"'{quoted(component.field)}'; {those}."
            )
    return notes


@dataclass(frozen=True, eq=False)
class CutPart:
    """One part of all documents: ``chunks[i]`` are the texts of document i that get a row each.

    `strategy` is the one that was used, `owner` (n_texts,) int64 the document of each text, `notes`
    sentences for the person.
    """

    part: Part
    chunks: tuple[tuple[str, ...], ...]
    strategy: ChunkingStrategy | None
    owner: NDArray[np.int64]
    notes: tuple[str, ...]

    @property
    def texts(self) -> list[str]:
        """All texts, document by document."""
        return [text for texts in self.chunks for text in texts]

    @property
    def most_chunks(self) -> int:
        """Texts of the document that has most."""
        return max(map(len, self.chunks), default=0)


def cut_part(part: Part, documents: Sequence[Document], provider: EmbeddingProvider) -> CutPart:
    """Cut one part of all documents to what the model reads.

    Raises
    ------
    ResourceLimitError
        If a document would be cut into too many chunks; the message names it.
    """
    limit, notes = provider.max_tokens, []
    strategy, is_automatic = _strategy_for(part, provider)
    if strategy is not None and strategy != part.strategy and not is_automatic:
        notes.append(
            f"{part.key}: chunks were to have {part.strategy.max_tokens if part.strategy else 0} tokens, but "
            f"{provider.get_model_name()} reads {limit}; they are cut to that."
        )
    chunker = TextChunker(strategy, count_tokens=provider.count_tokens if limit is not None else None)
    chunks: list[tuple[str, ...]] = []
    for document in documents:
        texts: list[str] = []
        for piece in part.pieces(document):
            fits = limit is None or not is_automatic or provider.count_tokens(piece) <= limit
            if strategy is None or (is_automatic and fits):
                texts.append(piece)
                continue
            try:
                texts += chunker.chunk(piece)
            except ResourceLimitError as error:
                raise ResourceLimitError(f"Document {document.id!r}, field {part.field!r}: {error}") from None
        chunks.append(tuple(texts))
    if limit is not None and strategy is not None and not _counts_tokens(strategy):
        n_truncated = sum(provider.count_tokens(text) > limit for texts in chunks for text in texts)
        if n_truncated:
            notes.append(
                f"{part.key}: {n_truncated} texts are longer than the {limit} tokens that {provider.get_model_name()} "
                "reads, so their ends do not count; choose another chunking method or smaller chunks."
            )
    owner = np.repeat(np.arange(len(chunks), dtype=np.int64), [len(texts) for texts in chunks])
    return CutPart(part, tuple(chunks), strategy, owner, tuple(notes))


def _strategy_for(part: Part, provider: EmbeddingProvider) -> tuple[ChunkingStrategy | None, bool]:
    """The strategy that the model can follow, and whether it is the automatic one."""
    limit, strategy = provider.max_tokens, part.strategy
    if limit is None:
        return strategy, False
    if strategy is None:
        size = min(AUTOMATIC_MAX_TOKENS, limit)
        overlap = min(AUTOMATIC_OVERLAP, size // 4)
        return ChunkingStrategy(method="sentences", max_tokens=size, overlap=overlap), True
    if _counts_tokens(strategy) and strategy.max_tokens > limit:
        overlap = min(strategy.overlap, limit - 1)
        strategy = strategy.model_copy(update={"max_tokens": limit, "overlap": overlap})
    return strategy, False


def _counts_tokens(strategy: ChunkingStrategy) -> bool:
    return strategy.method not in ("none", "recursive")
