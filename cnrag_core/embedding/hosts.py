"""Which model servers may be asked. Enters: a host from a configuration. Leaves: the same, or a refusal.

A configuration may come from anybody, so it can only choose among the exact ``scheme://host:port``
entries that the server's own environment allows; nothing is resolved, redirected or guessed.
"""

from __future__ import annotations

import os
import re

from cnrag_core.errors import ConfigError

DEFAULT_HOST = "http://localhost:11434"
VARIABLE = "OLLAMA_ALLOWED_HOSTS"
_ENTRY = re.compile(r"https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:(?P<port>\d{1,5}))?")


def allowed_hosts() -> tuple[str, ...]:
    """Entries of the environment variable, separated by commas; the local Ollama where it is not set.

    Raises
    ------
    ConfigError
        If an entry is not ``scheme://host:port``.
    """
    listed = os.environ.get(VARIABLE, DEFAULT_HOST)
    entries = tuple(entry.strip().rstrip("/") for entry in listed.split(",") if entry.strip())
    for entry in entries:
        match = _ENTRY.fullmatch(entry)
        if match is None or int(match["port"] or 1) not in range(1, 65_536):
            raise ConfigError(f"{VARIABLE}: {entry!r} should be scheme://host:port, such as {DEFAULT_HOST}.")
    return entries


def checked_host(host: str | None) -> str:
    """The host, where it is allowed exactly as written.

    Raises
    ------
    ConfigError
        If it is not among the allowed ones.
    """
    asked = (host or DEFAULT_HOST).rstrip("/")
    allowed = allowed_hosts()
    if asked not in allowed:
        raise ConfigError(
            f"host: {asked!r} is not a model server that this installation may ask; "
            f"allowed are {', '.join(allowed) or 'none'} ({VARIABLE} sets them)."
        )
    return asked
