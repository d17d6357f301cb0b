"""Arguments of the public functions, checked where they come in.

Enters: what a caller from Python handed over, and the argument's name. Leaves: the value in its kind, or one
sentence that says which argument it is, what was found, and what would be right.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

from cnrag_core.corpus.wording import shown
from cnrag_core.errors import ConfigError, UnknownNameError


def checked_text(value: Any, name: str, *, what: str = "a text") -> str:
    """The argument, which must be a text; `what` says in words what kind of text.

    Raises
    ------
    ConfigError
        If it is none.

    Examples
    --------
    >>> checked_text(5, "query", what="the question as a text")
    Traceback (most recent call last):
    cnrag_core.errors.ConfigError: `query` should be the question as a text, found the number 5.
    """
    if not isinstance(value, str):
        raise ConfigError(f"`{name}` should be {what}, found {shown(value)}.")
    return value


def checked_question(value: Any) -> str:
    """The question, which must be a text; an empty one is answered with a reason."""
    return checked_text(value, "query", what="the question as a text")


def checked_whole(value: Any, name: str) -> int:
    """The argument, which must be a whole number; the caller knows its bounds.

    Raises
    ------
    ConfigError
        If it is none; true and false are none either.
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ConfigError(f"`{name}` should be a whole number, found {shown(value)}.")
    return int(value)


def checked_number(value: Any, name: str) -> float:
    """The argument, which must be a finite number.

    Raises
    ------
    ConfigError
        If it is none; true and false are none either.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise ConfigError(f"`{name}` should be a number, found {shown(value)}.")
    return float(value)


def checked_several(values: Any, name: str, *, of: str) -> list[Any]:
    """The argument as a list; a text or a mapping is refused, whose letters or keys nobody means.

    Raises
    ------
    ConfigError
        If it cannot be gone through.
    """
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise ConfigError(f"`{name}` should be a list of {of}, found {shown(values)}.")
    return list(values)


def checked_id(value: Any) -> str:
    """The id of a document that is there, or said to be.

    Raises
    ------
    UnknownNameError
        If it is no text, and so the id of nothing.
    """
    if not isinstance(value, str):
        raise UnknownNameError(f"A document is named by its id, which is a text; found {shown(value)}.")
    return value


def checked_kind(value: Any, name: str, *kinds: type, what: str) -> Any:
    """The argument, which must be of one of the kinds; `what` says in words which.

    Raises
    ------
    ConfigError
        If it is of none.
    """
    if not isinstance(value, kinds):
        raise ConfigError(f"`{name}` should be {what}, found {shown(value)}.")
    return value


def checked_path(value: Any, name: str) -> str:
    """The path of a file or folder as a text; raises ConfigError if it is none, or empty."""
    if isinstance(value, (str, os.PathLike)) and isinstance(path := os.fspath(value), str) and path.strip():
        return path
    raise ConfigError(f"`{name}` should be a path, found {shown(value)}.")


def checked_function(value: Any, name: str) -> Any:
    """The argument, which must be something to call; raises ConfigError if it is not."""
    if not callable(value):
        raise ConfigError(f"`{name}` should be a function, found {shown(value)}.")
    return value
