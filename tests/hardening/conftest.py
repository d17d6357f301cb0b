"""Shows the seed before the tests, and what was withstood after them."""

from __future__ import annotations

import pytest

from tests.hardening import campaign


def pytest_report_header() -> str:
    return f"hardening: seed {campaign.SEED} (CNRAG_SEED), {campaign.COUNTS} counts (CNRAG_FULL=1 for all)"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if campaign.LINES:
        terminalreporter.section("hardening")
        for line in campaign.summary():
            terminalreporter.write_line(line)
