"""A fresh corpus from a file to its coloured picture, through a real browser.

::

    python -m tests.benchmarks.browser_100k                # 100,000 documents
    python -m tests.benchmarks.browser_100k --n 10000 --picture /tmp/overview.png

A JSON Lines file of synthetic texts is uploaded on the home page, built with the configuration that is proposed,
and looked at on the network page. Printed are the seconds of every step, how often the progress moved, and the most
memory that the server and its worker had together. Asked on two quiet cores: less than three minutes in all, less
than 2.5 GB.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from playwright.sync_api import expect, sync_playwright

from tests.benchmarks.synthetic import make_corpus
from tests.e2e.dashboard import Graph, Server, Window, started_chromium

MOST_SECONDS, MOST_BYTES = 180.0, 2_500_000_000
PATIENCE = 3_600_000
"""Milliseconds; the machine may be busy, and the figures say how long it took."""


class Memory:
    """What the server and its workers hold of the machine's memory, sampled while they run.

    A page that several processes share (of a library, of a mapped file) is counted once: the proportional set
    size, where the system tells it, and the resident size elsewhere.

    Attributes
    ----------
    peak
        Most bytes at one time, and how many of them each process had then, by what it does.
    peaks
        The same within each step.
    most_of
        Most bytes that each process had at any time.
    cpu
        Seconds of processor that each process has used.
    """

    def __init__(self) -> None:
        self.step = "started"
        self.peaks: dict[str, dict[str, int]] = {}
        self.most_of: dict[str, int] = {}
        self.cpu: dict[str, float] = {}
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    @property
    def peak(self) -> dict[str, int]:
        return max(self.peaks.values(), key=lambda held: sum(held.values()))

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _watch(self) -> None:
        me = psutil.Process()
        while not self._stopped.wait(0.25):
            held: dict[str, int] = {}
            for process in me.children(recursive=True):
                with suppress(psutil.Error):
                    role = role_of(process)
                    if role is not None:
                        held[role] = held.get(role, 0) + proportional(process)
                        times = process.cpu_times()
                        self.cpu[role] = max(self.cpu.get(role, 0.0), times.user + times.system)
            for role, size in held.items():
                self.most_of[role] = max(self.most_of.get(role, 0), size)
            if sum(held.values()) > sum(self.peaks.get(self.step, {}).values()):
                self.peaks[self.step] = held


def role_of(process: psutil.Process) -> str | None:
    """What a process of the server does; None for the browser and its driver."""
    if any(name in process.name() for name in ("chrom", "node", "headless")):
        return None
    command = " ".join(process.cmdline())
    return "worker" if "cnrag_core.worker" in command else "server" if "streamlit" in command else "others"


def proportional(process: psutil.Process) -> int:
    """Bytes that a process holds, its part of what it shares with others."""
    full = process.memory_full_info()
    return int(getattr(full, "pss", full.rss))


def in_words(held: dict[str, int]) -> str:
    return ", ".join(f"{role} {size / 1e9:.2f}" for role, size in sorted(held.items(), key=lambda item: -item[1]))


def write_corpus(path: Path, n: int) -> None:
    """The synthetic documents, one a line."""
    with path.open("w") as file:
        for document in make_corpus(n).documents():
            file.write(json.dumps({"id": document.id, **document.fields}) + "\n")


@contextmanager
def timed(steps: dict[str, float], name: str, memory: Memory) -> Iterator[None]:
    memory.step = name
    start = time.perf_counter()
    yield
    steps[name] = time.perf_counter() - start
    held = memory.peaks.get(name, {})
    print(f"  {name:44}{steps[name]:8.1f} s  {sum(held.values()) / 1e9:5.2f} GB: {in_words(held)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.browser_100k", description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--picture", type=Path, help="where to write what the browser shows at the end")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cnrag-browser-") as folder, sync_playwright() as playwright:
        path = Path(folder) / "corpus.jsonl"
        write_corpus(path, options.n)
        print(f"{options.n:,} documents, {path.stat().st_size / 1e6:.0f} MB, load {os.getloadavg()[0]:.1f}")
        server = Server(Path(folder) / "log.txt")
        memory = Memory()
        browser = started_chromium(playwright)
        try:
            window = Window(browser.new_page(viewport={"width": 1440, "height": 900}), server)
            window.page.set_default_timeout(PATIENCE)
            expect.set_options(timeout=PATIENCE)
            window.open()
            steps = journey(window, path, options.n, memory)
            if options.picture:
                window.page.screenshot(path=options.picture)
            window.assert_clean()
        finally:
            memory.stop()
            browser.close()
            server.stop()
    seconds = sum(steps.values())
    print(f"  {'in all':44}{seconds:8.1f} s   asked {MOST_SECONDS:.0f} s: {verdict(seconds <= MOST_SECONDS)}")
    peak = sum(memory.peak.values())
    print(f"  {'memory of server and worker':44}{peak / 1e9:8.2f} GB  asked {MOST_BYTES / 1e9} GB: "
          f"{verdict(peak <= MOST_BYTES)}")  # fmt: skip
    print(f"      at that time {in_words(memory.peak)}; each at its own most {in_words(memory.most_of)}")
    seconds_of = ", ".join(f"{role} {used:.0f} s" for role, used in sorted(memory.cpu.items()))
    print(f"      processor: {seconds_of}; load {os.getloadavg()[0]:.1f}")


def journey(window: Window, path: Path, n: int, memory: Memory) -> dict[str, float]:
    """Upload, build, look: the seconds of each."""
    steps: dict[str, float] = {}
    with timed(steps, "uploaded and read", memory):
        window.pick("source", "My own documents")
        with window.rerun():
            window.at("corpus_file").locator("input[type=file]").set_input_files(path)
        window.shows(f"{n:,} documents")
    build = window.page.get_by_role("button", name="Build the network")
    build.wait_for()
    said = set()
    with timed(steps, "built", memory):
        build.click()
        progress = window.page.get_by_test_id("stProgress")
        progress.first.wait_for()
        while progress.count():
            with suppress(Exception):  # it may go while it is read
                said.add(progress.first.inner_text(timeout=1_000))
            time.sleep(0.25)
        window.settled()
    print(f"      the progress said {len(said)} different things, among them {sorted(said)[:6]}")
    with timed(steps, "the coloured picture", memory):
        window.go("Network")
        graph = Graph(window).ready()
    print(f"      {graph.n_nodes:,} nodes in {len(graph.colors)} colours are drawn")
    return steps


def verdict(is_met: bool) -> str:
    return "met" if is_met else "MISSED"


if __name__ == "__main__":
    main()
