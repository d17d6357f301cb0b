"""One table: this product beside the guides' way and beside the libraries that one would reach for.

::

    python -m tests.benchmarks                # 1,000 and 10,000 documents, a few minutes
    python -m tests.benchmarks --full         # and 100,000
    python -m tests.benchmarks --only sweep   # one group

CPU seconds of one thread, every method in a process of its own, all in one run; the corpus is synthetic,
from a fixed random state. A tilde marks what was extrapolated from a part. The exponent is the growth of
the CPU seconds with the number of documents, from the two largest sizes that ran.
"""

from __future__ import annotations

import argparse
import math
import platform
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.measuring import Measurement, measure
from tests.benchmarks.tasks import prepare


@dataclass(frozen=True)
class Method:
    """A task, what to call it, and the largest corpus that it is asked to try."""

    task: str
    label: str
    largest: int = 100_000


@dataclass(frozen=True)
class Group:
    """Methods that answer one question; the first is ours."""

    name: str
    title: str
    methods: tuple[Method, ...]
    threshold: float | None
    uses_corpus: bool = True


GROUPS = (
    Group(
        "graph",
        "exact graph of four fields at threshold 0.3",
        (
            Method("ours", "ours"),
            Method("guides_way", "guides: dense cosine + Python loop", 10_000),
            Method("scipy_blocks", "scipy CSR blocks", 10_000),
            Method("sparse_dot_topn", "sparse_dot_topn"),
        ),
        0.3,
    ),
    Group(
        "dense",
        "exact graph of dense rows, 384 dimensions, at threshold 0.7",
        (
            Method("dense_ours", "ours"),
            Method("dense_guides_way", "guides: dense cosine + Python loop", 10_000),
            Method("dense_numpy", "numpy blocks"),
            Method("dense_faiss", "faiss IndexFlatIP range_search"),
        ),
        0.7,
        uses_corpus=False,
    ),
    Group(
        "sweep",
        "edges, components, largest, isolated at 100 thresholds",
        (
            Method("sweep_ours", "ours: one pass"),
            Method("sweep_networkx", "networkx, rebuilt", 10_000),
            Method("sweep_scipy", "scipy, rebuilt"),
        ),
        None,
    ),
    Group("add", "pairs of one document more", (Method("add_one", "ours"),), 0.1),
)
SWEEP_FLOOR = {1_000: 0.02, 10_000: 0.05, 100_000: 0.2}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__.split("\n")[0])
    parser.add_argument("--full", action="store_true", help="100,000 documents as well: many minutes")
    parser.add_argument("--only", choices=[group.name for group in GROUPS], help="one group")
    options = parser.parse_args(arguments)
    sizes = [1_000, 10_000, 100_000] if options.full else [1_000, 10_000]
    groups = [group for group in GROUPS if options.only in (None, group.name)]
    print(
        f"{platform.processor() or platform.machine()}, Python {platform.python_version()}; CPU seconds of one thread"
    )
    with tempfile.TemporaryDirectory(prefix="cnrag-benchmark-") as folder:
        if any(group.uses_corpus for group in groups):
            for n in sizes:
                prepare(Path(folder), n)
        for group in groups:
            _print_group(group, sizes, folder)


def _print_group(group: Group, sizes: Sequence[int], folder: str) -> None:
    print(f"\n{group.title}")
    head = "".join(f"{f'{n:,}':>12}{'x ours':>8}{'MiB':>7}{'edges':>11}" for n in sizes)
    print(f"  {'':36}{head}{'exponent':>10}")
    results: dict[str, list[Measurement | None]] = {}
    for method in group.methods:
        row = [_measured(group, method, n, folder) if n <= method.largest else None for n in sizes]
        results[method.task] = row
        best = results[group.methods[0].task]
        cells = "".join(_cell(found, first) for found, first in zip(row, best, strict=True))
        print(f"  {method.label:36}{cells}{_exponent(sizes, row):>10}", flush=True)
        for reason in dict.fromkeys(found.missing for found in row if found is not None and found.missing):
            print(f"      not measured: {reason}")
    _print_agreement(results, sizes)


def _measured(group: Group, method: Method, n: int, folder: str) -> Measurement:
    threshold = SWEEP_FLOOR[n] if group.threshold is None else group.threshold
    where = {"folder": folder} if group.uses_corpus else {}
    return measure(method.task, n=n, threshold=threshold, **where)


def _cell(found: Measurement | None, ours: Measurement | None) -> str:
    if found is None or found.missing:
        return f"{'-':>12}{'':>8}{'':>7}{'':>11}"
    ratio = "" if ours is None or found is ours or ours.missing else f"{found.whole_cpu / ours.whole_cpu:.1f}"
    edges = f"{found.facts['edges']:,}" if "edges" in found.facts else ""
    return f"{found.seconds:>12}{ratio:>8}{found.rss_mb:>7.0f}{edges:>11}"


def _exponent(sizes: Sequence[int], row: Sequence[Measurement | None]) -> str:
    ran = [(n, found.whole_cpu) for n, found in zip(sizes, row, strict=True) if found and not found.missing]
    if len(ran) < 2:
        return ""
    (small, before), (large, after) = ran[-2:]
    return f"{math.log(after / before) / math.log(large / small):.2f}"


def _print_agreement(results: dict[str, list[Measurement | None]], sizes: Sequence[int]) -> None:
    """Whether the methods found the same; a difference would make the seconds meaningless."""
    for index, n in enumerate(sizes):
        digests = {
            task: row[index].facts["digest"]  # type: ignore[union-attr]
            for task, row in results.items()
            if row[index] is not None and "digest" in row[index].facts  # type: ignore[union-attr]
        }
        if len(digests) > 1:
            verdict = "identical" if len(set(digests.values())) == 1 else f"DIFFERENT: {digests}"
            print(f"  {n:,} documents: results of {', '.join(digests)} are {verdict}")


if __name__ == "__main__":
    main()
