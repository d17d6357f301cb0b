from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cnrag_core.views.network_classes import MOST_CLASSES, classes_of, date_number, date_words, number_words


@given(arrays(np.float64, st.integers(0, 40), elements=st.floats(-1e6, 1e6) | st.just(float("nan"))))
def test_classes_are_few_ascending_and_cover_every_number(values):
    classes = classes_of(values, number_words)
    assert len(classes.labels) <= MOST_CLASSES
    assert ((classes.class_of == -1) == np.isnan(values)).all()
    known = ~np.isnan(values)
    order = np.argsort(values[known], kind="stable")
    assert (np.diff(classes.class_of[known][order]) >= 0).all()
    assert set(classes.class_of[known].tolist()) == set(range(len(classes.labels)))


def test_equal_numbers_share_a_class():
    classes = classes_of(np.array([0.0] * 50 + list(range(1, 21))), number_words)
    assert len(set(classes.class_of[:50].tolist())) == 1


def test_dates_sort_by_day_and_read_as_dates():
    assert date_number("1999-12-31") < date_number("2000-01-01")
    assert date_words(date_number("2020-02-03")) == "2020-02-03"
    assert date_number("2020-13-45") is None
