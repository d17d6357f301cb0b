"""Every address that this process connects to, and every name that it looks up, while somebody counts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Contacts:
    """What was contacted: ``(address, port)`` of every connect, and names that were resolved."""

    connects: list[tuple[str, int]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


_counting: list[Contacts] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _counting:
        return
    if event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], tuple):
        _counting[-1].connects.append((str(arguments[1][0]), int(arguments[1][1])))
    elif event == "socket.getaddrinfo":
        host = arguments[0]
        _counting[-1].names.append(host.decode() if isinstance(host, bytes) else str(host))


sys.addaudithook(_hook)  # below every library, and nothing can take it out


@contextmanager
def contacts() -> Iterator[Contacts]:
    """Count until the block ends."""
    counted = Contacts()
    _counting.append(counted)
    try:
        yield counted
    finally:
        _counting.remove(counted)
