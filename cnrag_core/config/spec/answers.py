"""How questions are answered: the search of documents, and the walk over their chunks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from cnrag_core.config.spec.components import ChunkingStrategy
from cnrag_core.config.spec.values import Integer, Name, Share, Spec, Weight


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
