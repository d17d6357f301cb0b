"""Limits that a walk checks before it exceeds them. Guide 001, "Budgets and stopping".

Each is its own stopping reason; a budget that no code reads protects nothing.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from cnrag_core.config.spec import Spec, TraversalSpec

StoppingReason: TypeAlias = Literal[
    "complete", "queue_empty", "token_budget", "node_budget", "hop_budget", "check_budget", "no_seeds"
]

REASON_IN_WORDS: dict[str, str] = {
    "complete": "The context answers the question: everything that was required is in it.",
    "queue_empty": "Everything that can be reached from the seeds was visited.",
    "token_budget": "Nothing that is still queued fits into the context budget.",
    "node_budget": "The largest number of chunks was visited.",
    "hop_budget": "Everything within the largest number of hops was visited; more lies beyond.",
    "check_budget": "The largest number of completeness checks was made, and none said complete.",
    "no_seeds": "Nothing in the corpus matches the question, or `seeds` is 0, so there was nowhere to start.",
}


class Budget(Spec):
    """What a walk may spend: context tokens, chunks, hops from a seed, completeness checks.

    Zero is a limit like any other, except that 0 checks means that completeness is never asked.

    Examples
    --------
    >>> Budget(max_nodes=10).max_tokens
    4000
    """

    max_tokens: Annotated[int, Field(ge=0)] = 4000
    max_nodes: Annotated[int, Field(ge=0)] = 50
    max_hops: Annotated[int, Field(ge=0)] = 4
    max_checks: Annotated[int, Field(ge=0)] = 20
    check_every: Annotated[int, Field(ge=1)] = 1

    @classmethod
    def of(cls, spec: TraversalSpec) -> Budget:
        """The budgets of a configuration."""
        return cls(
            max_tokens=spec.max_tokens,
            max_nodes=spec.max_nodes,
            max_hops=spec.max_hops,
            max_checks=spec.max_checks,
            check_every=spec.check_every,
        )


def chunks_sent(n_nodes: int, check_every: int = 1) -> int:
    """Chunks that completeness checks send in total: the whole context so far, each time.

    Checking after every one of n nodes sends 1 + 2 + ... + n chunks (guide 001, Table 5).

    Examples
    --------
    >>> chunks_sent(4), chunks_sent(10)
    (10, 55)
    """
    return sum(range(check_every, n_nodes + 1, check_every))
