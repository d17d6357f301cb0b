"""Which Dask schedulers an uploaded configuration may name. Enters: an address. Leaves: a verdict.

Whoever uploads a configuration may be anybody, and a scheduler is sent code and documents, so a name is
taken only where the server's own environment lists it, exactly as written; nothing is resolved or guessed.
What the operator runs from Python or the command line is the operator's own and is not asked about.
"""

from __future__ import annotations

import os

VARIABLE = "CNRAG_ALLOWED_SCHEDULERS"


def allowed_schedulers() -> tuple[str, ...]:
    """Entries of the environment variable, separated by commas; none where it is not set."""
    return tuple(entry.strip().rstrip("/") for entry in os.environ.get(VARIABLE, "").split(",") if entry.strip())


def is_allowed(scheduler: object) -> bool:
    """Whether an uploaded configuration may name this address."""
    return isinstance(scheduler, str) and scheduler.rstrip("/") in allowed_schedulers()


def refusal() -> str:
    """Why an uploaded address is refused, and what would be right."""
    allowed = allowed_schedulers()
    if allowed:
        return f"an uploaded configuration can only name a scheduler that this server allows: {', '.join(allowed)}."
    return (
        "an uploaded configuration cannot name another machine on this server; leave `scheduler` out "
        f"({VARIABLE} in the server's environment allows one)."
    )
