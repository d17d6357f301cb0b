"""Where a configuration came from: its plain values, and the line of each.

Enters: values that a YAML text or a Python mapping held, and what was already found wrong with them. Leaves: one
`Source`, which the dialects read, and which turns their findings into a `ConfigError` with paths and lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cnrag_core.config.annotations import Location
from cnrag_core.config.problems import dotted, kind_of, with_article
from cnrag_core.errors import ConfigError, Problem
from cnrag_core.limits import server_limits


@dataclass(frozen=True)
class Finding:
    """A place, the sentence about it, and its line where that is not the line of the place."""

    location: Location
    message: str
    line: int | None = None


MAX_DEPTH = server_limits().yaml_depth
"""Deepest nesting of lists and mappings; the deepest sensible configuration has eight levels."""

MAX_VALUES = 50_000
"""Most values of a mapping given in Python; a YAML of the allowed size cannot hold more."""

MAX_PROBLEMS = 100
"""Problems that are told at once."""


@dataclass(frozen=True)
class Source:
    """Plain values with the lines they stand on; `lines` is empty where they did not come from text."""

    data: Mapping[str, Any]
    lines: Mapping[Location, int] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    def line_of(self, location: Location) -> int | None:
        """The line of a value, or of the nearest mapping or list that holds it."""
        for length in range(len(location), 0, -1):
            if (line := self.lines.get(location[:length])) is not None:
                return line
        return None

    def existing(self, location: Location) -> Location:
        """The location up to what was written as one word: ``title: text`` has no ``type`` in it."""
        value: Any = self.data
        for depth, part in enumerate(location):
            try:
                value = value[part]
            except (KeyError, IndexError, TypeError):
                return location
            if not isinstance(value, (dict, list)):
                return location[: depth + 1]
        return location

    def refuse(self, findings: Iterable[Finding]) -> None:
        """Raise everything that is wrong at once, in the order of the lines; return if nothing is.

        Raises
        ------
        ConfigError
            With a `Problem` for each finding, those of the reading included.
        """
        problems = [
            Problem(dotted(finding.location), finding.message, finding.line or self.line_of(finding.location))
            for finding in dict.fromkeys([*self.findings, *findings])
        ]
        if not problems:
            return
        problems.sort(key=lambda problem: problem.line or 0)
        if len(problems) > MAX_PROBLEMS:
            problems = [*problems[:MAX_PROBLEMS], Problem("", "the configuration has more problems; mend these first.")]
        raise ConfigError(problems)


def source_of_mapping(values: Mapping[Any, Any]) -> Source:
    """A Python mapping as plain values, within the limits of a configuration.

    Raises
    ------
    ConfigError
        If it is nested too deeply, or holds too many values.
    """
    reader = _MappingReader()
    data = reader.value(values, (), depth=1)
    return Source(data, findings=tuple(reader.findings))


class _MappingReader:
    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.n_values = 0

    def value(self, value: Any, location: Location, depth: int) -> Any:
        """A copy of the value in plain types."""
        self.n_values += 1
        if depth > MAX_DEPTH + 1:
            raise too_deep()
        if self.n_values > MAX_VALUES:
            raise ConfigError(f"The configuration holds more than {MAX_VALUES:,} values.")
        if isinstance(value, Mapping):
            return {
                key: self.value(item, (*location, key), depth + 1)
                for name, item in value.items()
                if (key := self._key(name, location)) is not None
            }
        if isinstance(value, (list, tuple)):
            return [self.value(item, (*location, i), depth + 1) for i, item in enumerate(value)]
        if isinstance(value, str):
            self.findings += unreadable_characters(value, location)
            return str(value)
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if hasattr(value, "isoformat"):  # a date, as other YAML readers make them
            return value.isoformat()
        if hasattr(value, "item") and getattr(value, "ndim", None) == 0:  # a numpy scalar
            return value.item()
        message = f"{with_article(kind_of(value))} is no plain value; use text, numbers, lists and mappings."
        self.findings.append(Finding(location, message))
        return None

    def _key(self, name: Any, location: Location) -> str | None:
        if isinstance(name, str):
            self.findings += unreadable_characters(name, location)
            return str(name)
        if isinstance(name, (int, float)) and not isinstance(name, bool):
            return str(name)
        self.findings.append(Finding(location, f"keys must be text, got {kind_of(name)}: quote it."))
        return None


def unreadable_characters(text: str, location: Location) -> list[Finding]:
    """A finding where the text holds half of a surrogate pair, which no encoding can store."""
    bad = next((character for character in text if "\ud800" <= character <= "\udfff"), None)
    if bad is None:
        return []
    return [Finding(location, f"this text holds the character U+{ord(bad):04X}, which is half of a pair.")]


def too_deep() -> ConfigError:
    """The error of a configuration that is nested too deeply."""
    return ConfigError(f"The configuration is nested more than {MAX_DEPTH} levels deep.")
