"""A page of a large network says what it waits for, can be used meanwhile, and then shows it."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from cnrag_core import preparing

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def opened(monkeypatch):
    """Opens a page of a sample that counts as large."""
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.chdir(ROOT)
    st.cache_data.clear()
    st.cache_resource.clear()
    from pages.shared import waiting

    monkeypatch.setattr(waiting, "MANY_DOCUMENTS", 10)
    monkeypatch.setattr(waiting, "PATIENCE", 0.0)

    def opened(page: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        app.query_params["sample"] = "larkspur"
        return app.run().switch_page(page).run()

    return opened


@pytest.fixture
def held(monkeypatch):
    """Holds a part of the network back until it is let go."""
    gates: list[threading.Event] = []

    def held(name: str) -> threading.Event:
        gate, part = threading.Event(), preparing.PARTS[name]

        def late(network, progress):
            gate.wait(60)
            return part.find(network, progress)

        monkeypatch.setitem(preparing.PARTS, name, replace(part, find=late))
        gates.append(gate)
        return gate

    yield held
    for gate in gates:
        gate.set()


@pytest.mark.parametrize(
    ("page", "part", "usable"),
    [
        ("pages/2_Threshold.py", "curve", "threshold_slider"),
        ("pages/4_Hubs_and_bridges.py", "betweenness", "min_degree"),
        ("pages/1_Network.py", "links", "net_threshold"),
    ],
)
def test_what_takes_long_is_said_and_the_rest_can_be_used(opened, held, page, part, usable):
    gate = held(part)
    app = opened(page)
    words = preparing.PARTS[part].words
    assert not app.exception
    assert any(words in str(element.proto) for element in app.get("progress"))
    assert app.slider(key=usable)
    gate.set()
    preparing.find(app.session_state["workspace"].network, part).wait()
    app.run()
    assert not [element.value for element in (*app.exception, *app.error)]
    assert not any(words in str(element.proto) for element in app.get("progress"))


def test_what_could_not_be_found_is_said_and_can_be_tried_again(opened, monkeypatch):
    part, tries = preparing.PARTS["curve"], []

    def fails_once(network, progress):
        tries.append(1)
        if len(tries) == 1:
            raise ZeroDivisionError
        return part.find(network, progress)

    monkeypatch.setitem(preparing.PARTS, "curve", replace(part, find=fails_once))
    app = opened("pages/2_Threshold.py")
    network = app.session_state["workspace"].network
    preparing.find(network, "curve").wait()
    app.run()
    assert [part.words in error.value and "logged under reference" in error.value for error in app.error] == [True]
    assert app.slider(key="threshold_slider"), "the rest can be used"
    assert len(tries) == 1
    app.button(key="again_curve").click().run()
    preparing.find(network, "curve").wait()
    app.run()
    assert not [element.value for element in (*app.exception, *app.error)]
    assert preparing.at_hand(network, "curve")


def test_links_are_counted_before_communities_are_found(opened, held):
    app = opened("pages/2_Threshold.py")
    before = {metric.label: metric.value for metric in app.metric}
    assert "Communities" in before
    gate = held("communities")
    slider = app.slider(key="threshold_slider")
    slider.set_value(round(slider.value + 0.1, 2)).run()
    now = {metric.label: metric.value for metric in app.metric}
    assert now["Edges"] != before["Edges"]
    assert set(now) == set(before) - {"Communities", "Modularity"}
    gate.set()
