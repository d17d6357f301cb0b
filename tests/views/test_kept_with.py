"""What views keep of a network: made once for everybody, and gone with it."""

from __future__ import annotations

import gc
import weakref

from cnrag_core.views.kept_with import MOST_KEPT, kept_with
from cnrag_core.workspace import Workspace


def test_a_value_is_made_once_for_each_network_and_name():
    network = Workspace.of_sample("larkspur").network
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name

    assert kept_with(network, "a", lambda: make("first")) == "first"
    assert kept_with(network, "a", lambda: make("second")) == "first"
    assert kept_with(network, "b", lambda: make("third")) == "third"
    assert kept_with(network.at_threshold(0.5), "a", lambda: make("fourth")) == "fourth"
    assert made == ["first", "third", "fourth"]


def test_the_oldest_values_are_let_go():
    network = Workspace.of_sample("larkspur").network
    for number in range(MOST_KEPT + 1):
        kept_with(network, number, lambda number=number: number)
    assert kept_with(network, MOST_KEPT, lambda: -1) == MOST_KEPT
    assert kept_with(network, 0, lambda: -1) == -1


def test_values_keep_no_network_alive():
    network = Workspace.of_sample("larkspur").network
    view = network.at_threshold(0.5)
    kept_with(view, "a", lambda: "value")
    gone = weakref.ref(view)
    del view
    gc.collect()
    assert gone() is None
