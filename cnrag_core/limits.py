"""What one visitor of a shared server may cost: every limit, its default, and the variable that sets it.

Enters: the environment. Leaves: `ServerLimits`, read once. Whoever runs the server sets them; a
configuration that somebody uploads has no key that raises one. On a person's own machine, in Python and
on the command line, only memory bounds what is read (`cnrag_core.corpus.limits`) and how many edges a graph
has (`edges_of_this_machine`), unless the variable is set.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from cnrag_core.errors import ConfigError

PREFIX = "CNRAG_MAX_"
MEGABYTE = 2**20

BYTES_PER_EDGE = 100
"""What an edge costs at the most while a graph is built: 16 bytes as it is kept, and again while edges are found,
sorted and counted."""

SHARE_OF_MEMORY = 2
"""Edges may take this part of the memory that is free."""


def _limit(default: float, unit: str, meaning: str, *, least: float = 1, most: float = math.inf) -> Any:
    about = {"unit": unit, "meaning": meaning, "least": least, "most": most}
    return field(default=default, metadata=about)


@dataclass(frozen=True)
class ServerLimits:
    """Limits of a server; the environment variable of each is ``CNRAG_MAX_`` and its name in capitals.

    Examples
    --------
    >>> ServerLimits.of({"CNRAG_MAX_DOCUMENTS": "5000"}).documents
    5000
    >>> ServerLimits.of({}).upload_mb
    200
    """

    upload_mb: int = _limit(200, "MB", "one uploaded file", most=2_000)
    documents: int = _limit(100_000, "documents", "one uploaded corpus")
    text_mb: int = _limit(200, "MB", "all text of one corpus, decoded")
    field_mb: int = _limit(5, "MB", "one field of one document")
    yaml_kb: int = _limit(64, "KB", "one configuration", most=1_024)
    yaml_depth: int = _limit(20, "levels", "how deep a configuration is nested", most=50)
    yaml_aliased: int = _limit(10_000, "values", "what the aliases of a configuration repeat", least=0)
    edges: int = _limit(5_000_000, "edges", "one graph, and the candidate edges behind the threshold slider")
    export_edges: int = _limit(1_000_000, "edges", "a graph written as GraphML, GEXF, JSON or Pajek in the browser")
    drawn: int = _limit(2_000, "documents", "one picture; 500 unless more are asked for", least=200, most=5_000)
    exact_work: int = _limit(500_000_000, "nodes x edges", "exact betweenness; above it 1,000 sources are sampled")
    hops: int = _limit(6, "hops", "the neighbourhood of a document", most=100)
    chunks: int = _limit(2_000, "chunks", "one text of one document")
    builds: int = _limit(2, "builds", "processes that build at the same time; further builds wait")
    visits: int = _limit(100, "uploads", "what visitors loaded, kept so that a reload finds it again", least=0)
    visits_mb: int = _limit(2_000, "MB", "the files of all of these", least=0)
    visit_hours: float = _limit(12, "h", "how long one is kept after it was last asked for", least=0)
    absent_s: int = _limit(120, "s", "how long the session of somebody who left is kept for their return", least=0)
    connect_s: float = _limit(5, "s", "waiting for a connection to a model server", least=0.1)
    read_s: float = _limit(60, "s", "waiting for one answer of a model server", least=0.1)
    tries: int = _limit(3, "tries", "asking a model server the same again", most=10)
    total_s: float = _limit(900, "s", "all questions to a model server in one build", least=1)

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> ServerLimits:
        """The limits that an environment sets; the defaults where it sets nothing.

        Raises
        ------
        ConfigError
            If a variable is no number in its range, or names no limit.
        """
        known = {variable(item.name): item for item in fields(cls)}
        unknown = sorted(name for name in environment if name.startswith(PREFIX) and name not in known)
        if unknown:
            raise ConfigError(f"{unknown[0]} is no limit; there are {', '.join(known)}.")
        found: dict[str, float] = {}
        for name, item in known.items():
            if name in environment:
                found[item.name] = _number(name, environment[name], item.type == "int", item.metadata)
        return cls(**found)  # type: ignore[arg-type]  # whole where the field is


def variable(name: str) -> str:
    """The environment variable of a limit."""
    return PREFIX + name.upper()


@cache
def server_limits() -> ServerLimits:
    """The limits of this process, read from its environment on first use."""
    return ServerLimits.of(os.environ)


def edges_of_this_machine(environment: Mapping[str, str] = os.environ) -> int:
    """Most edges of a graph on a person's own machine: what the variable says, else as many as free memory holds.

    Examples
    --------
    >>> edges_of_this_machine({"CNRAG_MAX_EDGES": "3000"})
    3000
    """
    if variable("edges") in environment:
        return ServerLimits.of(environment).edges
    import psutil

    return max(1, int(psutil.virtual_memory().available) // (SHARE_OF_MEMORY * BYTES_PER_EDGE))


def limits_markdown() -> str:
    """The limits as a table for the README."""
    lines = ["| variable | default | what it limits |", "|---|---|---|"]
    for item in fields(ServerLimits):
        lines.append(
            f"| `{variable(item.name)}` | {item.default:,} {item.metadata['unit']} | {item.metadata['meaning']} |"
        )
    return "\n".join(lines)


def _number(name: str, text: str, whole: bool, about: Mapping[str, Any]) -> float:
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        value = math.nan
    least, most = about["least"], about["most"]
    if not (least <= value <= most and math.isfinite(value)):
        upper = f" to {most:,}" if math.isfinite(most) else " or more"
        kind = "a whole number" if whole else "a number"
        raise ConfigError(f"{name} should be {kind}, {least:,}{upper}, got {text[:40]!r}.")
    return value
