"""A table as CSV that a spreadsheet opens without running anything in it.

Enters: a data frame. Leaves: UTF-8 bytes. A text that a spreadsheet would take for a formula gets an
apostrophe in front; true numbers, negative ones too, stay numbers.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

_BYTE_ORDER_MARK = "\ufeff"
"""Without it a spreadsheet reads the file as Latin-1."""


def csv_bytes(table: pd.DataFrame) -> bytes:
    """The table with its column names, without its index.

    Lists are joined with ``"; "``; missing values are empty.

    Examples
    --------
    >>> csv_bytes(pd.DataFrame({"title": ["=1+1", "plain"], "year": [-5, 2]})).decode("utf-8-sig").split()
    ['title,year', "'=1+1,-5", 'plain,2']
    """
    safe = pd.DataFrame({neutralized(str(name)): [_cell(value) for value in table[name]] for name in table.columns})
    # With both characters in the line ending the writer quotes a text that holds either of them; otherwise
    # a carriage return within a title would begin a new row, whose first cell nobody neutralised.
    return (_BYTE_ORDER_MARK + safe.to_csv(index=False, lineterminator="\r\n")).encode("utf-8", "replace")


def neutralized(text: str) -> str:
    """The text with an apostrophe in front where a spreadsheet would calculate it.

    Examples
    --------
    >>> neutralized("-1+1"), neutralized("minus one")
    ("'-1+1", 'minus one')
    """
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _cell(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        value = "; ".join(map(str, value))
    return neutralized(value) if isinstance(value, str) else value
