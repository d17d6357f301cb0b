"""What all tests of this folder share: the seed, the counts, and the lines that say what was withstood.

``CNRAG_SEED`` chooses the seed and ``CNRAG_FULL=1`` the full counts; both are printed with every line, so
that a failure can be run again. ``python -m tests.hardening`` runs everything in full.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from typing import Any, Literal

import hypothesis

SEED = int(os.environ.get("CNRAG_SEED", "20250117"))
IS_FULL = os.environ.get("CNRAG_FULL") == "1"
COUNTS = "full" if IS_FULL else "shortened"

Score = Literal["faults", "inputs", "sessions"]
SCORES: dict[Score, str] = {
    "faults": "faults survived / injected",
    "inputs": "bad inputs handled / tried",
    "sessions": "sessions ok / tried",
}


@dataclass(frozen=True)
class Line:
    """The outcome of one test: what passed, of what was tried."""

    test: str
    passed: int
    tried: int
    figures: str
    score: Score | None
    documents_lost: int

    def __str__(self) -> str:
        figures = f", {self.figures}" if self.figures else ""
        return f"{self.test}: {self.passed:,}/{self.tried:,}{figures} (seed {SEED}, {COUNTS})"


LINES: list[Line] = []
"""Lines of this run, in the order in which they were reported."""


def count(full: int, shortened: int) -> int:
    """How often something is done in this run."""
    return full if IS_FULL else shortened


def random_of(test: str) -> random.Random:
    """Random numbers that depend on the seed and on the test alone, not on the order of the tests."""
    return random.Random(f"{SEED} {test}")


def hypothesis_settings(full: int, shortened: int, **options: Any) -> hypothesis.settings:
    """Settings of a property; with ``@hypothesis.seed(SEED)`` above it every run tries the same examples.

    A failure is not explained by tracing what runs: that takes ten times as long, and seconds are counted here.
    """
    phases = [phase for phase in hypothesis.Phase if phase is not hypothesis.Phase.explain]
    defaults: dict[str, Any] = {"deadline": None, "database": None, "print_blob": True, "phases": phases}
    return hypothesis.settings(max_examples=count(full, shortened), **{**defaults, **options})


def report(
    test: str, passed: int, tried: int, figures: str = "", *, score: Score | None = None, documents_lost: int = 0
) -> None:
    """Print the line of a test and keep it for the end; the test itself asserts.

    Parameters
    ----------
    test
        Its number, such as ``T1``.
    figures
        What was measured: never asserted, always shown.
    score
        The sum that `passed` and `tried` count towards.
    documents_lost
        Documents that were acknowledged and are gone; must be 0.
    """
    line = Line(test, passed, tried, figures, score, documents_lost)
    LINES.append(line)
    print(line, flush=True)


def summary() -> list[str]:
    """All lines of the run, and their sums."""
    sums = [
        f"{words} {sum(line.passed for line in LINES if line.score == score):,}"
        f" / {sum(line.tried for line in LINES if line.score == score):,}"
        for score, words in SCORES.items()
    ]
    lost = f"documents lost {sum(line.documents_lost for line in LINES):,}"
    return [*map(str, LINES), "; ".join([sums[0], lost, *sums[1:]]) + f" (seed {SEED}, {COUNTS})"]
