"""The Threshold page in words and pictures."""

from __future__ import annotations

from types import SimpleNamespace

from cnrag_core.graph.thresholds import similarity_histogram
from cnrag_core.views.threshold_charts import histogram_chart, threshold_curve_chart
from cnrag_core.views.threshold_words import interpretation


def marked(network, threshold, suggested, apart):
    suggestion = SimpleNamespace(threshold=suggested, percolation=apart)
    figure = threshold_curve_chart(network.curve, threshold=threshold, suggestion=suggestion)
    return {note.text.rsplit(" ", 1)[0]: note for note in figure.layout.annotations}


def test_only_the_leftmost_mark_has_its_words_on_the_left_so_that_no_line_runs_through_them(network):
    notes = marked(network, 0.5, 0.52, 0.54)
    assert {name: note.xanchor for name, note in notes.items()} == {
        "here": "right",
        "suggested": "left",
        "falls apart": "left",
    }
    notes = marked(network, 0.7, 0.52, 0.54)
    assert notes["here"].xanchor == "left"
    assert notes["suggested"].xanchor == "right"


def test_at_the_edge_of_the_chart_there_is_no_room_on_the_left(network):
    low = float(network.curve.floor)
    assert marked(network, low, 0.5, 0.6)["here"].xanchor == "left"


def test_pairs_are_drawn_as_far_as_there_are_any(network):
    histogram = similarity_histogram(network.curve.candidates)
    _, high = histogram_chart(histogram, threshold=0.3).layout.xaxis.range
    strongest = float(network.curve.candidates.weight.max())
    assert strongest <= high <= strongest + 0.1 or high == 1.0
    assert histogram_chart(histogram, threshold=0.99).layout.xaxis.range[1] >= 0.99


def test_documents_linked_to_nothing_are_counted_not_given_as_a_share(network):
    said = interpretation(network, network.curve, network.suggestion)
    assert "1 is linked to nothing" in said
