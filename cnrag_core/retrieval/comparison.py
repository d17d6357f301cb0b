"""Strategies side by side on one question: what each found, how far they agree, who moved.

Enters: a `Search`. Leaves: `StrategyComparison`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cnrag_core.arguments import checked_several, checked_whole
from cnrag_core.errors import UnknownNameError
from cnrag_core.retrieval.ranking import RankedResults
from cnrag_core.retrieval.strategy import RetrievalStrategy

if TYPE_CHECKING:
    import pandas as pd

    from cnrag_core.retrieval.search import Search

BASELINE = "similarity"


@dataclass(frozen=True)
class ComparedNode:
    """One document that some strategy returned.

    `ranks` has the 1-based place in each strategy that returned it; `base_rank` its place under plain
    similarity among all documents, None where similarity alone would never find it.
    """

    node_id: str
    similarity: float
    base_rank: int | None
    ranks: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class StrategyComparison:
    """What each strategy answered to one question.

    `results` is in the order in which the strategies were asked for.
    """

    query: str
    results: Mapping[str, RankedResults]

    @property
    def hints(self) -> tuple[str, ...]:
        """What is to be said about the filters in the question, beside results; without any, their reasons say it."""
        return next((found.hints for found in self.results.values() if found.hints), ())

    @property
    def strategies(self) -> tuple[str, ...]:
        return tuple(self.results)

    @cached_property
    def overlap(self) -> NDArray[np.float64]:
        """(n_strategies, n_strategies) Jaccard overlap of the returned documents; two empty answers agree (1)."""
        found = [set(results.ids) for results in self.results.values()]
        return np.array([[_jaccard(a, b) for b in found] for a in found])

    def overlap_of(self, first: str, second: str) -> float:
        """Jaccard overlap of two strategies' documents."""
        places = [self._place(name) for name in (first, second)]
        return float(self.overlap[places[0], places[1]])

    def moves(self, strategy: str) -> dict[str, int | None]:
        """How many places each document of a strategy rose (positive) or fell against plain similarity.

        None for a document that plain similarity would not have found at all.
        """
        self._place(strategy)
        return {
            node.node_id: None if node.base_rank is None else node.base_rank - rank
            for rank, node in enumerate(self.results[strategy], start=1)
        }

    @cached_property
    def table(self) -> tuple[ComparedNode, ...]:
        """Every returned document once, by its best place in any strategy, then by base rank and id."""
        ranks: dict[str, dict[str, int]] = {}
        facts: dict[str, tuple[float, int | None]] = {}
        for name, results in self.results.items():
            for rank, node in enumerate(results, start=1):
                ranks.setdefault(node.node_id, {})[name] = rank
                facts[node.node_id] = (node.similarity, node.base_rank)
        rows = [ComparedNode(node_id, *facts[node_id], found) for node_id, found in ranks.items()]
        return tuple(sorted(rows, key=lambda r: (min(r.ranks.values()), r.base_rank or len(rows) ** 2 + 1, r.node_id)))

    def to_frame(self) -> pd.DataFrame:
        """The table as a data frame: one row a document, one column of ranks a strategy."""
        import pandas as pd

        records = [
            {"node_id": row.node_id, "similarity": row.similarity, "base_rank": row.base_rank}
            | {f"{name}_rank": row.ranks.get(name) for name in self.strategies}
            for row in self.table
        ]
        ranks = [f"{name}_rank" for name in self.strategies]
        frame = pd.DataFrame(records, columns=["node_id", "similarity", "base_rank", *ranks])
        return frame.astype(dict.fromkeys(("base_rank", *ranks), "Int64"))

    def _place(self, strategy: str) -> int:
        if strategy not in self.results:
            raise UnknownNameError(f"{strategy!r} was not compared; compared were {', '.join(self.strategies)}.")
        return self.strategies.index(strategy)


def compare(
    search: Search, strategies: Sequence[str | RetrievalStrategy] | None = None, n: int = 10
) -> StrategyComparison:
    """Ask one question with several strategies; the question is scored once.

    Parameters
    ----------
    search
        The question with its filters and weights; its own strategy is ignored.
    strategies
        Names or strategies; all registered ones if None.
    """
    import time
    from dataclasses import replace

    from cnrag_core.retrieval.search import STRATEGIES, strategy_named

    names = STRATEGIES if strategies is None else checked_several(strategies, "strategies", of="names of strategies")
    chosen = [strategy_named(strategy) for strategy in names]
    n = checked_whole(n, "n")
    needs = frozenset().union(*(strategy.needs for strategy in chosen))
    context = search.context(needs)
    own = replace(context, weights=search.weights)
    results = {}
    for strategy in chosen:
        start = time.perf_counter()
        ranked = strategy.rank(context if strategy.name == "hybrid" else own, n)
        results[strategy.name] = ranked.finished(time.perf_counter() - start, context.hints)
    return StrategyComparison(search.query, results)


def _jaccard(first: set[str], second: set[str]) -> float:
    union = first | second
    return len(first & second) / len(union) if union else 1.0
