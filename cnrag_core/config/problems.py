"""Turning a schema library's findings into our sentences: where, what was found, what would be right.

Enters: a validation error and the model that raised it. Leaves: one `Problem` a finding, in the same words
whether a YAML was read or a class was constructed in Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from cnrag_core.config.annotations import (
    Location,
    Place,
    branches_of,
    core_of,
    is_model,
    known_keys,
    place_at,
    place_of_key,
)
from cnrag_core.config.names import ALIASES, OTHER_WORDS_FOR_KEYS
from cnrag_core.errors import Problem

UNSUPPORTED_KEYS = {
    **dict.fromkeys(
        ("gate", "boost", "when"),
        "is not supported. To drop weak matches write `min:` on a reference (in `components`: `min_similarity:`); "
        "to make a part count more raise its weight.",
    ),
    "<<": "merges mappings, which YAML 1.2 no longer does. Write the keys out.",
    **dict.fromkeys(
        ("corpus", "data", "path", "file", "db", "database", "storage"),
        "is not known here: a configuration says how documents are compared, and names no files or databases.",
    ),
}
"""Keys that people try, and what to do instead."""


MAX_FINDINGS = 200
"""Findings that are put into words; nobody reads more, and a hostile text can have thousands."""


def problems_of(error: ValidationError, model: type[BaseModel], *, prefix: str = "") -> list[Problem]:
    """Every finding of a validation as a `Problem`, in the order of the configuration.

    Parameters
    ----------
    error
        What the validation of `model` raised.
    model
        The model that was validated: its annotations say what would be right.
    prefix
        Put before each path; the name of a class that was constructed in Python.
    """
    return [
        Problem(dotted((prefix, *location) if prefix else location), message)
        for location, message in findings_of(error, model)
    ]


def findings_of(error: ValidationError, model: type[BaseModel]) -> list[tuple[Location, str]]:
    """Every finding of a validation as its place and its sentence."""
    items = (item for item in error.errors(include_url=False) if not _counts_only_valid_entries(item))
    return [_finding(item, model) for item in islice(items, MAX_FINDINGS)]


def dotted(location: Sequence[str | int]) -> str:
    """``["similarity", "components", 2, "metric"]`` as ``similarity.components[2].metric``."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{shortened(part)}" if text else shortened(part)
    return text


def shortened(text: str, length: int = 60) -> str:
    """The text, or its beginning with an ellipsis."""
    return text if len(text) <= length else text[: length - 1] + "…"


def shown(value: Any) -> str:
    """A value as a sentence quotes it."""
    if isinstance(value, str):
        return repr(shortened(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_text(value)
    return "nothing" if value is None else with_article(kind_of(value))


def with_article(noun: str) -> str:
    """``a list``, ``an object``."""
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}"


def number_text(value: float) -> str:
    """A number as people write it: ``1`` rather than ``1.0``, and never thousands of digits.

    Examples
    --------
    >>> number_text(1.0), number_text(0.25), number_text(10**50)
    ('1', '0.25', '1e+50')
    """
    if isinstance(value, int):
        if abs(value) < 10**20:
            return str(value)
        return repr(float(value)) if abs(value) < 10**300 else "a number of hundreds of digits"
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(float(value))


def kind_of(value: Any) -> str:
    """The kind of a value in the words of YAML."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "text"
    if value is None:
        return "nothing"
    if isinstance(value, (Mapping, BaseModel)):
        return "mapping"
    return "list" if isinstance(value, (list, tuple, set, frozenset)) else type(value).__name__


def one_of(choices: Iterable[str]) -> str:
    """``Use one of 'a', 'b'.``, sorted."""
    names = sorted(choices)
    return f"Use {'one of ' if len(names) > 1 else ''}{', '.join(map(repr, names))}."


def did_you_mean(word: Any, choices: Iterable[str]) -> str:
    """`` Did you mean 'jaccard'?`` with a space before, or nothing where no choice is near.

    Examples
    --------
    >>> did_you_mean("jacard", ["dice", "jaccard"]), did_you_mean("rainfall", ["dice", "jaccard"])
    (" Did you mean 'jaccard'?", '')
    """
    found = nearest(word, choices)
    return f" Did you mean {found!r}?" if found else ""


def nearest(word: Any, choices: Iterable[str]) -> str | None:
    """The choice that a misspelt word most likely stands for, or None; other spellings of a choice count too."""
    if not isinstance(word, str) or not 0 < len(word) <= 100:
        return None
    from rapidfuzz import fuzz, process
    from rapidfuzz.distance import JaroWinkler

    names = {name: name for name in sorted(choices)}
    spellings = {alias: name for alias, name in sorted(ALIASES.items()) if name in names} | names
    # similar as a whole (`jacard`), or begun alike (`minsim`)
    for scorer, cutoff in ((fuzz.ratio, 65.0), (JaroWinkler.similarity, 0.85)):
        if found := process.extractOne(word.casefold(), spellings.keys(), scorer=scorer, score_cutoff=cutoff):
            return spellings[found[0]]
    return None


def unknown_key(key: str, model: type[BaseModel], root: type[BaseModel] | None = None) -> str:
    """The sentence about a key that a mapping must not have: what is known there, and what may have been meant."""
    if key in UNSUPPORTED_KEYS:
        return f"{key!r} {UNSUPPORTED_KEYS[key]}"
    known = known_keys(model)
    meant = next((word for word in OTHER_WORDS_FOR_KEYS.get(key, ()) if word in known), None) or nearest(key, known)
    hint = f" Did you mean {meant!r}?" if meant else ""
    if root is not None and (place := place_of_key(key, root)):
        hint = f" {key!r} belongs under `{place}`."
    return f"{shown(key)} is not known here. Known keys: {', '.join(map(repr, sorted(known)))}.{hint}"


def _counts_only_valid_entries(item: ErrorDetails) -> bool:
    """The library calls a list too short when its entries are invalid; those have been reported themselves."""
    return item["type"] == "too_short" and bool(item["input"])


def _finding(item: ErrorDetails, root: type[BaseModel]) -> tuple[Location, str]:
    place = place_at(item["loc"], root)
    kind, value = item["type"], item["input"]
    if kind == "extra_forbidden":
        return place.path, unknown_key(str(place.path[-1]), place.owner, root)
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return (*place.path, "type"), _wrong_branch(value, place)
    return place.path, _sentence(item, place)


def _sentence(item: ErrorDetails, place: Place) -> str:
    kind, value, context = item["type"], item["input"], item.get("ctx", {})
    label, core = _label(place), core_of(place.annotation)
    if kind == "string_unicode":
        return f"{label} holds half of a surrogate pair, which no file can store; write the whole character."
    if kind == "missing":
        about = f": {place.description}" if place.description else ""
        return f"this key is required and missing{about}."
    if kind == "literal_error":
        choices = [str(choice) for choice in get_args(core)]
        return f"{shown(value)} is not {with_article(place.noun)}. {one_of(choices)}{did_you_mean(value, choices)}"
    if kind in _WANTED:
        return f"{label} must be {_WANTED[kind]}, got {_got(value, _WANTED[kind])}."
    if kind in _BEYOND_BOUNDS:
        return f"{label} {_bounds(place.limits, context)}, got {shown(value)}.{_percent(value, place.limits)}"
    if kind == "too_short":
        return f"{label} must hold at least one entry."
    if kind == "string_too_short":
        return f"{label} must not be empty."
    if kind == "string_too_long":
        return f"{label} must have at most {context.get('max_length')} characters, got {len(value)}."
    if kind in _MAPPING_WANTED:
        keys = f" with the keys {', '.join(map(repr, sorted(known_keys(core))))}" if is_model(core) else ""
        return f"{label} must be a mapping{keys}, got {_got(value, 'mapping')}."
    if kind == "not_plain":
        return f"{label} {item['msg']}."
    if kind == "value_error":
        return item["msg"].removeprefix("Value error, ").rstrip(".") + "."
    return f"{label} cannot be {shown(value)}."


_WANTED = {
    "string_type": "text",
    "number_wanted": "a number",
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "finite_number": "a finite number",
    "flag_wanted": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "mapping_type": "a mapping",
    "dict_type": "a mapping",
}
_BEYOND_BOUNDS = {"greater_than_equal", "less_than_equal", "greater_than", "less_than"}
_MAPPING_WANTED = {"model_type", "model_attributes_type"}


def _label(place: Place) -> str:
    """The last key and the positions behind it: ``in[1]``."""
    start = max((i for i, part in enumerate(place.path) if isinstance(part, str)), default=0)
    return dotted(place.path[start:]) or "this"


def _got(value: Any, wanted: str) -> str:
    """What was found instead, and how to mend it where that is plain."""
    kind = kind_of(value)
    if wanted == "text":
        if isinstance(value, (bool, int, float)):
            return f"{kind}: quote it"
        return f"{kind}: write it, or leave the key out" if value is None else kind
    if isinstance(value, str):
        mend = ": remove the quotes" if wanted.endswith("number") and _reads_as_number(value) else ""
        return f"text {shown(value)}{mend}"
    return shown(value) if kind in ("number", "boolean") else kind


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _wrong_branch(value: Any, place: Place) -> str:
    choices = dict(branches_of(place.annotation))
    given = value.get("type") if isinstance(value, Mapping) else getattr(value, "type", None)
    found = "type is missing." if given is None else f"{shown(given)} is not {with_article(place.noun)}."
    return f"{found} {one_of(choices)}{did_you_mean(given, choices)}"


def _bounds(limits: Mapping[str, float], crossed: Mapping[str, Any]) -> str:
    """The allowed range in words; a bound that only keeps numbers sane is told to those who cross it."""
    high = limits.get("le")
    if "ge" in limits and high is not None and high <= 1:
        return f"must lie between {number_text(limits['ge'])} and {number_text(high)}"
    if "gt" in limits and high is not None and high <= 1000:
        return f"must be above {number_text(limits['gt'])} and at most {number_text(high)}"
    words = {"ge": "must be {} or more", "le": "must be at most {}", "gt": "must be above {}", "lt": "must be below {}"}
    name, bound = next(iter(crossed.items()))
    return words[name].format(number_text(bound))


def _percent(value: Any, limits: Mapping[str, float]) -> str:
    """People write 40 and mean 40 %."""
    if limits.get("le") == 1 and isinstance(value, (int, float)) and 2 <= value <= 100:
        return f" For {number_text(value)} % write {number_text(round(value / 100, 6))}."
    return ""
