"""Everything that a YAML can say, as frozen models: what the rest of the product reads.

Enters: validated values, from either dialect or from Python keywords. Leaves: one `PipelineConfig`,
complete and concrete; nothing downstream asks "was this given?". Guides: 000 (similarity, network,
chunking), 003 (chunking strategies, aggregation).

Every key has a `description`, and every closed choice a `title` that says what it chooses: the reference
(`config/reference.py`) and the messages (`config/problems.py`) are made of them.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic._internal._model_construction import ModelMetaclass
from pydantic_core import PydanticCustomError

from cnrag_core.config.names import (
    AGGREGATION_ALIASES,
    CHUNKING_ALIASES,
    FIELD_KIND_ALIASES,
    METRIC_ALIASES,
    MODEL_ALIASES,
    TRANSFORMS,
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


def _number(value: Any) -> Any:
    """Numbers are written as numbers: a schema library would take true for 1 and "0.3" for 0.3."""
    if isinstance(value, (bool, str)):
        raise PydanticCustomError("number_wanted", "a number was wanted")
    return value


def _flag(value: Any) -> Any:
    if not isinstance(value, bool):
        raise PydanticCustomError("flag_wanted", "true or false was wanted")
    return value


def _tuple_of_one(value: Any) -> Any:
    """``in: abstract`` means ``in: [abstract]``."""
    return (value,) if isinstance(value, str) else value


def _plain(value: Any) -> Any:
    """Whatever YAML can hold, finite, and no deeper than a configuration may be."""
    if not _is_plain(value, depth=0):
        raise PydanticCustomError(
            "not_plain", "must be text, a finite number, true or false, or a list or mapping of these"
        )
    return value


def _is_plain(value: Any, depth: int) -> bool:
    if depth > 20:
        return False
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, list):
        return all(_is_plain(item, depth + 1) for item in value)
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(item, depth + 1) for key, item in value.items())
    return value is None or isinstance(value, (str, bool, int))


Number: TypeAlias = Annotated[float, BeforeValidator(_number), Field(allow_inf_nan=False)]
Integer: TypeAlias = Annotated[int, BeforeValidator(_number)]
Flag: TypeAlias = Annotated[bool, BeforeValidator(_flag)]
Share: TypeAlias = Annotated[Number, Field(ge=0.0, le=1.0)]
"""A number from 0 to 1, both included."""

Weight: TypeAlias = Annotated[Number, Field(ge=0.0, le=1e12)]
"""A ratio: 3 : 5 : 2 and 0.3 : 0.5 : 0.2 mean the same. The upper bound keeps sums finite."""

Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=500)]
"""Name of a field, a component or a definition; never empty."""

Names: TypeAlias = Annotated[tuple[Name, ...], BeforeValidator(_tuple_of_one), Field(min_length=1)]


class _ConfigErrors(ModelMetaclass):
    """Direct construction reports like the loader does: a `ConfigError` that lists every problem."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:  # noqa: N805  (a metaclass: its instances are classes)
        try:
            return super().__call__(*args, **kwargs)
        except ValidationError as error:
            raise ConfigError(problems_of(error, cast("type[BaseModel]", cls), prefix=cls.__name__)) from None


class Spec(BaseModel, metaclass=_ConfigErrors):
    """Base of all configuration models: frozen, and refusing keys that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, validate_default=True)


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
    default: Annotated[Any, BeforeValidator(_plain)] = Field(
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
    transform: Annotated[tuple[Name, ...], BeforeValidator(_tuple_of_one)] = Field(
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
        description="how the vectors of the fields become one",
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


class EdgeRule(Spec):
    """Which pairs become edges. Given rules hold together: density or neighbours choose, `min` and
    `max_per_node` then cut.

    `min`: combined similarity at or above it. `max_per_node`: an edge stays when it is among the k
    strongest of both its ends, so that no document has more than k. `density`: the top share of all
    pairs; `min_neighbors`: plus the m best neighbours of every document.
    """

    min_similarity: Share | None = Field(
        None, alias="min", description="threshold: pairs link at this combined similarity or above it"
    )
    max_per_node: Annotated[Integer, Field(ge=1, le=1_000_000)] | None = Field(
        None, description="an edge stays when it is among the k strongest of both its documents"
    )
    density: Annotated[Number, Field(gt=0.0, le=1.0)] | None = Field(
        None, description="link the top share of all pairs, e.g. 0.05, whatever their similarity"
    )
    min_neighbors: Annotated[Integer, Field(ge=0, le=1_000_000)] | None = Field(
        None, description="plus the m best neighbours of every document, so that few are left alone"
    )
    strong_similarity: Share = Field(0.8, alias="strong", description="edges at or above it are marked as strong")

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

    type: Literal["mention"] = Field("mention", description="a document's title occurs in another's text; directed")
    of: Name = Field(description="the field with the titles")
    fields: Names = Field(alias="in", description="the text fields that may name them")


class SharedConceptLinks(Spec):
    """Rare terms or names in common; undirected."""

    type: Literal["shared_concepts"] = Field("shared_concepts", description="rare terms or names in common")
    fields: Names = Field(alias="in", description="the text fields that the terms come from")
    max_share: Annotated[Number, Field(gt=0.0, le=1.0)] = Field(
        0.02, description="a term in more than this share of the documents is not rare"
    )


class ReferenceLinks(Spec):
    """A field of one document names the id (or another field) of a second; directed."""

    type: Literal["reference"] = Field(
        "reference", description="a field of one document names the id of another; directed"
    )
    source: Name = Field(alias="from", description="the field with the references")
    target: Name = Field("id", alias="to", description="the field that they name")


class AdjacentLinks(Spec):
    """Neighbours in a conversation or a document."""

    type: Literal["adjacent"] = Field("adjacent", description="neighbours in a conversation or a document")
    within: Name = Field(description="the field that says what belongs together")
    order: Name = Field(description="the field with the place in it, a number")


LinkSpec: TypeAlias = Annotated[
    MentionLinks | SharedConceptLinks | ReferenceLinks | AdjacentLinks, Field(discriminator="type")
]


class CommunitySpec(Spec):
    """How communities are found."""

    algorithm: Literal["louvain", "leiden"] = Field(
        "louvain",
        title="community algorithm",
        description="both maximise modularity; leiden keeps communities connected",
    )
    resolution: Annotated[Number, Field(gt=0.0, le=100.0)] = Field(
        1.0, description="above 1: more and smaller communities; below 1: fewer and larger"
    )


class HybridWeights(Spec):
    """Weights of the boosts in `hybrid`; defaults, not learned."""

    smoothing: Weight = Field(0.5, description="weight of the neighbours' mean score")
    community: Weight = Field(0.05, description="weight of the share of the best matches in the document's community")
    hub: Weight = Field(0.02, description="weight of the degree")
    bridge: Weight = Field(0.02, description="weight of the betweenness")


class RetrievalSpec(Spec):
    """How questions are answered unless the caller asks otherwise."""

    query: Literal["auto", "bm25", "cosine", "fused"] = Field(
        "auto",
        title="way to compare a question",
        description="auto: fused where a dense model reads the corpus's language, else bm25; cosine: the embeddings; "
        "fused: both",
    )
    strategy: Literal[
        "auto", "similarity", "community", "hub", "bridge", "hybrid", "pagerank", "links", "smoothing"
    ] = Field("auto", title="retrieval strategy", description="how the graph helps to order the answers")
    weights: HybridWeights = Field(HybridWeights(), description="weights of strategy `hybrid`")


class TraversalSpec(Spec):
    """The concept graph and the budgets of a walk over it."""

    links: Literal["typed", "seed"] = Field(
        "typed",
        title="way to link concepts",
        description="typed: shared concepts and title mentions may create edges too; "
        "seed: only a cosine above `min_cosine` creates an edge, concepts re-weight it",
    )
    min_cosine: Share = Field(0.8, description="an edge needs a cosine strictly above it")
    cosine_weight: Weight = Field(0.7, description="weight of the cosine in an edge")
    concept_weight: Weight = Field(0.3, description="weight of the shared concepts in an edge")
    concepts: Literal["auto", "keywords", "noun_phrases", "field"] = Field(
        "auto", title="source of concepts", description="where the concepts of a text come from"
    )
    concept_field: Name | None = Field(None, description="the list field that holds them, with `concepts: field`")
    chunking_strategy: ChunkingStrategy | None = Field(
        None,
        alias="chunking",
        description="how texts are cut for a walk; if absent those beyond 2,000 characters are, by `recursive`",
    )
    seeds: Annotated[Integer, Field(ge=0, le=1000)] = Field(5, description="best matches that a walk starts from")
    max_tokens: Annotated[Integer, Field(ge=0, le=10_000_000)] = Field(4000, description="longest context, in tokens")
    max_nodes: Annotated[Integer, Field(ge=0, le=1_000_000)] = Field(50, description="most documents that are visited")
    max_hops: Annotated[Integer, Field(ge=0, le=1_000)] = Field(4, description="most steps away from a start")
    max_checks: Annotated[Integer, Field(ge=0, le=1_000_000)] = Field(
        20, description="most completeness checks; 0: no checks"
    )
    check_every: Annotated[Integer, Field(ge=1, le=1_000_000)] = Field(
        1, description="visited documents between two checks"
    )

    @model_validator(mode="after")
    def _field_goes_with_concepts(self) -> TraversalSpec:
        if self.concepts == "field" and not self.concept_field:
            raise ValueError("concepts: field needs `concept_field`, the list field that holds them")
        return self


class DisplaySpec(Spec):
    """Which fields people see: a title for lists and tooltips, a text to read, a field to colour by."""

    title: Name | None = Field(None, description="the field shown in lists and tooltips")
    text: Name | None = Field(None, description="the field shown when a document is read")
    color: Name | None = Field(None, description="the field that colours the nodes; the community if absent")


class EngineSpec(Spec):
    """Where the pairs are compared: in this process, or as the same tiles on a Dask cluster.

    Examples
    --------
    >>> EngineSpec.model_validate("dask").engine
    'dask'
    """

    engine: Literal["local", "dask"] = Field(
        "local",
        title="engine",
        description="local: this process; dask: the same tiles on a cluster (extra `dask`); `engine: dask` is short "
        "for this key",
    )
    scheduler: Name | None = Field(
        None,
        description="address of a Dask scheduler, e.g. `tcp://10.0.0.1:8786`; processes of this machine if absent; in "
        "an uploaded file only one that the server allows",
    )

    @model_validator(mode="before")
    @classmethod
    def _shorthand(cls, value: Any) -> Any:
        return {"engine": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _scheduler_goes_with_dask(self) -> EngineSpec:
        if self.scheduler is not None and self.engine != "dask":
            raise ValueError("`scheduler` belongs to engine 'dask'")
        return self


class SharedSections(Spec):
    """What both dialects say in the same words."""

    name: Annotated[str, Field(max_length=500)] | None = Field(None, description="what the configuration is called")
    description: Annotated[str, Field(max_length=20_000)] | None = Field(None, description="what it is for")
    id_field: Name = Field("id", description="the field whose value names a document")
    fields: Mapping[Name, FieldSpec] = Field(
        default_factory=dict, alias="schema", description="the fields of a document and how they are read"
    )
    links: tuple[LinkSpec, ...] = Field((), title="link type", description="typed edges beside the similarity")
    communities: CommunitySpec = Field(CommunitySpec(), description="how communities are found")
    retrieval: RetrievalSpec = Field(RetrievalSpec(), description="how questions are answered unless asked otherwise")
    traversal: TraversalSpec = Field(TraversalSpec(), description="the concept graph and the budgets of a walk")
    display: DisplaySpec = Field(DisplaySpec(), description="which fields people see")
    engine: EngineSpec = Field(EngineSpec(), description="where the pairs are compared")
    random_state: Annotated[Integer, Field(ge=0, le=2**32 - 1)] = Field(
        0, description="fixes everything random; the same number gives the same result"
    )


class PipelineConfig(SharedSections):
    """One complete configuration, whichever dialect it was written in.

    `components` carry the weights as written; `normalized_weights` are what scores use. `notes` are
    sentences for the person about what was filled in for them; they say how a configuration came
    about, not what it is, so that two configurations which differ in nothing else are equal.
    """

    components: Annotated[tuple[Component, ...], Field(min_length=1)] = Field(
        title="component type", description="the comparisons that make the combined similarity"
    )
    edges: EdgeRule = Field(DEFAULT_EDGE_RULE, description="which pairs become edges")
    notes: tuple[str, ...] = Field((), description="what was filled in, in sentences")

    @model_validator(mode="after")
    def _usable_weights_and_names(self) -> PipelineConfig:
        if not any(component.weight > 0 for component in self.components):
            raise ValueError("all component weights are 0; at least one must be positive")
        names = [component.name for component in self.components]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two components are named {name!r}; give one of them a `component_id` of its own")
        return self

    @model_validator(mode="after")
    def _complete_edge_rule(self) -> PipelineConfig:
        if self.edges.is_empty:
            strong = {"strong_similarity": self.edges.strong_similarity}
            self.__dict__["edges"] = DEFAULT_EDGE_RULE.model_copy(update=strong)
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PipelineConfig) and self._without_notes() == other._without_notes()

    __hash__ = None  # type: ignore[assignment]  # it holds mappings; `digest` is what caches are keyed by

    def _without_notes(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "notes"}

    @property
    def digest(self) -> str:
        """SHA-256 of everything that the configuration says; equal configurations have equal digests."""
        plain = self.model_dump(mode="json", by_alias=True, exclude={"notes"})
        return hashlib.sha256(json.dumps(plain, sort_keys=True).encode("utf-8")).hexdigest()

    @property
    def normalized_weights(self) -> dict[str, float]:
        """Share of each component in the combined similarity, by component name; they sum to 1.

        Examples
        --------
        >>> ratio = {"title": 3, "abstract": 5, "tags": 2}
        >>> parts = [FieldEmbeddingComponent(field=name, weight=weight) for name, weight in ratio.items()]
        >>> PipelineConfig(components=parts).normalized_weights
        {'title': 0.3, 'abstract': 0.5, 'tags': 0.2}
        """
        # fsum, so that 0.3, 0.4, 0.2 and 0.1 add up to exactly 1
        total = math.fsum(component.weight for component in self.components)
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
