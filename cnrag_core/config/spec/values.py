"""What every configuration model is made of: the base class, and numbers, flags and names with their bounds.

Enters: values of a YAML or of Python keywords. Leaves: validated ones; a schema library alone would take
true for 1 and "0.3" for 0.3.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, TypeAlias, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic._internal._model_construction import ModelMetaclass
from pydantic_core import PydanticCustomError

from cnrag_core.config.problems import problems_of
from cnrag_core.errors import ConfigError


def _number(value: Any) -> Any:
    """Numbers are written as numbers: a schema library would take true for 1 and "0.3" for 0.3."""
    if isinstance(value, (bool, str)):
        raise PydanticCustomError("number_wanted", "a number was wanted")
    return value


def _flag(value: Any) -> Any:
    if not isinstance(value, bool):
        raise PydanticCustomError("flag_wanted", "true or false was wanted")
    return value


def tuple_of_one(value: Any) -> Any:
    """``in: abstract`` means ``in: [abstract]``."""
    return (value,) if isinstance(value, str) else value


def plain(value: Any) -> Any:
    """Whatever YAML can hold, finite, and no deeper than a configuration may be."""
    if not _is_plain(value, depth=0):
        raise PydanticCustomError(
            "not_plain", "must be text, a finite number, true or false, or a list or mapping of these"
        )
    return value


def _is_plain(value: Any, depth: int) -> bool:
    if depth > 20:
        return False
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, list):
        return all(_is_plain(item, depth + 1) for item in value)
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(item, depth + 1) for key, item in value.items())
    return value is None or isinstance(value, (str, bool, int))


Number: TypeAlias = Annotated[float, BeforeValidator(_number), Field(allow_inf_nan=False)]
Integer: TypeAlias = Annotated[int, BeforeValidator(_number)]
Flag: TypeAlias = Annotated[bool, BeforeValidator(_flag)]
Share: TypeAlias = Annotated[Number, Field(ge=0.0, le=1.0)]
"""A number from 0 to 1, both included."""

Weight: TypeAlias = Annotated[Number, Field(ge=0.0, le=1e12)]
"""A ratio: 3 : 5 : 2 and 0.3 : 0.5 : 0.2 mean the same. The upper bound keeps sums finite."""

Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=500)]
"""Name of a field, a component or a definition; never empty."""

Names: TypeAlias = Annotated[tuple[Name, ...], BeforeValidator(tuple_of_one), Field(min_length=1)]


class _ConfigErrors(ModelMetaclass):
    """Direct construction reports like the loader does: a `ConfigError` that lists every problem."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:  # noqa: N805  (a metaclass: its instances are classes)
        try:
            return super().__call__(*args, **kwargs)
        except ValidationError as error:
            raise ConfigError(problems_of(error, cast("type[BaseModel]", cls), prefix=cls.__name__)) from None


class Spec(BaseModel, metaclass=_ConfigErrors):
    """Base of all configuration models: frozen, and refusing keys that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, validate_default=True)
