"""A configuration with its defaults written out, for whoever must know what was in force.

Enters: a `PipelineConfig`. Leaves: YAML that reads back as an equal configuration.
"""

from __future__ import annotations

from typing import Any

from cnrag_core.config.components_dialect import as_mapping
from cnrag_core.config.spec import PipelineConfig
from cnrag_core.config.yaml_writing import to_text

SECTIONS = ("communities", "retrieval", "traversal", "display", "engine")
"""Those that have defaults of their own; what has no value is left out, because YAML has no word for it."""


def effective_yaml(config: PipelineConfig) -> str:
    """The components dialect with every default of every section.

    Examples
    --------
    >>> from cnrag_core.config.loader import load_config
    >>> short = load_config("similarity: {components: [{type: field_embedding, field: title, weight: 1}]}")
    >>> "random_state: 0" in effective_yaml(short), load_config(effective_yaml(short)) == short
    (True, True)
    """
    values: dict[str, Any] = {**as_mapping(config), "id_field": config.id_field, "random_state": config.random_state}
    for name in SECTIONS:
        section = getattr(config, name).model_dump(mode="json", by_alias=True, exclude_none=True)
        if section:
            values[name] = section
    edges = config.edges.model_dump(mode="json", by_alias=True, exclude_none=True)
    values["network"] = {"edges": edges}
    values["similarity"].pop("min_combined_similarity", None)
    plain = {key: value for key, value in values.items() if not isinstance(value, (dict, list))}
    return to_text({**plain, **values}, comments=["Every default that is in force is written out.", *config.notes])
