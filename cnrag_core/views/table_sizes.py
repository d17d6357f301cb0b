"""Heights of table rows in which a long text takes more lines instead of being cut.

Enters: texts or a table, numbers of rows. Leaves: heights in pixels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

ONE_LINE = 35
WRAPPED = 66
"""Height of a row in which a long title takes up to three lines; below 65 none wraps."""
HEADER = 38
MOST_LINES = 14
"""Of a text in a row; the rest of it is read by a double click."""
MOST_HEIGHT = 640


def row_height(texts: Sequence[str], n_characters: int, *, least: int = ONE_LINE, most_lines: int = MOST_LINES) -> int:
    """Height of rows that show the longest of some texts, where a line holds `n_characters`."""
    # Without line breaks the longest text has most lines; to count those of all would hold a large table back.
    counted = [*(text for text in texts if "\n" in text), max(texts, key=len, default="")]
    lines = max((sum(-(-len(part) // n_characters) or 1 for part in text.splitlines()) for text in counted), default=1)
    return least if lines <= 1 else max(WRAPPED, least, 10 + 19 * min(lines, most_lines))


def height_of_rows(table: pd.DataFrame, characters: Mapping[str, int], *, most_lines: int = MOST_LINES) -> int:
    """Height of rows that show the longest text of these columns, where a line of each holds so many characters."""
    return max(row_height(table[name].tolist(), held, most_lines=most_lines) for name, held in characters.items())


def table_height(n_rows: int, height_of_row: int, most: int = MOST_HEIGHT) -> int:
    """Height of a table that shows all of its rows, or as many as `most` pixels hold."""
    return min(HEADER + height_of_row * max(n_rows, 1), most)
