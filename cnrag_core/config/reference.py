"""The reference of both dialects, made from the models that read them.

Enters: nothing; it reads the models. Leaves: Markdown tables of every key with its type, default and meaning. The
README holds it between two markers, so that a test can compare them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from cnrag_core.config.annotations import branches_of, core_of, is_model, limits_of, models_below
from cnrag_core.config.components_dialect import ComponentsDocument
from cnrag_core.config.dialect import written
from cnrag_core.config.graph_document import GraphDocument
from cnrag_core.config.names import (
    AGGREGATION_ALIASES,
    CHUNKING_ALIASES,
    FIELD_KIND_ALIASES,
    METRIC_ALIASES,
    MODEL_ALIASES,
)
from cnrag_core.config.problems import number_text
from cnrag_core.config.spec import ChunkingStrategy, SharedSections, Spec

REFERENCE_BEGINS = "<!-- configuration reference: begin (generated) -->"
REFERENCE_ENDS = "<!-- configuration reference: end -->"

_INTRODUCTION = """\
A configuration is one YAML mapping in one of two dialects; `cnrag config convert` writes either. Values follow YAML 1.2
(`no` is text, `1e-1` is a number). Weights are ratios: 3 : 5 : 2 and 0.3 : 0.5 : 0.2 mean the same. A file has at most
64 KB; unknown keys are refused, and everything that is wrong is said at once."""


def reference_markdown() -> str:
    """Every key of both dialects as Markdown, without the markers.

    Examples
    --------
    >>> "| `metric` | " in reference_markdown()
    True
    """
    shared: list[tuple[str, type[BaseModel]]] = [
        *((place, model) for place, model in models_below(SharedSections) if place),
        ("chunking", ChunkingStrategy),
    ]
    told = {model for _, model in shared}
    parts = [
        _INTRODUCTION,
        "#### In both dialects",
        _table(_keys_at_top(SharedSections)),
        *_sections(shared),
        "#### Dialect A: components",
        _table(_keys_at_top(ComponentsDocument, without=SharedSections)),
        *_sections(_own(ComponentsDocument, told)),
        "#### Dialect B: graph of definitions",
        _table(_keys_at_top(GraphDocument, without=SharedSections)),
        *_sections(_own(GraphDocument, told)),
        "#### Other spellings",
        _aliases(),
    ]
    return "\n\n".join(parts) + "\n"


def _own(document: type[SharedSections], told: set[type[BaseModel]]) -> list[tuple[str, type[BaseModel]]]:
    """The sections of a dialect that are not in the shared part, each model once."""
    seen = set(told)
    own = []
    for place, model in models_below(document):
        if place and model not in seen:
            seen.add(model)
            own.append((place, model))
    return own


def _sections(models: list[tuple[str, type[BaseModel]]]) -> Iterator[str]:
    for place, model in models:
        yield f"**`{place}`** {_summary(model)}"
        yield _table(sorted(_keys_at_top(model), key=_rank))


def _summary(model: type[BaseModel]) -> str:
    """What the model is: the first sentence of its docstring, and its `type` where there are several."""
    kind = model.model_fields.get("type")
    choice = (
        f"with `type: {kind.default}`: " if kind is not None and isinstance(kind.default, str) and _is_tag(kind) else ""
    )
    first = (model.__doc__ or "").strip().split("\n\n")[0].replace("\n", " ")
    return f"{choice}{' '.join(first.split())}"


def _is_tag(info: FieldInfo) -> bool:
    return get_origin(info.annotation) is Literal and len(get_args(info.annotation)) == 1


def _keys_at_top(model: type[BaseModel], without: type[BaseModel] | None = None) -> Iterator[tuple[str, FieldInfo]]:
    for name, info in model.model_fields.items():
        if without is None or name not in without.model_fields:
            yield info.alias or name, info


def _rank(key: tuple[str, FieldInfo]) -> int:
    """What chooses the form first, then what must be given."""
    name, info = key
    return 0 if name == "type" and _is_tag(info) else 1 if info.is_required() else 2


def _table(keys: Iterable[tuple[str, FieldInfo]]) -> str:
    rows = [f"| `{key}` | {_type(info)} | {_default(info)} | {_cell(info.description or '')} |" for key, info in keys]
    return "\n".join(["| key | type | default | meaning |", "|---|---|---|---|", *rows])


def _type(info: FieldInfo) -> str:
    """The type in words, with its bounds or choices."""
    annotation = core_of(info.annotation)
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{choice}`" for choice in get_args(annotation))
    if annotation in (int, float):
        return _range(limits_of(info.annotation, info), "whole number" if annotation is int else "number")
    return _noun(annotation)


def _noun(annotation: Any) -> str:
    annotation = core_of(annotation)
    if get_origin(annotation) is not None and not dict(branches_of(annotation)):
        arguments = [argument for argument in get_args(annotation) if argument is not Ellipsis]
        inner = _noun(arguments[-1])
        return f"mapping of names to {inner}s" if len(arguments) == 2 else f"list of {inner}s"
    if is_model(annotation) or dict(branches_of(annotation)):
        return "mapping"
    return {str: "text", int: "whole number", float: "number", bool: "`true`, `false`"}.get(annotation, "any value")


def _range(limits: dict[str, float], noun: str) -> str:
    low, high = limits.get("ge"), limits.get("le")
    # very high bounds only keep sums finite
    high = high if high is not None and high <= 1000 else None
    if "gt" in limits:
        return f"{noun} above {number_text(limits['gt'])}" + (f", at most {number_text(high)}" if high else "")
    if low is not None and high is not None:
        return f"{noun} from {number_text(low)} to {number_text(high)}"
    return f"{noun}, {number_text(low)} or more" if low is not None else noun


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return "required"
    default = info.get_default(call_default_factory=True)
    if default is None or default is PydanticUndefined or default == () or default == {}:
        return ""
    if isinstance(default, Spec):
        values = written(default)
        return f"`{values}`" if values else "the defaults below"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{number_text(default) if isinstance(default, (int, float)) else default}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _aliases() -> str:
    kinds = {
        "chunking methods": CHUNKING_ALIASES,
        "aggregations": AGGREGATION_ALIASES,
        "metrics": METRIC_ALIASES,
        "models": MODEL_ALIASES,
        "field types": FIELD_KIND_ALIASES,
    }
    lines = []
    for kind, aliases in kinds.items():
        pairs = ", ".join(f"`{alias}` = `{name}`" for alias, name in aliases.items())
        lines.append(f"- {kind}: {pairs}")
    return "\n".join(lines)
