"""T19, B1 to B8: forty texts in eight places, in a real browser: nothing of them runs, and nothing is asked elsewhere.

The pages come from ``streamlit run``, without the content policy of ``cnrag serve``: what is shown must be safe by
itself. The last tests look at the policy and at the sources.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.dashboard import PATIENCE, Graph, Server, Window
from tests.hardening.campaign import IS_FULL, random_of, report
from tests.hardening.payloads import ELSEWHERE, PAYLOADS
from tests.hardening.visitors import ROOT, Served

PLACES = ("id", "title", "tags", "file name", "YAML names", "community name", "question", "error")
TOPICS = ("coral reefs in warm seas", "bond yields and inflation", "protein folding in cells", "walls of old towns")
SOME = PAYLOADS if IS_FULL else tuple(random_of("T19").sample(PAYLOADS, 3))
"""Those that need a page of their own each; the others go into one corpus or one configuration together."""

PAGES = ("Communities", "Hubs_and_bridges", "Similarity", "Chunks", "Compare", "Traversal")
TITLES = {"Hubs_and_bridges": "Hubs and bridges"}
HOVER = """
const handler = network.interactionHandler;
for (const id of network.body.nodeIndices) {
  const at = network.canvasToDOM(network.getPositions([id])[id]);
  network.body.emitter.emit('hoverNode', { node: id, event: {}, pointer: { DOM: at, canvas: at } });
  handler._checkShowPopup(at);
  network.body.emitter.emit('blurNode', { node: id, event: {} });
}
return network.body.nodeIndices.length;
"""


def corpus() -> bytes:
    """A document a payload: it is the id, the title, a tag and a part of the text."""
    rows = []
    for number, payload in enumerate(PAYLOADS):
        topic = TOPICS[number % len(TOPICS)]
        rows.append(
            {"id": payload, "title": f"{payload} {topic}", "text": f"{topic} {payload} and more of {topic}",
             "tags": [payload, topic.split()[0], f"{topic.split()[-1]} {PAYLOADS[number % len(TOPICS)]}"]}
        )  # fmt: skip
    return "\n".join(map(json.dumps, rows)).encode()


def configuration() -> str:
    """Component names, a name and a description made of payloads."""
    parts = [
        {"type": "field_embedding", "field": "title", "weight": 3, "component_id": PAYLOADS[0]},
        {"type": "field_embedding", "field": "text", "weight": 3, "component_id": PAYLOADS[1]},
        *[
            {"type": "attribute_similarity", "field": "tags", "metric": metric, "weight": 1, "component_id": payload}
            for payload, metric in zip(PAYLOADS[2:], ("jaccard", "dice", "overlap", "exact") * 10, strict=False)
        ],
    ]
    written = {
        "name": PAYLOADS[0], "description": " ".join(PAYLOADS), "similarity": {"components": parts},
    }  # fmt: skip
    return json.dumps(written)  # which is YAML


def mistakes() -> str:
    """A configuration in which every payload is a key that does not exist, or a value that cannot be."""
    unknown = {payload: payload for payload in PAYLOADS}
    return json.dumps({**unknown, "similarity": {"components": [{"type": "field_embedding", "field": "title"}]}})


def harmed(page: Page) -> list[str]:
    """Frames in which something of a payload ran."""
    return [frame.url for frame in page.frames if frame.evaluate("() => window.pwned !== undefined")]


def hover_all(window: Window) -> int:
    """Emit what a mouse over every node makes, and move a real mouse over some."""
    graph = Graph(window).ready()
    n = int(str(graph.ask(HOVER)))
    box = graph.element.bounding_box()
    assert box
    places = graph.ask(
        "return network.body.nodeIndices.slice(0, argument)"
        ".map((id) => network.canvasToDOM(network.getPositions([id])[id]))",
        len(SOME),
    )
    assert isinstance(places, list)
    for place in places:
        window.page.mouse.move(box["x"] + place["x"], box["y"] + place["y"])
        window.page.wait_for_timeout(200)
    return n


@pytest.fixture(scope="module")
def plain(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The dashboard without the guard of ``cnrag serve``."""
    started = Server(tmp_path_factory.mktemp("plain") / "log.txt")
    first = browser.new_page()
    first.goto(f"{started.url}/?sample=larkspur")
    first.wait_for_selector("h2", timeout=5 * PATIENCE)  # the sample is built and everything imported
    first.close()
    yield started
    started.stop()


@pytest.fixture
def open_window(browser: Browser, plain: Server) -> Iterator[Callable[[], Window]]:
    windows: list[Window] = []

    def opened() -> Window:
        windows.append(Window(browser.new_context(viewport={"width": 1280, "height": 900}).new_page(), plain))
        windows[-1].page.set_default_timeout(3 * PATIENCE)
        return windows[-1]

    yield opened
    for window in windows:
        window.page.context.close()


@pytest.fixture
def window(open_window: Callable[[], Window]) -> Window:
    return open_window()


def safe(window: Window) -> bool:
    return not harmed(window.page) and not window.asked_elsewhere


def test_t19_b1_b3_b4_nothing_of_a_corpus_or_a_configuration_runs(window: Window, tmp_path: Path) -> None:
    window.open(sample="larkspur")
    window.pick("source", "My own documents")
    window.upload("corpus_file", "payloads.jsonl", corpus())
    window.at("yaml_file").locator("input[type=file]").set_input_files(
        {"name": "config.yaml", "mimeType": "application/yaml", "buffer": mistakes().encode()}
    )
    window.shows(re.compile("to mend before this can be built"))
    assert window.text().count("is not known here") >= 1
    in_error = safe(window)

    window.at("yaml_file").locator("input[type=file]").set_input_files(
        {"name": "config.yaml", "mimeType": "application/yaml", "buffer": configuration().encode()}
    )
    expect(window.page.get_by_text("to mend before this can be built")).to_have_count(0)  # the new one is there
    window.settled()
    window.page.get_by_role("button", name="Build the network").click()
    window.page.wait_for_function(
        "() => [...document.querySelectorAll('[data-testid=stMetricValue]')].some((e) => e.innerText === '40')"
    )
    window.settled()
    at_home = safe(window)
    window.go("Network")
    n = hover_all(window)
    window.at("net_find").get_by_role("combobox").click()
    graph = Graph(window).ready()
    title = graph.click()
    window.settled()
    in_network = safe(window)
    for page in PAGES:
        window.go(TITLES.get(page, page))
        assert safe(window), page
    window.go("Export")
    with window.page.expect_download() as download:
        window.at("get_network.html").get_by_role("button").first.click()
    path = tmp_path / "network.html"
    download.value.save_as(path)
    in_export, m = opened_alone(window.page, path)
    assert n >= 0.9 * len(PAYLOADS)
    assert m == n
    assert title
    # Every payload was in each of these places: the pages showed all forty.
    places = {
        "id": in_network, "title": in_network, "tags": at_home, "YAML names": at_home, "community name": in_network,
        "error": in_error, "standalone page": in_export,
    }  # fmt: skip
    for place, clean in places.items():
        report(f"T19 {place}", 40 * clean, 40, f"{n} nodes hovered, {len(window.asked_elsewhere)} requests elsewhere",
               score="inputs")  # fmt: skip
    assert all(places.values()), places
    assert not window.asked_elsewhere


def opened_alone(page: Page, path: Path) -> tuple[bool, int]:
    """Open an exported page from the disk and hover its nodes; whether all went well, and how many nodes there are."""
    alone = page.context.browser.new_context()  # type: ignore[union-attr]
    asked: list[str] = []
    try:
        opened = alone.new_page()
        alone.route(lambda address: not address.startswith("file:"), lambda route: asked.append(route.request.url))
        opened.goto(path.as_uri())
        element = opened.locator(".graph")
        opened.wait_for_function(
            "(element) => element.cnragState?.fitted && element.cnragNetwork.body.nodeIndices.length > 0",
            arg=element.element_handle(),
        )
        n = int(str(element.evaluate(f"(element) => {{ const network = element.cnragNetwork; {HOVER} }}")))
        opened.wait_for_timeout(500)
        return not harmed(opened) and not asked, n
    finally:
        alone.close()


def test_t19_no_question_runs(window: Window) -> None:
    window.open(sample="larkspur")
    clean = 0
    for payload in SOME:
        for page in ("Search", "Traversal"):
            window.open(page, sample="larkspur", q=payload)
        clean += safe(window)
        assert safe(window), payload
    report("T19 question", clean, len(SOME), f"{len(window.asked_elsewhere)} requests elsewhere", score="inputs")


def test_t19_b18_no_file_name_runs_or_is_a_path(window: Window) -> None:
    window.open(sample="larkspur")
    window.pick("source", "My own documents")
    names = [*SOME, "../../etc/evil.csv", "C:\\evil.csv", "a.exe:$x.csv", "n" * 300 + ".csv"]
    clean = 0
    rows = b"id,text\n" + b"".join(b"%d,coral reefs %d\n" % (i, i) for i in range(12))
    for name in names:
        window.upload("corpus_file", name, rows)
        clean += safe(window)
        assert safe(window), name
    report("T19 file name", clean, len(names), f"{len(window.asked_elsewhere)} requests elsewhere", score="inputs")


def test_b6_b7_g33_a_text_is_shown_as_it_is(window: Window) -> None:
    text = "cost $5 and $6, :red[x], # huge, ![t](" + ELSEWHERE + "/t.png) and [a](javascript:alert(1))"
    rows = [{"id": f"d{i}", "title": f"{text} {i}", "text": text} for i in range(12)]
    window.open(sample="larkspur")
    window.pick("source", "My own documents")
    window.upload("corpus_file", "literal.jsonl", "\n".join(map(json.dumps, rows)).encode())
    window.page.get_by_role("button", name="Build the network").click()
    window.page.wait_for_function(
        "() => [...document.querySelectorAll('[data-testid=stMetricValue]')].some((e) => e.innerText === '12')"
    )
    window.settled()
    for page in ("Network", "Similarity", "Search", "Communities", "Chunks"):
        window.go(page)
        main = window.page.get_by_test_id("stMain")
        assert not main.locator(".katex, a[href^=javascript], img[src*=attacker]").count(), page
    window.go("Similarity")
    assert "$5 and $6" in window.text()
    assert safe(window)


def test_t19_the_pages_work_under_the_policy_of_the_server(browser: Browser, served: Served) -> None:
    """The last line of defence: what were to slip through may not fetch anything; and nothing of ours needs to."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    refused: list[str] = []
    page.on("console", lambda message: "Content Security Policy" in message.text and refused.append(message.text))
    try:
        for name in (
            "",
            "Network",
            "Threshold",
            "Communities",
            "Similarity",
            "Search",
            "Traversal",
            "Compare",
            "Export",
        ):
            page.goto(f"{served.url}/{name}?sample=larkspur")
            page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning] h2", timeout=120_000)
            page.wait_for_timeout(1500)
            assert not refused, (name, refused)
        page.goto(f"{served.url}/Network?sample=larkspur")
        graph = page.locator(".graph").element_handle(timeout=120_000)
        page.wait_for_function("(element) => element.cnragState?.fitted", arg=graph, timeout=120_000)
        page.evaluate(f"() => {{ new Image().src = '{ELSEWHERE}/x.png'; fetch('{ELSEWHERE}/y').catch(() => {{}}) }}")
        page.wait_for_timeout(500)
        assert len(refused) >= 2, "the policy lets a page ask elsewhere"
    finally:
        page.context.close()


SOURCES = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py")), *sorted((ROOT / "cnrag_core").rglob("*.py"))]
FORBIDDEN = {
    "B2": r"heading\s*=",
    "B5": r"unsafe_allow_html|st\.html\((?!STYLE\))|unsafe_allow_javascript",
    "B9": r"yaml\.(load|full_load|unsafe_load|Loader)\b",
    "B26": r"st\.components\.v1",
    "B32": r"enableAgentApi",
    "B33": r"\.(write_html|save_graph|show)\(['\"]|from_nx\(",
}


@pytest.mark.parametrize("attack", FORBIDDEN)
def test_b2_b5_b33_what_must_not_be_used_is_not(attack: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in SOURCES
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if re.search(FORBIDDEN[attack], line) and not line.lstrip().startswith(("#", '"'))
    ]
    assert not found, found


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ('=HYPERLINK("http://x?"&A1)', "'=HYPERLINK"), ("+1+1", "'+1+1"), ("-1+1", "'-1+1"), ("@SUM(A1)", "'@SUM"),
        ("\t=1", "'\t=1"), ("\r=1", "'\r=1"), ("=1+1", "'=1+1"), ("plain", "plain"),
    ],
)  # fmt: skip
def test_b8_g50_no_cell_of_an_export_is_a_formula(cell: str, written: str) -> None:
    import csv
    import io

    import pandas as pd

    from cnrag_core.export.csv_table import csv_bytes

    text = csv_bytes(pd.DataFrame({"title": [cell], "year": [-5], "share": [0.25]})).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[1][0].startswith(written)
    assert rows[1][1:] == ["-5", "0.25"]
