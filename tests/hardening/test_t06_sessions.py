"""T6, T7, T8: ten, twenty-five and fifty visitors at the same time, each with settings of their own.

Visitors speak the server's protocol without a browser; every one goes through the same pages with another
threshold and another question, so that nothing but the shipped sample is shared.
"""

from __future__ import annotations

import time

import pytest

from tests.hardening.campaign import count, random_of, report
from tests.hardening.visitors import Run, Served, Visitor, percentile, together, watched

QUESTIONS = ["protein folding", "coral bleaching", "genome editing", "graph networks", "dark matter", "language models"]
PATIENCE = 300.0
"""Seconds after which a page counts as hung; the limit of a test is counted and shown, for a machine may be busy."""

PAGES = ["", "Threshold", "Search", "Network", "Communities"]


@pytest.fixture(scope="module")
def warm(served: Served) -> Served:
    """The server after one visitor has seen every page: the sample is built and the modules are imported."""
    with Visitor(served, sample="papers") as first:
        for page in PAGES:
            assert first.run(page, seconds=180).ok
    return served


def visit(server: Served, number: int, n_runs: int, test: str) -> list[Run]:
    """One visitor who opens pages one after the other."""
    random = random_of(f"{test} {number}")
    runs = []
    with Visitor(server) as visitor:
        for step in range(n_runs):
            page = PAGES[(number + step) % len(PAGES)]
            threshold = f"{random.uniform(0.12, 0.6):.3f}"
            runs.append(visitor.run(page, seconds=PATIENCE, sample="papers", t=threshold, q=random.choice(QUESTIONS)))
    return runs


def crowd(server: Served, test: str, n_sessions: int, n_runs: int, limit: float) -> list[Run]:
    """Many visitors at once; those count as served who waited for no page longer than the limit."""
    started = time.monotonic()
    before, worked = server.rss, server.cpu_seconds
    visits = together([lambda n=n: visit(server, n, n_runs, test) for n in range(n_sessions)])
    runs = [run for visit_ in visits for run in visit_]
    seconds = [run.seconds for run in runs]
    in_time = [run.ok and run.seconds <= limit for run in runs]
    well = sum(all(run.ok and run.seconds <= limit for run in visit_) for visit_ in visits)
    exceptions = sum(len(run.exceptions) for run in runs)
    errors = sum(len(run.errors) for run in runs)
    cpu = (server.cpu_seconds - worked) / len(runs)
    report(
        test, well, n_sessions,
        f"runs {sum(in_time)}/{len(runs)} ok within {limit:.0f} s, p50 {percentile(seconds, 0.5):.2f} s, "
        f"p95 {percentile(seconds, 0.95):.2f} s, exceptions {exceptions}, error boxes {errors}, "
        f"{cpu:.2f} CPU s a run, RSS {before:.0f} -> {server.rss:.0f} MB, {time.monotonic() - started:.0f} s in all",
        score="sessions",
    )  # fmt: skip
    return runs


def test_t6_ten_visitors_with_their_own_settings_are_all_served(warm: Served) -> None:
    runs = crowd(warm, "T6", count(10, 5), count(5, 2), 60)
    assert all(run.ok and not run.errors for run in runs), [run for run in runs if not run.ok or run.errors]


def test_t7_twenty_five_visitors_see_no_exception(warm: Served) -> None:
    runs = crowd(warm, "T7", count(25, 10), count(5, 1), 90)
    assert not [text for run in runs for text in run.exceptions]
    assert all(run.ok for run in runs)


def test_t8_fifty_visitors_do_not_bring_it_down(warm: Served) -> None:
    with watched(warm) as health:
        runs = crowd(warm, "T8", count(50, 20), count(3, 1), 60)
    report("T8 health", sum(seconds < 1 for seconds in health), len(health), f"slowest {max(health, default=0):.2f} s")
    assert warm.process.is_running()
    assert sum(run.ok for run in runs) >= 0.95 * len(runs)
    assert not [text for run in runs for text in run.exceptions]
    assert all(seconds < float("inf") for seconds in health), "the health address did not answer"
    assert warm.health()["status"] == "ok"
