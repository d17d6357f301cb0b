from __future__ import annotations

import pytest

from cnrag_core.similarity.structured import Contribution, PairExplanation
from cnrag_core.views.pair_waterfall import contribution_table, pair_waterfall


@pytest.fixture
def explanation() -> PairExplanation:
    """The worked example of guide 000."""
    parts = [("title", "cosine", 0.75, 0.3), ("abstract", "cosine", 0.68, 0.4), ("tags", "jaccard", 0.2, 0.2)]
    rows = [Contribution(n, m, s, s, w, s * w, "ok", ("transformers",)) for n, m, s, w in parts]
    rows.append(Contribution("authors", "jaccard", 0.0, 0.0, 0.1, 0.0, "missing"))
    return PairExplanation("a", "b", sum(row.contribution for row in rows), tuple(rows))


def test_the_bars_are_the_contributions_and_their_sum(explanation):
    bars = pair_waterfall(explanation, threshold=0.4).to_dict()["data"][0]
    assert list(bars["x"]) == pytest.approx([0.225, 0.272, 0.040, 0.0, 0.537])
    assert list(bars["measure"]) == ["relative"] * 4 + ["total"]


def test_a_missing_field_is_named_as_such(explanation):
    bars = pair_waterfall(explanation).to_dict()["data"][0]
    assert bars["y"][3] == "authors <i>(missing)</i>"


def test_the_threshold_is_a_line(explanation):
    shapes = pair_waterfall(explanation, threshold=0.4).to_dict()["layout"]["shapes"]
    assert [shape["x0"] for shape in shapes] == [0.4]


def test_the_table_ends_with_the_sum(explanation):
    table = contribution_table(explanation)
    assert table["contribution"].iloc[-1] == pytest.approx(0.537)
    assert table["contribution"].iloc[:-1].sum() == pytest.approx(0.537)


def test_field_names_are_never_markup():
    part = Contribution("<b>x</b>", "cosine", 0.5, 0.5, 1.0, 0.5, "ok")
    bars = pair_waterfall(PairExplanation("a", "b", 0.5, (part,))).to_dict()["data"][0]
    assert bars["y"][0] == "&lt;b&gt;x&lt;/b&gt;"
