"""Parts of a network found in the background: once for everybody, kept where the network keeps them."""

from __future__ import annotations

from dataclasses import replace
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


@pytest.fixture
def failing_once(monkeypatch):
    """Makes the first search for a part fail, and counts the searches."""

    def failing_once(name: str) -> list[str]:
        tries: list[str] = []
        part = PARTS[name]

        def late(network, progress):
            tries.append(name)
            if len(tries) == 1:
                raise ZeroDivisionError
            return part.find(network, progress)

        monkeypatch.setitem(PARTS, name, replace(part, find=late))
        return tries

    return failing_once


def test_a_part_that_failed_is_looked_for_again_on_request(network, failing_once):
    tries = failing_once("links")
    first = find(network, "links")
    first.wait()
    assert first.state == "failed"
    assert find(network, "links") is first, "nobody asked again, and it failed a moment ago"
    second = find(network, "links", again=True)
    second.wait()
    assert at_hand(network, "links")
    assert find(network, "links", again=True) is second, "what was found is not looked for again"
    assert len(tries) == 2


def test_whoever_comes_a_while_later_has_a_failed_part_looked_for_again(network, failing_once, monkeypatch):
    failing_once("links")
    find(network, "links").wait()
    monkeypatch.setattr("cnrag_core.preparing.RETRY_AFTER", 0.0)
    find(network, "links").wait()
    assert at_hand(network, "links")


def test_a_part_that_failed_keeps_no_other_from_being_found_ahead_and_is_logged_once(
    network, failing_once, monkeypatch, caplog
):
    monkeypatch.setattr("cnrag_core.preparing.MANY_DOCUMENTS", 10)
    monkeypatch.setattr("cnrag_core.preparing.HEAD_START", 0.0)
    failing_once("links")
    finished = Event()
    with caplog.at_level("ERROR", "cnrag"):
        find_ahead(network, lambda _: finished.set())
        assert finished.wait(60)
        find_ahead(network)
        find(network, "links").wait()
    assert [name for name in AHEAD if not at_hand(network, name)] == ["links"]
    assert len([record for record in caplog.records if record.exc_info]) == 1


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
