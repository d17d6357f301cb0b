"""One table: this product beside the guides' way and beside the libraries that one would reach for.

::

    python -m tests.benchmarks                # 1,000 and 10,000 documents, a few minutes
    python -m tests.benchmarks --full         # and 100,000
    python -m tests.benchmarks --only sweep   # one group; repeat for more

CPU seconds of one thread, every method in a process of its own, all in one run; the corpus is synthetic,
from a fixed random state. A tilde marks what was extrapolated from a part. The exponent is the growth of
the CPU seconds with the number of documents, from the two largest sizes that ran. At the end stands what
was asked and what was reached. A million documents: ``python -m tests.benchmarks.million``.

Libraries that are no dependency of the product come with ``pip install -e '.[benchmark]'``; those that are
missing are named.
"""

from __future__ import annotations

import argparse
import math
import platform
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from cnrag_core.warming import warm_up
from tests.benchmarks.groups import GROUPS, Group
from tests.benchmarks.measuring import Measurement, measure
from tests.benchmarks.targets import TARGETS
from tests.benchmarks.tasks import prepare

SIZES = (1_000, 10_000, 100_000)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__.split("\n")[0])
    parser.add_argument("--full", action="store_true", help="100,000 documents as well: many minutes")
    parser.add_argument("--only", action="append", choices=[group.name for group in GROUPS], help="one group")
    parser.add_argument("--sizes", type=int, nargs="+", choices=SIZES, help="instead of the usual sizes")
    parser.add_argument("--ours", action="store_true", help="leave the other ways out")
    options = parser.parse_args(arguments)
    sizes = options.sizes or (SIZES if options.full else SIZES[:2])
    groups = [group for group in GROUPS if options.only is None or group.name in options.only]
    if options.ours:
        groups = [replace(group, methods=group.our_methods) for group in groups]
    warm_up()  # into the cache of this machine: the compiler's time is no method's
    print(f"{_processor()}, Python {platform.python_version()}; CPU seconds of one thread")
    found: dict[tuple[str, int], Measurement] = {}
    with tempfile.TemporaryDirectory(prefix="cnrag-benchmark-") as folder:
        if any(group.uses_corpus for group in groups):
            for n in {1_000, *sizes}:
                prepare(Path(folder), n)
        for group in groups:
            if of_group := [n for n in sizes if n >= group.smallest]:
                found |= _print_group(group, of_group, folder)
    lines = [line for target in TARGETS if (line := target.line(found))]
    if lines:
        print(f"\n  {'':66}{'asked':>16}{'reached':>16}")
        print("\n".join(lines))


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        names = [line.split(":")[1].strip() for line in information.read_text().splitlines() if "model name" in line]
        if names:
            return names[0]
    return platform.processor() or platform.machine()


def _print_group(group: Group, sizes: Sequence[int], folder: str) -> dict[tuple[str, int], Measurement]:
    print(f"\n{group.name}: {group.title}")
    head = "".join(f"{f'{n:,}':>12}{'x ours':>8}{'MiB':>7}{'edges':>11}" for n in sizes)
    print(f"  {'':42}{head}{'exponent':>10}")
    rows: dict[str, list[Measurement | None]] = {}
    for method in group.methods:
        row = [_measured(group, method.task, n, folder) if n <= method.largest else None for n in sizes]
        rows[method.task] = row
        best = rows[group.methods[0].task]
        cells = "".join(_cell(found, first) for found, first in zip(row, best, strict=True))
        print(f"  {method.label:42}{cells}{_exponent(sizes, row):>10}", flush=True)
        for n, found, first in zip(sizes, row, best, strict=True):
            if found is not None and (facts := _facts(found, first)):
                print(f"      {n:,}: {facts}", flush=True)
        for reason in dict.fromkeys(found.missing for found in row if found is not None and found.missing):
            print(f"      not measured: {reason}")
    _print_agreement(rows, sizes)
    return {
        (task, n): found
        for task, row in rows.items()
        for n, found in zip(sizes, row, strict=True)
        if found is not None and not found.missing
    }


def _measured(group: Group, task: str, n: int, folder: str) -> Measurement:
    where = {"folder": folder} if group.uses_corpus else {}
    return measure(task, n=n, threshold=group.threshold_at(n), **where)


def _cell(found: Measurement | None, ours: Measurement | None) -> str:
    if found is None or found.missing:
        return f"{'-':>12}{'':>8}{'':>7}{'':>11}"
    ratio = "" if ours is None or found is ours or ours.missing else f"{found.whole_cpu / ours.whole_cpu:.1f}"
    edges = f"{found.facts['edges']:,}" if "edges" in found.facts else ""
    return f"{found.seconds:>12}{ratio:>8}{found.rss_mb:>7.0f}{edges:>11}"


def _facts(found: Measurement, ours: Measurement | None) -> str:
    """What a method reports beside its edges, and the share of the edges that an approximate one finds."""
    hidden = ("edges", "digest", "approximate")
    facts = [f"{name} {value}" for name, value in found.facts.items() if name not in hidden]
    if ours is not None and found.facts.get("approximate"):
        facts.append(f"recall {found.facts['edges'] / max(1, ours.facts['edges']):.3f}")
    return ", ".join(facts)


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
