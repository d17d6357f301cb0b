"""Sizes of tables: rows are high enough for their longest text, and no higher than can be looked at."""

import pandas as pd

from cnrag_core.views.table_sizes import (
    MOST_LINES,
    ONE_LINE,
    WRAPPED,
    height_of_rows,
    row_height,
    table_height,
)


def test_rows_of_short_texts_take_one_line():
    assert row_height([], 50) == row_height(["", "short"], 50) == ONE_LINE


def test_rows_are_as_high_as_the_longest_text_asks():
    two, five = row_height(["a" * 80], 50), row_height(["short", "a" * 250], 50)
    assert WRAPPED == two < five


def test_line_breaks_in_a_text_count():
    assert row_height(["one\n\ntwo\nthree\nfour"], 50) == row_height(["a" * 250], 50)


def test_a_very_long_text_does_not_fill_the_page():
    assert row_height(["a" * 100_000], 50) == row_height(["a" * 50 * MOST_LINES], 50)


def test_a_table_shows_all_of_few_rows_and_scrolls_many():
    assert table_height(0, ONE_LINE) == table_height(1, ONE_LINE)
    assert table_height(3, WRAPPED) - table_height(2, WRAPPED) == WRAPPED
    assert table_height(1000, WRAPPED, most=400) == 400


def test_the_column_that_needs_most_lines_decides():
    table = pd.DataFrame({"name": ["short"], "about": ["a" * 80], "ignored": ["a" * 800]})
    assert height_of_rows(table, {"name": 20}) == ONE_LINE
    assert height_of_rows(table, {"name": 20, "about": 50}) == WRAPPED
    assert height_of_rows(table[:0], {"name": 20}) == ONE_LINE
