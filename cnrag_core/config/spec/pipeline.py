"""One complete configuration, and the sections that both dialects say in the same words."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from cnrag_core.config.spec.answers import RetrievalSpec, TraversalSpec
from cnrag_core.config.spec.components import (
    Component,
    CompositeEmbeddingComponent,
    FieldEmbeddingComponent,
    FieldSpec,
)
from cnrag_core.config.spec.edges import DEFAULT_EDGE_RULE, CommunitySpec, EdgeRule, LinkSpec
from cnrag_core.config.spec.values import Integer, Name, Spec


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
