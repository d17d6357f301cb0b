"""What both dialects share: reading and writing of the sections that are the same in either.

Enters: a `Source`, or a `PipelineConfig`. Leaves: a validated document with every finding, or plain values in the
order in which people read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import Field, ValidationError

from cnrag_core.config.names import AGGREGATIONS_WITHOUT_WEIGHTS
from cnrag_core.config.problems import findings_of
from cnrag_core.config.schema_checks import schema_findings
from cnrag_core.config.source import Finding, Source
from cnrag_core.config.spec import (
    DEFAULT_EDGE_RULE,
    ChunkingStrategy,
    CommunitySpec,
    Component,
    CompositeEmbeddingComponent,
    EdgeRule,
    FieldEmbeddingComponent,
    FieldSpec,
    PipelineConfig,
    SharedSections,
    Spec,
)

Document = TypeVar("Document", bound=SharedSections)

DEFAULT_EDGES_NOTE = (
    "Nothing says which pairs become edges, so the default does: the most similar "
    f"{DEFAULT_EDGE_RULE.density:.0%} of all pairs, and the {DEFAULT_EDGE_RULE.min_neighbors} best neighbours of every "
    "document. A threshold can be set instead once the curve has been seen."
)


class NetworkSection(Spec):
    """Which pairs become edges, and how communities are found."""

    edges: EdgeRule | None = Field(
        None, description="which pairs become edges; if absent the top 5 % of pairs and 3 neighbours of every document"
    )
    communities: CommunitySpec | None = Field(None, description="the same as `communities` at the top")


def validated(source: Source, data: Mapping[str, Any], model: type[Document]) -> tuple[Document | None, list[Finding]]:
    """The document that the data hold, or None and everything that the schema finds wrong."""
    try:
        return model.model_validate(data), []
    except ValidationError as error:
        return None, [Finding(source.existing(place), message) for place, message in findings_of(error, model)]


def shared_findings(data: Mapping[str, Any]) -> list[Finding]:
    """What is wrong between shared sections, whether or not each of them is valid."""
    findings = schema_findings(mapping_in(data, "schema"))
    if "communities" in data and "communities" in mapping_in(data, "network"):
        message = "`communities` is given twice, at the top and under `network`; keep one."
        findings.append(Finding(("network", "communities"), message))
    return findings


def shared_values(document: SharedSections, network: NetworkSection | None) -> dict[str, Any]:
    """The values of the shared sections as keywords of a `PipelineConfig`."""
    values = {name: getattr(document, name) for name in SharedSections.model_fields}
    if network is not None and network.communities is not None:
        values["communities"] = network.communities
    return values


def complete_edges(rule: EdgeRule, notes: list[str]) -> EdgeRule:
    """The rule, or the default with a note where nothing was asked."""
    if not rule.is_empty:
        return rule
    notes.append(DEFAULT_EDGES_NOTE)
    return DEFAULT_EDGE_RULE.model_copy(update={"strong_similarity": rule.strong_similarity})


def weight_notes(components: Iterable[Component]) -> list[str]:
    """A sentence for every component whose aggregation cannot follow the different weights that were given."""
    notes = []
    for part in components:
        if isinstance(part, CompositeEmbeddingComponent):
            whose, weights = "of its fields", [field.weight for field in part.fields]
        elif isinstance(part, FieldEmbeddingComponent) and part.aggregation_method == "max_pool":
            # `first` and `last` combine the chunks of each speaker, and the speakers are averaged
            whose, weights = "of the speakers", [1.0, *(part.role_weights or {}).values()]
        else:
            continue
        method = part.aggregation_method
        if method in AGGREGATIONS_WITHOUT_WEIGHTS and len({weight for weight in weights if weight > 0}) > 1:
            notes.append(
                f"{part.name}: aggregation '{method}' takes no weights, so the weights {whose} do not count; "
                "'weighted_avg' follows them."
            )
    return notes


def mapping_in(data: Any, *keys: str | int) -> dict[str, Any]:
    """The mapping at a place, or an empty one: for checks that run beside the schema's."""
    value = value_in(data, *keys)
    return value if isinstance(value, dict) else {}


def value_in(data: Any, *keys: str | int) -> Any:
    """The value at a place, or None where there is none."""
    for key in keys:
        try:
            value = data[key] if not isinstance(data, str) else None
        except (KeyError, IndexError, TypeError):
            return None
        data = value
    return data


def head_sections(config: PipelineConfig) -> dict[str, Any]:
    """Name, description, id field and schema, where they say something."""
    head: dict[str, Any] = {}
    if config.name is not None:
        head["name"] = config.name
    if config.description is not None:
        head["description"] = config.description
    if config.id_field != "id":
        head["id_field"] = config.id_field
    if config.fields:
        head["schema"] = {name: _field(spec) for name, spec in config.fields.items()}
    return head


def tail_sections(config: PipelineConfig) -> dict[str, Any]:
    """Links, retrieval, traversal, display, engine and random state, where they are not the defaults."""
    tail: dict[str, Any] = {}
    if config.links:
        tail["links"] = [{"type": link.type, **written(link)} for link in config.links]
    for key in ("retrieval", "traversal", "display", "engine", "random_state"):
        value = getattr(config, key)
        if value != SharedSections.model_fields[key].default:
            tail[key] = written(value) if isinstance(value, Spec) else value
    return tail


def written(spec: Spec, *, keys: Iterable[str] = ()) -> dict[str, Any]:
    """The keys of a model that differ from their defaults, as a YAML writes them; those in `keys` always.

    Examples
    --------
    >>> written(EdgeRule(min=0.4))
    {'min': 0.4}
    """
    always = set(keys)
    full = spec.model_dump(mode="json", by_alias=True)
    differing = spec.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return {key: tidy(differing.get(key, value)) for key, value in full.items() if key in differing or key in always}


def written_chunking(chunking: ChunkingStrategy | None) -> dict[str, Any]:
    """``{"chunking": {...}}``, or nothing."""
    if chunking is None:
        return {}
    sizes = {"none": (), "recursive": ("max_chars", "overlap_chars")}.get(chunking.method, ("max_tokens",))
    return {"chunking": written(chunking, keys=("method", *sizes))}


def tidy(value: Any) -> Any:
    """Whole numbers without a point: ``weight: 3`` rather than ``3.0``."""
    if isinstance(value, dict):
        return {key: tidy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [tidy(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else value


def _field(spec: FieldSpec) -> Any:
    """``text`` for a field that only has a kind, its keys otherwise; a default is written exactly as it is."""
    keys = spec.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    keys.pop("type", None)
    return {"type": spec.kind, **keys} if keys else spec.kind
