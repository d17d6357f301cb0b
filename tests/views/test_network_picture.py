from __future__ import annotations

import json

import numpy as np
import pytest

from cnrag_core.errors import UnknownNameError
from cnrag_core.views.graph_picture import choose_of_each, component_data
from cnrag_core.views.network_options import NetworkOptions
from cnrag_core.views.network_picture import draw
from cnrag_core.views.network_side import page_of, side_data, toggled
from cnrag_core.views.network_words import interpretation_of
from tests.views.network_of_tags import KINDS


def drawn(network, *, keep=(), **options):
    return draw(network, NetworkOptions(**options), KINDS, keep=keep)


def ids(network, drawing):
    return [network.node_ids[node] for node in drawing.picture.nodes]


def test_the_isolated_are_folded_into_a_count_and_shown_on_request(network):
    folded = drawn(network)
    assert ids(network, folded) == ["a1", "a2", "a3", "b1", "b2", "b3"]
    assert folded.counts == "6 of 7 documents, 7 of 7 edges; 1 linked to nothing are folded away"
    assert ids(network, drawn(network, isolated=True))[-1] == "c1"


def test_what_is_looked_at_is_drawn_in_any_case(network):
    assert "c1" in ids(network, drawn(network, keep=["c1"]))
    assert "b1" in ids(network, drawn(network, only=("c0",), keep=["b1"]))


def test_the_legend_filters(network):
    assert ids(network, drawn(network, only=("c1",))) == ["b1", "b2", "b3"]
    assert ids(network, drawn(network, color_by="field:field", only=("v0",))) == ["b1", "b2", "b3"]


def test_a_budget_is_shared_among_communities_and_said(network):
    drawing = drawn(network, budget=2)
    assert ids(network, drawing) == ["a3", "b3"]
    assert "2 of 7 documents" in drawing.counts
    assert "of each community those of greatest degree" in drawing.counts


def test_every_group_gets_its_share_and_never_more_than_the_limit():
    rng = np.random.default_rng(0)
    for limit in (1, 7, 50, 200):
        groups = rng.integers(0, 9, 120)
        chosen = choose_of_each(rng.random(120), groups, limit)
        assert len(chosen) == min(limit, 120)
        quota = limit * np.bincount(groups, minlength=9) / 120
        assert (
            np.abs(np.bincount(groups[chosen], minlength=9) - np.minimum(quota, np.bincount(groups))) < 1.0001
        ).all()


def test_positions_do_not_move_with_threshold_colour_or_filter(network):
    whole = drawn(network).picture
    place = dict(zip(whole.nodes.tolist(), zip(whole.x, whole.y, strict=True), strict=True))
    for other in (drawn(network.at_threshold(0.6)), drawn(network, color_by="degree"), drawn(network, only=("c0",))):
        picture = other.picture
        for node, x, y in zip(picture.nodes.tolist(), picture.x, picture.y, strict=True):
            assert (x, y) == place[node]


def test_around_one_lists_the_nearest_first(network):
    drawing = drawn(network, view="around", trail=("a3",), hops=1)
    assert [network.node_ids[node] for node in drawing.order] == ["a3", "a1", "a2", "b3"]
    assert drawing.values == ("middle", "0.667", "0.667", "0.200")


def test_two_hops_reach_further_and_expanding_adds_neighbours(network):
    assert len(drawn(network, view="around", trail=("a1",), hops=3).order) == 6
    assert ids(network, drawn(network, view="around", trail=("a1",), hops=1)) == ["a1", "a2", "a3"]
    assert ids(network, drawn(network, view="around", trail=("a1", "a3"), hops=1)) == ["a1", "a2", "a3", "b3"]


def test_in_rings_the_middle_is_in_the_middle_and_a_hop_is_a_ring(network):
    picture = drawn(network, view="around", trail=("a3",), hops=2, rings=True).picture
    distance = {
        network.node_ids[node]: float(np.hypot(x, y))
        for node, x, y in zip(picture.nodes, picture.x, picture.y, strict=True)
    }
    assert distance["a3"] == 0
    assert distance["a1"] == pytest.approx(distance["b3"])
    assert distance["b1"] > distance["b3"]


def test_a_path_stands_out_and_is_listed_step_by_step(network):
    drawing = drawn(network, view="path", ends=("a1", "b1"))
    assert [network.node_ids[node] for node in drawing.order] == ["a1", "a3", "b3", "b1"]
    assert drawing.highlight == {"nodes": ["0", "2", "5", "3"], "edges": ["0-2", "2-5", "3-5"]}
    assert interpretation_of(network, NetworkOptions(view="path", ends=("a1", "b1")), drawing) == (
        "3 hops, no path has fewer. The weakest link, 0.200, joins “Title of a3” and “Title of b3”."
    )


def test_where_there_is_no_path_the_joining_threshold_is_said(network):
    higher, options = network.at_threshold(0.5), NetworkOptions(view="path", ends=("a1", "b1"))
    drawing = draw(higher, options, KINDS)
    assert drawing.path is None
    assert "The largest threshold that joins them is 0.200" in interpretation_of(higher, options, drawing)


def test_the_overview_has_a_disc_a_community_and_a_bundle_between(network):
    picture = drawn(network, view="communities").picture
    assert picture.nodes.tolist() == [0, 1]
    assert picture.edges.tolist() == [[0, 1]]
    assert picture.edge_tips == ("1 links, mean similarity 0.200",)
    assert picture.counts.startswith("2 of 2 communities")


def test_typed_links_are_lines_of_their_own_with_their_evidence(network):
    picture = drawn(network, links=("reference",)).picture
    assert [(link.source, link.target, link.arrow, link.tip) for link in picture.links] == [
        (3, 0, True, "reference: a1")
    ]
    assert picture.n_edges_total == 7, "other links are counted apart"


def test_outlines_have_the_colours_of_their_communities_or_none_where_colours_mean_something_else(network):
    assert {hull.color for hull in drawn(network).picture.hulls} == {"#3b7dd8", "#e07b00"}
    assert {hull.color for hull in drawn(network, color_by="degree").picture.hulls} == {"#8a93a3"}
    assert drawn(network, hulls=False).picture.hulls == ()


def test_a_document_that_does_not_exist_is_refused(network):
    with pytest.raises(UnknownNameError, match="no document 'zz'"):
        drawn(network, view="around", trail=("zz",))


def test_everything_that_goes_to_the_browser_is_plain_json(network):
    for options in (NetworkOptions(), NetworkOptions(view="communities"), NetworkOptions(links=("reference",))):
        drawing = draw(network, options, KINDS)
        data = {**component_data(drawing.picture, revision="", layout="", view=""), **side_data(drawing, options, {})}
        assert json.loads(json.dumps(data, allow_nan=False)) == data


def test_the_list_beside_names_exactly_what_is_drawn(network):
    drawing = drawn(network)
    side = side_data(drawing, NetworkOptions(), {})
    assert set(side["list"]["order"]) == {str(node) for node in drawing.picture.nodes}
    assert side["list"]["values"][0] == "3"


def test_clicking_entries_keeps_several_and_clicking_again_lets_go():
    assert toggled(toggled((), "c1"), "c2") == ("c1", "c2")
    assert toggled(("c1", "c2"), "c2") == ("c1",)


def test_the_page_to_take_away_holds_legend_and_list(network):
    html = page_of(drawn(network), NetworkOptions(), {}, title="Two <triangles>")
    assert "<title>Two &lt;triangles&gt;</title>" in html
    assert '"legend":' in html


def test_nothing_linked_says_so(network):
    empty = network.at_threshold(1.0).at_threshold(1.0)
    alone = draw(empty, NetworkOptions(isolated=True), KINDS)
    assert len(alone.picture.nodes) == 7
    assert "hang together" in interpretation_of(network, NetworkOptions(), drawn(network))


def test_a_range_hides_what_lies_beyond_counts_it_and_moves_or_resizes_nothing(network):
    whole = drawn(network)
    part = drawn(network, span=("year", 2001.0, 2004.0))
    assert ids(network, part) == ["a2", "a3", "b1", "b2"]
    assert part.counts.endswith("2 beyond year 2001 to 2004 are hidden")
    look = {node: (x, y, size) for node, x, y, size in _look(whole)}
    assert all(look[node] == (x, y, size) for node, x, y, size in _look(part))


def test_documents_without_a_value_are_outside_every_range_and_said_to_be(network):
    part = drawn(network, span=("cites", 0.0, 9.0))
    assert len(part.picture.nodes) == 0
    assert part.counts.endswith("6 without cites are hidden")


def _look(drawing):
    picture = drawing.picture
    return zip(picture.nodes.tolist(), picture.x, picture.y, picture.sizes, strict=True)
