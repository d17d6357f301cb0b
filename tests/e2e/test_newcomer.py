"""Somebody who knows nothing yet: a sample, its network, and an answer to a first question."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.dashboard import Graph, Window


def test_a_newcomer_opens_a_sample_reads_a_document_and_sees_what_links_it(window: Window):
    window.open()
    window.press_at("open_papers")
    assert window.figure("Documents") == "310"
    assert window.link == {"sample": "papers"}

    window.go("Network")
    graph = Graph(window).ready()
    assert graph.n_nodes > 290
    assert len(graph.colors) >= 5, "communities have no colours of their own"
    title = graph.click()
    panel = window.at("net_panel")
    expect(panel.get_by_role("heading", name=title)).to_be_visible()
    expect(panel).to_contain_text("abstract")
    assert window.link["doc"]

    graph.zoom(1.3, 40, -25)
    before, edges = graph.view(), graph.n_edges
    window.slide("net_threshold", 3)
    assert window.link["t"] == "0.130"
    assert graph.n_edges < edges
    assert graph.view() == pytest.approx(before), "the view moved with the threshold"
    expect(panel.get_by_role("heading", name=title)).to_be_visible()

    panel.get_by_role("tab", name=re.compile("Neighbours")).click()
    window.press_at("net_why_0")
    expect(panel).to_contain_text("Why are these two linked?")
    expect(panel).to_contain_text("Combined similarity")
    expect(panel.locator(".js-plotly-plot")).to_be_visible()

    window.go("Similarity")
    window.shows(re.compile("Combined similarity 0"))
    expect(window.at("waterfall").locator(".js-plotly-plot")).to_be_visible()
    drawn = window.at("waterfall").inner_text()
    assert {"title", "abstract", "tags", "authors"} <= set(drawn.split())
    window.open_part("The same as a table")
    expect(window.page.get_by_test_id("stExpander").get_by_test_id("stDataFrame")).to_be_visible()


def test_a_newcomer_compares_three_strategies_and_follows_a_result_into_the_network(window: Window):
    window.open("Search", sample="papers")
    window.choose("judged_question", "editing the genome with CRISPR and a guide RNA")
    columns = window.page.get_by_test_id("stMain").get_by_text(re.compile(r"^(similarity|hybrid|auto) · \d+ ms"))
    expect(columns).to_have_count(3)
    tops = {round(box["y"]) for box in (column.bounding_box() for column in columns.all()) if box}
    assert len(tops) == 1, "the strategies are not side by side"
    assert window.page.get_by_text("judged relevant").count() >= 3
    window.shows(re.compile("The 3 strategies return"))
    window.shows(re.compile("matched: .*crispr"))
    window.press_at("show_similarity_1")
    Graph(window).ready()
    assert window.link["doc"] in ("jinek2012crispr", "cong2013crispr")
    expect(window.at("net_panel")).to_contain_text("abstract")


def test_a_newcomer_meets_the_communities_and_who_holds_them_together(window: Window):
    window.open("Communities", sample="papers")
    window.shows(re.compile(r"\d+ communities of two or more documents"))
    first = window.page.locator("[class*='st-key-open_0_']").first.get_by_role("button")
    title = first.inner_text().strip()
    first.click()
    Graph(window).ready()
    expect(window.at("net_panel").get_by_role("heading")).to_contain_text(title.rstrip("…"))

    window.go("Hubs and bridges")
    window.shows(re.compile("of 310 documents. The most connected is"))
    window.shows(re.compile("The strongest is .* with neighbours in [2-9] communities"))
    window.choose_row("bridges", 0)
    window.press_at("bridges_show")
    Graph(window).ready()
    expect(window.at("net_panel")).to_contain_text("Bridge: 1st by betweenness")
