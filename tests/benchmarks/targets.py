"""What was asked of the speed, and whether it is reached.

Enters: the measurements of one run. Leaves: one line a target. A target that this run did not measure is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tests.benchmarks.measuring import Measurement

Results: TypeAlias = Mapping[tuple[str, int], Measurement]
"""By task and number of documents."""

Value: TypeAlias = Callable[[Results], float]


@dataclass(frozen=True)
class Target:
    """A figure and its limit: at most, or with `at_least` at least."""

    what: str
    group: str
    value: Value
    limit: float
    unit: str = "s"
    at_least: bool = False

    def line(self, results: Results) -> str | None:
        """What was asked, what was reached, and the verdict; None where it was not measured."""
        try:
            reached = self.value(results)
        except KeyError:
            return None
        met = reached >= self.limit if self.at_least else reached <= self.limit
        sign = ">=" if self.at_least else "<="
        asked = f"{sign} {_number(self.limit)} {self.unit}"
        return f"  {self.what:66}{asked:>16}{_number(reached) + ' ' + self.unit:>16}   {'met' if met else 'MISSED'}"


def cpu(task: str, n: int) -> Value:
    return lambda results: results[task, n].whole_cpu


def ratio(slower: str, faster: str, n: int) -> Value:
    return lambda results: results[slower, n].whole_cpu / results[faster, n].whole_cpu


def memory(task: str, n: int) -> Value:
    return lambda results: results[task, n].rss_mb


def fact(task: str, n: int, name: str) -> Value:
    return lambda results: float(results[task, n].facts[name])


def lost(task: str, best: str, n: int, name: str) -> Value:
    """How far a fact of one task lies below that of another."""
    return lambda results: float(results[best, n].facts[name]) - float(results[task, n].facts[name])


SMALL, LARGE = 10_000, 100_000

TARGETS = (
    Target("exact graph of four fields, 10,000", "graph", cpu("ours", SMALL), 0.4),
    Target("exact graph of four fields, 100,000", "graph", cpu("ours", LARGE), 15),
    Target("its memory, 100,000", "graph", memory("ours", LARGE), 600, "MiB"),
    Target("its speed beside the guides' way, 10,000", "graph", ratio("guides_way", "ours", SMALL), 100, "x", True),
    Target(
        "its speed beside sparse_dot_topn, 100,000", "graph",
        ratio("sparse_dot_topn", "ours", LARGE), 15, "x", True,
    ),
    Target("exact graph of dense rows, 384 dimensions, 100,000", "dense", cpu("dense_ours", LARGE), 35),
    Target("texts to full analysis, 10,000", "analysis", cpu("analysis_ours", SMALL), 2.5),
    Target("texts to full analysis, 100,000", "analysis", cpu("analysis_ours", LARGE), 30),
    Target(
        "its speed beside scikit-learn + networkx + python-louvain, 10,000", "analysis",
        ratio("analysis_guides_way", "analysis_ours", SMALL), 100, "x", True,
    ),
    Target("100 thresholds, 10,000", "sweep", cpu("sweep_ours", SMALL), 0.01),
    Target("100 thresholds, 100,000 with 4 million edges", "sweep", cpu("sweep_ours", LARGE), 0.1),
    Target("its speed beside rebuilding, 10,000", "sweep", ratio("sweep_scipy", "sweep_ours", SMALL), 30, "x", True),
    Target("communities, 10,000", "communities", cpu("communities_ours", SMALL), 0.1),
    Target("communities, 100,000 with a million edges", "communities", cpu("communities_ours", LARGE), 1),
    Target(
        "modularity lost beside leidenalg, 10,000", "communities",
        lost("communities_ours", "communities_leidenalg", SMALL, "modularity"), 0.001, "",
    ),
    Target(
        "modularity lost beside leidenalg, 100,000", "communities",
        lost("communities_ours", "communities_leidenalg", LARGE, "modularity"), 0.001, "",
    ),
    Target("betweenness, exact, 10,000", "betweenness", cpu("between_exact", SMALL), 5),
    Target("betweenness, sampled, 10,000", "betweenness", cpu("between_sampled", SMALL), 0.6),
    Target(
        "of the true first hundred, sampled", "betweenness",
        fact("between_sampled", SMALL, "of top 100"), 95, "", True,
    ),
    Target(
        "its speed beside networkx", "betweenness",
        ratio("between_networkx", "between_exact", SMALL), 50, "x", True,
    ),
    Target("step of the threshold slider, 10,000", "slider", cpu("slider_step", SMALL), 0.15),
    Target("step of the threshold slider, 100,000 with a million edges", "slider", cpu("slider_step", LARGE), 1),
    Target("answer of any strategy, 95th percentile, 100,000", "questions", cpu("questions", LARGE), 0.02),
    Target("one document added to 10,000", "add", cpu("add_document", SMALL), 0.05),
    Target("open a saved workspace of 10,000", "open", cpu("open_workspace", SMALL), 2),
    Target("import cnrag_core", "import", cpu("import_core", SMALL), 0.3),
)  # fmt: skip


def _number(value: float) -> str:
    if value and abs(value) < 0.1:
        return f"{value:.4f}".rstrip("0")
    return f"{value:.2f}" if abs(value) < 10 else f"{value:,.0f}"
