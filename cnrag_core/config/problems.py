"""Turning a schema library's findings into our sentences: where, what was found, what would be right."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from cnrag_core.errors import Problem


def problems_of(error: ValidationError, *, prefix: str = "") -> list[Problem]:
    """Every finding of a validation as a `Problem`, in the order of the configuration."""
    found = []
    for item in error.errors():
        path = dotted([prefix, *item["loc"]] if prefix else list(item["loc"]))
        found.append(Problem(path, item["msg"].removeprefix("Value error, ")))
    return found


def dotted(location: list[Any]) -> str:
    """``["similarity", "components", 2, "metric"]`` as ``similarity.components[2].metric``."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text
