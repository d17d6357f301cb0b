"""The exact four-field graph of 1,000,000 documents, interrupted once and resumed.

::

    python -m tests.benchmarks.million                           # 1,000,000 documents: about half an hour
    python -m tests.benchmarks.million --n 100000 --interrupt 9  # killed once when 9 tiles are there

The columns of the synthetic corpus are made and written by a process of their own. Another process then
reads them and finds all pairs of at least 0.3 on two threads, keeping finished tiles in a folder of shards.
With ``--interrupt`` it is ended with SIGKILL when so many tiles are there, and started again on the same
folder. Printed are documents, pairs, edges, CPU and wall minutes (of every process that searched, reading
and what was lost by the interruption included), and the largest resident memory of any of them. At the end
the pairs of some documents are found again by the plain definition, one row at a time.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.benchmarks.measuring import ONE_THREAD, ROOT
from tests.benchmarks.tasks import load, prepare

N_CHECKED = 12
"""Documents whose pairs are found again; each is one pass over all rows."""


@dataclass(frozen=True)
class Ended:
    """What the system says of a process that has ended: its output, CPU and wall seconds, largest MiB."""

    code: int
    output: str
    cpu: float
    wall: float
    rss_mb: float


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.million", description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, default=1_000_000, help="documents")
    parser.add_argument("--threshold", type=float, default=0.3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--interrupt", type=int, help="number of tiles after which the search is killed once")
    parser.add_argument("--folder", type=Path, help="for columns and shards; a temporary one where absent")
    parser.add_argument("--search", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.search is not None:
        print(json.dumps(search(options.search, options.n, options.threshold, options.threads)))
        return
    with tempfile.TemporaryDirectory(prefix="cnrag-million-") as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / f"authors-{options.n}.npz").exists():
            maker = multiprocessing.get_context("spawn").Process(target=prepare, args=(folder, options.n))
            maker.start()
            maker.join()
            if maker.exitcode:
                sys.exit(f"The corpus could not be made (code {maker.exitcode}).")
        measure(folder, options.n, options.threshold, options.threads, options.interrupt)


def measure(folder: Path, n: int, threshold: float, threads: int, interrupt: int | None) -> None:
    """Search in processes of their own, and print what it took."""
    command = [
        sys.executable, "-m", "tests.benchmarks.million", "--search", str(folder),
        "--n", str(n), "--threshold", str(threshold), "--threads", str(threads),
    ]  # fmt: skip
    ended = []
    if interrupt is not None:
        killed = run(command, kill_at=(folder / "shards", interrupt))
        ended.append(killed)
        left = len(list((folder / "shards").glob("pairs-*/tile-*.npz")))
        print(f"killed with {left:,} tiles done after {killed.cpu / 60:.1f} CPU minutes", flush=True)
    ended.append(run(command))
    if ended[-1].code:
        sys.exit(f"The search ended with {ended[-1].code}.")
    found = json.loads(ended[-1].output.splitlines()[-1])
    print(f"{'documents':26}{n:>16,}")
    print(f"{'pairs compared':26}{n * (n - 1) // 2:>16,}")
    print(f"{f'edges at {threshold:g}':26}{found['edges']:>16,}   digest {found['digest']}")
    print(f"{'tiles resumed from':26}{found['resumed']:>16,}   of {found['tiles']:,}")
    print(f"{'CPU minutes':26}{sum(process.cpu for process in ended) / 60:>16.2f}")
    print(f"{'wall minutes':26}{sum(process.wall for process in ended) / 60:>16.2f}   {threads} threads")
    print(f"{'peak resident, MiB':26}{max(process.rss_mb for process in ended):>16,.0f}")
    print(f"{'shards on disk, MB':26}{found['shard_mb']:>16,.0f}")
    print(f"{'state of a worker, MB':26}{found['state_mb']:>16,.0f}")
    print(f"{'documents found again':26}{found['checked']:>16,}   with {found['checked_pairs']:,} pairs, the same")


def search(folder: Path, n: int, threshold: float, threads: int) -> dict[str, object]:
    """What the measured process does."""
    from cnrag_core.similarity.pairwise import pairs_above
    from cnrag_core.similarity.tiles import Engine

    begun = time.perf_counter()
    columns = load(folder, n)
    shards = folder / "shards"
    before = len(list(shards.glob("pairs-*/tile-*.npz")))
    pairs = pairs_above(columns, threshold, n_threads=threads, engine=Engine(folder=shards))
    used = resource.getrusage(resource.RUSAGE_SELF)
    # What follows is no part of the search; the numbers are told before it.
    facts = {"cpu": used.ru_utime + used.ru_stime, "rss_mb": used.ru_maxrss / 1024, "resumed": before}
    facts["wall"] = time.perf_counter() - begun
    files = list(shards.glob("pairs-*/tile-*.npz"))
    digest = hashlib.sha256(pairs.left.tobytes() + pairs.right.tobytes()).hexdigest()[:12]
    return facts | {
        "edges": len(pairs), "digest": digest, "tiles": len(files),
        "shard_mb": sum(file.stat().st_size for file in files) / 1e6,
    } | found_again(columns, pairs, threshold)  # fmt: skip


def found_again(columns: tuple, pairs, threshold: float) -> dict[str, object]:  # type: ignore[no-untyped-def]
    """Compare a few documents with all others by the plain definition; the pairs must be the same bits."""
    from cnrag_core.similarity.bounds import make_plan
    from cnrag_core.similarity.pairwise import pairs_of_rows
    from cnrag_core.similarity.state import SearchState

    rows = np.sort(np.random.default_rng(0).choice(len(columns[0].missing), N_CHECKED, replace=False))
    n_pairs = 0
    for start in range(0, N_CHECKED, 4):  # four rows at a time need no transposed matrix
        chosen = rows[start : start + 4]
        expected = pairs_of_rows(columns, chosen.tolist(), threshold)
        has_one = np.isin(pairs.left, chosen) | np.isin(pairs.right, chosen)
        for found, right in (
            (pairs.left, expected.left),
            (pairs.right, expected.right),
            (pairs.weight, expected.weight),
        ):
            if found[has_one].tobytes() != right.tobytes():
                sys.exit(f"The pairs of documents {chosen.tolist()} differ from the plain definition.")
        n_pairs += len(expected)
    state = SearchState(columns, make_plan(columns, threshold))
    return {"checked": N_CHECKED, "checked_pairs": n_pairs, "state_mb": state.nbytes / 1e6}


def run(command: list[str], *, kill_at: tuple[Path, int] | None = None) -> Ended:
    """Run a process to its end, or until so many shards are there; it and its threads alone are counted."""
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(ROOT)}
    start = time.perf_counter()
    child = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    while kill_at is not None and child.poll() is None:
        if len(list(kill_at[0].glob("pairs-*/tile-*.npz"))) >= kill_at[1]:
            child.send_signal(signal.SIGKILL)
            break
        time.sleep(0.2)
    assert child.stdout is not None
    output = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    cpu, rss = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    if not child.returncode:  # a search that came to its end was measured before its result was checked
        told = json.loads(output.splitlines()[-1])
        cpu, rss, wall = told["cpu"], told["rss_mb"], told["wall"]
    return Ended(child.returncode, output, cpu, wall, rss)


if __name__ == "__main__":
    main()
