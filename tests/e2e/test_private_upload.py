"""What a visitor loads stays theirs: a reload and a second tab find it again, nobody else does."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from cnrag_core.visits import PREFIX
from tests.e2e.dashboard import Graph, Server, Window

WORDS = ("otters", "beavers", "badgers", "martens")


def rows() -> bytes:
    lines = [
        f"k{n},Secret plan {n},hidden words about {WORDS[n % 4]} and {WORDS[n // 4 % 4]} near lake {n % 7}\n"
        for n in range(40)
    ]
    return ("id,title,text\n" + "".join(lines)).encode()


def load(window: Window) -> None:
    """Upload and build."""
    window.open()
    window.pick("source", "My own documents")
    window.upload("corpus_file", "private.csv", rows())
    with window.rerun():
        window.page.get_by_role("button", name="Build the network").click()
    window.page.wait_for_function(
        "[...document.querySelectorAll('[data-testid=stMetricValue]')].some((e) => e.innerText === '40')"
    )
    window.settled()


def test_a_reload_and_a_second_tab_open_what_was_uploaded_in_the_same_view(window: Window):
    load(window)
    token = window.link["own"]
    assert len(token) >= 22  # 128 bits
    window.go("Network")
    graph = Graph(window).ready()
    title = graph.click()
    assert title.startswith("Secret plan")
    window.slide("net_threshold", 2)
    threshold = window.slider("net_threshold")
    window.page.reload()
    window.settled()
    Graph(window).ready()
    expect(window.at("net_panel").get_by_role("heading", name=title)).to_be_visible()
    assert window.slider("net_threshold") == pytest.approx(threshold)
    assert window.link["own"] == token

    second = Window(window.page.context.new_page(), window.server)
    second.open("Communities", own=token)
    assert second.link["t"] == f"{threshold:.3f}", "the second tab forgot the threshold"
    second.go("Home")
    assert second.figure("Documents") == "40"
    second.assert_clean()


def test_what_settings_of_pages_were_is_there_after_a_reload(window: Window):
    load(window)
    window.go("Communities")
    window.slide("resolution", 3)
    resolution = window.slider("resolution")
    window.page.reload()
    window.settled()
    assert window.slider("resolution") == pytest.approx(resolution)


def test_nobody_sees_it_without_the_token(window: Window, open_window: Callable[..., Window]):
    load(window)
    token = window.link["own"]
    changed = ("A" if token[0] != "A" else "B") + token[1:]
    stranger = open_window()
    for given in (
        {},
        {"own": changed},
        {"own": token[:-1]},
        {"own": "../../etc/passwd"},
        {"own": ""},
        {"own": "x" * 5000},
    ):
        stranger.open("Network", **given)
        Graph(stranger).ready()
        text = stranger.page.locator("body").inner_text()
        assert "Secret" not in text
        assert "private" not in text
        assert "own" not in stranger.link
        assert stranger.link["sample"] == "papers"


def test_the_token_is_in_no_link_for_others_no_file_and_no_log(window: Window):
    load(window)
    token = window.link["own"]
    window.go("Network")
    Graph(window).ready().click()
    with window.page.expect_download() as taken:
        window.page.get_by_role("button", name="Web page").click()
    assert token not in Path(taken.value.path()).read_text("utf-8")
    window.page.get_by_role("button", name="Link to this view").click()
    link = window.page.get_by_test_id("stCode").inner_text()
    assert token not in link
    assert "own" not in link
    assert not re.search("secret|otters|private", link, re.IGNORECASE)
    expect(window.page.get_by_role("dialog").get_by_text("but no document")).to_be_visible()
    assert token not in window.server.log.read_text("utf-8", "replace")


def test_it_can_be_forgotten_at_once(window: Window):
    load(window)
    token = window.link["own"]
    window.press_at("forget_own")
    assert window.figure("Documents") == "310"
    window.open("", own=token)
    assert window.figure("Documents") == "310"


def test_nothing_is_left_on_the_disk_when_the_server_stops(
    browser: object, open_window: Callable[..., Window], tmp_path: Path
):
    server = Server(tmp_path / "log.txt", TMPDIR=str(tmp_path))
    try:
        window = open_window(at=server)
        load(window)
        folder = next(tmp_path.glob(PREFIX + "*"))
        assert folder.stat().st_mode & 0o077 == 0
        window.assert_clean()
    finally:
        server.stop()
    window.page.close()
    window.errors.clear()  # it went on looking for the server that has ended
    assert not list(tmp_path.glob(PREFIX + "*"))
