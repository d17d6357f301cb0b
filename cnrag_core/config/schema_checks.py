"""Paths and transforms of a `schema`, checked when the configuration is read rather than when the corpus is.

Enters: the plain values of the section. Leaves: findings. The reader of the corpus has the last word; this one
knows the lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cnrag_core.config.annotations import Location
from cnrag_core.config.names import TRANSFORMS
from cnrag_core.config.problems import MAX_FINDINGS, did_you_mean, one_of, shown
from cnrag_core.config.source import Finding

_MAX_PATH = 500
_PLAIN_PATH = re.compile(r"(?:\$\.?)?\w+(?:\[(?:\*|\d{1,6})\])*(?:\.\w+(?:\[(?:\*|\d{1,6})\])*)*", re.ASCII)


def schema_findings(schema: Mapping[str, Any]) -> list[Finding]:
    """Every path that is not JSONPath, and every transform that does not exist."""
    findings: list[Finding] = []
    for name, spec in schema.items():
        if not isinstance(spec, dict):
            continue
        if len(findings) > MAX_FINDINGS:
            break
        path = spec.get("from")
        if isinstance(path, str) and not _is_json_path(path):
            message = f"{shown(path)} is not a JSONPath, such as '$.authors[*].name'."
            findings.append(Finding(("schema", name, "from"), message))
        given = spec.get("transform")
        for i, transform in enumerate(given[:MAX_FINDINGS] if isinstance(given, list) else [given]):
            location: Location = (
                ("schema", name, "transform", i) if isinstance(given, list) else ("schema", name, "transform")
            )
            if isinstance(transform, str) and transform not in TRANSFORMS:
                message = f"{shown(transform)} is not a transform. {one_of(TRANSFORMS)}"
                findings.append(Finding(location, message + did_you_mean(transform, TRANSFORMS)))
    return findings


def _is_json_path(path: str) -> bool:
    if len(path) > _MAX_PATH:
        return False
    if _PLAIN_PATH.fullmatch(path):
        return True
    from jsonpath_ng.parser import parse

    try:
        parse(path)
    except Exception:  # the library's lexer and parser raise bare exceptions
        return False
    return True
