"""Text that every file can hold, whoever made it: a reader, or a person in Python.

Enters: any value of a field. Leaves: the same, without NUL and without halves of surrogate pairs, which no
encoding can write.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_NO_TEXT = frozenset({int, float, bool, type(None)})


def storable_text(text: str) -> str:
    """The text as every file can hold it: NUL and halves of surrogate pairs become U+FFFD.

    Two halves of one character that were written apart are joined again. A text that is fine is returned itself.

    Examples
    --------
    >>> storable_text("a\\ud800b"), storable_text("\\ud83d\\ude00")
    ('a�b', '😀')
    """
    if is_storable(text):
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\x00", "�")


def is_storable(value: Any) -> bool:
    """Whether no text in the value needs `storable_text`; quick, because nearly all of them do not."""
    if isinstance(value, str):
        try:
            return "\x00" not in value and (value.isascii() or bool(value.encode("utf-8")))
        except UnicodeEncodeError:
            return False
    if not isinstance(value, (list, tuple, set, frozenset)):  # before a mapping, which takes long to find out
        return not isinstance(value, (dict, Mapping)) or is_storable([*value, *value.values()])
    for item in value:
        if type(item) in _NO_TEXT or (type(item) is str and item.isascii() and "\x00" not in item):
            continue
        if not is_storable(item):
            return False
    return True


def storable_value(value: Any) -> Any:
    """The value with every text in it as `storable_text` makes it."""
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, Mapping):
        return {storable_value(key): storable_value(item) for key, item in value.items()}
    return type(value)(map(storable_value, value)) if isinstance(value, (list, tuple, set, frozenset)) else value
