"""The Threshold page in words and pictures."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from cnrag_core.graph.threshold_changes import ThresholdChange
from cnrag_core.graph.thresholds import similarity_histogram
from cnrag_core.views.threshold_charts import histogram_chart, threshold_curve_chart
from cnrag_core.views.threshold_words import interpretation, step_words


def marked(network, threshold, suggested, apart):
    suggestion = SimpleNamespace(threshold=suggested, percolation=apart)
    return threshold_curve_chart(network.curve, threshold=threshold, suggestion=suggestion)


@pytest.mark.parametrize("threshold", [0.5, 0.53, 0.7])
def test_no_line_runs_through_the_words_of_another(network, threshold):
    figure = marked(network, threshold, 0.52, 0.54)
    line_of = {line.x0: line for line in figure.layout.shapes}
    words = sorted(figure.layout.annotations, key=lambda note: note.x)
    assert [note.text.rsplit(" ", 1)[0] for note in words].index("suggested") in (0, 1)
    for note, right in pairwise(words):
        assert note.xanchor == "left"
        assert line_of[right.x].y1 < note.y  # what begins further to the right ends below


def test_pairs_are_drawn_as_far_as_there_are_any(network):
    histogram = similarity_histogram(network.curve.candidates)
    _, high = histogram_chart(histogram, threshold=0.3).layout.xaxis.range
    strongest = float(network.curve.candidates.weight.max())
    assert strongest <= high <= strongest + 0.1 or high == 1.0
    assert histogram_chart(histogram, threshold=0.99).layout.xaxis.range[1] >= 0.99


def test_words_beside_the_last_line_stay_inside(network):
    histogram = similarity_histogram(network.curve.candidates)
    assert [note.xanchor for note in histogram_chart(histogram, threshold=1.0).layout.annotations] == ["right"]
    assert [note.xanchor for note in histogram_chart(histogram, threshold=0.1).layout.annotations] == ["left"]


def test_where_nothing_is_linked_nothing_hangs_together(network):
    graph = SimpleNamespace(degree=np.zeros(2), component_sizes=(1, 1), n_nodes=2, rule="similarity at least 1.00")
    said = interpretation(SimpleNamespace(graph=graph), network.curve, network.suggestion)
    assert said == "With this rule (similarity at least 1.00) no two documents are linked."


def test_documents_linked_to_nothing_are_counted_not_given_as_a_share(network):
    said = interpretation(network, network.curve, network.suggestion)
    assert "1 is linked to nothing" in said


def change_to(threshold, edges, isolates, *strongest):
    return ThresholdChange(threshold, edges, 0, 0, isolates, strongest, ())


def test_a_step_says_what_comes_or_goes_with_a_line_for_each_example(network):
    at, (a, b) = network.graph.threshold, network.graph.node_ids[:2]
    lower = step_words(change_to(at - 0.05, 1, -2, (a, b, 0.09987)), network)
    assert lower.headline == f"Down to {at - 0.05:.2f}: 1 more edge, 2 fewer isolated."
    assert lower.examples == (f"0.0999: {network.title(a)} — {network.title(b)}",)
    higher = step_words(change_to(at + 0.05, -1200, 3, (b, a, 0.2)), network)
    assert higher.headline == f"Up to {at + 0.05:.2f}: 1,200 fewer edges, 3 more isolated."
    assert "go" in higher.about


def test_a_step_that_exchanges_edges_names_those_that_go(network):
    at, (a, b) = network.graph.threshold, network.graph.node_ids[:2]
    words = step_words(change_to(at + 0.05, 0, 0, (a, b, 0.2)), network)
    assert words.headline == f"Up to {at + 0.05:.2f}: as many edges, as many isolated."
    assert "go" in words.about


def test_a_step_that_changes_nothing_says_so(network):
    at = network.graph.threshold
    words = step_words(change_to(at + 0.05, 0, 0), network)
    assert words.headline == f"Up to {at + 0.05:.2f}: the same edges, as many isolated."
    assert (words.about, words.examples) == ("", ())
