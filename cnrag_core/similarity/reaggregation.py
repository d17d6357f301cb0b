"""What another way of cutting one document's text, or of combining its chunks, would make of its neighbours.

Enters: a network and a document. Leaves: the similarity of that document to all others as it is and as
it would be; the stored rows of the others stay, so that only one document is embedded again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cnrag_core.config.spec import AggregationMethod, ChunkingStrategy, CompositeEmbeddingComponent
from cnrag_core.corpus.document import Document
from cnrag_core.embedding.fields import EmbeddedComponent
from cnrag_core.embedding.parts import EmbeddingComponent
from cnrag_core.errors import ConfigError
from cnrag_core.similarity.components import ComponentColumn, VectorColumn, concat_columns, take_rows
from cnrag_core.similarity.scoring import score_pairs

METHODS: tuple[AggregationMethod, ...] = ("mean", "weighted_avg", "weighted_mean", "max_pool", "sum", "first", "last")
"""All that make a row as long as the stored ones; `concat` does not."""


class ComparedView(Protocol):
    """What is read of a network."""

    @property
    def node_ids(self) -> tuple[str, ...]: ...
    @property
    def documents(self) -> tuple[Document, ...]: ...
    @property
    def embedded(self) -> Mapping[str, EmbeddedComponent]: ...
    @property
    def columns(self) -> tuple[ComponentColumn, ...]: ...


@dataclass(frozen=True, eq=False)
class Reaggregation:
    """Combined similarity of one document to every document, (n,) float64 in [0, 1]; its own is 0.

    `before` is as built; `after` is with the other chunks or the other aggregation. `component` is what
    changed, and `row_cosine` how much of its row stayed: 1 where nothing changed.
    """

    component: str
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    row_cosine: float


def components_of_field(network: ComparedView, field: str) -> list[str]:
    """Names of the embedding components that a text field is part of, and whose rows can be made again."""
    return [name for name, part in network.embedded.items() if _holds(part.component, field) and _can_change(part)]


def reaggregated(
    network: ComparedView,
    number: int,
    component: str,
    field: str,
    strategy: ChunkingStrategy,
    aggregation: AggregationMethod,
) -> Reaggregation:
    """Embed one document again, with another cut and aggregation of one field.

    Parameters
    ----------
    number
        Of the document.
    component, field
        One of `components_of_field`, and the field whose chunks are combined.

    Raises
    ------
    ConfigError
        If the component has no such field, or the aggregation makes rows of another length.
    """
    part = network.embedded[component]
    if field not in fields_of(part.component) or not _can_change(part) or aggregation not in METHODS:
        raise ConfigError(f"The rows of {component!r} cannot be made again of field {field!r} with {aggregation}.")
    variant = replace(part, component=_changed(part.component, field, strategy, aggregation))
    rows, missing = variant.embed_documents([network.documents[number]])
    here = np.array([number])
    added = [
        replace(column, rows=rows, missing=missing)
        if isinstance(column, VectorColumn) and column.name == component
        else take_rows([column], here)[0]
        for column in network.columns
    ]
    columns = concat_columns(network.columns, added)
    n = len(network.node_ids)
    others = np.arange(n)
    before = score_pairs(network.columns, np.full(n, number), others)
    after = score_pairs(columns, np.full(n, n), others)
    before[number] = after[number] = 0.0
    product = part.rows[here] @ rows.T
    cosine = float(product.toarray()[0, 0] if hasattr(product, "toarray") else np.asarray(product)[0, 0])
    return Reaggregation(component, before, after, cosine)


def fields_of(component: EmbeddingComponent) -> Sequence[str]:
    """The text fields that a component embeds."""
    if isinstance(component, CompositeEmbeddingComponent):
        return [part.field for part in component.fields]
    return [component.field]


def _holds(component: EmbeddingComponent, field: str) -> bool:
    return field in fields_of(component)


def _can_change(part: EmbeddedComponent) -> bool:
    """Whether rows stay as long as they are: not where the chunks of a text stand side by side."""
    component = part.component
    return isinstance(component, CompositeEmbeddingComponent) or component.aggregation_method != "concat"


def _changed(
    component: EmbeddingComponent, field: str, strategy: ChunkingStrategy, aggregation: AggregationMethod
) -> EmbeddingComponent:
    other = {"chunking_strategy": strategy, "aggregation_method": aggregation}
    if isinstance(component, CompositeEmbeddingComponent):
        parts = [part.model_copy(update=other) if part.field == field else part for part in component.fields]
        return component.model_copy(update={"fields": tuple(parts)})
    return component.model_copy(update=other)
