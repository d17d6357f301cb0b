"""Configuration: what a YAML says, checked, in one form.

::

    spec                 everything that can be said: `PipelineConfig` and its parts
    loader               YAML text, path or mapping to a `PipelineConfig`, and back
    components_dialect   dialect A, a list of weighted components
    graph_dialect        dialect B, named definitions that refer to each other
    infer                a sensible configuration for an unknown corpus
    reference            every key with its default, as Markdown
    names, problems      other spellings, and how mistakes are worded

The names below are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cnrag_core.config.infer import infer_config
    from cnrag_core.config.loader import load_config, to_yaml
    from cnrag_core.config.reference import reference_markdown
    from cnrag_core.config.spec import PipelineConfig

__all__ = ["PipelineConfig", "infer_config", "load_config", "reference_markdown", "to_yaml"]

_MODULES = {
    "PipelineConfig": "spec",
    "infer_config": "infer",
    "load_config": "loader",
    "reference_markdown": "reference",
    "to_yaml": "loader",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
