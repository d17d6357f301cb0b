"""From definitions that refer to each other to a flat list of components with weights.

Enters: the definitions of dialect B, whose references are known to be sound. Leaves: components. A weighted average
of weighted averages is a weighted average: the weights along a way multiply, and ways to the same definition add up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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
    vectors = _Vectors.of(document.embeddings)
    components: list[Component] = []
    for name, weight in weights.items():
        definition = document.similarities[name]
        options: dict[str, Any] = {"weight": weight, "min_similarity": minimums.get(name)}
        if isinstance(definition, EmbeddingSimilarity):
            wrong = vectors.findings_in(definition.embedding)
            findings += wrong
            if not wrong:
                components.append(_embedded(name, definition.embedding, vectors, options))
        elif isinstance(definition, AttributeComparison):
            values = _values(definition, AttributeComparison)
            named = {} if name == definition.field else {"component_id": name}
            components.append(AttributeSimilarityComponent(**named, **options, **values))
    return components, list(dict.fromkeys(findings))


def model_findings(document: GraphDocument) -> list[Finding]:
    """Combinations of vectors that do not share a space, because different models made them."""
    vectors = _Vectors.of(document.embeddings)
    models: dict[str, dict[tuple[Any, ...], str]] = {}
    findings = []
    for name in _parts_first(vectors.definitions, vectors.targets):
        definition = vectors.definitions[name]
        found: dict[tuple[Any, ...], str] = {}
        if isinstance(definition, FieldVector):
            found[(definition.model, definition.model_name, definition.host)] = name
        for target in vectors.targets.get(name, ()):
            for model, part in models[target].items():
                found.setdefault(model, part)
        # told where it happens, not again wherever that combination is used
        if len(found) > 1:
            (one, first), (two, second), *_ = found.items()
            message = f"{shown(first)} ({_model_words(one)}) and {shown(second)} ({_model_words(two)}) have different "
            message += "models, and their vectors cannot be mixed. Make a similarity of each and combine those."
            findings.append(Finding(("embeddings", name, "combine"), message))
        models[name] = dict(list(found.items())[:1])
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
    for name in reversed(_parts_first(found, targets)):
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


@dataclass(frozen=True)
class _Vectors:
    """The embeddings with the references between them."""

    definitions: Mapping[str, EmbeddingDefinition]
    combinations: Mapping[str, Sequence[tuple[str, float]]]
    targets: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, definitions: Mapping[str, EmbeddingDefinition]) -> _Vectors:
        """Note what each combination refers to."""
        combinations = {
            name: [(reference.ref, reference.weight) for reference in definition.combine]
            for name, definition in definitions.items()
            if isinstance(definition, CombinedVector)
        }
        targets = {name: [target for target, _ in parts] for name, parts in combinations.items()}
        return cls(definitions, combinations, targets)

    def findings_in(self, name: str) -> list[Finding]:
        """What cannot be said by the parts of a combined embedding."""
        outer = self.definitions[name]
        if not isinstance(outer, CombinedVector):
            return []
        findings: list[Finding] = []
        for inner in reachable([name], self.targets):
            definition = self.definitions[inner]
            if isinstance(definition, FieldVector):
                findings += _findings_in_part(inner, definition, name)
            elif inner != name:
                findings += _findings_in_combination(inner, definition, name, outer)
        return findings

    def parts_of(self, name: str) -> list[CompositeField]:
        """The fields of a combined embedding with their weights."""
        outer = self.definitions[name]
        assert isinstance(outer, CombinedVector)
        weights = flat_weights(name, self.combinations, normalise=outer.aggregation_method in _AVERAGES)
        shared = [key for key in CompositeField.model_fields if key != "weight"]
        return [
            CompositeField(weight=weight, **{key: getattr(self.definitions[inner], key) for key in shared})
            for inner, weight in weights.items()
        ]

    def a_field_in(self, name: str) -> FieldVector:
        """A field's embedding in a combination; all have the same model, which `model_findings` made sure of."""
        below = map(self.definitions.__getitem__, reachable([name], self.targets))
        return next(definition for definition in below if isinstance(definition, FieldVector))


def _findings_in_part(name: str, definition: FieldVector, outer: str) -> list[Finding]:
    """What the embedding of a field can say for itself, but not as a part of a combination."""
    findings = []
    if definition.role_weights is not None:
        message = f"{shown(name)} is part of {shown(outer)}, where speakers cannot weigh differently. "
        message += "Compare it as a similarity of its own."
        findings.append(Finding(("embeddings", name, "role_weights"), message))
    if definition.aggregation_method == "concat":
        message = f"{shown(name)} is part of {shown(outer)}, and 'concat' makes vectors of different lengths. "
        message += "Use another aggregation for its chunks."
        findings.append(Finding(("embeddings", name, "aggregation"), message))
    return findings


def _findings_in_combination(
    name: str, definition: CombinedVector, outer_name: str, outer: CombinedVector
) -> list[Finding]:
    """What a combination within another one cannot say."""
    findings = []
    method = definition.aggregation_method
    if method != outer.aggregation_method or method not in _FLATTENED:
        message = f"{shown(name)} ({method}) is part of {shown(outer_name)} ({outer.aggregation_method}); "
        message += f"combinations in each other must both use the same of {', '.join(sorted(_FLATTENED))}."
        findings.append(Finding(("embeddings", name, "aggregation"), message))
    if definition.chunking_strategy is not None:
        message = f"{shown(name)} is part of {shown(outer_name)}; "
        message += "set `chunking` there, or on the embeddings of fields."
        findings.append(Finding(("embeddings", name, "chunking"), message))
    return findings


def _embedded(name: str, embedding: str, vectors: _Vectors, options: Mapping[str, Any]) -> Component:
    """The component that compares an embedding."""
    definition = vectors.definitions[embedding]
    if isinstance(definition, FieldVector):
        named = {} if name == definition.field else {"component_id": name}
        return FieldEmbeddingComponent(**named, **options, **_values(definition, FieldVector))
    parts = vectors.parts_of(embedding)
    one = vectors.a_field_in(embedding)
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


def _parts_first(names: Iterable[str], targets: Mapping[str, Sequence[str]]) -> list[str]:
    """The names in an order in which every definition comes after what it refers to."""
    return list(TopologicalSorter({name: targets.get(name, ()) for name in names}).static_order())


def _values(definition: Any, model: type[FieldVector] | type[AttributeComparison]) -> dict[str, Any]:
    return {key: getattr(definition, key) for key in model.model_fields}


def _model_words(model: tuple[Any, ...]) -> str:
    return " ".join(str(word) for word in model if word is not None)
