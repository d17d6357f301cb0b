"""A question followed from chunk to chunk, in the browser: on the sample, and on a PDF that somebody brings."""

from __future__ import annotations

import json
import re

import pytest

from tests.e2e.dashboard import Graph, Window

QUESTION = "Which export mechanism remains available after cancellation"


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 1920)])
def test_a_walk_is_replayed_on_the_chunk_graph(open_window, theme, width):
    window = open_window(theme=theme, width=width)
    window.open("Traversal", sample="larkspur")
    assert window.figure("Evidence") == "3 of 3"
    graph = Graph(window).ready()
    assert graph.n_nodes == 77
    view = graph.view()
    window.shows(re.compile("never expanded"))

    last = window.slider("walk_step")
    window.press("Back")
    assert window.slider("walk_step") == last - 1
    window.press("First")
    window.shows("Before the first step")
    window.press("Next")
    window.shows(re.compile("Seed, cheapest in the queue"))
    assert graph.view() == pytest.approx(view), "the view moved from step to step"


def test_the_question_and_the_budget_outlive_another_page(window: Window):
    window.open("Traversal", sample="larkspur")
    window.write("walk_question", QUESTION)
    window.open_part("Budgets and options")
    window.write("walk_nodes", "3")
    assert window.figure("Chunks") == "3"
    window.go("Chunks")
    window.go("Traversal")
    assert window.at("walk_question").locator("input").input_value() == QUESTION
    assert window.figure("Chunks") == "3"


def test_the_audit_log_is_downloaded(window: Window):
    window.open("Traversal", sample="larkspur")
    with window.page.expect_download() as download:
        window.at("walk_audit").get_by_role("button").first.click()
    records = [json.loads(line) for line in download.value.path().read_text("utf-8").splitlines()]
    assert records[-1]["stopping_reason"] == "complete"
    assert records[0]["record"] == "seed"


def test_a_pdf_becomes_pages_chunks_concepts_and_a_walk(window: Window, corpora):
    data = (corpora / "pdf" / "Understanding_Climate_Change.pdf").read_bytes()
    window.open(sample="larkspur")
    window.pick("source", "My own documents")
    window.upload("corpus_file", "climate.pdf", data)
    window.shows(re.compile(r"climate.* · 33 documents"))
    window.page.get_by_role("button", name="Build the network").click()
    window.page.wait_for_function(
        "() => [...document.querySelectorAll('[data-testid=stMetricValue]')].some((e) => e.innerText === '33')"
    )
    window.settled()
    window.go("Traversal")
    window.write("walk_question", "What causes the greenhouse effect, and how can farming reduce methane?")
    window.shows(re.compile(r"The chunk graph: 97 chunks"))
    assert int(window.figure("Chunks")) > 5
    graph = Graph(window).ready()
    assert graph.n_nodes == 97
    window.press("First")
    window.press("Next")
    window.shows(re.compile(r"concepts:"))
    window.shows(re.compile(r"page-\d+, text, page \d+, characters"))
