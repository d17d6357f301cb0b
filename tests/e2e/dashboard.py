"""The dashboard as a visitor has it: one server, and windows of a real browser that record what goes wrong."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Playwright, Request, expect

PATIENCE_OF_EXPECT = 30_000
"""Milliseconds until an expectation of a page must hold."""
expect.set_options(timeout=PATIENCE_OF_EXPECT)

ROOT = Path(__file__).resolve().parents[2]
NAMES_OF_CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 60_000
"""Milliseconds until something that was asked for must be on the page: a busy machine is no fault of a page."""

COUNT_RUNS = """
Object.assign(window, { cnragChanges: 0, cnragAsked: 0, cnragAnswered: 0 });
new MutationObserver((changes) => { window.cnragChanges += changes.length; })
  .observe(document, { subtree: true, attributes: true, attributeFilter: ['data-test-script-state'] });
const { send } = WebSocket.prototype, heard = new WeakSet();
WebSocket.prototype.send = function (...message) {
  if (!heard.has(this)) {
    heard.add(this);
    this.addEventListener('message', () => { window.cnragAnswered = window.cnragAsked; });
  }
  window.cnragAsked += 1;
  return send.apply(this, message);
};
"""
"""Counts how often the script began or ended, and what was asked of the server and answered: a run that begins and
ends between two frames of the browser shows no state."""

HAS_RUN = "([changes, asked]) => window.cnragChanges !== changes || window.cnragAnswered > asked"

IDLE = """
() => {
  const app = document.querySelector('[data-testid=stApp]');
  const now = performance.now();
  const coming = document.querySelector('[data-stale=true], [data-testid=stSkeleton]');
  if (!app || app.dataset.testScriptState !== 'notRunning' || coming) window.cnragBusy = now;
  return now - (window.cnragBusy ??= now) > 400;
}
"""
"""The script has been at rest for 0.4 s, and nothing is still to be drawn."""


def chromium() -> str | None:
    """Path of an installed Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES_OF_CHROMIUM)), None)


def started_chromium(playwright: Playwright) -> Browser:
    """Chromium that knows no names but this machine's, so that nothing is answered from elsewhere.

    A driver that is asked about every request instead holds each back for a moment, and a page has a hundred.
    """
    nowhere = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
    return playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu", nowhere])


class Server:
    """The dashboard as ``cnrag serve`` serves it, on a free port, until it is stopped.

    Parameters
    ----------
    first
        Python that its process runs before: a limit that only large corpora reach is lowered there.
    """

    def __init__(self, log: Path, *, first: str = "", **environment: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.log = log
        self.url = f"http://127.0.0.1:{port}"
        program = ["-c", f"{first}\nfrom cnrag_core.cli import main\nmain()"] if first else ["-m", "cnrag_core.cli"]
        command = [sys.executable, *program, "serve", "--port", str(port), "--no-browser"]
        with log.open("wb") as file:
            self._process = subprocess.Popen(
                command, cwd=ROOT, env={**os.environ, **environment}, stdout=file, stderr=subprocess.STDOUT
            )
        self._wait()

    @property
    def pid(self) -> int:
        """Of its process."""
        return self._process.pid

    def tail(self) -> str:
        """The end of its log, where a page that failed says why."""
        return self.log.read_text("utf-8", "replace")[-3000:]

    def stop(self) -> None:
        """End it, at once if it does not go by itself."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _wait(self, seconds: float = 90) -> None:
        start = monotonic()
        while monotonic() - start < seconds:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5) as answer:
                    if answer.status == 200:
                        return
            except (urllib.error.URLError, OSError):
                pass
            try:
                self._process.wait(0.2)
            except subprocess.TimeoutExpired:
                continue
            break
        self.stop()
        raise RuntimeError(f"the dashboard did not start:\n{self.tail()}")


class Window:
    """One window of the browser on the dashboard.

    Whatever it asks for anywhere but on the server is recorded, as are errors of the page and of the console.
    `assert_clean` says whether there were any.
    """

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        self.server = server
        self.url = server.url
        self.asked_elsewhere: list[str] = []
        self.errors: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.add_init_script(COUNT_RUNS)
        page.context.on("request", self._asked)
        page.on("websocket", lambda socket: self._is_ours(socket.url) or self.asked_elsewhere.append(socket.url))
        page.on("pageerror", lambda error: self.errors.append(f"on {page.url}: {error}\n{error.stack}"))
        page.on("console", self._heard)

    # Going somewhere.

    def open(self, name: str = "", **link: str) -> None:
        """Open a page by its address: a new visit, as after F5 or with a link from elsewhere."""
        self.page.goto(f"{self.url}/{name}" + (f"?{urlencode(link)}" if link else ""))
        self.settled()

    def go(self, title: str) -> None:
        """Follow the link to a page in the sidebar: the same visit goes on."""
        self.page.get_by_test_id("stSidebar").get_by_role("link", name=title, exact=True).click()
        expect(self.page.get_by_role("heading", name=title if title != "Home" else "cnrag", level=2)).to_be_visible()
        self.settled()

    def settled(self) -> None:
        """Wait until the script is at rest, and fail on any error that the page shows."""
        self.page.evaluate("window.cnragBusy = performance.now()")
        self.page.wait_for_function(IDLE)
        shown = self.page.locator("[data-testid=stException], [data-testid=stAlertContentError]")
        assert not shown.count(), f"{self.page.url} shows an error: {shown.all_inner_texts()}\n{self.server.tail()}"

    @contextmanager
    def rerun(self) -> Iterator[None]:
        """What is done inside makes the script run; wait until it has, however long a slider or a box holds it back."""
        before = self.page.evaluate("[window.cnragChanges, window.cnragAsked]")
        yield
        self.page.wait_for_function(HAS_RUN, arg=before)
        self.settled()

    # What is on the page.

    @property
    def link(self) -> dict[str, str]:
        """What the address carries."""
        return dict(parse_qsl(urlsplit(self.page.url).query))

    def at(self, key: str) -> Locator:
        """The widget or element that was given a key."""
        return self.page.locator(f".st-key-{re.sub('[^A-Za-z0-9_-]', '-', key)}")

    def text(self) -> str:
        """All text of the page, without the sidebar."""
        return self.page.get_by_test_id("stMain").inner_text()

    def shows(self, text: str | re.Pattern[str]) -> None:
        """Wait until a text is visible on the page."""
        expect(self.page.get_by_test_id("stMain").get_by_text(text).filter(visible=True).first).to_be_visible()

    def find(self, text: re.Pattern[str]) -> str:
        """The sentence of the page that matches."""
        found = self.page.get_by_test_id("stMain").get_by_text(text).filter(visible=True).first
        expect(found).to_be_visible()
        return found.inner_text()

    def chosen(self, key: str) -> str:
        """What a box with many options says."""
        return self.at(key).get_by_role("combobox").input_value()

    def figure(self, name: str) -> str:
        """The value of a figure by its name."""
        return (
            self.page.get_by_test_id("stMetric")
            .filter(has=self.page.get_by_text(name, exact=True))
            .get_by_test_id("stMetricValue")
            .inner_text()
        )

    # What a visitor does.

    def press(self, name: str | re.Pattern[str], *, exact: bool = True) -> None:
        """Press the button of this name."""
        buttons = self.page.get_by_test_id("stMain").get_by_role("button", name=name, exact=exact)
        with self.rerun():
            buttons.filter(visible=True).first.click()

    def press_at(self, key: str) -> None:
        """Press the button that was given a key."""
        with self.rerun():
            self.at(key).get_by_role("button").first.click()

    def open_part(self, name: str) -> None:
        """Open a folded part of the page."""
        self.page.get_by_test_id("stMain").get_by_test_id("stExpander").filter(has_text=name).locator(
            "summary"
        ).first.click()
        self.settled()

    def choose_row(self, key: str, number: int) -> None:
        """Choose a row of a table by the box at its left; a table is drawn on a canvas, so by its place."""
        table = self.at(key).get_by_test_id("stDataFrame")
        table.scroll_into_view_if_needed()
        with self.rerun():
            table.click(position={"x": 20, "y": 35 * (number + 1) + 17})

    def choose(self, key: str, option: str) -> None:
        """Type into a box with many options, and take the first that is offered."""
        box = self.at(key).get_by_role("combobox")
        box.click()
        box.fill(option)
        with self.rerun():
            self.page.get_by_role("option", name=option).first.click()

    def write(self, key: str, text: str) -> None:
        """Type into a box and press Enter."""
        box = self.at(key).locator("input, textarea").first
        box.fill(text)
        with self.rerun():
            box.press("Enter")

    def pick(self, key: str, name: str | re.Pattern[str]) -> None:
        """Press one of several buttons or pills that belong together."""
        either = self.at(key).get_by_role("button", name=name).or_(self.at(key).get_by_role("radio", name=name))
        with self.rerun():
            either.first.click()

    def slide(self, key: str, steps: int) -> None:
        """Move a slider by some steps of the arrow keys."""
        self.at(key).locator("input[type=range]").first.focus()
        with self.rerun():
            for _ in range(abs(steps)):
                self.page.keyboard.press("ArrowRight" if steps > 0 else "ArrowLeft")

    def slider(self, key: str) -> float:
        """What a slider says."""
        return float(self.at(key).locator("input[type=range]").first.input_value())

    def upload(self, key: str, name: str, data: bytes) -> None:
        """Give a file to the uploader with a key."""
        with self.rerun():
            self.at(key).locator("input[type=file]").set_input_files(
                {"name": name, "mimeType": "application/octet-stream", "buffer": data}
            )

    # What went wrong.

    def assert_clean(self) -> None:
        """Nothing was asked for elsewhere, and neither page nor console complained."""
        assert not self.asked_elsewhere, f"asked for elsewhere: {self.asked_elsewhere}"
        assert not self.errors, "\n".join(self.errors)

    def _is_ours(self, address: str) -> bool:
        return urlsplit(address).netloc == urlsplit(self.url).netloc

    def _asked(self, request: Request) -> None:
        if urlsplit(request.url).scheme in ("http", "https") and not self._is_ours(request.url):
            self.asked_elsewhere.append(request.url)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not is_harmless(message):
            place = message.location
            self.errors.append(
                f"on {self.page.url}: console says {message.text!r}, at {place.get('url')}:{place.get('lineNumber')}"
            )


def is_harmless(message: ConsoleMessage) -> bool:
    """Two messages that say nothing about the dashboard.

    On a link to a page, Streamlit's own script first tries its two start addresses below that page's
    address, which are not there, and then finds them at the root. A driver that draws WebGL without a
    graphics card says that reading back is slow.
    """
    address = urlsplit(message.location.get("url", "")).path
    probe = re.fullmatch(r"/\w+/_stcore/(health|host-config)", address) is not None
    return (probe and "404" in message.text) or "GL Driver Message (OpenGL, Performance" in message.text


class Graph:
    """The live graph of the network page, through the network that the browser draws."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.element = window.page.locator(".graph")

    def ready(self) -> Graph:
        """Wait until it is drawn and fitted."""
        self.element.wait_for()
        self.window.page.wait_for_function(
            "(element) => element.cnragState?.fitted && element.cnragNetwork.body.nodeIndices.length > 0",
            arg=self.element.element_handle(),
        )
        return self

    def ask(self, body: str, argument: object = None) -> object:
        """The value of a function body that sees `network` and `argument`."""
        return self.element.evaluate(
            f"(element, argument) => {{ const network = element.cnragNetwork, state = element.cnragState; {body} }}",
            argument,
        )

    @property
    def n_nodes(self) -> int:
        """How many nodes are drawn."""
        return int(str(self.ask("return network.body.nodeIndices.length")))

    @property
    def n_edges(self) -> int:
        """How many edges are drawn."""
        return int(str(self.ask("return network.body.edgeIndices.length")))

    @property
    def colors(self) -> set[str]:
        """The colours of the nodes."""
        found = self.ask("return [...new Set(state.nodes.get().map((node) => node.color.background))]")
        assert isinstance(found, list)
        return set(found)

    def view(self) -> tuple[float, float, float]:
        """Scale, and the place in the middle."""
        found = self.ask("const p = network.getViewPosition(); return [network.getScale(), p.x, p.y]")
        assert isinstance(found, list)
        return float(found[0]), float(found[1]), float(found[2])

    def zoom(self, scale: float, x: float, y: float) -> None:
        """Turn the wheel and drag, as a visitor would, until the view is about this."""
        self.ask(
            "network.moveTo({scale: argument[0], position: {x: argument[1], y: argument[2]}});"
            "network.body.emitter.emit('zoom', {})",
            [scale, x, y],
        )

    def place_of_any(self, name: str | None = None) -> dict[str, Any]:
        """Where a node can be clicked, x and y on the canvas: the named one or any that nothing covers; its name."""
        found = self.ask(
            """
            const names = state.names, box = element.getBoundingClientRect();
            const free = network.body.nodeIndices.filter((id) => {
              if (argument !== null && names.get(id) !== argument) return false;
              const at = network.canvasToDOM(network.getPositions([id])[id]);
              const inside = at.x > 10 && at.y > 60 && at.x < box.width - 10 && at.y < box.height - 10;
              return inside && network.getNodeAt(at) === id;
            });
            if (!free.length) return null;
            const size = (id) => network.body.nodes[id].options.size;
            const id = free.reduce((a, b) => (size(b) > size(a) ? b : a));
            const at = network.canvasToDOM(network.getPositions([id])[id]);
            return { x: at.x, y: at.y, name: names.get(id) };
            """,
            name,
        )
        assert isinstance(found, dict), f"no node {name!r} can be clicked"
        return found

    def click(self, name: str | None = None) -> str:
        """Click a node with the mouse, the named one or any that nothing covers; its name."""
        found = self.place_of_any(name)
        with self.window.rerun():
            self.element.click(position={"x": found["x"], "y": found["y"]})
        return str(found["name"])
