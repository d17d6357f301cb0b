from __future__ import annotations

import numpy as np
import pytest

from cnrag_core.views.network_colors import (
    CATEGORIES,
    SHAPES,
    _slot_color,
    _slot_shape,
    color_choices,
    color_nodes,
    community_slots,
)
from cnrag_core.views.palette import ISOLATED, REST
from tests.views.network_of_tags import KINDS


def test_communities_measures_and_fields_can_be_coloured_by(network):
    choices = color_choices(network, KINDS)
    assert list(choices)[:2] == ["community", "degree"]
    assert {"field:tags", "field:year", "field:field"} <= set(choices)
    assert "field:title" not in choices, "a text that never repeats says nothing by its colours"


def test_the_field_that_the_configuration_shows_comes_right_after_communities(network):
    shown = network.config.model_copy(update={"display": network.config.display.model_copy(update={"color": "year"})})
    changed = type(network)(network.documents, shown, {}, network.columns, network.candidates, network.graph)
    assert list(color_choices(changed, KINDS))[:2] == ["community", "field:year"]


def test_the_legend_counts_communities_and_folds_the_isolated(network):
    coloring = color_nodes(network, "community", KINDS)
    assert [(entry.key, entry.n) for entry in coloring.entries] == [("c0", 3), ("c1", 3), ("isolated", 1)]
    assert coloring.colors[6] == ISOLATED
    assert len({coloring.colors[0], coloring.colors[3]}) == 2


def test_every_document_belongs_to_one_entry_of_every_legend(network):
    for key in color_choices(network, KINDS):
        coloring = color_nodes(network, key, KINDS)
        counts = np.bincount(coloring.entry_of, minlength=len(coloring.entries))
        assert counts.tolist() == [entry.n for entry in coloring.entries]


def test_numbers_are_few_classes_named_by_the_values_that_they_hold(network):
    coloring = color_nodes(network, "degree", KINDS)
    assert [entry.label for entry in coloring.entries] == ["0", "2", "3"]
    assert coloring.values[2] == "3"


def test_an_unknown_choice_is_the_community(network):
    assert color_nodes(network, "nonsense", KINDS).key == "community"


def test_a_missing_value_has_an_entry_of_its_own(network):
    coloring = color_nodes(network, "field:nowhere", KINDS)
    assert [(entry.label, entry.n) for entry in coloring.entries] == [("no value", 7)]


def test_colours_stay_when_the_threshold_moves(network):
    higher = network.at_threshold(0.6)
    before, after = color_nodes(network, "community", KINDS), color_nodes(higher, "community", KINDS)
    assert after.colors == before.colors


def test_a_community_takes_the_place_of_its_forerunner(network):
    # at 0.9 each triangle keeps two documents; ties of size go by the smallest id, so both keep their place
    assert community_slots(network.at_threshold(0.9)).tolist() == [0, 1]


def test_filters_match_documents_of_the_entries_and_everything_where_none_is_known(network):
    coloring = color_nodes(network, "community", KINDS)
    assert np.flatnonzero(coloring.matches(["c1"])).tolist() == [3, 4, 5]
    assert coloring.matches(["gone"]).all()


@pytest.mark.parametrize(("slot", "color", "shape"), [(0, CATEGORIES[0], 0), (10, CATEGORIES[0], 1), (20, REST, 2)])
def test_beyond_ten_colours_shapes_tell_communities_apart(slot, color, shape):
    assert (_slot_color(slot), _slot_shape(slot)) == (color, SHAPES[shape])
