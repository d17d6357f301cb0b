"""The box that finds a document where there are too many titles to send: its script with somebody else who answers,
and the whole page with a limit so low that a sample is large.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from cnrag_core.views.live_graph import asset
from tests.e2e.dashboard import Graph, Server, Window

PAUSE = 250
"""Milliseconds without typing until the box asks, as in its script."""

STAGE = """
const load = (text) => import(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
window.begin = async ([box, answers]) => {
  Object.assign(window, { asked: [], chosen: [] }); window.data = { stamp: 's', answered: null, offers: null };
  const { default: answer } = await load(answers), { default: render } = await load(box);
  window.say = (message) => {
    Object.assign(data, { offers: null }, message);
    answer({ data, setTriggerValue: (_, question) => asked.push(question) });
  };
  window.show = (number, title) => render({
    data: { stamp: 's', chosen: number, title, label: 'Find a document', placeholder: 'any title' },
    parentElement: document.body, setTriggerValue: (_, taken) => window.chosen.push(taken),
  });
  say({});
  await show(null, '');
};
"""


class Box:
    """The script of the box on a page of its own. What it asks and chooses is recorded, and answered by the test."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.clock.install(time=0)
        page.clock.pause_at(1000)  # only what a test lets pass: a busy machine types no slower
        page.set_content(f"<style>{asset('title_box.css')}</style>{asset('title_box.html')}<p>elsewhere</p>")
        page.add_script_tag(content=STAGE)
        page.evaluate("(scripts) => window.begin(scripts)", [asset("title_box.js"), asset("title_answers.js")])
        self.input = page.get_by_role("combobox", name="Find a document")

    @property
    def options(self) -> Locator:
        """What it offers."""
        return self.page.get_by_role("option")

    @property
    def active(self) -> Locator:
        """The one that Enter takes."""
        return self.page.locator(".active")

    @property
    def asked(self) -> list[str]:
        """What was asked, in order."""
        return [question["typed"] for question in self._questions()]

    @property
    def chosen(self) -> list[int]:
        """The numbers that were chosen, in order."""
        return list(self.page.evaluate("window.chosen"))

    def type(self, text: str, pause: int = PAUSE) -> None:
        """Type this instead, and wait for some milliseconds."""
        self.input.fill(text)
        self.page.clock.run_for(pause)

    def answer(self, titles: dict[int, str], note: str = "", *, question: int = -1) -> None:
        """Answer one of the questions, the last if nothing else is said."""
        offers = {"numbers": list(titles), "titles": list(titles.values()), "note": note}
        self.say({"answered": self._questions()[question]["number"], "offers": offers})

    def lose(self) -> None:
        """The message after an answer that never came."""
        self.say({"answered": self._questions()[-1]["number"]})

    def say(self, message: dict[str, Any]) -> None:
        """Something new from Python."""
        self.page.evaluate("(message) => window.say(message)", message)

    def shows(self, note: str) -> None:
        """What is said below the titles."""
        expect(self.page.locator(".note")).to_have_text(note)

    def _questions(self) -> list[dict[str, Any]]:
        return list(self.page.evaluate("window.asked"))


@pytest.fixture
def box(browser: Browser) -> Iterator[Box]:
    context = browser.new_context()
    yield Box(context.new_page())
    context.close()


def test_one_question_is_asked_for_a_pause_in_typing(box: Box):
    for text in ("c", "co", "cor"):
        box.type(text, PAUSE - 100)
    assert box.asked == []
    box.shows("Looking…")
    box.page.clock.run_for(PAUSE)
    assert box.asked == ["cor"]
    box.page.clock.run_for(10 * PAUSE)
    assert box.asked == ["cor"]


def test_nothing_is_asked_for_an_empty_box(box: Box):
    box.input.click()
    box.shows("Type words of a title")
    box.type("   ")
    box.type("cor", PAUSE - 100)
    box.type("", 2 * PAUSE)
    assert box.asked == []


def test_the_answer_opens_under_the_box_and_is_chosen_with_the_keyboard(box: Box):
    box.type("reef")
    box.answer({7: "Coral reefs", 3: "Reefs of the north"}, "The first 2 of 9")
    expect(box.options).to_have_text(["Coral reefs", "Reefs of the north"])
    box.shows("The first 2 of 9")
    expect(box.active).to_have_text("Coral reefs")
    expect(box.input).to_have_attribute("aria-activedescendant", "title-7")
    box.input.press("ArrowDown")
    expect(box.active).to_have_text("Reefs of the north")
    box.input.press("Enter")
    assert box.chosen == [3]
    expect(box.input).to_have_value("Reefs of the north")
    expect(box.input).to_have_attribute("aria-expanded", "false")


def test_a_title_is_chosen_with_the_mouse_and_let_go_again(box: Box):
    box.type("reef")
    box.answer({7: "Coral reefs", 3: "Reefs of the north"})
    box.options.nth(0).click()
    expect(box.input).to_have_value("Coral reefs")
    box.page.get_by_role("button", name="Choose none").click()
    expect(box.input).to_have_value("")
    assert box.chosen == [7, -1]


def test_an_answer_to_older_typing_is_nobodys(box: Box):
    box.type("reef")
    box.type("glacier", PAUSE - 100)
    box.answer({7: "Coral reefs"})
    expect(box.options).to_have_count(0)
    box.shows("Looking…")
    box.page.clock.run_for(PAUSE)
    box.answer({7: "Coral reefs"}, question=0)
    expect(box.options).to_have_count(0)
    box.answer({5: "Glacier ice"})
    expect(box.options).to_have_text(["Glacier ice"])


def test_what_is_left_of_the_last_answer_is_offered_until_the_next(box: Box):
    box.type("reef")
    box.answer({7: "Coral reefs", 3: "Reefs of the north"})
    box.type("reef north")
    expect(box.options).to_have_text(["Reefs of the north"])
    box.shows("Looking…")
    box.answer({9: "Reefs off the northern coast", 3: "Reefs of the north"})
    expect(box.options).to_have_count(2)
    expect(box.active).to_have_text("Reefs of the north")


def test_what_was_answered_is_not_asked_again(box: Box):
    box.type("reef")
    box.answer({7: "Coral reefs"})
    box.type("")
    box.type("reef")
    expect(box.options).to_have_text(["Coral reefs"])
    assert box.asked == ["reef"]


def test_an_answer_that_was_overtaken_on_its_way_is_asked_for_again(box: Box):
    box.type("reef")
    box.lose()
    assert box.asked == ["reef", "reef"]
    box.answer({7: "Coral reefs"})
    expect(box.options).to_have_text(["Coral reefs"])


@pytest.mark.parametrize("leave", [lambda box: box.input.press("Escape"), lambda box: box.input.blur()])
def test_a_box_that_was_left_asks_nothing_and_stays_closed(box: Box, leave: Callable[[Box], None]):
    box.type("reef")
    leave(box)
    box.answer({7: "Coral reefs"})
    expect(box.options).to_have_count(0)
    expect(box.input).to_have_value("")
    box.type("glacier", PAUSE - 100)
    leave(box)
    box.page.clock.run_for(2 * PAUSE)
    assert box.asked == ["reef"]


def test_what_is_chosen_elsewhere_is_shown_but_not_while_somebody_types(box: Box):
    box.page.evaluate("window.show(4, 'Ice cores')")
    expect(box.input).to_have_value("Ice cores")
    box.type("reef")
    box.page.evaluate("window.show(5, 'Glacier ice')")
    expect(box.input).to_have_value("reef")
    box.input.press("Escape")
    expect(box.input).to_have_value("Glacier ice")


def test_what_was_typed_before_the_box_could_listen_is_not_lost(box: Box):
    box.page.evaluate("find = document.querySelector('.find'); find.replaceWith(find.cloneNode(true))")
    box.type("reef", 10 * PAUSE)
    assert box.asked == []
    box.page.evaluate("window.show(4, 'Ice cores')")
    expect(box.input).to_have_value("reef")
    box.page.clock.run_for(PAUSE)
    box.answer({7: "Coral reefs"})
    expect(box.options).to_have_text(["Coral reefs"])


def test_titles_are_text(box: Box):
    title = "<img src=x onerror='document.title = 1'>"
    box.type("img")
    box.answer({7: title}, note="<b>bold</b>")
    expect(box.options).to_have_text([title])
    box.shows("<b>bold</b>")
    box.input.press("Enter")
    expect(box.input).to_have_value(title)
    assert box.page.title() == ""


@pytest.fixture(scope="module")
def large(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The dashboard, for which the titles of a sample are too many to send."""
    low = "from pages.shared import title_box\ntitle_box.MOST_OFFERED = 20"
    server = Server(tmp_path_factory.mktemp("large") / "log.txt", first=low)
    yield server
    server.stop()


def test_a_title_that_was_never_sent_is_found_chosen_and_let_go(
    open_window: Callable[..., Window], large: Server
) -> None:
    window = open_window(at=large)
    asked: list[int] = []
    answered: list[int] = []
    window.page.on(
        "websocket",
        lambda socket: (
            socket.on("framesent", lambda frame: asked.append(len(frame))),
            socket.on("framereceived", lambda frame: answered.append(len(frame))),
        ),
    )
    window.open("Network", sample="papers")
    Graph(window).ready()
    window.settled()
    box, options = window.at("net_find").get_by_role("combobox"), window.at("net_find").get_by_role("option")
    asked.clear()
    answered.clear()
    box.fill("google system")
    expect(options).to_have_text(["The Google File System"])
    window.settled()
    assert len(asked) == 1, "one run of the script for a pause in typing"
    assert sum(answered) < 4000, "the page is not sent again for it"
    with window.rerun():
        box.press("Enter")
    panel = window.at("net_panel")
    expect(panel.get_by_role("heading", name="The Google File System")).to_be_visible()
    expect(box).to_have_value("The Google File System")
    with window.rerun():
        window.at("net_find").get_by_role("button", name="Choose none").click()
    expect(panel.get_by_role("heading", name="Where to begin")).to_be_visible()
    expect(box).to_have_value("")


def test_a_box_of_another_view_is_answered_too_and_so_it_is_after_another_page(
    open_window: Callable[..., Window], large: Server
) -> None:
    window = open_window(at=large)
    window.open("Network", sample="papers")
    window.pick("net_view", "Path")
    find(window, "net_from_box", "TensorFlow: A System for Large-Scale Machine Learning")
    window.go("Threshold")
    window.go("Network")
    find(window, "net_to_box", "The Google File System")
    window.shows("The path")


def find(window: Window, key: str, title: str) -> None:
    """Type a title, wait for what is offered, and take the first."""
    box = window.at(key)
    box.get_by_role("combobox").fill(title)
    expect(box.get_by_role("option").first).to_have_text(title)
    with window.rerun():
        box.get_by_role("combobox").press("Enter")
    expect(box.get_by_role("combobox")).to_have_value(title)
