"""What each page is for, done in a real browser, in light and in dark."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.dashboard import PATIENCE, Graph, Window

BOTH_THEMES = pytest.mark.parametrize("theme", ["light", "dark"])


def lightness(window: Window) -> float:
    """Of the ground of the page, 0 = black, 1 = white."""
    color = window.page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    return sum(map(int, re.findall(r"\d+", color)[:3])) / 765


def drawn(window: Window, key: str) -> None:
    """A chart is on the page, and has marks."""
    chart = window.at(key).locator(".js-plotly-plot")
    chart.scroll_into_view_if_needed()
    expect(chart).to_be_visible()
    assert chart.locator(".trace, .point, .sankey-node, .cartesianlayer path").count()


def saved(window: Window, key: str) -> bytes:
    """The file behind a button."""
    with window.page.expect_download() as coming:
        window.at(key).get_by_role("button").click()
    return Path(coming.value.path()).read_bytes()


@BOTH_THEMES
def test_structure_from_home_to_hubs_does_its_main_task(theme: str, open_window: Callable[..., Window]):
    window = open_window(theme=theme)
    window.open(sample="papers")
    assert (lightness(window) > 0.5) == (theme == "light")
    drawn(window, "weights")
    assert window.figure("Documents") == "310"

    window.go("Network")
    graph = Graph(window).ready()
    assert graph.ask("return state.theme.dark") == (theme == "dark")
    window.pick("net_view", "Communities")
    assert graph.ready().n_nodes < 40
    window.pick("net_view", "All")
    assert saved(window, "net_file_edges.csv").count(b"\n") > 800

    window.go("Threshold")
    drawn(window, "threshold_curve")
    edges = window.figure("Edges")
    window.slide("threshold_slider", 5)
    assert int(window.figure("Edges").replace(",", "")) < int(edges.replace(",", ""))
    drawn(window, "histogram")
    window.press(re.compile("Use the suggestion"))

    window.go("Communities")
    before = window.find(re.compile(r"\d+ communities of two or more"))
    window.slide("resolution", 8)
    assert window.find(re.compile(r"\d+ communities of two or more")) != before
    window.press_at("stability")
    window.shows(re.compile("searches agree with an adjusted Rand index"))

    window.go("Hubs and bridges")
    drawn(window, "roles")
    assert saved(window, "bridges_csv").count(b"\n") == 21


@BOTH_THEMES
def test_questions_from_similarity_to_evaluate_do_their_main_task(theme: str, open_window: Callable[..., Window]):
    window = open_window(theme=theme)
    window.open("Similarity", sample="papers")
    window.choose("pair_first", "Attention Is All You Need")
    window.choose("pair_second", "BERT")
    drawn(window, "waterfall")
    window.shows(re.compile("Combined similarity 0"))

    window.go("Search")
    window.choose("judged_question", "The wiring of which worm was found to be a small world")
    window.shows(re.compile("return .* documents together and agree on"))
    window.open_part("All strategies in one table")
    drawn(window, "overlap")

    window.go("Traversal")
    assert window.at("walk_question").get_by_role("textbox").input_value().startswith("The wiring of which worm")
    window.shows(re.compile(r"chunks?, [\d,]+ of [\d,]+ t"))
    assert saved(window, "walk_audit").count(b"\n") > 3

    window.go("Evaluate")
    expect(window.at("metric")).to_be_visible(timeout=4 * PATIENCE)  # forty questions, nine strategies
    window.settled()
    window.shows(re.compile("recall@5"))
    drawn(window, "differences")
    tables = window.page.get_by_test_id("stMain").get_by_test_id("stDataFrame").count()
    window.choose_row("questions", 0)
    expect(window.page.get_by_test_id("stMain").get_by_test_id("stDataFrame")).to_have_count(tables + 1)


@BOTH_THEMES
def test_inspection_from_chunks_to_export_does_its_main_task(theme: str, open_window: Callable[..., Window]):
    window = open_window(theme=theme)
    window.open("Chunks", sample="papers")
    said = window.find(re.compile(r"\d+ chunk"))
    window.slide("max_tokens", -4)
    assert window.find(re.compile(r"\d+ chunk")) != said
    drawn(window, "aggregations")

    window.go("Compare")
    window.slide("second_threshold", 3)
    drawn(window, "alluvial")
    window.shows(re.compile("edges"))

    window.go("Export")
    assert b"<graphml" in saved(window, "get_network.graphml")
    assert saved(window, "get_documents.csv").count(b"\n") == 311
    assert b"similarity" in saved(window, "get_config.yaml")
    page = saved(window, "get_network.html")
    assert b"default-src 'none'" in page
    assert len(page) > 100_000
