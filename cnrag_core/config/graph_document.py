"""What a YAML of dialect B looks like: the models of its sections. Guide 000, "Design Patterns".

Enters: plain values. Leaves: named definitions, in which every reference is still a name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from cnrag_core.config.dialect import NetworkSection
from cnrag_core.config.names import AGGREGATION_ALIASES, canonical
from cnrag_core.config.spec import (
    AggregationMethod,
    AttributeComparison,
    ChunkingStrategy,
    EdgeRule,
    FieldVectorOptions,
    Name,
    Share,
    SharedSections,
    Spec,
    Weight,
)

DefinitionName: TypeAlias = Annotated[str, Field(min_length=1)]


class EmbeddingReference(Spec):
    """An embedding by its name, with its share in a combination."""

    ref: Name = Field(description="name of another embedding")
    weight: Weight = Field(1.0, description="share in the combination, as any ratio")


class FieldVector(FieldVectorOptions):
    """The vector of one text field."""

    field: Name = Field(description="the text field; `combine` instead makes one vector of several embeddings")


class CombinedVector(Spec):
    """Several embeddings of one model in one vector."""

    combine: Annotated[tuple[EmbeddingReference, ...], Field(min_length=1)] = Field(
        description="the embeddings and their weights; combinations may be combined again"
    )
    aggregation_method: AggregationMethod = Field(
        "weighted_avg",
        alias="aggregation",
        title="aggregation method",
        description="how the vectors become one, in one vocabulary; `max_pool`, `first` and `last` take no weights",
    )
    chunking_strategy: ChunkingStrategy | None = Field(
        None, alias="chunking", description="how the texts are cut whose embedding does not say so itself"
    )

    @field_validator("aggregation_method", mode="before")
    @classmethod
    def _canonical_aggregation(cls, value: Any) -> Any:
        return canonical(value, AGGREGATION_ALIASES)

    @model_validator(mode="after")
    def _some_weight(self) -> CombinedVector:
        _check_weights(self.combine)
        return self


class SimilarityReference(Spec):
    """A similarity by its name, with its share in a combination."""

    ref: Name = Field(description="name of another similarity")
    weight: Weight = Field(1.0, description="share in the combination, as any ratio")
    min_similarity: Share | None = Field(
        None, alias="min", description="below it the similarity contributes 0, and its weight still counts"
    )


class EmbeddingSimilarity(Spec):
    """Cosine of the vectors of an embedding."""

    embedding: Name = Field(description="name of the embedding whose vectors are compared")


class FieldSimilarity(AttributeComparison):
    """Comparison of a non-text field."""

    field: Name = Field(
        description="the field that is compared; instead, `embedding` compares vectors and `combine` similarities"
    )


class CombinedSimilarity(Spec):
    """Weighted average of several similarities."""

    combine: Annotated[tuple[SimilarityReference, ...], Field(min_length=1)] = Field(
        description="the similarities and their weights; combinations may be combined again"
    )

    @model_validator(mode="after")
    def _some_weight(self) -> CombinedSimilarity:
        _check_weights(self.combine)
        return self


def _check_weights(references: tuple[EmbeddingReference, ...] | tuple[SimilarityReference, ...]) -> None:
    if not any(reference.weight > 0 for reference in references):
        raise ValueError("all weights are 0; at least one must be positive")


def _form_of_embedding(value: Any) -> str:
    return "combine" if isinstance(value, CombinedVector) or _has(value, "combine") else "field"


def _form_of_similarity(value: Any) -> str:
    if isinstance(value, CombinedSimilarity) or _has(value, "combine"):
        return "combine"
    return "embedding" if isinstance(value, EmbeddingSimilarity) or _has(value, "embedding") else "field"


def _has(value: Any, key: str) -> bool:
    return isinstance(value, Mapping) and key in value


EmbeddingDefinition: TypeAlias = Annotated[
    Annotated[FieldVector, Tag("field")] | Annotated[CombinedVector, Tag("combine")], Discriminator(_form_of_embedding)
]
SimilarityDefinition: TypeAlias = Annotated[
    Annotated[EmbeddingSimilarity, Tag("embedding")]
    | Annotated[FieldSimilarity, Tag("field")]
    | Annotated[CombinedSimilarity, Tag("combine")],
    Discriminator(_form_of_similarity),
]


class GraphEdges(EdgeRule):
    """Which similarity makes the edges, and which pairs become one."""

    similarity: Name | None = Field(
        None, description="name of the similarity that makes the edges; if absent `overall`, or the only one left over"
    )


class GraphNetworkSection(NetworkSection):
    """Which pairs become edges, and how communities are found."""

    edges: GraphEdges | None = Field(
        None, description="which pairs become edges; if absent the top 5 % of pairs and 3 neighbours of every document"
    )


class GraphDocument(SharedSections):
    """A whole configuration in dialect B."""

    embeddings: Mapping[DefinitionName, EmbeddingDefinition] = Field(
        default_factory=dict, description="vectors of text fields, each with a name"
    )
    similarities: Annotated[Mapping[DefinitionName, SimilarityDefinition], Field(min_length=1)] = Field(
        description="comparisons of two documents, each with a name"
    )
    network: GraphNetworkSection | None = Field(None, description="which pairs become edges")
