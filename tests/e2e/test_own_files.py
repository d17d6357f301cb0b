"""From a file to a coloured graph, in the browser, with no YAML written by hand."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.dashboard import Graph, Window
from tests.e2e.made_files import TOPICS, bibliography, pdf, sheet, zip_of_notes


def load(window: Window, name: str, data: bytes, n: int) -> None:
    """Upload a file at home, build what the page proposes, and see a coloured graph of all of it."""
    window.pick("source", "My own documents")
    window.upload("corpus_file", name, data)
    window.shows(re.compile(rf"{re.escape(name)}.* · {n} documents"))
    yaml = window.page.get_by_role("textbox", name=re.compile("How documents are compared"))
    assert "similarity" in yaml.input_value(), "no configuration to start from"
    window.page.get_by_role("button", name="Build the network").click()
    window.page.wait_for_function(
        "(n) => [...document.querySelectorAll('[data-testid=stMetricValue]')].some((e) => e.innerText === n)",
        arg=str(n),
    )
    window.settled()
    assert "sample" not in window.link

    window.go("Network")
    graph = Graph(window).ready()
    assert graph.n_nodes > 0.8 * n
    assert graph.n_edges >= n
    assert len(graph.colors) >= len(TOPICS)
    title = graph.click()
    expect(window.at("net_panel").get_by_role("heading", name=title)).to_be_visible()
    window.go("Home")


def test_notes_a_bibliography_a_sheet_and_a_pdf_each_become_a_coloured_graph(window: Window):
    window.open()
    load(window, "notes.zip", zip_of_notes(60), 60)
    load(window, "references.bib", bibliography(48), 48)
    load(window, "table.xlsx", sheet(54), 54)
    load(window, "report.pdf", pdf(30), 30)


@pytest.mark.slow
def test_five_hundred_notes_and_three_hundred_references_become_coloured_graphs(window: Window):
    window.open()
    load(window, "notes.zip", zip_of_notes(500), 500)
    load(window, "references.bib", bibliography(300), 300)


def test_a_file_that_cannot_be_read_is_said_in_a_sentence_and_what_was_loaded_stays(window: Window):
    window.open(sample="larkspur")
    before = window.figure("Documents")
    window.pick("source", "My own documents")
    window.at("corpus_file").locator("input[type=file]").set_input_files(
        {"name": "broken.jsonl", "mimeType": "application/octet-stream", "buffer": b'{"id": 1, "text": "x"}\n{"id": 2'}
    )
    window.shows(re.compile("line 2"))
    window.go("Network")
    Graph(window).ready()
    window.go("Home")
    assert window.figure("Documents") == before
