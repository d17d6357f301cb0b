"""References between the definitions of dialect B: do they lead somewhere, and never back.

Enters: plain values, valid or not, so that wrong references are told together with everything else. Leaves:
findings, and the similarity that makes the edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import islice
from typing import Any, TypeAlias

from cnrag_core.config.annotations import Location
from cnrag_core.config.dialect import mapping_in, value_in
from cnrag_core.config.problems import MAX_FINDINGS, did_you_mean, one_of, shown, with_article
from cnrag_core.config.source import Finding

MAX_CYCLES = 20
"""Circles of references that are told at once."""

Targets: TypeAlias = Mapping[str, Sequence[str]]
"""For each definition the names that it refers to, in their order."""


@dataclass(frozen=True)
class _Reference:
    definition: str
    target: str
    location: Location


def reference_findings(data: Mapping[str, Any]) -> list[Finding]:
    """Every reference to something that is not defined, and every circle."""
    findings = list(islice(_unknown_references(data), MAX_FINDINGS))
    return findings + _cycles(data, "embeddings") + _cycles(data, "similarities")


def _unknown_references(data: Mapping[str, Any]) -> Iterator[Finding]:
    embeddings, similarities = mapping_in(data, "embeddings"), mapping_in(data, "similarities")
    for reference in _combined(data, "embeddings"):
        if reference.target not in embeddings:
            yield Finding(reference.location, _unknown(reference.target, "embedding", embeddings))
    for name in similarities:
        location: Location = ("similarities", name, "embedding")
        target = value_in(data, *location)
        if isinstance(target, str) and target not in embeddings:
            yield Finding(location, _unknown(target, "embedding", embeddings))
    for reference in _combined(data, "similarities"):
        if reference.target not in similarities:
            yield Finding(reference.location, _unknown_similarity(reference.target, similarities, embeddings))
    root = value_in(data, "network", "edges", "similarity")
    if isinstance(root, str) and similarities and root not in similarities:
        message = _unknown_similarity(root, similarities, embeddings)
        yield Finding(("network", "edges", "similarity"), message)


def root_similarity(data: Mapping[str, Any]) -> str | Finding:
    """The similarity that makes the edges: the one that is named, else `overall`, else the only one left over."""
    named = value_in(data, "network", "edges", "similarity")
    if isinstance(named, str):
        return named
    similarities = mapping_in(data, "similarities")
    if "overall" in similarities:
        return "overall"
    used = {reference.target for reference in _combined(data, "similarities")}
    left = [name for name in similarities if name not in used]
    if len(left) == 1:
        return left[0]
    if not left:  # all of them stand in circles, which are findings of their own
        return next(iter(similarities))
    message = f"this key is required here, because it is not clear which similarity makes the edges. {one_of(left)}"
    return Finding(("network", "edges", "similarity"), message)


def reachable(start: Iterable[str], targets: Targets) -> list[str]:
    """The names that can be reached from the starts, those included, each once, in the order of reading."""
    found: dict[str, None] = {}
    waiting = list(start)[::-1]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = None
            waiting.extend(reversed(targets.get(name, ())))
    return list(found)


def combined_targets(data: Mapping[str, Any], section: str) -> dict[str, list[str]]:
    """For each definition of a section the names in its `combine` list."""
    targets: dict[str, list[str]] = {}
    for reference in _combined(data, section):
        targets.setdefault(reference.definition, []).append(reference.target)
    return targets


def _combined(data: Mapping[str, Any], section: str) -> Iterator[_Reference]:
    """The references in the `combine` lists of a section."""
    for name in mapping_in(data, section):
        parts = value_in(data, section, name, "combine")
        for i in range(len(parts) if isinstance(parts, list) else 0):
            location: Location = (section, name, "combine", i, "ref")
            if isinstance(target := value_in(data, *location), str):
                yield _Reference(name, target, location)


def _cycles(data: Mapping[str, Any], section: str) -> list[Finding]:
    """A finding for each circle, at the reference that begins it."""
    references = list(_combined(data, section))
    targets: dict[str, dict[str, Location]] = {}
    for reference in references:
        targets.setdefault(reference.definition, {}).setdefault(reference.target, reference.location)
    findings: list[Finding] = []
    while len(findings) < MAX_CYCLES and (cycle := _a_cycle(targets)):
        steps = " → ".join(map(shown, cycle[:6])) + (" → ..." if len(cycle) > 6 else "")
        location = targets[cycle[0]].pop(cycle[1])
        findings.append(Finding(location, f"the references run in a circle: {steps}."))
    return findings


def _a_cycle(targets: Mapping[str, Mapping[str, Location]]) -> list[str]:
    """Names along a circle, the first repeated at the end, beginning with the first in reading order; or nothing."""
    try:
        TopologicalSorter(targets).prepare()
    except CycleError as error:
        cycle = list(error.args[1])[:0:-1]  # the sorter lists what comes before what
        order = {name: i for i, name in enumerate(targets)}
        start = min(range(len(cycle)), key=lambda i: order[cycle[i]])
        cycle = cycle[start:] + cycle[:start]
        return [*cycle, cycle[0]]
    return []


def _unknown(name: str, kind: str, known: Iterable[str]) -> str:
    names = list(known)
    if not names:
        return f"{shown(name)} is not defined; there is no {kind} at all."
    listed = f" {one_of(names)}" if len(names) <= 30 else ""
    return f"{shown(name)} is not {with_article(kind)} that is defined here.{listed}{did_you_mean(name, names)}"


def _unknown_similarity(name: str, similarities: Iterable[str], embeddings: Iterable[str]) -> str:
    if name in embeddings:
        return f"{shown(name)} is an embedding. Define a similarity with `embedding: {name}` and refer to that one."
    return _unknown(name, "similarity", similarities)
