"""What the live graph is sent: little, and nothing twice."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from cnrag_core.views.graph_picture import component_data
from cnrag_core.views.live_graph import asset
from cnrag_core.views.live_message import packed, split_message
from cnrag_core.views.network_options import NetworkOptions
from cnrag_core.views.network_picture import draw
from cnrag_core.views.network_side import side_data
from cnrag_core.workspace import Workspace


@pytest.fixture(scope="module")
def data():
    workspace = Workspace.of_sample("larkspur")
    network = workspace.network
    options = NetworkOptions(links=tuple(network.links.counts))
    drawing = draw(network, options, workspace.corpus.kinds)
    picture = component_data(drawing.picture, revision="r", layout="l", view="v")
    return {**picture, **side_data(drawing, options, network.links.counts)}


def test_a_click_changes_the_small_message_only(data):
    before, _ = split_message(data, "graph")
    after, rest = split_message({**data, "focus": "3", "highlight": {"nodes": ["3"], "edges": []}}, "graph")
    assert before == after
    assert rest["stamp"] == after["stamp"]
    assert len(json.dumps(rest)) < 1000


def test_another_picture_has_another_stamp(data):
    before, _ = split_message(data, "graph")
    nodes = {**data["nodes"], "color": ["#000000", *data["nodes"]["color"][1:]]}
    assert split_message({**data, "nodes": nodes}, "graph")[0]["stamp"] != before["stamp"]


def test_edges_of_similarity_travel_in_less_than_a_third_of_the_bytes(data):
    n = sum(not edge.startswith("L") for edge in data["edges"]["id"])
    edges = {name: column[:n] for name, column in data["edges"].items()}
    assert len(json.dumps(packed(edges))) < len(json.dumps(edges)) / 3


@pytest.mark.skipif(shutil.which("node") is None, reason="no JavaScript outside a browser here")
def test_the_browser_unpacks_what_was_packed(data, tmp_path):
    picture, _ = split_message(data, "graph")
    script = asset("message.js") + "\nconsole.log(JSON.stringify(unpacked(JSON.parse(process.argv[2]))));"
    (tmp_path / "unpack.js").write_text(script, "utf-8")
    said = subprocess.run(
        ["node", tmp_path / "unpack.js", json.dumps(picture["edges"])], capture_output=True, text=True, check=True
    )
    assert json.loads(said.stdout) == data["edges"]
