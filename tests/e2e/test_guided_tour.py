"""The tour from the first page to the last step, many questions at once, a range, and what is taken away."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from cnrag_core.workspace import Workspace
from tests.e2e.dashboard import Graph, Window
from tests.e2e.test_every_page import saved


def follow(window: Window, name: str | re.Pattern[str]) -> None:
    with window.rerun():
        window.page.get_by_test_id("stMain").get_by_role("link", name=name).first.click()


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 700)])
def test_the_tour_leads_from_page_to_page_and_back_to_what_was_there_before(
    theme: str, width: int, open_window: Callable[..., Window]
):
    window = open_window(theme=theme, width=width)
    window.open(sample="chats")
    follow(window, "Start the tour")
    for step in range(1, 7):
        window.shows(f"Step {step} of 6")
        assert window.link["tour"] == f"papers-{step}"
        assert window.link["sample"] == "papers"
        if step in (1, 2, 6):
            Graph(window).ready()
        if step < 6:
            follow(window, re.compile("^Next: |arrow_forward"))
    window.shows("What answers the question")
    window.page.reload()
    window.settled()
    window.shows("Step 6 of 6")
    window.shows("What answers the question")
    follow(window, "Back to the tour")
    window.shows("Conversations with an assistant” waits")
    window.press_at("tour_end")
    assert window.link == {"sample": "chats"}


def test_many_questions_are_asked_at_once_and_one_is_opened(window: Window):
    window.open("Search", sample="larkspur")
    window.pick("search_what", "Many questions")
    window.at("batch_text").locator("textarea").fill("how are snapshots restored\nwho may cancel a plan")
    with window.rerun():
        window.page.keyboard.press("Control+Enter")
    window.press("Ask 2 questions", exact=False)
    window.shows(re.compile("2 questions, 3 strategies; on average they agree on"))
    rows = saved(window, "batch_results_csv").decode("utf-8-sig").splitlines()
    assert rows[0].startswith("id,question,strategy,rank,document,score")
    assert len(rows) == 1 + 2 * 3 * 8
    window.choose_row("batch_rows", 1)
    window.press_at("batch_open")
    assert window.at("question").get_by_role("textbox").input_value() == "who may cancel a plan"
    window.shows(re.compile("The 3 strategies return"))


def test_results_stand_out_in_the_graph_and_a_range_hides_documents_without_moving_any(window: Window):
    window.open("Search", sample="papers", q="why do hubs spread an epidemic")
    window.press_at("mark_hybrid")
    expect(window.page.get_by_role("heading", name="Network", level=2)).to_be_visible()
    window.shows(re.compile("8 of 310 documents stand out, by strategy hybrid"))
    assert Graph(window).ready().ask("return state.data.highlight.nodes.length") == 8
    window.open("Network", sample="papers", range="year:1990..2000")
    graph = Graph(window).ready()
    few = graph.n_nodes
    assert few < 100
    place = "return Object.fromEntries(network.body.nodeIndices.map((id) => [id, network.getPositions([id])[id]]))"
    before = graph.ask(place)
    window.press_at("net_span_all")
    assert graph.n_nodes == 308
    after = graph.ask(place)
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert all(after[node] == at for node, at in before.items())
    assert "range" not in window.link


def test_what_is_taken_away_is_the_view_that_is_looked_at(window: Window):
    window.open("Network", sample="papers", color="field:year", t="0.120")
    Graph(window).ready()
    window.go("Export")
    assert Graph(window).ready().n_nodes > 250
    with zipfile.ZipFile(io.BytesIO(saved(window, "get_bundle"))) as archive:
        assert "Colour: year" in archive.read("network.html").decode()
        view = Workspace.open(archive.read("workspace.cnrag")).view
    assert view == {"t": "0.120", "color": "field:year"}
