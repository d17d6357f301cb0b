"""The fields of a document, and the comparisons of them that make the combined similarity.

Guides: 000 (similarity, chunking), 003 (chunking strategies, aggregation).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, Field, field_validator, model_validator

from cnrag_core.config.names import (
    AGGREGATION_ALIASES,
    CHUNKING_ALIASES,
    FIELD_KIND_ALIASES,
    METRIC_ALIASES,
    MODEL_ALIASES,
    TRANSFORMS,
    canonical,
)
from cnrag_core.config.spec.values import Flag, Integer, Name, Number, Share, Spec, Weight, plain, tuple_of_one

FieldKind: TypeAlias = Literal["text", "list", "number", "category", "boolean", "date"]
Metric: TypeAlias = Literal["jaccard", "dice", "overlap", "exact", "numeric"]
ModelKind: TypeAlias = Literal["tfidf", "sentence_bert", "ollama"]
ChunkingMethod: TypeAlias = Literal["none", "fixed_tokens", "sentences", "paragraphs", "sliding", "recursive"]
AggregationMethod: TypeAlias = Literal[
    "mean", "weighted_avg", "weighted_mean", "max_pool", "sum", "concat", "first", "last"
]
Reduce: TypeAlias = Literal[
    "join", "join_unique", "first", "last", "count", "count_unique", "unique", "sum", "mean", "min", "max"
]


class FieldSpec(Spec):
    """How one field of a document is read from its record.

    Examples
    --------
    >>> FieldSpec.model_validate("list") == FieldSpec(kind="list")
    True
    """

    kind: FieldKind = Field(
        "text",
        alias="type",
        title="field type",
        description="what the field holds; `title: text` is short for this key",
    )
    required: Flag = Field(False, description="refuse documents where the field is missing or empty")
    default: Annotated[Any, BeforeValidator(plain)] = Field(
        None, description="value of documents that lack the field; nothing if absent"
    )
    source: Name | None = Field(
        None,
        alias="from",
        description="JSONPath into the record, e.g. `$.authors[*].name`; the field's own name if absent",
    )
    reduce: Reduce | None = Field(
        None,
        title="way to reduce",
        description="what to make of several matches of `from`; a list keeps them all if absent",
    )
    separator: Annotated[str, Field(min_length=1, max_length=20)] | None = Field(
        None, description="cuts a text into the items of a list, or stands between them with `reduce: join`"
    )
    transform: Annotated[tuple[Name, ...], BeforeValidator(tuple_of_one)] = Field(
        (), description=f"steps applied to each value, in this order: {', '.join(TRANSFORMS)}"
    )

    @model_validator(mode="before")
    @classmethod
    def _shorthand(cls, value: Any) -> Any:
        return value if isinstance(value, (Mapping, BaseModel)) else {"type": value}

    @field_validator("kind", mode="before")
    @classmethod
    def _canonical_kind(cls, value: Any) -> Any:
        return canonical(value, FIELD_KIND_ALIASES)


class ChunkingStrategy(Spec):
    """How a long text is cut; tokens are words x 1.3 unless a tokenizer is given.

    Examples
    --------
    >>> ChunkingStrategy(method="fixed", max_tokens=256).method
    'fixed_tokens'
    """

    method: ChunkingMethod = Field(
        "sentences",
        title="chunking method",
        description="none: the whole text; fixed_tokens: every `max_tokens`; sentences or paragraphs: whole ones up to "
        "`max_tokens`; sliding: a window that moves on by `max_tokens` - `overlap`; recursive: by characters",
    )
    max_tokens: Annotated[Integer, Field(ge=1, le=1_000_000)] = Field(
        512, description="longest chunk, in tokens (words x 1.3)"
    )
    overlap: Annotated[Integer, Field(ge=0, le=1_000_000)] = Field(
        0, description="tokens that a chunk repeats from the one before; less than `max_tokens`"
    )
    max_chars: Annotated[Integer, Field(ge=1, le=10_000_000)] = Field(
        1000, description="longest chunk of `recursive`, in characters"
    )
    overlap_chars: Annotated[Integer, Field(ge=0, le=10_000_000)] = Field(
        200, description="characters that a chunk of `recursive` repeats; less than `max_chars`"
    )

    @field_validator("method", mode="before")
    @classmethod
    def _canonical_method(cls, value: Any) -> Any:
        return canonical(value, CHUNKING_ALIASES)

    @model_validator(mode="after")
    def _overlap_is_smaller(self) -> ChunkingStrategy:
        if self.method != "recursive" and self.overlap >= self.max_tokens:
            raise ValueError(
                f"overlap {self.overlap} must be smaller than max_tokens {self.max_tokens}, "
                "or the windows would never move on"
            )
        if self.method == "recursive" and self.overlap_chars >= self.max_chars:
            raise ValueError(f"overlap_chars {self.overlap_chars} must be smaller than max_chars {self.max_chars}")
        return self


class _Component(Spec):
    component_id: Name | None = Field(None, description="name in explanations; what is compared if absent")
    weight: Weight = Field(
        1.0, description="share in the combined similarity, as any ratio: 3, 5, 2 means 30, 50, 20 %"
    )
    min_similarity: Share | None = Field(
        None, description="below it the component contributes 0, and its weight still counts"
    )

    @property
    def default_name(self) -> str:
        """What the component is called when nobody names it: what it compares."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        """The name shown in explanations: `component_id`, or what is compared."""
        return self.component_id or self.default_name

    @model_validator(mode="after")
    def _one_way_to_be_unnamed(self) -> _Component:
        # a component that is named like its default is the same as one without a name, in either dialect
        if self.component_id is not None and self.component_id == self.default_name:
            self.__dict__["component_id"] = None
        return self


class VectorOptions(Spec):
    """Which model makes the vectors of a text, and how a long text is cut for it."""

    model: ModelKind = Field(
        "tfidf",
        title="embedding model",
        description="tfidf: words that two texts share; sentence_bert: their meaning; ollama: an Ollama server",
    )
    model_name: Name | None = Field(
        None,
        description="which model of that kind, e.g. `all-MiniLM-L6-v2` or `nomic-embed-text`; its usual one if absent",
    )
    host: Name | None = Field(
        None, description="address of the Ollama server, e.g. `http://localhost:11434`; must be among the allowed hosts"
    )
    chunking_strategy: ChunkingStrategy | None = Field(
        None,
        alias="chunking",
        description="how long texts are cut; if absent only texts beyond the model's limit are, into sentences",
    )

    @field_validator("model", mode="before")
    @classmethod
    def _canonical_model(cls, value: Any) -> Any:
        return canonical(value, MODEL_ALIASES)

    @model_validator(mode="after")
    def _host_goes_with_ollama(self) -> VectorOptions:
        if self.host is not None and self.model != "ollama":
            raise ValueError(f"`host` belongs to model 'ollama', not to {self.model!r}")
        if self.model_name is not None and self.model == "tfidf":
            raise ValueError("`model_name` belongs to models 'sentence_bert' and 'ollama'; 'tfidf' has only one")
        return self


class ChunkAggregation(Spec):
    """How the vectors of the chunks of one text become one vector."""

    aggregation_method: AggregationMethod = Field(
        "mean",
        alias="aggregation",
        title="aggregation method",
        description="how the vectors of a text's chunks become one",
    )
    decay_from: Literal["first", "last"] = Field(
        "first",
        title="end to decay from",
        description="with `weighted_mean` (0.9, 0.81, ...): the chunk that counts most; `last` suits conversations",
    )

    @field_validator("aggregation_method", mode="before")
    @classmethod
    def _canonical_aggregation(cls, value: Any) -> Any:
        return canonical(value, AGGREGATION_ALIASES)


class FieldVectorOptions(ChunkAggregation, VectorOptions):
    """One text field, and everything that decides its vector."""

    field: Name = Field(description="the text field that is compared")
    role_weights: Mapping[Name, Weight] | None = Field(
        None, description='weights of the speakers in a conversation, e.g. {"user": 1.5, "assistant": 1.0}'
    )

    @model_validator(mode="after")
    def _some_role_counts(self) -> FieldVectorOptions:
        if self.role_weights is not None and not any(weight > 0 for weight in self.role_weights.values()):
            raise ValueError("all role weights are 0; at least one must be positive")
        return self


class FieldEmbeddingComponent(_Component, FieldVectorOptions):
    """Cosine of the embeddings of one text field."""

    type: Literal["field_embedding"] = Field("field_embedding", description="cosine of one text field's embeddings")

    @property
    def default_name(self) -> str:
        return self.field


class CompositeField(ChunkAggregation):
    """One field of a composite, with its share of the combined vector."""

    field: Name = Field(description="a text field")
    weight: Weight = Field(1.0, description="share of the field in the composite, as any ratio")
    chunking_strategy: ChunkingStrategy | None = Field(
        None, alias="chunking", description="how this field is cut; the composite's `chunking` if absent"
    )

    @model_validator(mode="after")
    def _fits_beside_others(self) -> CompositeField:
        if self.aggregation_method == "concat":
            raise ValueError("aggregation 'concat' makes vectors of different lengths, which no composite can hold")
        return self


class CompositeEmbeddingComponent(_Component, VectorOptions):
    """Several text fields in one vector; one vocabulary, so that the fields share a space."""

    type: Literal["composite_embedding"] = Field(
        "composite_embedding", description="cosine of several text fields in one vector"
    )
    fields: Annotated[tuple[CompositeField, ...], Field(min_length=1)] = Field(
        description="the text fields and their weights"
    )
    aggregation_method: AggregationMethod = Field(
        "weighted_avg",
        alias="aggregation",
        title="aggregation method",
        description="how the vectors of the fields become one; `max_pool`, `first` and `last` take no weights",
    )

    @field_validator("aggregation_method", mode="before")
    @classmethod
    def _canonical_aggregation(cls, value: Any) -> Any:
        return canonical(value, AGGREGATION_ALIASES)

    @model_validator(mode="after")
    def _some_weight(self) -> CompositeEmbeddingComponent:
        if not any(part.weight > 0 for part in self.fields):
            raise ValueError("all field weights are 0; at least one must be positive")
        return self

    @property
    def default_name(self) -> str:
        return "+".join(part.field for part in self.fields)


class AttributeComparison(Spec):
    """A non-text field and the way its values are compared."""

    field: Name = Field(description="the field that is compared")
    metric: Metric = Field(
        "jaccard",
        title="set metric",
        description="jaccard: shared / all items; dice: twice the shared / the sum of both sizes; "
        "overlap: shared / the smaller set; exact: 1 if equal; numeric: closeness of two numbers",
    )
    scale: Annotated[Number, Field(gt=0, le=1e15)] | None = Field(
        None, description="s in exp(-d^2 / 2s^2) of metric `numeric`, in the field's own unit"
    )

    @field_validator("metric", mode="before")
    @classmethod
    def _canonical_metric(cls, value: Any) -> Any:
        return canonical(value, METRIC_ALIASES)

    @model_validator(mode="after")
    def _scale_goes_with_numeric(self) -> AttributeComparison:
        if self.metric == "numeric" and self.scale is None:
            raise ValueError("metric 'numeric' needs `scale`: the difference that still counts as near")
        if self.metric != "numeric" and self.scale is not None:
            raise ValueError(f"`scale` belongs to metric 'numeric', not to {self.metric!r}")
        return self


class AttributeSimilarityComponent(_Component, AttributeComparison):
    """Comparison of a non-text field: sets, equality, or closeness of numbers."""

    type: Literal["attribute_similarity"] = Field(
        "attribute_similarity", description="comparison of a list, a category or a number without embedding"
    )

    @property
    def default_name(self) -> str:
        return self.field


Component: TypeAlias = Annotated[
    FieldEmbeddingComponent | CompositeEmbeddingComponent | AttributeSimilarityComponent, Field(discriminator="type")
]
