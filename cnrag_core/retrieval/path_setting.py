"""The constants of path scoring, in one place: one fixed setting for every corpus."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PathSetting:
    """How paths are weighed.

    Chosen on three collections of questions that need several documents; the benchmark
    ``python -m tests.benchmarks.retrieval --leave-one-out`` also measures each of them with the
    constants that the other two would choose.

    Attributes
    ----------
    title
        Gained by a document whose title the question names, times the name's rarity.
    rounds
        From how many best documents paths start, and the weight of a document's best path, round by round.
    reduced
        Weight of what is still to be explained, beside 1 for the bridge alone.
    sentence
        What a bridge gains when its sentence holds every term of the question.
    indirect
        Share of a bridge's weight when the name is only part of the target's title, or only in its text.
    known
        Share when the name is the start's own title or stands in the question already.
    max_share
        A name in more than this share of the documents leads to none of them by its text.
    """

    title: float = 1.5
    rounds: tuple[tuple[int, float], ...] = ((10, 1.0), (5, 0.6))
    reduced: float = 3.0
    sentence: float = 0.5
    indirect: float = 0.4
    known: float = 0.5
    max_share: float = 0.02


PATHS = PathSetting()
