"""From definitions that refer to each other to a flat list of components with weights.

Enters: the definitions of dialect B, whose references are known to be sound. Leaves: components. A weighted average
of weighted averages is a weighted average: the weights along a way multiply, and ways to the same definition add up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from graphlib import TopologicalSorter
from typing import Any

from cnrag_core.config.graph_document import (
    CombinedSimilarity,
    CombinedVector,
    EmbeddingDefinition,
    EmbeddingSimilarity,
    FieldVector,
    GraphDocument,
)
from cnrag_core.config.graph_references import reachable
from cnrag_core.config.problems import shown
from cnrag_core.config.source import Finding
from cnrag_core.config.spec import (
    AttributeComparison,
    AttributeSimilarityComponent,
    Component,
    CompositeEmbeddingComponent,
    CompositeField,
    FieldEmbeddingComponent,
)

_AVERAGES = {"weighted_avg", "concat"}
"""Aggregations that divide by the sum of the weights."""

_FLATTENED = {*_AVERAGES, "sum", "max_pool"}
"""Aggregations of which two levels are one."""


def components_of(document: GraphDocument, root: str) -> tuple[list[Component], list[Finding]]:
    """The components that a similarity consists of, with their weights, or what keeps them from being flat."""
    combinations = {
        name: [(reference.ref, reference.weight) for reference in definition.combine]
        for name, definition in document.similarities.items()
        if isinstance(definition, CombinedSimilarity)
    }
    weights = flat_weights(root, combinations, normalise=True)
    minimums, findings = _minimums(document, root)
    components: list[Component] = []
    for name, weight in weights.items():
        definition = document.similarities[name]
        options: dict[str, Any] = {"weight": weight, "min_similarity": minimums.get(name)}
        if isinstance(definition, EmbeddingSimilarity):
            parts, wrong = _parts(definition.embedding, document.embeddings)
            findings += wrong
            if not wrong:
                components.append(_embedded(name, definition.embedding, document.embeddings, parts, options))
        elif isinstance(definition, AttributeComparison):
            values = _values(definition, AttributeComparison)
            named = {} if name == definition.field else {"component_id": name}
            components.append(AttributeSimilarityComponent(**named, **options, **values))
    return components, list(dict.fromkeys(findings))


def model_findings(document: GraphDocument) -> list[Finding]:
    """Combinations of vectors that do not share a space, because different models made them."""
    findings = []
    targets = _embedding_targets(document.embeddings)
    for name in targets:
        models: dict[tuple[Any, ...], str] = {}
        for part in reachable([name], targets):
            definition = document.embeddings[part]
            if isinstance(definition, FieldVector):
                models.setdefault((definition.model, definition.model_name, definition.host), part)
        if len(models) > 1:
            (one, first), (two, second), *_ = models.items()
            findings.append(
                Finding(
                    ("embeddings", name, "combine"),
                    f"{shown(first)} ({_model_words(one)}) and {shown(second)} ({_model_words(two)}) have different "
                    "models, and their vectors cannot be mixed. Make a similarity of each and combine those.",
                )
            )
    return findings


def flat_weights(
    root: str, combinations: Mapping[str, Sequence[tuple[str, float]]], *, normalise: bool
) -> dict[str, float]:
    """Weight of every definition that a root comes down to, in the order of reading.

    Parameters
    ----------
    root
        Where to begin. Its own weights stay as they are written.
    combinations
        For each definition that combines others, their names and weights.
    normalise
        Whether the weights of an inner combination count as shares of their sum, as in an average.

    Examples
    --------
    >>> flat_weights("all", {"all": [("text", 3), ("meta", 1)], "meta": [("tags", 1), ("year", 3)]}, normalise=True)
    {'text': 3.0, 'tags': 0.25, 'year': 0.75}
    """
    targets = {name: [target for target, _ in parts] for name, parts in combinations.items()}
    found = reachable([root], targets)
    weights = dict.fromkeys(found, 0.0) | {root: 1.0}
    # every way into a definition is added up before its own parts are weighed, however many ways there are
    parents_first = list(TopologicalSorter({name: targets.get(name, ()) for name in found}).static_order())[::-1]
    for name in parents_first:
        parts = combinations.get(name, ())
        total = sum(weight for _, weight in parts) if normalise and name != root else 1.0
        for target, weight in parts:
            weights[target] += weights[name] * weight / total
    return {name: weight for name, weight in weights.items() if name not in combinations}


def _minimums(document: GraphDocument, root: str) -> tuple[dict[str, float | None], list[Finding]]:
    """The `min` of each similarity that is referred to from the root; it must be one, and stand on what is compared."""
    combined = {
        name: definition.combine
        for name, definition in document.similarities.items()
        if isinstance(definition, CombinedSimilarity)
    }
    targets = {name: [reference.ref for reference in references] for name, references in combined.items()}
    minimums: dict[str, float | None] = {}
    findings: list[Finding] = []
    for name in reachable([root], targets):
        for i, reference in enumerate(combined.get(name, ())):
            location = ("similarities", name, "combine", i, "min")
            minimum = reference.min_similarity
            if reference.ref in combined and minimum is not None:
                message = f"{shown(reference.ref)} is a combination itself; set `min` on the references in it."
                findings.append(Finding(location, message))
            elif minimums.setdefault(reference.ref, minimum) != minimum:
                message = f"{shown(reference.ref)} is referred to twice with different `min`; give both the same."
                findings.append(Finding(location, message))
    return minimums, findings


def _parts(name: str, embeddings: Mapping[str, EmbeddingDefinition]) -> tuple[list[CompositeField], list[Finding]]:
    """The fields of a combined embedding with their weights; none for the embedding of one field."""
    outer = embeddings[name]
    if not isinstance(outer, CombinedVector):
        return [], []
    targets = _embedding_targets(embeddings)
    findings = []
    for inner in reachable([name], targets):
        definition = embeddings[inner]
        if inner == name or not isinstance(definition, CombinedVector):
            continue
        method = definition.aggregation_method
        if method != outer.aggregation_method or method not in _FLATTENED:
            message = f"{shown(inner)} ({method}) is part of {shown(name)} ({outer.aggregation_method}); "
            message += f"combinations in each other must both use the same of {', '.join(sorted(_FLATTENED))}."
            findings.append(Finding(("embeddings", inner, "aggregation"), message))
        if definition.chunking_strategy is not None:
            message = f"{shown(inner)} is part of {shown(name)}; set `chunking` there, or on the embeddings of fields."
            findings.append(Finding(("embeddings", inner, "chunking"), message))
    findings += _findings_in_parts(name, embeddings, targets)
    if findings:
        return [], findings
    combinations = {
        inner: [(reference.ref, reference.weight) for reference in definition.combine]
        for inner, definition in embeddings.items()
        if isinstance(definition, CombinedVector)
    }
    weights = flat_weights(name, combinations, normalise=outer.aggregation_method in _AVERAGES)
    shared = [key for key in CompositeField.model_fields if key != "weight"]
    parts = [
        CompositeField(weight=weight, **{key: getattr(embeddings[inner], key) for key in shared})
        for inner, weight in weights.items()
    ]
    return parts, []


def _findings_in_parts(
    name: str, embeddings: Mapping[str, EmbeddingDefinition], targets: Mapping[str, Sequence[str]]
) -> list[Finding]:
    """What the embedding of a field can say for itself, but not as a part of a combination."""
    findings = []
    for inner in reachable([name], targets):
        definition = embeddings[inner]
        if not isinstance(definition, FieldVector):
            continue
        if definition.role_weights is not None:
            message = f"{shown(inner)} is part of {shown(name)}, where speakers cannot weigh differently. "
            message += "Compare it as a similarity of its own."
            findings.append(Finding(("embeddings", inner, "role_weights"), message))
        if definition.aggregation_method == "concat":
            message = f"{shown(inner)} is part of {shown(name)}, and 'concat' makes vectors of different lengths. "
            message += "Use another aggregation for its chunks."
            findings.append(Finding(("embeddings", inner, "aggregation"), message))
    return findings


def _embedded(
    name: str,
    embedding: str,
    embeddings: Mapping[str, EmbeddingDefinition],
    parts: list[CompositeField],
    options: Mapping[str, Any],
) -> Component:
    """The component that compares an embedding; `parts` are those of a combined one."""
    definition = embeddings[embedding]
    if isinstance(definition, FieldVector):
        named = {} if name == definition.field else {"component_id": name}
        return FieldEmbeddingComponent(**named, **options, **_values(definition, FieldVector))
    below = reachable([embedding], _embedding_targets(embeddings))
    # all of them have the same model, which `model_findings` made sure of
    one = next(part for inner in below if isinstance(part := embeddings[inner], FieldVector))
    default_name = "+".join(part.field for part in parts)
    return CompositeEmbeddingComponent(
        **({} if name == default_name else {"component_id": name}),
        **options,
        fields=tuple(parts),
        model=one.model,
        model_name=one.model_name,
        host=one.host,
        aggregation_method=definition.aggregation_method,
        chunking_strategy=definition.chunking_strategy,
    )


def _values(definition: Any, model: type[FieldVector] | type[AttributeComparison]) -> dict[str, Any]:
    return {key: getattr(definition, key) for key in model.model_fields}


def _embedding_targets(embeddings: Mapping[str, EmbeddingDefinition]) -> dict[str, list[str]]:
    return {
        name: [reference.ref for reference in definition.combine]
        for name, definition in embeddings.items()
        if isinstance(definition, CombinedVector)
    }


def _model_words(model: tuple[Any, ...]) -> str:
    return " ".join(str(word) for word in model if word is not None)
