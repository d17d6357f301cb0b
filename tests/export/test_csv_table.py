from __future__ import annotations

import csv
import io

import pandas as pd
import pytest

from cnrag_core.export.csv_table import FORMULA_STARTS, csv_bytes, neutralized


def cells(table: pd.DataFrame) -> list[list[str]]:
    return list(csv.reader(io.StringIO(csv_bytes(table).decode("utf-8-sig"), newline="")))


@pytest.mark.parametrize("start", FORMULA_STARTS)
def test_a_cell_that_a_spreadsheet_would_calculate_becomes_text(start):
    assert cells(pd.DataFrame({"title": [f"{start}HYPERLINK(1)"]}))[1] == [f"'{start}HYPERLINK(1)"]


def test_a_line_break_within_a_cell_begins_no_row():
    table = pd.DataFrame({"title": ["harmless\r=cmd()", "two\n=cmd()"]})
    assert cells(table)[1:] == [["harmless\r=cmd()"], ["two\n=cmd()"]]


def test_true_numbers_stay_numbers():
    assert cells(pd.DataFrame({"year": [-5, 3], "x": [-0.5, 1.25]}))[1:] == [["-5", "-0.5"], ["3", "1.25"]]


def test_names_of_columns_are_neutralised_as_well():
    assert cells(pd.DataFrame({"=cmd": [1]}))[0] == ["'=cmd"]


def test_lists_are_joined_and_missing_values_are_empty():
    assert cells(pd.DataFrame({"tags": [["a", "b"], None], "n": [1.0, None]}))[1:] == [["a; b", "1.0"], ["", ""]]


def test_every_script_survives():
    table = pd.DataFrame({"title": ["é漢😀", 'a\nb,c"d']})
    assert [row[0] for row in cells(table)[1:]] == list(table["title"])


def test_a_text_that_only_contains_a_sign_is_left_alone():
    assert neutralized("a = b") == "a = b"
