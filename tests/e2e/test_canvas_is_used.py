"""The graph makes use of its canvas, whatever shape that has, and keeps its places."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.e2e.dashboard import Graph, Window

SPANS = """
const { nodes, nodeIndices } = network.body, box = element.getBoundingClientRect();
const at = nodeIndices.map((id) => network.canvasToDOM({ x: nodes[id].x, y: nodes[id].y }));
const span = (values) => Math.max(...values) - Math.min(...values);
return [span(at.map((p) => p.x)) / box.width, span(at.map((p) => p.y)) / box.height];
"""
PLACES = "return Object.fromEntries(network.body.nodeIndices.map((id) => [id, network.getPositions([id])[id]]))"


@pytest.mark.parametrize(("width", "height"), [(1280, 1000), (1920, 1000), (1920, 800)])
def test_the_picture_takes_the_shape_of_its_canvas(open_window: Callable[..., Window], width: int, height: int):
    window = open_window(width=width, height=height)
    window.open("Network", sample="papers")
    across, down = Graph(window).ready().ask(SPANS)
    assert min(across, down) > 0.6
    assert max(across, down) > 0.75


def test_another_threshold_and_a_visit_to_another_page_move_no_document(window: Window):
    window.open("Network", sample="papers")
    graph = Graph(window).ready()
    before = graph.ask(PLACES)
    window.go("Threshold")
    window.press_at("use_suggestion")
    window.go("Network")
    after = Graph(window).ready().ask(PLACES)
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert after
    assert all(before[node] == at for node, at in after.items() if node in before)
    expect(window.page.get_by_role("button", name="Put back")).to_be_hidden()
