"""Everything that a YAML can say, as frozen models: what the rest of the product reads.

Enters: validated values, from either dialect or from Python keywords. Leaves: one `PipelineConfig`,
complete and concrete; nothing downstream asks "was this given?". Guides: 000 (similarity, network,
chunking), 003 (chunking strategies, aggregation).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic._internal._model_construction import ModelMetaclass

from cnrag_core.config.names import (
    AGGREGATION_ALIASES,
    CHUNKING_ALIASES,
    METRIC_ALIASES,
    MODEL_ALIASES,
    canonical,
)
from cnrag_core.config.problems import problems_of
from cnrag_core.errors import ConfigError

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
Share: TypeAlias = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Weight: TypeAlias = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]


class _ConfigErrors(ModelMetaclass):
    """Direct construction reports like the loader does: a `ConfigError` that lists every problem."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except ValidationError as error:
            raise ConfigError(problems_of(error, prefix=cls.__name__)) from None


class Spec(BaseModel, metaclass=_ConfigErrors):
    """Base of all configuration models: frozen, and refusing keys that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, validate_default=True)


class FieldSpec(Spec):
    """How one field of a document is read from its record."""

    kind: FieldKind = Field("text", alias="type")
    required: bool = False
    default: Any = None
    source: str | None = Field(None, alias="from", description="JSONPath into the record; the field's name if absent")
    reduce: Reduce | None = Field(None, description="what to make of several matches of `from`")
    separator: str | None = Field(None, description="splits a text into a list, or joins with `reduce: join`")
    transform: tuple[str, ...] = Field((), description="strip, lower, upper, split, ... in this order")


class ChunkingStrategy(Spec):
    """How a long text is cut; tokens are words x 1.3 unless a tokenizer is given.

    Examples
    --------
    >>> ChunkingStrategy(method="fixed", max_tokens=256).method
    'fixed_tokens'
    """

    method: ChunkingMethod = "sentences"
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] = 512
    overlap: Annotated[int, Field(ge=0)] = 0
    max_chars: Annotated[int, Field(ge=1)] = 1000
    overlap_chars: Annotated[int, Field(ge=0)] = 200

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
    component_id: str | None = None
    weight: Weight = 1.0
    min_similarity: Annotated[Share | None, Field(description="below it the component contributes 0")] = None

    @property
    def name(self) -> str:
        """The name shown in explanations: `component_id`, or what is compared."""
        raise NotImplementedError


class _Embedded(_Component):
    model: ModelKind = "tfidf"
    model_name: str | None = None
    host: str | None = None
    chunking_strategy: ChunkingStrategy | None = Field(None, alias="chunking")

    @field_validator("model", mode="before")
    @classmethod
    def _canonical_model(cls, value: Any) -> Any:
        return canonical(value, MODEL_ALIASES)


class FieldEmbeddingComponent(_Embedded):
    """Cosine of the embeddings of one text field."""

    type: Literal["field_embedding"] = "field_embedding"
    field: str
    aggregation_method: AggregationMethod = Field("mean", alias="aggregation")
    decay_from: Literal["first", "last"] = "first"
    role_weights: Mapping[str, Weight] | None = Field(
        None, description='weights of the speakers in a conversation, e.g. {"user": 1.5, "assistant": 1.0}'
    )

    @field_validator("aggregation_method", mode="before")
    @classmethod
    def _canonical_aggregation(cls, value: Any) -> Any:
        return canonical(value, AGGREGATION_ALIASES)

    @property
    def name(self) -> str:
        return self.component_id or self.field


class CompositeField(Spec):
    """One field of a composite, with its share of the combined vector."""

    field: str
    weight: Weight = 1.0
    chunking_strategy: ChunkingStrategy | None = Field(None, alias="chunking")


class CompositeEmbeddingComponent(_Embedded):
    """Several text fields in one vector; one vocabulary, so that the fields share a space."""

    type: Literal["composite_embedding"] = "composite_embedding"
    fields: Annotated[tuple[CompositeField, ...], Field(min_length=1)]
    aggregation_method: AggregationMethod = Field("weighted_avg", alias="aggregation")

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
    def name(self) -> str:
        return self.component_id or "+".join(part.field for part in self.fields)


class AttributeSimilarityComponent(_Component):
    """Comparison of a non-text field: sets, equality, or closeness of numbers."""

    type: Literal["attribute_similarity"] = "attribute_similarity"
    field: str
    metric: Metric = "jaccard"
    scale: Annotated[
        float | None, Field(gt=0, allow_inf_nan=False, description="s in exp(-d^2 / 2s^2), in the field's own unit")
    ] = None

    @field_validator("metric", mode="before")
    @classmethod
    def _canonical_metric(cls, value: Any) -> Any:
        return canonical(value, METRIC_ALIASES)

    @model_validator(mode="after")
    def _scale_goes_with_numeric(self) -> AttributeSimilarityComponent:
        if self.metric == "numeric" and self.scale is None:
            raise ValueError("metric 'numeric' needs `scale`: the difference that still counts as near")
        if self.metric != "numeric" and self.scale is not None:
            raise ValueError(f"`scale` belongs to metric 'numeric', not to {self.metric!r}")
        return self

    @property
    def name(self) -> str:
        return self.component_id or self.field


Component: TypeAlias = Annotated[
    FieldEmbeddingComponent | CompositeEmbeddingComponent | AttributeSimilarityComponent, Field(discriminator="type")
]


class EdgeRule(Spec):
    """Which pairs become edges. Given rules hold together: density or neighbours choose, `min` and
    `max_per_node` then cut.

    `min`: combined similarity at or above it. `max_per_node`: an edge stays when it is among the k
    strongest of both its ends, so that no document has more than k. `density`: the top share of all
    pairs; `min_neighbors`: plus the m best neighbours of every document.
    """

    min_similarity: Share | None = Field(None, alias="min")
    max_per_node: Annotated[int | None, Field(ge=1)] = None
    density: Annotated[float | None, Field(gt=0.0, le=1.0, allow_inf_nan=False)] = None
    min_neighbors: Annotated[int | None, Field(ge=0)] = None
    strong_similarity: Share = Field(0.8, alias="strong")

    @property
    def is_empty(self) -> bool:
        """Whether nothing was asked, so that the default (density with neighbours) applies."""
        return self.min_similarity is None and self.max_per_node is None and not self.by_density

    @property
    def by_density(self) -> bool:
        """Whether edges are chosen by rank among all pairs rather than by their value."""
        return self.density is not None or self.min_neighbors is not None


DEFAULT_EDGE_RULE = EdgeRule(density=0.05, min_neighbors=3)


class MentionLinks(Spec):
    """A document's title occurs in another's text; directed from the text to the titled document."""

    type: Literal["mention"] = "mention"
    of: str
    fields: Annotated[tuple[str, ...], Field(min_length=1)] = Field(alias="in")


class SharedConceptLinks(Spec):
    """Rare terms or names in common; undirected."""

    type: Literal["shared_concepts"] = "shared_concepts"
    fields: Annotated[tuple[str, ...], Field(min_length=1)] = Field(alias="in")
    max_share: Annotated[float, Field(gt=0.0, le=1.0, allow_inf_nan=False)] = 0.02


class ReferenceLinks(Spec):
    """A field of one document names the id (or another field) of a second; directed."""

    type: Literal["reference"] = "reference"
    source: str = Field(alias="from")
    target: str = Field("id", alias="to")


class AdjacentLinks(Spec):
    """Neighbours in a conversation or a document."""

    type: Literal["adjacent"] = "adjacent"
    within: str
    order: str


LinkSpec: TypeAlias = Annotated[
    MentionLinks | SharedConceptLinks | ReferenceLinks | AdjacentLinks, Field(discriminator="type")
]


class CommunitySpec(Spec):
    """How communities are found."""

    algorithm: Literal["louvain", "leiden"] = "louvain"
    resolution: Annotated[float, Field(gt=0.0, le=100.0, allow_inf_nan=False)] = 1.0


class HybridWeights(Spec):
    """Weights of the boosts in `hybrid`; defaults, not learned."""

    smoothing: Weight = 0.5
    community: Weight = 0.05
    hub: Weight = 0.02
    bridge: Weight = 0.02


class RetrievalSpec(Spec):
    """How questions are answered unless the caller asks otherwise."""

    query: Literal["auto", "bm25", "cosine", "fused"] = "auto"
    strategy: Literal[
        "auto", "similarity", "community", "hub", "bridge", "hybrid", "pagerank", "links", "smoothing"
    ] = "auto"
    weights: HybridWeights = HybridWeights()


class TraversalSpec(Spec):
    """The concept graph and the budgets of a walk over it."""

    links: Literal["typed", "seed"] = Field(
        "typed",
        description="typed: shared concepts and title mentions may create edges too; "
        "seed: only a cosine above `min_cosine` creates an edge, concepts re-weight it",
    )
    min_cosine: Share = Field(0.8, description="an edge needs a cosine strictly above it")
    cosine_weight: Weight = 0.7
    concept_weight: Weight = 0.3
    concepts: Literal["auto", "keywords", "noun_phrases", "field"] = "auto"
    concept_field: str | None = None
    seeds: Annotated[int, Field(ge=0, le=1000)] = 5
    max_tokens: Annotated[int, Field(ge=0)] = 4000
    max_nodes: Annotated[int, Field(ge=0)] = 50
    max_hops: Annotated[int, Field(ge=0)] = 4
    max_checks: Annotated[int, Field(ge=0)] = 20
    check_every: Annotated[int, Field(ge=1)] = 1

    @model_validator(mode="after")
    def _field_goes_with_concepts(self) -> TraversalSpec:
        if self.concepts == "field" and not self.concept_field:
            raise ValueError("concepts: field needs `concept_field`, the list field that holds them")
        return self


class DisplaySpec(Spec):
    """Which fields people see: a title for lists and tooltips, a text to read, a field to colour by."""

    title: str | None = None
    text: str | None = None
    color: str | None = None


class EngineSpec(Spec):
    """Where the pairs are compared: in this process, or as the same blocks on a Dask cluster."""

    engine: Literal["local", "dask"] = "local"
    scheduler: str | None = None


class PipelineConfig(Spec):
    """One complete configuration, whichever dialect it was written in.

    `components` carry the weights as written; `normalized_weights` are what scores use. `notes` are
    sentences for the person about what was filled in for them.
    """

    name: str | None = None
    description: str | None = None
    id_field: str = "id"
    fields: Mapping[str, FieldSpec] = Field(default_factory=dict, alias="schema")
    components: Annotated[tuple[Component, ...], Field(min_length=1)]
    edges: EdgeRule = DEFAULT_EDGE_RULE
    links: tuple[LinkSpec, ...] = ()
    communities: CommunitySpec = CommunitySpec()
    retrieval: RetrievalSpec = RetrievalSpec()
    traversal: TraversalSpec = TraversalSpec()
    display: DisplaySpec = DisplaySpec()
    engine: EngineSpec = EngineSpec()
    random_state: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    notes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _usable_weights_and_names(self) -> PipelineConfig:
        if not any(component.weight > 0 for component in self.components):
            raise ValueError("all component weights are 0; at least one must be positive")
        names = [component.name for component in self.components]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two components are named {name!r}; give one of them a `component_id` of its own")
        return self

    @property
    def normalized_weights(self) -> dict[str, float]:
        """Share of each component in the combined similarity, by component name; they sum to 1.

        Examples
        --------
        >>> parts = [FieldEmbeddingComponent(field=f, weight=w) for f, w in [("title", 3), ("abstract", 5), ("tags", 2)]]
        >>> PipelineConfig(components=parts).normalized_weights
        {'title': 0.3, 'abstract': 0.5, 'tags': 0.2}
        """
        total = sum(component.weight for component in self.components)
        return {component.name: component.weight / total for component in self.components}

    @property
    def text_fields(self) -> tuple[str, ...]:
        """Fields that some embedding component reads, in order of first use."""
        seen: dict[str, None] = {}
        for component in self.components:
            if isinstance(component, FieldEmbeddingComponent):
                seen[component.field] = None
            elif isinstance(component, CompositeEmbeddingComponent):
                seen.update((part.field, None) for part in component.fields)
        return tuple(seen)
