"""Which field names a document, and what happens where it names none or two the same.

Ids are text, exactly as written: ``007``, ``7``, ``1_2`` and ``NA`` are four documents. A number gives its
shortest writing (1 is ``1``, 1.0 is ``1.0``), true gives ``true``; so 1 and "1" are the same id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from cnrag_core.corpus.report import Report, RowError
from cnrag_core.corpus.wording import count, listed, nearest, quoted, shown
from cnrag_core.errors import CorpusError, DuplicateIdError

MAX_ID_LENGTH = 1000
DEFAULT_ID_FIELD = "id"

_KNOWN = (
    *("id", "_id", "doc_id", "docid", "document_id", "uuid", "guid", "key", "identifier", "pmid", "isbn", "doi"),
    *("url", "uri", "link", "permalink", "href", "slug", "path"),
)
_ADDRESSES = frozenset({"doi", "url", "uri", "link", "permalink", "href", "slug", "path", "isbn", "pmid"})
_ID_LIKE = re.compile(r"(?:.*[_. -])?(?:id|ID|Id|no|No|nr|Nr|sku|SKU|code|Code)|.*[a-z](?:Id|ID)", re.DOTALL)

Row = dict[str, Any]


def choose_id_field(rows: Sequence[Row], id_field: str, report: Report) -> str | None:
    """The field that holds the ids: the one asked for, else one that is unique and everywhere, else None.

    Raises
    ------
    CorpusError
        If another field than ``id`` was asked for and no record has it.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    if id_field in names:
        return id_field
    if id_field != DEFAULT_ID_FIELD:
        close = nearest(id_field, names)
        hint = f" Did you mean '{quoted(close)}'?" if close else ""
        raise CorpusError(
            f"{report.file}: no record has the field '{quoted(id_field)}' that should hold the id; "
            f"the fields are {listed(names)}.{hint}"
        )
    by_folded = {name.casefold(): name for name in reversed(names)}
    candidates = [by_folded[known] for known in _KNOWN if known in by_folded]
    candidates += [name for name in names if _ID_LIKE.fullmatch(name) and name not in candidates]
    for name in candidates:
        if _identifies(rows, name):
            report.warn(f"There is no field 'id'; '{quoted(name)}' is unique and was taken as the id.")
            return name
    return None


def stays_a_field(name: str) -> bool:
    """Whether the field that holds the ids says something beside: an address does, a number or key does not."""
    return name.casefold() in _ADDRESSES


def id_text(value: Any) -> str | None:
    """The id as text, or None where the value names nothing.

    Raises
    ------
    RowError
        If it is a list or an object, or longer than an id can be.

    Examples
    --------
    >>> id_text("007"), id_text(7), id_text(True), id_text(1.0), id_text(" ")
    ('007', '7', 'true', '1.0', None)
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if not isinstance(value, str):
        raise RowError(f"the id should be a text or a number, found {shown(value)}.")
    if len(value) > MAX_ID_LENGTH:
        raise RowError(f"the id is {count(len(value), 'character')} long; at most {MAX_ID_LENGTH:,} are allowed.")
    return value if value.strip() else None


def assign_ids(
    rows: Sequence[Row], places: Sequence[str], id_field: str | None, *, keep_duplicates: bool, report: Report
) -> list[str | None]:
    """One id a record, in their order; None for a record that was rejected.

    Parameters
    ----------
    rows, places
        Flat records, and where each stands in its file.
    id_field
        The field that holds the ids, or None to number the documents.
    keep_duplicates
        Keep the second ``x`` as ``x#2`` instead of refusing it.
    report
        Told of generated and duplicate ids.

    Raises
    ------
    CorpusError
        If two records have the same id (all of them are named), or an id is unusable.
    """
    written = [_written(row, place, id_field, report) for row, place in zip(rows, places, strict=True)]
    taken: dict[str, int] = {}
    duplicates: list[tuple[int, int]] = []
    for index, name in enumerate(written):
        if name is not None and name is not _REJECTED and taken.setdefault(name, index) != index:
            duplicates.append((taken[name], index))
    if duplicates and not keep_duplicates:
        _refuse(duplicates, written, places, report)
    repeated = {index for _, index in duplicates}

    namer = _Namer(taken)
    ids: list[str | None] = []
    n_generated, first_generated = 0, ""
    for index, name in enumerate(written):
        if name is _REJECTED or (index in repeated and not keep_duplicates):
            ids.append(None)
        elif name is None:
            fresh = namer.fresh(f"doc-{index + 1:05d}")
            ids.append(fresh)
            n_generated, first_generated = n_generated + 1, first_generated or places[index]
        elif index in repeated:
            ids.append(namer.numbered(name))
        else:
            ids.append(name)
    if duplicates and keep_duplicates:
        first = written[duplicates[0][1]]
        report.warn(
            f"{count(len(duplicates), 'document repeats', 'documents repeat')} the id of another and "
            f"got a number behind it, such as '{quoted(first or '')}#2'."
        )
    if id_field is None and n_generated:
        report.warn("There is no field with unique ids; the documents are numbered doc-00001, doc-00002, …")
    elif n_generated:
        records = count(n_generated, "record has", "records have")
        report.warn(f"{records} no id and got a generated one (first: {first_generated}).")
    return ids


_REJECTED = "\x00rejected"  # no cleaned text holds a NUL


def _written(row: Row, place: str, id_field: str | None, report: Report) -> str | None:
    try:
        return id_text(row.get(id_field)) if id_field is not None else None
    except RowError as problem:
        report.reject(place, str(problem))
        return _REJECTED


def _refuse(
    duplicates: Sequence[tuple[int, int]], written: Sequence[str | None], places: Sequence[str], report: Report
) -> None:
    if report.skip_bad_rows:
        for first, second in duplicates:
            report.reject(places[second], f"the id '{quoted(written[second] or '')}' is taken by {places[first]}.")
        return
    named = [
        f"id '{quoted(written[second] or '')}' is used by {places[first]} and {places[second]}"
        for first, second in duplicates[:5]
    ]
    more = f"; and {len(duplicates) - 5:,} more" if len(duplicates) > 5 else ""
    raise DuplicateIdError(
        f"{report.file}: {'; '.join(named)}{more}. Every document needs an id of its own{DuplicateIdError.ADVICE}"
    )


def _identifies(rows: Sequence[Row], name: str) -> bool:
    """Whether the field is a short scalar in every record, and different in each."""
    seen: set[str] = set()
    for row in rows:
        try:
            text = id_text(row.get(name))
        except RowError:
            return False
        if text is None or len(text) > 300 or "\n" in text or text in seen:
            return False
        seen.add(text)
    return True


class _Namer:
    """Gives out names that nobody has, counting on from the last one of each base."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._used = set(taken)
        self._last: dict[str, int] = {}

    def fresh(self, name: str) -> str:
        """The name itself, or numbered when it is taken."""
        return self.numbered(name) if name in self._used else self._take(name)

    def numbered(self, name: str) -> str:
        """``name#2``, or the next number that is free."""
        number = self._last.get(name, 1) + 1
        while f"{name}#{number}" in self._used:
            number += 1
        self._last[name] = number
        return self._take(f"{name}#{number}")

    def _take(self, name: str) -> str:
        self._used.add(name)
        return name
