from __future__ import annotations

from cnrag_core.views.network_colors import color_nodes
from cnrag_core.views.network_map import INK, INK_ON_DARK, chosen_numbers, map_counts, map_figure
from cnrag_core.workspace import Workspace
from tests.views.network_of_tags import KINDS


def test_the_map_has_one_trace_an_entry_and_every_document_once(network):
    traces = map_figure(network, color_nodes(network, "community", KINDS), isolated=True).data
    assert sorted(int(number) for trace in traces for number in trace.customdata) == list(range(7))
    assert len(traces) == 3


def test_the_map_takes_the_whole_canvas_and_is_lassoed(network):
    layout = map_figure(network, color_nodes(network, "degree", KINDS)).to_dict()["layout"]
    assert "scaleanchor" not in layout["yaxis"]
    assert layout["dragmode"] == "lasso"


def test_names_on_the_map_stand_out_from_either_ground():
    network = Workspace.of_sample("papers").network
    coloring = color_nodes(network, "community", KINDS)
    inks = [
        {note["font"]["color"] for note in map_figure(network, coloring, dark=dark).to_dict()["layout"]["annotations"]}
        for dark in (False, True)
    ]
    assert inks == [{INK}, {INK_ON_DARK}]


def test_the_map_counts_what_is_on_it(network):
    coloring = color_nodes(network, "community", KINDS)
    assert map_counts(network, coloring) == "6 of 7 documents, without their links"
    assert map_counts(network, coloring, only=["c0"]) == "3 of 7 documents, without their links"


def test_chosen_points_are_document_numbers():
    assert chosen_numbers([{"customdata": 4}, {"customdata": [2]}, {"customdata": 4}, {}]) == [2, 4]
