"""Fixtures shared by all tests. Standard corpora contain an empty text, a duplicate and an isolated document."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[1]


def pytest_unconfigure() -> None:
    """The folder that Streamlit's page tests keep to the end of the process is removed, so that nothing warns of it."""
    app_test = sys.modules.get("streamlit.testing.v1.app_test")
    if app_test is not None:
        app_test.TMP_DIR.cleanup()


@pytest.fixture(scope="session")
def corpora() -> Path:
    """Folder of real corpora, which are not part of the project."""
    folder = Path(os.environ.get("CNRAG_CORPORA", ROOT.parent / "shared" / "corpora"))
    if not folder.is_dir():
        pytest.skip(f"real corpora are not at {folder}; set CNRAG_CORPORA to where they are")
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, started once for all tests that drive it."""
    from playwright.sync_api import sync_playwright

    from tests.e2e.dashboard import chromium, started_chromium

    if chromium() is None:
        reason = "no Chromium is installed: apt-get install chromium"
        if os.environ.get("CNRAG_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        started = started_chromium(playwright)
        yield started
        started.close()
