"""Four tasks that somebody brings to the papers sample, from the home page, through what can be seen and clicked.

Every press of the mouse is counted; typing is not. The answer must be legible at the end, and be the right one.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.dashboard import Window

MOST_CLICKS = 8


class Visitor:
    """Somebody with a mouse, who is counted, and a keyboard."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.clicks = 0

    def click(self, place: Locator, *, reruns: bool = True) -> None:
        """Press the mouse on something that is visible."""
        expect(place).to_be_visible()
        self.clicks += 1
        if reruns:
            with self.window.rerun():
                place.click()
        else:
            place.click()

    def follow(self, name: str) -> None:
        """Follow a link of the sidebar or the page."""
        self.click(self.window.page.get_by_role("link", name=name, exact=True).first)

    def choose(self, key: str, option: str) -> None:
        """Open a box, type, and take what is offered."""
        box = self.window.at(key).get_by_role("combobox")
        self.click(box, reruns=False)
        box.fill(option[:40])
        self.click(self.window.page.get_by_role("option", name=option).first)

    def reads(self, words: str | re.Pattern[str]) -> None:
        """The answer is on the page, within the limit of clicks."""
        self.window.shows(words)
        assert self.clicks <= MOST_CLICKS, f"{self.clicks} clicks"


@pytest.fixture(params=["light", "dark"])
def visitor(request: pytest.FixtureRequest, open_window: Callable[..., Window]) -> Visitor:
    window = open_window(theme=request.param)
    window.open(sample="papers")
    return Visitor(window)


def test_the_paper_that_bridges_statistics_and_cosmology(visitor: Visitor):
    visitor.follow("Hubs and bridges")
    visitor.choose("bridge_topics", "statistics, markov chain monte carlo")
    visitor.choose("bridge_topics", "cosmology, early universe")
    visitor.reads(
        "“Information Theory and Statistical Mechanics” is the strongest bridge that joins “statistics, markov chain "
        "monte carlo” and “cosmology, early universe”"
    )


def test_why_black_holes_and_information_theory_are_linked(visitor: Visitor):
    visitor.follow("Similarity")
    visitor.choose("pair_first", "Black Holes and Entropy")
    visitor.choose("pair_second", "Information Theory and Statistical Mechanics")
    visitor.reads(re.compile(r"Combined similarity 0\.116: tags adds? most, 0\.067 \(entropy, information theory"))
    visitor.reads(re.compile(r"they are linked here"))


def test_the_threshold_where_the_network_falls_apart(visitor: Visitor):
    visitor.follow("Choose the threshold")
    visitor.reads(re.compile(r"The largest component falls apart above 0\.13"))


def test_the_strategy_that_finds_both_papers_of_a_question(visitor: Visitor):
    visitor.follow("Ask a question")
    visitor.choose("judged_question", "neurons that tell an animal where it is")
    visitor.reads("2 documents answer this question by judgement: hybrid and auto find both; similarity finds 1.")


def test_each_answer_is_refused_after_a_ninth_click(visitor: Visitor):
    visitor.clicks = MOST_CLICKS + 1
    with pytest.raises(AssertionError, match="9 clicks"):
        visitor.reads("cnrag")
