"""The network page in a real browser: clicks, filters, neighbourhoods and paths, and texts that mean harm."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.dashboard import Graph, Server, Window

HOSTILE = [
    '<img src=x onerror="window.pwned=1">',
    "my href title",
    "</script><script>window.pwned=1</script>",
    "<!--<script>window.pwned=1",
    "![t](http://attacker.example/track.png?u=1) cost $5 and $6",
    "[click](javascript:window.pwned=1) :red[x] # huge",
    '"><svg onload=window.pwned=1>',
    "'; window.pwned=1; //",
]
"""One of them is the title, the id, the tags and the text of every document."""


def brightness(color: str) -> float:
    """Of a colour like #0e1117, from 0 to 1."""
    return sum(int(color[at : at + 2], 16) for at in (1, 3, 5)) / (3 * 255)


@contextmanager
def opened_offline(browser: Browser, page: Path) -> Iterator[Page]:
    """A page from the disk in a browser without a network; it must ask for nothing and complain of nothing."""
    context = browser.new_context(offline=True)
    window = context.new_page()
    asked: list[str] = []
    errors: list[str] = []
    window.on("request", lambda request: asked.append(request.url))
    window.on("pageerror", lambda error: errors.append(str(error)))
    window.on("console", lambda message: message.type == "error" and errors.append(message.text))
    window.goto(page.as_uri())
    window.locator(".row").first.wait_for()
    yield window
    context.close()
    assert asked == [page.as_uri()]
    assert not errors


COUNT_DRAWINGS = """
window.cnragDrawings = 0;
const { clearRect } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.clearRect = function (...box) {
  if (this.canvas.closest('.graph')) window.cnragDrawings += 1;
  return clearRect.apply(this, box);
};
"""
"""Every drawing of the graph begins with an empty canvas."""


def edge_in_sight(graph: Graph) -> dict[str, float | str]:
    """A place on an edge of similarity that no document covers."""
    found = graph.ask(
        """
        const box = element.getBoundingClientRect();
        for (const id of network.body.edgeIndices) {
          if (id.startsWith('L')) continue;
          const { from, to } = network.body.edges[id];
          const a = network.canvasToDOM(from), b = network.canvasToDOM(to);
          if (Math.hypot(a.x - b.x, a.y - b.y) < 60) continue;
          const at = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
          const inside = at.x > 10 && at.y > 60 && at.x < box.width - 10 && at.y < box.height - 10;
          if (inside && network.getNodeAt(at) === undefined && network.getEdgeAt(at) === id) return { ...at, id };
        }
        return null;
        """
    )
    assert isinstance(found, dict), "no edge can be clicked"
    return found


def test_a_click_on_an_edge_says_why_the_two_are_linked(window: Window):
    window.open("Network", sample="papers")
    graph = Graph(window).ready()
    place = edge_in_sight(graph)
    with window.rerun():
        graph.element.click(position={"x": place["x"], "y": place["y"]})
    panel = window.at("net_panel")
    expect(panel).to_contain_text("Why are these two linked?")
    expect(panel).to_contain_text("Combined similarity")
    expect(panel.locator(".js-plotly-plot")).to_be_visible()


def test_pointing_and_clicking_where_nothing_is_harms_nothing_and_lets_go(window: Window):
    window.open("Network", sample="papers")
    graph = Graph(window).ready()
    graph.click()
    empty = graph.ask("""
      const box = element.getBoundingClientRect(), free = [];
      for (let x = 20; x < box.width - 20; x += 15) for (let y = 70; y < box.height - 20; y += 15) {
        const at = { x, y };
        if (network.getNodeAt(at) === undefined && network.getEdgeAt(at) === undefined) free.push(at);
      }
      return free;
    """)
    assert isinstance(empty, list)
    assert len(empty) > 3
    for place in (empty[0], empty[len(empty) // 2], empty[-1]):
        graph.element.hover(position=place)
    with window.rerun():
        graph.element.click(position=empty[len(empty) // 2])
    expect(window.at("net_panel").get_by_role("heading", name="Where to begin")).to_be_visible()
    assert graph.ask("return network.getSelectedNodes().length") == 0
    name = graph.click()
    expect(window.at("net_panel").get_by_role("heading", name=name, exact=True)).to_be_visible()
    frame = graph.ask("return getComputedStyle(element.querySelector('.vis-network')).outlineStyle")
    assert frame == "none"


def test_back_leads_to_the_page_before_however_much_was_clicked(window: Window):
    window.open(sample="papers")
    window.go("Network")
    graph = Graph(window).ready()
    graph.click()
    window.slide("net_threshold", 2)
    assert "t" in window.link
    window.page.go_back()
    expect(window.page.get_by_role("heading", name="cnrag", level=2)).to_be_visible()
    window.settled()
    window.page.go_forward()
    expect(window.page.get_by_role("heading", name="Network", level=2)).to_be_visible()


def test_a_new_thing_to_look_at_is_explained_from_the_beginning(window: Window):
    window.open("Network", sample="papers")
    Graph(window).ready()
    panel = window.at("net_panel")
    window.press_at("net_start_pair_2")
    expect(panel.get_by_role("heading", name="Why are these two linked?")).to_be_visible()
    window.page.wait_for_function("document.querySelector('.st-key-net_panel').scrollTop === 0")


def test_a_click_does_not_move_the_view_and_the_same_click_counts_again(window: Window):
    window.open("Network", sample="papers")
    graph = Graph(window).ready()
    before = graph.view()
    title = graph.click()
    assert graph.view() == pytest.approx(before)
    other = "The Google File System"
    assert title != other
    window.choose("net_find", other)
    panel = window.at("net_panel")
    expect(panel.get_by_role("heading", name=other)).to_be_visible()
    window.page.locator(".row", has_text=title).first.click()
    expect(panel.get_by_role("heading", name=title)).to_be_visible()


def test_a_title_is_found_with_the_keyboard_follows_a_click_and_can_be_let_go(window: Window):
    window.open("Network", sample="papers")
    graph = Graph(window).ready()
    box = window.at("net_find").get_by_role("combobox")
    title = graph.click()
    expect(box).to_have_value(title)
    box.fill("google system")
    options = window.at("net_find").get_by_role("option")
    expect(options).to_have_text(["The Google File System"])
    with window.rerun():
        box.press("Enter")
    panel = window.at("net_panel")
    expect(panel.get_by_role("heading", name="The Google File System")).to_be_visible()
    box.fill("no such title")
    expect(window.at("net_find").get_by_text("No title has these words")).to_be_visible()
    box.press("Escape")
    expect(box).to_have_value("The Google File System")
    with window.rerun():
        window.at("net_find").get_by_role("button", name="Choose none").click()
    expect(panel.get_by_role("heading", name="Where to begin")).to_be_visible()
    expect(box).to_have_value("")


def test_the_legend_filters_and_shows_all_again(window: Window):
    window.open("Network", sample="papers")
    graph = Graph(window).ready()
    everything = graph.n_nodes
    entry = window.page.locator(".entry").first
    size = int(entry.locator(".count").inner_text())
    with window.rerun():
        entry.click()
    expect(window.page.locator(".list .title")).to_have_text(f"{size} shown")
    assert graph.n_nodes == size
    with window.rerun():
        window.page.get_by_role("button", name="show all").click()
    assert graph.n_nodes == everything


def test_a_page_that_opens_draws_its_picture_once_and_a_click_before_and_after_the_answer(window: Window):
    window.page.add_init_script(COUNT_DRAWINGS)
    window.open("Network", sample="papers")
    graph = Graph(window).ready()
    drawn = "window.cnragDrawings"
    assert window.page.evaluate(drawn) == 1
    place = graph.place_of_any()
    window.page.mouse.move(*(place[axis] + graph.element.bounding_box()[axis] for axis in "xy"))
    window.page.wait_for_function(f"{drawn} === 2")
    graph.click(place["name"])
    assert window.page.evaluate(drawn) <= 4


def test_every_edge_knows_its_ends_and_they_know_it(window: Window):
    """The edges of the picture are not the library's own, which would take longer to make than all else."""
    window.open("Network", sample="papers")
    graph = Graph(window).ready()
    found = graph.ask(
        """
        const { edges, nodes } = network.body;
        return Object.values(edges).map((edge) => ({
          own: Object.keys(edge).length,
          ends: [edge.from.id, edge.to.id].join(), said: [edge.fromId, edge.toId].join(),
          known: edge.from.edges.includes(edge) && edge.to.edges.includes(edge),
          near: network.getConnectedNodes(edge.id).join(),
        }));
        """
    )
    assert isinstance(found, list)
    assert len(found) == graph.n_edges > 100
    for edge in found:
        assert edge["ends"] == edge["said"] == edge["near"]
        assert edge["known"]
        assert edge["own"] < 12


def test_the_list_filters_as_one_types_and_opens_with_the_keyboard(window: Window):
    window.open("Network", sample="papers")
    Graph(window).ready()
    box = window.page.get_by_role("searchbox", name="Filter the list")
    box.fill("neural")
    names = window.page.locator(".row:visible .name").all_inner_texts()
    assert names
    assert all("neural" in name.lower() for name in names)
    with window.rerun():
        box.press("Enter")
    expect(window.at("net_panel").get_by_role("heading", name=names[0])).to_be_visible()


def test_a_double_click_opens_the_neighbourhood_and_back_leads_back(window: Window):
    window.open("Network", sample="papers")
    graph = Graph(window).ready()
    window.choose("net_find", "Deep Learning")
    everything = graph.n_nodes
    window.press_at("net_around")
    assert window.link["view"] == "around"
    one_hop = graph.n_nodes
    assert 2 < one_hop < everything
    window.pick("net_hops", re.compile("2 hops"))
    assert graph.n_nodes > one_hop
    place = graph.ask(
        "const id = network.body.nodeIndices.find((id) => state.names.get(id) !== 'Deep Learning');"
        "return network.canvasToDOM(network.getPositions([id])[id])"
    )
    with window.rerun():
        graph.element.dblclick(position=place)
    expect(window.at("net_second_row")).to_contain_text("Deep Learning › +")
    window.press_at("net_back")
    window.press_at("net_back")
    assert "view" not in window.link
    assert graph.n_nodes >= everything


def test_a_path_shows_its_weakest_link_and_survives_a_reload(window: Window):
    window.open("Network", sample="papers", view="path")
    window.choose("net_from_box", "TensorFlow")
    window.choose("net_to_box", "Genetic regulatory mechanisms")
    panel = window.at("net_panel")
    expect(panel).to_contain_text("The path")
    expect(panel).to_contain_text("the weakest link")
    window.shows(re.compile("The weakest link, 0"))
    lit = Graph(window).ready().ask("return state.lit ? state.lit.nodes.size : 0")
    assert isinstance(lit, int)
    assert lit >= 3


def test_the_overview_leads_into_a_community(window: Window):
    window.open("Network", sample="papers", view="communities")
    graph = Graph(window).ready()
    assert graph.n_nodes < 40
    graph.click()
    panel = window.at("net_panel")
    expect(panel).to_contain_text("Its words:")
    window.press_at("net_drill")
    expect(window.page.locator(".entry[aria-pressed=true]")).to_have_count(1)


def test_colours_and_view_come_back_with_the_link_and_from_another_page(window: Window):
    window.open("Network", sample="papers", color="degree", t="0.12")
    graph = Graph(window).ready()
    expect(window.page.locator(".legend .title")).to_have_text("Colour: degree")
    graph.zoom(0.9, 30, 40)
    before = graph.view()
    window.go("Threshold")
    window.go("Network")
    graph = Graph(window).ready()
    assert graph.view() == pytest.approx(before)
    expect(window.page.locator(".legend .title")).to_have_text("Colour: degree")
    window.page.reload()
    window.settled()
    graph = Graph(window).ready()
    assert graph.view() == pytest.approx(before)
    assert window.link["color"] == "degree"
    assert window.link["t"] == "0.120"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes_have_letters_that_stand_out_from_their_ground(open_window: Callable[..., Window], theme: str):
    window = open_window(theme=theme)
    window.open("Network", sample="larkspur")
    found = Graph(window).ready().ask("return state.theme")
    assert isinstance(found, dict)
    assert found["dark"] is (theme == "dark")
    assert abs(brightness(found["text"]) - brightness(found["background"])) > 0.6


def test_picture_and_page_can_be_taken_away_and_the_page_opens_offline(
    window: Window, browser: Browser, tmp_path: Path
):
    window.open("Network", sample="larkspur")
    Graph(window).ready()
    with window.page.expect_download() as picture:
        window.page.get_by_role("button", name="PNG").click()
    assert Path(picture.value.path()).read_bytes().startswith(b"\x89PNG")
    with window.page.expect_download() as taken:
        window.page.get_by_role("button", name="Web page").click()
    page = tmp_path / "network.html"
    taken.value.save_as(page)
    with opened_offline(browser, page) as offline:
        offline.locator(".entry").first.click()
        expect(offline.locator(".entry[aria-pressed=true]")).to_have_count(1)


@pytest.fixture(scope="module")
def hostile(browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose corpus is written by somebody who means harm."""
    folder = tmp_path_factory.mktemp("hostile")
    corpus = folder / "corpus.jsonl"
    rows = [
        {
            "id": f"{text} {number}",
            "title": f"{text} {number}",
            "abstract": f"{text} words that all of them share {number}",
            "tags": [text, "shared"],
        }
        for number in range(3)
        for text in HOSTILE
    ]
    corpus.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    started = Server(folder / "log.txt", CNRAG_OPEN=str(corpus))
    yield started
    started.stop()


def test_nothing_of_a_document_runs_and_nothing_is_fetched_for_it(
    open_window: Callable[..., Window], browser: Browser, hostile: Server, tmp_path: Path
):
    window = open_window(at=hostile)
    window.open("Network")
    graph = Graph(window).ready()
    for name in window.page.locator(".row .name").all_inner_texts()[: len(HOSTILE)]:
        window.page.locator(".row", has=window.page.get_by_text(name, exact=True)).first.hover()
    title = graph.click()
    panel = window.at("net_panel")
    expect(panel.get_by_role("heading").first).to_contain_text(title[:20])
    panel.get_by_role("tab", name=re.compile("Neighbours")).click()
    window.press_at("net_why_0")
    window.pick("net_view", "Communities")
    window.pick("net_view", "Map")
    window.pick("net_view", "All")
    assert window.page.evaluate("window.pwned") is None
    assert not window.page.locator("[data-testid=stMain] img[src*=attacker], [data-testid=stMain] .katex").count()
    with window.page.expect_download() as taken:
        window.page.get_by_role("button", name="Web page").click()
    page = tmp_path / "hostile.html"
    taken.value.save_as(page)
    with opened_offline(browser, page) as alone:
        alone.locator(".row").first.click()
        assert alone.evaluate("window.pwned") is None
