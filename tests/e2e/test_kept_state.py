"""Nobody loses their place: another threshold, another page, a rerun, F5, and the link sent to a colleague."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.e2e.dashboard import Graph, Window

QUESTION = "why do hubs spread an epidemic"
PAGES = (
    "Network", "Threshold", "Communities", "Hubs and bridges", "Similarity", "Search", "Traversal", "Evaluate",
    "Chunks", "Compare", "Export", "Home",
)  # fmt: skip


def test_threshold_document_and_question_follow_through_every_page_a_reload_and_a_link(
    window: Window, open_window: Callable[..., Window]
):
    window.open("Network", sample="papers")
    graph = Graph(window).ready()
    title = graph.click()
    document = window.link["doc"]
    window.slide("net_threshold", 2)
    window.go("Search")
    window.write("question", QUESTION)
    wanted = {"sample": "papers", "t": "0.120", "doc": document, "q": QUESTION}
    assert window.link == wanted

    for name in PAGES:
        window.go(name)
        assert {key: window.link.get(key) for key in wanted} == wanted, f"lost on {name}"

    window.go("Threshold")
    assert window.slider("threshold_slider") == pytest.approx(0.12)
    window.go("Similarity")
    assert window.chosen("pair_first") == title
    window.go("Search")
    window.page.reload()
    window.settled()
    assert window.link == wanted
    assert window.at("question").get_by_role("textbox").input_value() == QUESTION

    colleague = open_window(theme="dark")
    colleague.page.goto(window.page.url.replace("/Search", "/Network"))
    colleague.settled()
    Graph(colleague).ready()
    assert colleague.slider("net_threshold") == pytest.approx(0.12)
    expect(colleague.at("net_panel").get_by_role("heading", name=title)).to_be_visible()
    colleague.go("Traversal")
    assert colleague.at("walk_question").get_by_role("textbox").input_value() == QUESTION


def test_the_view_of_the_graph_survives_a_threshold_another_page_a_rerun_and_a_reload(window: Window):
    window.open("Network", sample="papers")
    graph = Graph(window).ready()
    title = graph.click()
    graph.zoom(1.4, 55, -30)
    before = graph.view()
    window.slide("net_threshold", 2)
    assert graph.view() == pytest.approx(before)
    window.go("Communities")
    window.go("Network")
    assert graph.ready().view() == pytest.approx(before), "the view moved while another page was shown"
    expect(window.at("net_panel").get_by_role("heading", name=title)).to_be_visible()
    with window.rerun():
        window.page.keyboard.press("r")
    assert graph.view() == pytest.approx(before), "the view moved with a rerun"
    window.page.reload()
    window.settled()
    assert graph.ready().view() == pytest.approx(before), "the view moved with a reload"
    assert window.slider("net_threshold") == pytest.approx(0.12)
    window.press_at("as_built")
    assert "t" not in window.link


def test_settings_of_a_page_are_there_when_one_comes_back(window: Window):
    window.open("Threshold", sample="papers")
    window.pick("curve_quantity", "components")
    window.go("Communities")
    window.slide("resolution", 3)
    communities = window.find(re.compile(r"\d+ communities of two or more"))
    window.go("Hubs and bridges")
    window.slide("min_degree", -2)
    least = window.slider("min_degree")
    window.go("Search")
    window.pick("strategies", "pagerank")
    window.write("n_results", "3")
    window.go("Chunks")
    window.choose("chunk_method", "paragraphs")
    window.go("Compare")
    window.slide("second_threshold", 4)
    second = window.slider("second_threshold")
    window.go("Similarity")
    first = window.chosen("pair_first")
    window.choose("pair_second", "Attention Is All You Need")

    window.go("Threshold")
    expect(window.at("curve_quantity").get_by_role("radio", name="components")).to_be_checked()
    window.go("Communities")
    assert window.slider("resolution") == pytest.approx(1.3)
    assert window.find(re.compile(r"\d+ communities of two or more")) == communities
    window.go("Hubs and bridges")
    assert window.slider("min_degree") == least
    window.go("Search")
    window.shows(re.compile(r"pagerank · \d+ ms"))
    window.go("Chunks")
    assert window.chosen("chunk_method") == "paragraphs"
    window.go("Compare")
    assert window.slider("second_threshold") == pytest.approx(second)
    window.go("Similarity")
    assert window.chosen("pair_first") == first
    assert window.chosen("pair_second").startswith("Attention Is All You Need")


def test_a_link_carries_nothing_of_an_uploaded_corpus(window: Window):
    rows = "id,title,text\n" + "".join(f"k{n},Secret plan {n},hidden words about otters {n % 5}\n" for n in range(20))
    window.open()
    window.pick("source", "My own documents")
    window.upload("corpus_file", "private.csv", rows.encode())
    with window.rerun():
        window.page.get_by_role("button", name="Build the network").click()
    window.page.wait_for_function(
        "[...document.querySelectorAll('[data-testid=stMetricValue]')].some((e) => e.innerText === '20')"
    )
    window.settled()
    for name in PAGES:
        window.go(name)
        if name == "Network":
            Graph(window).ready().click()
        said = window.page.url + str(window.page.evaluate("JSON.stringify(window.history.state)"))
        assert not re.search("secret|otters|private", said, re.IGNORECASE), f"{name}: {said}"
        assert set(window.link) <= {"t", "doc", "own"}, f"{name}: {window.link}"


def test_a_dragged_document_stays_where_it_was_put_until_it_is_put_back(window: Window):
    window.open("Network", sample="larkspur")
    graph = Graph(window).ready()
    put_back = window.page.get_by_role("button", name="Put back")
    expect(put_back).to_be_hidden()
    found = graph.place_of_any()
    box = graph.element.bounding_box()
    assert box is not None
    where = (
        "const id = [...state.names].find(([, name]) => name === argument)[0]; return network.getPositions([id])[id]"
    )
    before = graph.ask(where, found["name"])
    x, y = box["x"] + found["x"], box["y"] + found["y"]
    window.page.mouse.move(x, y)
    window.page.mouse.down()
    window.page.mouse.move(x + 45, y + 30, steps=4)
    window.page.mouse.up()
    expect(put_back).to_be_visible()
    dragged = graph.ask(where, found["name"])
    assert dragged != before
    window.go("Threshold")
    window.go("Network")
    assert graph.ready().ask(where, found["name"]) == pytest.approx(dragged, abs=0.1), "lost on another page"
    window.page.reload()
    window.settled()
    assert graph.ready().ask(where, found["name"]) == pytest.approx(dragged, abs=0.1), "lost with a reload"
    put_back.click()
    assert graph.ask(where, found["name"]) == pytest.approx(before, abs=0.1)
    expect(put_back).to_be_hidden()
