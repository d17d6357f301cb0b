"""Many questions asked of several strategies at once.

Enters: a way to search, and questions, judged or not. Leaves: one `BatchAnswer` a question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cnrag_core.errors import CorpusError, ResourceLimitError
from cnrag_core.evaluation.judgements import JudgedQuery
from cnrag_core.retrieval.comparison import StrategyComparison, compare
from cnrag_core.retrieval.search import Search
from cnrag_core.types import Progress, silent

MOST_QUESTIONS = 2000
"""In one batch: the table of more would be no table for people."""


@dataclass(frozen=True, eq=False)
class BatchAnswer:
    """What the strategies answered to one question."""

    query: JudgedQuery
    comparison: StrategyComparison

    @property
    def agreement(self) -> float:
        """Share of the returned documents that every strategy returned; 1 where none returned any."""
        found = [set(results.ids) for results in self.comparison.results.values()]
        every = set[str]().union(*found)
        return len(set.intersection(*found)) / len(every) if every else 1.0

    def found(self, strategy: str) -> int:
        """How many of the judged documents a strategy returned."""
        return len(set(self.comparison.results[strategy].ids) & set(self.query.relevant))


def ask_all(
    search: Callable[[str], Search],
    questions: Sequence[JudgedQuery],
    strategies: Sequence[str],
    n: int = 10,
    *,
    progress: Progress = silent,
) -> tuple[BatchAnswer, ...]:
    """Ask every question of every strategy.

    Raises
    ------
    CorpusError
        If there is no question.
    ResourceLimitError
        If there are more than `MOST_QUESTIONS`.
    """
    if not questions:
        raise CorpusError("There is no question to ask; write one a line.")
    if len(questions) > MOST_QUESTIONS:
        raise ResourceLimitError(f"{len(questions):,} questions; at most {MOST_QUESTIONS:,} are asked at once.")
    answers = []
    for done, query in enumerate(questions):
        progress("Asking the questions", done / len(questions))
        answers.append(BatchAnswer(query, compare(search(query.text), strategies, n)))
    progress("Asking the questions", 1.0)
    return tuple(answers)
