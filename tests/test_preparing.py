"""Parts of a network found in the background: once for everybody, kept where the network keeps them."""

from __future__ import annotations

from threading import Event

import pytest

from cnrag_core.preparing import AHEAD, PARTS, at_hand, find, find_ahead
from cnrag_core.workspace import Workspace


@pytest.fixture
def network():
    return Workspace.of_sample("larkspur").network


@pytest.mark.parametrize("name", PARTS)
def test_a_part_is_found_and_is_then_at_hand(network, name):
    job = find(network, name)
    job.wait()
    assert job.state == "done", job.message
    assert at_hand(network, name)
    keeper = PARTS[name].kept_by(network)
    assert getattr(keeper, name) is vars(keeper)[name]


def test_everybody_shares_one_search(network):
    assert find(network, "links") is find(network, "links")
    assert find(network, "links") is find(network.at_threshold(0.5), "links"), "the same at every threshold"
    assert find(network, "betweenness") is not find(network.at_threshold(0.5), "betweenness")


def test_what_is_found_in_the_background_is_what_the_network_finds(network):
    alone = Workspace.of_sample("larkspur").network
    find(network, "betweenness").wait()
    assert network.betweenness.values.tolist() == alone.betweenness.values.tolist()
    find(network, "walker").wait()
    assert network.traverse("snapshots").to_jsonl() == alone.traverse("snapshots").to_jsonl()


def test_names_that_the_links_were_found_with_are_not_looked_for_again(network):
    find(network, "links").wait()
    find(network, "index").wait()
    assert network.links.name_index is not None
    assert network.scorer.names is network.links.name_index


def test_a_small_network_is_not_prepared_and_a_large_one_is(network, monkeypatch):
    find_ahead(network)
    assert not at_hand(network, "clustering")
    monkeypatch.setattr("cnrag_core.preparing.MANY_DOCUMENTS", 10)
    monkeypatch.setattr("cnrag_core.preparing.HEAD_START", 0.0)
    find_ahead(network)
    for name in AHEAD:
        find(network, name).wait()
        assert at_hand(network, name)


def test_what_follows_is_done_once_for_everybody(network, monkeypatch):
    monkeypatch.setattr("cnrag_core.preparing.MANY_DOCUMENTS", 10)
    monkeypatch.setattr("cnrag_core.preparing.HEAD_START", 0.0)
    done: list[object] = []
    finished = Event()

    def then(found: object) -> None:
        done.append(found)
        finished.set()

    find_ahead(network, then)
    find_ahead(network.at_threshold(0.5), then)
    assert finished.wait(60)
    assert done == [network]
    assert all(at_hand(network, name) for name in AHEAD)
