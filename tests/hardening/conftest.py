"""Shows the seed before the tests, and what was withstood after them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hardening import campaign
from tests.hardening.visitors import Served


def pytest_report_header() -> str:
    return f"hardening: seed {campaign.SEED} (CNRAG_SEED), {campaign.COUNTS} counts (CNRAG_FULL=1 for all)"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if campaign.LINES:
        terminalreporter.section("hardening")
        for line in campaign.summary():
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for the tests that only visit it."""
    server = Served(tmp_path_factory.mktemp("served"))
    yield server
    server.stop()
