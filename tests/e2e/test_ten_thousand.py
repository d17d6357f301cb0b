"""Ten thousand documents: every page does its main task, and how long people wait is printed beside what they may.

The whole pass, every page in both themes, is walked with CNRAG_TEN_THOUSAND=all; otherwise one theme of most.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

import psutil
import pytest
from playwright.sync_api import expect

from tests.e2e.dashboard import PATIENCE_OF_EXPECT, Graph, Server, Window
from tests.e2e.made_corpus import write

N_DOCUMENTS = 10_000
EVERYTHING = os.environ.get("CNRAG_TEN_THOUSAND") == "all"
THEMES = ("light", "dark") if EVERYTHING else ("light",)
QUESTION = "how does acidification change the skeleton of a coral larva"
FIRST_TIME = 600_000
"""Milliseconds for what is found once in the background; the page says what, and can be used meanwhile."""

WAITED: list[tuple[str, float, float, float]] = []
"""What was waited for, its seconds, those of the processors in server and browser, and how many are asked for."""


@pytest.fixture(scope="module")
def large(browser: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of a workspace that was built and saved by the command line, as somebody with a large corpus does."""
    folder = tmp_path_factory.mktemp("large")
    write(folder / "papers.jsonl", N_DOCUMENTS)
    built = folder / "papers.cnrag"
    command = [sys.executable, "-m", "cnrag_core.cli", "build", str(folder / "papers.jsonl"), "--save", str(built)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    server = Server(folder / "log.txt", CNRAG_OPEN=str(built))
    yield server
    server.stop()


@pytest.fixture
def enter(open_window: Callable[..., Window], large: Server) -> Iterator[Callable[..., Window]]:
    """Opens a window on the large workspace."""

    def entered(theme: str, page: str = "") -> Window:
        window = open_window(theme=theme, at=large)
        window.page.set_default_timeout(FIRST_TIME)
        if page:
            window.open(page)
        return window

    expect.set_options(timeout=FIRST_TIME)
    yield entered
    expect.set_options(timeout=PATIENCE_OF_EXPECT)


@pytest.fixture(autouse=True)
def _printed(capsys: pytest.CaptureFixture[str]) -> Iterator[None]:
    """What was measured; on a busy machine the seconds of the processors say what a quiet one would take."""
    WAITED.clear()
    yield
    with capsys.disabled():
        load = os.getloadavg()[0]
        for what, seconds, work, asked in WAITED:
            print(
                f"\n  {what}: {seconds:.2f} s, of them {work:.2f} s of work in server and browser; asked: below "
                f"{asked:g} s (load {load:.1f})",
                end="",
            )


class Clock:
    """Seconds from here until something is on the page."""

    def __init__(self) -> None:
        self._start, self._work = perf_counter(), worked()

    def until(self, what: str, asked: float) -> None:
        WAITED.append((what, perf_counter() - self._start, worked() - self._work, asked))


def worked() -> float:
    """Seconds that server and browser have had a processor for."""
    total = 0.0
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            times = process.cpu_times()
            total += times.user + times.system
    return total


WATCH = """
() => {
  const met = %s, watched = window.cnragWatched = { begun: null, met: null };
  for (const kind of ['pointerdown', 'keydown'])
    addEventListener(kind, (event) => { watched.begun ??= event.timeStamp; }, { capture: true, once: true });
  const look = (now) => {
    if (watched.begun !== null && met()) watched.met = performance.now(); else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
"""
"""Asks before every frame whether what is waited for is on the page. A driver that asks from outside lists the whole
page each time the answer is no, and keeps the page from what it is asked for."""


@contextlib.contextmanager
def waited(window: Window, what: str, asked: float, met: str) -> Iterator[None]:
    """From the press of a key or of the mouse inside to the frame in which a function of the page first holds."""
    window.page.evaluate(WATCH % met)
    work = worked()
    yield
    window.page.wait_for_function("window.cnragWatched.met !== null", polling=20)
    seconds = window.page.evaluate("(window.cnragWatched.met - window.cnragWatched.begun) / 1000")
    WAITED.append((what, seconds, worked() - work, asked))


def prepared(server: Server) -> None:
    """Wait until the server has found what it finds ahead of the questions, and is at rest."""
    process = psutil.Process(server.pid)
    for _ in range(120):
        if process.cpu_percent(interval=1.0) < 10:
            return


def number(text: str) -> int:
    return int(text.replace(",", ""))


def communities_at_the_end(window: Window, key: str) -> int:
    """How many communities the page counts with the resolution at one end of its slider."""
    before = window.slider("resolution")
    window.at("resolution").locator("input[type=range]").first.focus()
    with window.rerun():
        window.page.keyboard.press(key)
    assert window.slider("resolution") != before
    return number(window.find(re.compile(r"[\d,]+ communities of two or more")).split()[0])


@pytest.mark.parametrize("theme", THEMES)
def test_home_says_what_there_is_and_the_network_page_explores_it(
    theme: str, enter: Callable[..., Window], large: Server
):
    window = enter(theme, "Threshold")  # whoever comes first waits for the workspace to be opened
    window.go("Home")
    assert window.figure("Documents") == "10,000"
    prepared(large)

    other = enter(theme)
    other.page.goto("about:blank")
    other.page.wait_for_timeout(1000)  # nobody's window starts its process and opens a page at once
    clock = Clock()
    other.page.goto(f"{other.url}/Network")
    graph = Graph(other).ready()
    clock.until("first paint of Network", 3)
    other.settled()
    prepared(large)
    assert graph.n_nodes == 500
    other.shows(re.compile(r"500 of 10,000 documents, [\d,]+ of [\d,]+ edges"))

    place = graph.place_of_any()
    headed = "() => [...document.querySelectorAll('.st-key-net_panel h5')].some((title) => title.innerText === %s)"
    with waited(other, "click to details", 0.6, headed % json.dumps(place["name"])):
        graph.element.click(position={"x": place["x"], "y": place["y"]})
    other.settled()
    expect(other.at("net_panel").get_by_role("heading", name=place["name"], exact=True)).to_be_visible()

    said = other.page.get_by_test_id("stSidebar").get_by_text(re.compile("10,000 documents"))
    before = said.inner_text()
    other.at("net_threshold").locator("input[type=range]").first.focus()
    says = "() => !document.querySelector('[data-testid=stSidebar]').innerText.includes(%s)"
    with waited(other, "slider step to updated numbers, Network", 0.3, says % json.dumps(before)):
        other.page.keyboard.press("ArrowRight")
    other.settled()
    assert re.match(r"10,000 documents · [\d,]+ edges", said.inner_text())
    assert said.inner_text() != before

    other.pick("net_view", "Communities")
    assert 5 < graph.ready().n_nodes <= 80
    graph.click()
    other.press_at("net_drill")
    assert graph.ready().n_nodes > 100
    other.pick("net_view", "Around")
    other.pick("net_view", "Map")
    other.shows(re.compile("of 10,000 documents, without their links"))
    other.at("net_map").locator(".js-plotly-plot").wait_for()


@pytest.mark.parametrize("theme", THEMES)
def test_thresholds_communities_and_bridges_are_found_while_the_page_can_be_used(
    theme: str, enter: Callable[..., Window], large: Server
):
    window = enter(theme, "Threshold")
    window.at("threshold_curve").locator(".js-plotly-plot").wait_for()
    window.settled()
    prepared(large)
    edges = (
        window.page.get_by_test_id("stMetric")
        .filter(has=window.page.get_by_text("Edges", exact=True))
        .get_by_test_id("stMetricValue")
    )
    before = edges.inner_text()
    window.at("threshold_slider").locator("input[type=range]").first.focus()
    says = """() => {
      const figures = [...document.querySelectorAll('[data-testid=stMetric]')];
      const edges = figures.find((figure) => figure.innerText.startsWith('Edges'));
      return edges && !edges.innerText.includes(%s);
    }"""
    with waited(window, "slider step to updated numbers, Threshold", 0.3, says % json.dumps(before)):
        window.page.keyboard.press("ArrowRight")
    window.settled()
    assert number(edges.inner_text()) < number(before)

    window.go("Communities")
    window.at("communities_csv").wait_for()
    assert communities_at_the_end(window, "Home") < communities_at_the_end(window, "End")

    window.go("Hubs and bridges")
    window.at("hubs").wait_for()
    window.at("roles").locator(".js-plotly-plot").wait_for()
    window.settled()
    window.choose_row("bridges", 0)
    window.press_at("bridges_show")
    Graph(window).ready()
    expect(window.at("net_panel").get_by_role("heading").first).to_be_visible()


@pytest.mark.parametrize("theme", ("light", "dark") if EVERYTHING else ("dark",))
def test_questions_are_answered_walked_and_compared(theme: str, enter: Callable[..., Window], large: Server):
    window = enter(theme, "Search")
    window.write("question", "glaciers")
    answered = window.page.get_by_text(re.compile("return .* documents together and agree on")).first
    answered.wait_for()
    prepared(large)
    clock = Clock()
    box = window.at("question").locator("input, textarea").first
    box.fill(QUESTION)
    box.press("Enter")
    expect(window.page.get_by_text(re.compile("matched: .*coral")).first).to_be_visible()
    clock.until("strategies compared", 1)
    window.settled()

    window.go("Similarity")
    window.at("waterfall").locator(".js-plotly-plot").wait_for()
    window.go("Traversal")
    window.page.get_by_text(re.compile(r"chunks?, [\d,]+ of [\d,]+ t")).first.wait_for()
    Graph(window).ready()
    window.go("Evaluate")
    window.go("Chunks")
    window.shows(re.compile(r"\d+ chunk"))
    window.go("Compare")
    window.at("alluvial").locator(".js-plotly-plot").wait_for()
    window.go("Export")
    with window.page.expect_download() as coming:
        window.at("get_documents.csv").get_by_role("button").click()
    assert Path(coming.value.path()).read_bytes().count(b"\n") == N_DOCUMENTS + 1
    window.go("Tour")
