"""What the models say about themselves: the keys, choices and bounds that messages and the reference quote.

Enters: a model and a place in it. Leaves: the field, annotation and limits there. Reads pydantic's public
`model_fields` and the annotations as written in `spec.py`; knows nothing of sentences.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, TypeGuard, Union, get_args, get_origin

import annotated_types as at
from pydantic import BaseModel, Tag
from pydantic.fields import FieldInfo

Location: TypeAlias = tuple[str | int, ...]
"""Keys and positions from the root of a configuration to one value."""


@dataclass(frozen=True)
class Place:
    """A value in a configuration, and what the model says about it; `info` is None for an unknown key."""

    path: Location
    owner: type[BaseModel]
    info: FieldInfo | None
    annotation: Any

    @property
    def description(self) -> str:
        """What the key means, or ``""``."""
        return (self.info.description if self.info else None) or ""

    @property
    def noun(self) -> str:
        """What is chosen there: ``set metric``."""
        return (self.info.title if self.info else None) or "value"

    @property
    def limits(self) -> dict[str, float]:
        """The bounds of a number there: ``{"ge": 0, "le": 1}``."""
        return limits_of(self.annotation, self.info)


def place_at(location: Location, root: type[BaseModel]) -> Place:
    """Follow a library's location through the models; the names of union branches drop out of the path."""
    annotation: Any = root
    owner, info = root, None
    path: list[str | int] = []
    for part in location:
        branches = dict(branches_of(annotation))
        if branches:
            annotation = branches.get(str(part), annotation)
            continue
        core = core_of(annotation)
        path.append(part)
        if is_model(core):
            owner, info = core, _field_named(str(part), core)
            if info is None:
                break
            annotation = info.annotation
        else:
            annotation = _item_annotation(core)
    return Place(tuple(path), owner, info, annotation)


def _field_named(key: str, model: type[BaseModel]) -> FieldInfo | None:
    fields = model.model_fields
    return fields.get(key) or next((info for info in fields.values() if info.alias == key), None)


def _item_annotation(core: Any) -> Any:
    """What the items of a list or the values of a mapping are."""
    arguments = get_args(core)
    if not arguments:
        return Any
    return arguments[1] if len(arguments) == 2 and arguments[1] is not Ellipsis else arguments[0]


def core_of(annotation: Any) -> Any:
    """The annotation without its constraints and without ``| None``."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
            continue
        options = _union_options(annotation)
        if len(options) != 1:
            return annotation
        annotation = options[0]


def _union_options(annotation: Any) -> list[Any]:
    if get_origin(annotation) not in (Union, types.UnionType):
        return []
    return [option for option in get_args(annotation) if option is not type(None)]


def branches_of(annotation: Any) -> Iterator[tuple[str, type[BaseModel]]]:
    """The models of a discriminated union, each with the tag that chooses it."""
    for option in _union_options(core_of(annotation)):
        tags = [extra.tag for extra in getattr(option, "__metadata__", ()) if isinstance(extra, Tag)]
        model = core_of(option)
        if not is_model(model):
            continue
        kind = model.model_fields.get("type")
        yield (tags[0] if tags else str(get_args(kind.annotation)[0]) if kind else model.__name__), model


def is_model(core: Any) -> TypeGuard[type[BaseModel]]:
    """Whether an annotation is one model, rather than a list, a choice or a number."""
    return isinstance(core, type) and issubclass(core, BaseModel)


def limits_of(annotation: Any, info: FieldInfo | None = None) -> dict[str, float]:
    """The bounds that an annotation and its field set: ``{"ge": 0, "le": 1}``."""
    return dict(_limits(annotation, info))


def _limits(annotation: Any, info: FieldInfo | None) -> Iterator[tuple[str, float]]:
    """Every bound that an annotation sets, as ``("ge", 0)``."""
    metadata = list(info.metadata) if info else []
    while annotation is not None:
        metadata += getattr(annotation, "__metadata__", ())
        options = _union_options(annotation)
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        else:
            annotation = options[0] if len(options) == 1 else None
    for extra in metadata:
        for bound in extra.metadata if isinstance(extra, FieldInfo) else [extra]:
            for name, kind in (("ge", at.Ge), ("gt", at.Gt), ("le", at.Le), ("lt", at.Lt)):
                if isinstance(bound, kind):
                    yield name, getattr(bound, name)


def known_keys(model: type[BaseModel]) -> list[str]:
    """The keys of a model as a YAML writes them, in their order."""
    return [info.alias or name for name, info in model.model_fields.items()]


def place_of_key(key: str, root: type[BaseModel]) -> str | None:
    """Where a key that is not known here would be known, as ``similarity.components[]``."""
    return next((place for place, model in models_below(root) if place and key in known_keys(model)), None)


def models_below(root: type[BaseModel], place: str = "") -> Iterator[tuple[str, type[BaseModel]]]:
    """Every model that a configuration may hold with its place, from the root downwards.

    A list shows as ``[]`` and a mapping of free names as ``.<name>``.
    """
    yield place, root
    for name, info in root.model_fields.items():
        below = f"{place}.{info.alias or name}" if place else info.alias or name
        annotation = core_of(info.annotation)
        while get_origin(annotation) is not None and get_origin(annotation) not in (Union, types.UnionType, Literal):
            below += ".<name>" if len(get_args(annotation)) == 2 and get_args(annotation)[1] is not Ellipsis else "[]"
            annotation = core_of(_item_annotation(annotation))
        for model in dict(branches_of(annotation)).values() or ([annotation] if is_model(annotation) else []):
            yield from models_below(model, below)
