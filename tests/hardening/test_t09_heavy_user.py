"""T9: one visitor builds five thousand documents while five others go on working; and what must end, ends.

The build runs in a process of its own at a lower priority. It ends when its visitor closes the tab, when the server
stops, and when the server is killed; a second click does not start a second one.
"""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hardening.campaign import IS_FULL, count, random_of, report
from tests.hardening.visitors import HANG, Run, Served, Visitor, percentile, together, until

N_DOCUMENTS = count(5_000, 2_000)
OTHERS = ["", "Threshold", "Search", "Network", "Communities"]


def corpus(n: int) -> bytes:
    """Documents over a few hundred topics, as JSON Lines."""
    random = random_of("T9")
    words = [f"word{i}" for i in range(3_000)]
    lines = []
    for i in range(n):
        topic = i % 300
        text = [f"topic{topic}", f"area{topic % 17}", *random.choices(words, k=60)]
        lines.append(json.dumps({"id": f"d{i}", "title": f"Document {i}", "text": " ".join(text)}))
    return "\n".join(lines).encode()


def begin(visitor: Visitor, data: bytes) -> str:
    """Upload a corpus and return the key of the button that builds it."""
    assert visitor.run("", seconds=120, sample="papers").ok
    assert visitor.set("source", "My own documents").ok
    run = visitor.upload("corpus_file", "heavy.jsonl", data, seconds=180)
    assert run.ok, run
    assert not run.errors, run
    buttons = [key for key in visitor.elements if key.startswith("build_")]
    assert buttons, "no button builds the upload"
    return buttons[0]


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Served]:
    server = Served(tmp_path)
    yield server
    server.stop()


def test_t9_five_others_go_on_while_one_builds(served: Served) -> None:
    over = [False]
    with Visitor(served, sample="papers") as first:
        for page in OTHERS:
            assert first.run(page, seconds=180).ok

    def heavy() -> float:
        with Visitor(served) as visitor:
            button = begin(visitor, corpus(N_DOCUMENTS))
            started = time.monotonic()
            visitor.press(button)
            built = visitor.wait_for(rf"^{N_DOCUMENTS:,} documents ·", 300)
            over[0] = True
            assert built, visitor.texts[-20:]
            return time.monotonic() - started

    def other(number: int) -> list[Run]:
        runs = []
        with Visitor(served, sample="papers") as visitor:
            while not over[0] or not runs:
                runs.append(visitor.run(OTHERS[(number + len(runs)) % len(OTHERS)], seconds=300))
                time.sleep(0.5)
        return runs

    try:
        built, *visits = together([heavy, *[lambda n=n: other(n) for n in range(5)]])
    finally:
        over[0] = True
    runs = [run for visit in visits for run in visit]
    seconds = [run.seconds for run in runs]
    report(
        "T9", sum(all(run.ok for run in visit) for visit in visits) + 1, 6,
        f"{N_DOCUMENTS:,} documents built in {built:.0f} s; the others' {len(runs)} runs p50 "
        f"{percentile(seconds, 0.5):.2f} s, p95 {percentile(seconds, 0.95):.2f} s, RSS {served.rss:.0f} MB",
        score="sessions",
    )  # fmt: skip
    assert all(run.ok for run in runs)
    assert not served.builders()


def test_t9_a_second_click_starts_no_second_build_and_a_closed_tab_ends_the_first(served: Served) -> None:
    with Visitor(served) as visitor:
        button = begin(visitor, corpus(N_DOCUMENTS))
        for _ in range(5):
            visitor.send(click=button)
        assert until(served.builders)
        most = 0
        for _ in range(10):
            most = max(most, len(served.builders()))
            time.sleep(0.1)
        for child in served.builders():
            child.suspend()  # a build that would never end by itself
    closed = time.monotonic()
    assert until(lambda: not served.builders(), 2 * HANG), "the child of a closed tab goes on"
    gone = time.monotonic() - closed
    report("T9 clicks", int(most == 1), 1, f"{most} build of 5 clicks, ended {gone:.0f} s after the tab")
    assert most == 1
    assert until(lambda: served.health()["jobs_running"] == 0)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL] if IS_FULL else [signal.SIGKILL])
def test_t9_no_build_outlives_its_server(own_server: Served, how: signal.Signals) -> None:
    with Visitor(own_server) as visitor:
        visitor.send(click=begin(visitor, corpus(N_DOCUMENTS)))
        assert until(own_server.builders)
        [child] = own_server.builders()
        assert own_server.stop(how) is not None, "the server had to be killed"
    assert until(lambda: not child.is_running() or child.status() == "zombie")
    report(f"T9 {how.name}", 1, 1, "the build ended with its server", score="faults")
