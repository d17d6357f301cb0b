"""Looking at each field over the whole corpus: its kind, and what its values are meant to be.

Enters: flat records, changed in place. Leaves: the kind of every field. Numbers, booleans, lists and objects
are made of texts only where the file could not say so itself (CSV, spreadsheets); lists that were written
as one text with separators are split in every format, and the report tells it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from cnrag_core.config.spec import FieldKind
from cnrag_core.corpus import cells
from cnrag_core.corpus.flatten import Flattener
from cnrag_core.corpus.kinds import guess_kind, is_present, list_separator, split_items
from cnrag_core.corpus.report import Report, RowError
from cnrag_core.corpus.wording import listed, quoted

Row = dict[str, Any]

MAX_UNFOLDED = 200
"""Keys of the objects in one column, beyond which they are data of their own and no fields."""


def settle_columns(
    rows: Sequence[Row], *, keep: Collection[str], cells_are_text: bool, flattener: Flattener, report: Report
) -> dict[str, FieldKind]:
    """Convert what the texts of each field clearly mean, and say what kind every field is.

    Parameters
    ----------
    rows
        Flat records; changed in place.
    keep
        Fields whose values stay exactly as they are: the id, and fields that a schema has read.
    cells_are_text
        Whether the format has no types, so that ``3`` was meant as a number.
    flattener
        For objects and lists inside cells.
    report
        Told which fields were split.

    Returns
    -------
    dict
        Kind of every field but those in `keep`, in the order of first appearance.
    """
    if cells_are_text:
        _unfold_structures(rows, keep, flattener)
    kinds: dict[str, FieldKind] = {}
    commas: dict[str, str] = {}
    for name, holders in _holders(rows).items():
        if name in keep:
            continue
        values = [row[name] for row in holders]
        if all(isinstance(value, str) for value in values):
            if cells_are_text:
                values = _convert_cells(name, holders, values, report)
            if values and all(isinstance(value, str) for value in values):
                values = _split_lists(name, holders, values, report)
        kinds[name] = guess_kind([value for value in values if is_present(value)])
        if cells_are_text and all(isinstance(value, str) for value in values):
            example = cells.decimal_comma_of(values)
            if example is not None:
                commas[name] = example
    _tell_of_commas(commas, kinds, report)
    for row in rows:  # a field that holds nothing anywhere is still a field
        for name in row:
            if name not in keep:
                kinds.setdefault(name, "text")
    return {name: kinds[name] for row in rows for name in row if name in kinds} if kinds else {}


def _holders(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """For every field the records that hold something in it."""
    holders: dict[str, list[Row]] = {}
    for row in rows:
        for name, value in row.items():
            if is_present(value):
                holders.setdefault(name, []).append(row)
    return holders


def _unfold_structures(rows: Sequence[Row], keep: Collection[str], flattener: Flattener) -> None:
    """Columns whose cells are all JSON objects or lists become dotted fields and lists."""
    for name, holders in _holders(rows).items():
        texts = [row[name] for row in holders]
        if name in keep or not all(isinstance(text, str) and text.lstrip()[:1] in ("{", "[") for text in texts):
            continue
        values = cells.objects_of(texts) or cells.lists_of(texts)
        if values is None:
            continue
        try:
            flats = [flattener.flat({name: value}, f"field '{quoted(name)}'") for value in values]
        except RowError:  # nested too deeply, or too large: it stays the text that it was
            continue
        if len({key for flat in flats for key in flat}) > MAX_UNFOLDED:
            continue
        for row in rows:
            row.pop(name, None)
        for row, flat in zip(holders, flats, strict=True):
            row.update(flat)


def _convert_cells(name: str, holders: Sequence[Row], texts: list[str], report: Report) -> list[Any]:
    values: Sequence[Any] | None
    for convert in (cells.numbers_of, cells.booleans_of):
        values = convert(texts)
        if values is not None:
            break
    else:
        return texts
    not_available = sorted({text.strip() for text, value in zip(texts, values, strict=True) if value is None})
    if not_available:
        report.warn(f"Field '{quoted(name)}' holds numbers; {listed(not_available)} count as missing in it.")
    for row, value in zip(holders, values, strict=True):
        row[name] = value
    return list(values)


def _tell_of_commas(commas: Mapping[str, str], kinds: Mapping[str, FieldKind], report: Report) -> None:
    """Numbers with a decimal comma stay texts, and ``1,234`` beside them is read as thousands: both are told."""
    if all(kinds[name] == "number" for name in commas):
        return  # commas that part thousands, as far as anybody can tell
    for name, example in commas.items():
        read = (
            f"is read as {example.replace(',', '')}, its comma parting thousands"
            if kinds[name] == "number"
            else "is read as text"
        )
        report.warn(
            f"Field '{quoted(name)}' seems to hold numbers with a decimal comma: '{example}' {read}; "
            "write decimals with a point to have them compared as numbers."
        )


def _split_lists(name: str, holders: Sequence[Row], texts: list[str], report: Report) -> list[Any]:
    separator = list_separator(texts)
    if separator is None:
        return texts
    report.warn(f"Field '{quoted(name)}' was read as a list, split at '{separator}'.")
    lists = [split_items(text, separator) for text in texts]
    for row, items in zip(holders, lists, strict=True):
        row[name] = items
    return list(lists)
