"""Dialect A: a list of weighted components. Guide 000, "The Solution: Field-Level Similarity".

::

    similarity:
      components:
        - {type: field_embedding, field: title, model: tfidf, weight: 3}
        - {type: attribute_similarity, field: tags, metric: jaccard, weight: 2}
      min_combined_similarity: 0.4

Enters: a `Source`. Leaves: a `PipelineConfig`; and the way back, a configuration as text of this dialect.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from cnrag_core.config.dialect import (
    NetworkSection,
    complete_edges,
    head_sections,
    mapping_in,
    shared_findings,
    shared_values,
    tail_sections,
    tidy,
    validated,
    value_in,
    written,
    written_chunking,
)
from cnrag_core.config.problems import MAX_FINDINGS, shown
from cnrag_core.config.source import Finding, Source, source_of_mapping
from cnrag_core.config.spec import (
    AttributeSimilarityComponent,
    CommunitySpec,
    Component,
    CompositeEmbeddingComponent,
    EdgeRule,
    FieldEmbeddingComponent,
    PipelineConfig,
    Share,
    SharedSections,
    Spec,
)

_EMBEDDING_KEYS = {"model", "model_name", "host", "chunking", "aggregation", "decay_from", "role_weights"}


class SimilaritySection(Spec):
    """The comparisons of two documents, and the least similarity that links them."""

    components: Annotated[tuple[Component, ...], Field(min_length=1)] = Field(
        title="component type", description="the comparisons that make the combined similarity"
    )
    min_combined_similarity: Share | None = Field(
        None, description="threshold: pairs link at this combined similarity or above it; short for `network.edges.min`"
    )


class ComponentsDocument(SharedSections):
    """A whole configuration in dialect A."""

    similarity: SimilaritySection = Field(
        description="how two documents are compared; the other dialect has `similarities` instead"
    )
    network: NetworkSection | None = Field(None, description="which pairs become edges, beside the threshold")


def read(source: Source | Mapping[str, Any]) -> PipelineConfig:
    """The configuration that a text or mapping of dialect A describes.

    Raises
    ------
    ConfigError
        With every problem, each with its path and, where the source is a text, its line.
    """
    source = source if isinstance(source, Source) else source_of_mapping(source)
    notes: list[str] = []
    data = _with_component_types(source.data, notes)
    document, findings = validated(source, data, ComponentsDocument)
    source.refuse([*findings, *shared_findings(data), *_findings_between_components(data)])
    assert document is not None  # it is None only with findings
    network = document.network or NetworkSection()
    edges = network.edges or EdgeRule()
    if document.similarity.min_combined_similarity is not None:
        edges = edges.model_copy(update={"min_similarity": document.similarity.min_combined_similarity})
    return PipelineConfig(
        **shared_values(document, network),
        components=document.similarity.components,
        edges=complete_edges(edges, notes),
        notes=tuple(notes),
    )


def write(config: PipelineConfig) -> str:
    """The configuration as YAML of dialect A; its notes become comments."""
    from cnrag_core.config.yaml_writing import to_text

    return to_text(as_mapping(config), comments=config.notes)


def as_mapping(config: PipelineConfig) -> dict[str, Any]:
    """The configuration as plain values of dialect A, in the order in which people read them."""
    similarity: dict[str, Any] = {"components": [_component(component) for component in config.components]}
    edges = written(config.edges)
    if "min" in edges:
        similarity["min_combined_similarity"] = edges.pop("min")
    document = {**head_sections(config), "similarity": similarity}
    if edges:
        document["network"] = {"edges": edges}
    if config.communities != CommunitySpec():
        document["communities"] = written(config.communities)
    return {**document, **tail_sections(config)}


def _component(component: Component) -> dict[str, Any]:
    """One component with its keys in the order of the guides."""
    keys: dict[str, Any] = {"type": component.type}
    if component.component_id is not None:
        keys["component_id"] = component.component_id
    if isinstance(component, CompositeEmbeddingComponent):
        keys["fields"] = [
            {
                "field": part.field,
                "weight": tidy(part.weight),
                **written_chunking(part.chunking_strategy),
                **_only(written(part), "aggregation", "decay_from"),
            }
            for part in component.fields
        ]
    else:
        keys["field"] = component.field
    if isinstance(component, AttributeSimilarityComponent):
        keys.update(_only(written(component, keys=("metric",)), "metric", "scale"))
    else:
        keys.update(_only(written(component, keys=("model",)), "model", "model_name", "host"))
        keys.update(written_chunking(component.chunking_strategy))
        keys.update(_only(written(component), "aggregation", "decay_from", "role_weights"))
    keys["weight"] = tidy(component.weight)
    if component.min_similarity is not None:
        keys["min_similarity"] = tidy(component.min_similarity)
    return keys


def _only(values: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: values[key] for key in keys if key in values}


def _with_component_types(data: Mapping[str, Any], notes: list[str]) -> Mapping[str, Any]:
    """The data with a `type` for every component that leaves it to us, as the guide's example of 3 : 5 : 2 does."""
    components = value_in(data, "similarity", "components")
    if not isinstance(components, list):
        return data
    typed = [
        {**_guessed_type(component, data, notes), **component}
        if isinstance(component, dict) and "type" not in component
        else component
        for component in components
    ]
    return {**data, "similarity": {**mapping_in(data, "similarity"), "components": typed}}


def _guessed_type(component: Mapping[str, Any], data: Mapping[str, Any], notes: list[str]) -> dict[str, str]:
    if "fields" in component:
        return {"type": CompositeEmbeddingComponent.model_fields["type"].default}
    if component.keys() & {"metric", "scale"}:
        return {"type": AttributeSimilarityComponent.model_fields["type"].default}
    text = {"type": str(FieldEmbeddingComponent.model_fields["type"].default)}
    name = component.get("field")
    if component.keys() & _EMBEDDING_KEYS or not isinstance(name, str):
        return text
    kind = value_in(data, "schema", name)
    kind = kind.get("type") if isinstance(kind, dict) else kind
    if kind in ("list", "category", "boolean"):
        metric = "jaccard" if kind == "list" else "exact"
        notes.append(f"Field {shown(name)} is a {kind}, so it is compared with {metric}.")
        return {"type": str(AttributeSimilarityComponent.model_fields["type"].default), "metric": metric}
    notes.append(f"The component of field {shown(name)} has no `type`, so the field is compared as text with tfidf.")
    return text


def _findings_between_components(data: Mapping[str, Any]) -> list[Finding]:
    """What is wrong between components, or between them and the network, whether or not each is valid."""
    findings: list[Finding] = []
    place = ("similarity", "components")
    components = value_in(data, *place)
    components = components if isinstance(components, list) else []
    weights = [component.get("weight", 1) for component in components if isinstance(component, dict)]
    if weights and all(isinstance(weight, (int, float)) and weight == 0 for weight in weights):
        findings.append(Finding(place, "all component weights are 0; at least one must be positive."))
    first_places: dict[str, int] = {}
    for i, component in enumerate(components):
        name = _raw_name(component)
        if name is None:
            continue
        if name in first_places and len(findings) < MAX_FINDINGS:
            message = f"two components are named {shown(name)}, this one and components[{first_places[name]}]; "
            findings.append(Finding((*place, i), message + "give one of them a `component_id` of its own."))
        first_places.setdefault(name, i)
    if "min" in mapping_in(data, "network", "edges") and "min_combined_similarity" in mapping_in(data, "similarity"):
        message = "the threshold is given twice, as `similarity.min_combined_similarity` too; keep one."
        findings.append(Finding(("network", "edges", "min"), message))
    return findings


def _raw_name(component: Any) -> str | None:
    """The name that a component will have, where it is plain enough to have one."""
    for key in ("component_id", "field"):
        if isinstance(name := value_in(component, key), str):
            return name
    parts = value_in(component, "fields")
    fields = [value_in(part, "field") for part in parts] if isinstance(parts, list) else []
    return "+".join(fields) if fields and all(isinstance(field, str) for field in fields) else None
