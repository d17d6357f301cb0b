"""Dialect B: named embeddings and similarities that refer to each other. Guide 000, "Design Patterns".

::

    schema: {title: text, abstract: text, tags: list}
    embeddings:
      title_vec: {field: title, model: tfidf}
      abstract_vec: {field: abstract, model: tfidf}
      text_vec: {combine: [{ref: title_vec, weight: 0.4}, {ref: abstract_vec, weight: 0.6}]}
    similarities:
      text_sim: {embedding: text_vec}
      tag_sim: {field: tags, metric: jaccard}
      overall: {combine: [{ref: text_sim, weight: 0.8}, {ref: tag_sim, weight: 0.2, min: 0.1}]}
    network:
      edges: {similarity: overall, min: 0.35}

Enters: a `Source`. Leaves: a `PipelineConfig`, in which each similarity that the edges rest on is a component and a
combined embedding is a composite; and the way back, a configuration as text of this dialect.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cnrag_core.config.dialect import (
    complete_edges,
    head_sections,
    mapping_in,
    shared_findings,
    shared_values,
    tail_sections,
    tidy,
    validated,
    written,
    written_chunking,
)
from cnrag_core.config.graph_document import CombinedVector, FieldVector, GraphDocument, GraphEdges, GraphNetworkSection
from cnrag_core.config.graph_flattening import components_of, model_findings
from cnrag_core.config.graph_references import combined_targets, reachable, reference_findings, root_similarity
from cnrag_core.config.problems import shown
from cnrag_core.config.source import Finding, Source, source_of_mapping
from cnrag_core.config.spec import (
    AttributeComparison,
    AttributeSimilarityComponent,
    CommunitySpec,
    CompositeEmbeddingComponent,
    EdgeRule,
    FieldEmbeddingComponent,
    PipelineConfig,
)


def read(source: Source | Mapping[str, Any]) -> PipelineConfig:
    """The configuration that a text or mapping of dialect B describes.

    Raises
    ------
    ConfigError
        With every problem, each with its path and, where the source is a text, its line.
    """
    source = source if isinstance(source, Source) else source_of_mapping(source)
    data = source.data
    document, findings = validated(source, data, GraphDocument)
    findings += [*shared_findings(data), *reference_findings(data)]
    root = root_similarity(data) if mapping_in(data, "similarities") else ""
    if isinstance(root, Finding):
        findings.append(root)
    if document is not None and not findings:
        findings += model_findings(document)
    source.refuse(findings)
    assert document is not None  # it is None only with findings
    assert isinstance(root, str)  # likewise
    components, findings = components_of(document, root)
    source.refuse(findings)
    notes = _notes_of_unused(data, root)
    network = document.network or GraphNetworkSection()
    rule = network.edges or GraphEdges()
    edges = EdgeRule(**{key: getattr(rule, key) for key in EdgeRule.model_fields})
    return PipelineConfig(
        **shared_values(document, network),
        components=components,
        edges=complete_edges(edges, notes),
        notes=tuple(notes),
    )


def write(config: PipelineConfig) -> str:
    """The configuration as YAML of dialect B; its notes become comments."""
    from cnrag_core.config.yaml_writing import to_text

    return to_text(as_mapping(config), comments=config.notes)


def as_mapping(config: PipelineConfig) -> dict[str, Any]:
    """The configuration as plain values of dialect B, in the order in which people read them."""
    embeddings: dict[str, Any] = {}
    similarities: dict[str, Any] = {}
    references = []
    for component in config.components:
        if isinstance(component, AttributeSimilarityComponent):
            values = written(component, keys=("field", "metric"))
            similarities[component.name] = {
                key: values[key] for key in AttributeComparison.model_fields if key in values
            }
        elif isinstance(component, FieldEmbeddingComponent):
            similarities[component.name] = {"embedding": _add_field_vector(component, embeddings)}
        else:
            similarities[component.name] = {"embedding": _add_combined_vector(component, embeddings)}
        reference = {"ref": component.name, "weight": tidy(component.weight)}
        if component.min_similarity is not None:
            reference["min"] = tidy(component.min_similarity)
        references.append(reference)
    overall = _free_name("overall", similarities)
    similarities[overall] = {"combine": references}
    network: dict[str, Any] = {"edges": {"similarity": overall, **written(config.edges)}}
    if config.communities != CommunitySpec():
        network["communities"] = written(config.communities)
    document = head_sections(config)
    if embeddings:
        document["embeddings"] = embeddings
    return {**document, "similarities": similarities, "network": network, **tail_sections(config)}


def _add_field_vector(component: FieldEmbeddingComponent, embeddings: dict[str, Any]) -> str:
    """Define the vector of one field, and return its name."""
    vector = FieldVector(**{key: getattr(component, key) for key in FieldVector.model_fields})
    return _add(_vector(vector), f"{component.field}_vec", embeddings, used=())


def _add_combined_vector(component: CompositeEmbeddingComponent, embeddings: dict[str, Any]) -> str:
    """Define the vectors of a composite's fields and their combination, and return its name."""
    references: list[dict[str, Any]] = []
    for part in component.fields:
        own = {key: getattr(part, key) for key in FieldVector.model_fields if key in type(part).model_fields}
        vector = FieldVector(model=component.model, model_name=component.model_name, host=component.host, **own)
        # within one combination the same field twice is two parts, so it needs two names
        used = [reference["ref"] for reference in references]
        name = _add(_vector(vector), f"{part.field}_vec", embeddings, used=used)
        references.append({"ref": name, "weight": tidy(part.weight)})
    combined = CombinedVector(
        combine=references,  # validated into references
        aggregation_method=component.aggregation_method,
        chunking_strategy=component.chunking_strategy,
    )
    definition = {"combine": references, **written_chunking(combined.chunking_strategy)}
    if "aggregation" in (keys := written(combined)):
        definition["aggregation"] = keys["aggregation"]
    name = _free_name(f"{(component.component_id or 'text').removesuffix('_sim')}_vec", embeddings)
    embeddings[name] = definition
    return name


def _vector(vector: FieldVector) -> dict[str, Any]:
    """The definition of a field's vector with its keys in the order of the guides."""
    values = {**written(vector, keys=("field", "model")), **written_chunking(vector.chunking_strategy)}
    order = ("field", "model", "model_name", "host", "chunking", "aggregation", "decay_from", "role_weights")
    return {key: values[key] for key in order if key in values}


def _add(definition: dict[str, Any], name: str, embeddings: dict[str, Any], used: list[str] | tuple[str, ...]) -> str:
    """The name of an equal definition that is free to be referred to, or of a new one."""
    for known, other in embeddings.items():
        if other == definition and known not in used:
            return known
    name = _free_name(name, embeddings)
    embeddings[name] = definition
    return name


def _free_name(name: str, taken: Mapping[str, Any]) -> str:
    """The name, or the name with the first number that makes it new."""
    free, number = name, 2
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def _notes_of_unused(data: Mapping[str, Any], root: str) -> list[str]:
    """A note for every definition that the edges do not rest on; it is probably a slip."""
    used = reachable([root], combined_targets(data, "similarities"))
    similarities = mapping_in(data, "similarities")
    vectors = [name for key in used if (name := similarities[key].get("embedding"))]
    used_vectors = reachable(vectors, combined_targets(data, "embeddings"))
    notes = [
        f"The similarity {shown(name)} is defined, but no edge rests on it."
        for name in similarities
        if name not in used
    ]
    notes += [
        f"The embedding {shown(name)} is defined, but nothing compares it."
        for name in mapping_in(data, "embeddings")
        if name not in used_vectors
    ]
    return notes
