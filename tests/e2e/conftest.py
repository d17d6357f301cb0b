"""One server and one browser for all journeys; a window that complains or asks elsewhere fails its test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.e2e.dashboard import Server, Window

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here drives a browser."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The dashboard, started once; needs the browser so that nothing starts where none is installed."""
    started = Server(tmp_path_factory.mktemp("server") / "log.txt")
    yield started
    started.stop()


@pytest.fixture
def open_window(
    browser: Browser, server: Server, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Window]]:
    """Opens windows, each with cookies and storage of its own; all must have stayed clean at the end."""
    windows: list[Window] = []

    def opened(*, theme: str = "light", width: int = 1280, height: int = 800, at: Server = server) -> Window:
        context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": height})
        windows.append(Window(context.new_page(), at))
        return windows[-1]

    failed = request.session.testsfailed
    yield opened
    for number, window in enumerate(windows):
        if request.session.testsfailed > failed:
            window.page.screenshot(path=tmp_path / f"failed{number}.png")
        window.page.context.close()
    for window in windows:
        window.assert_clean()


@pytest.fixture
def window(open_window: Callable[..., Window]) -> Window:
    """A window of ordinary size in the light theme."""
    return open_window()
