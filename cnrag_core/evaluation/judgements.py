"""Judged questions: which documents answer what.

Enters: JSON Lines, CSV or TREC qrels with their questions. Leaves: `JudgedQuery`s. Grades are whole
numbers, larger is better, 0 is judged and not relevant.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cnrag_core.errors import CorpusError


@dataclass(frozen=True)
class JudgedQuery:
    """A question, the grade of each judged document, and what an answer cannot do without.

    `required_evidence` are ids that an answer needs all of; where none are given, every relevant one.
    """

    id: str
    text: str
    relevant: Mapping[str, int] = field(default_factory=dict)
    required_evidence: tuple[str, ...] = ()
    kind: str = ""

    @property
    def evidence(self) -> tuple[str, ...]:
        """Ids that an answer needs all of."""
        return self.required_evidence or tuple(node_id for node_id, grade in self.relevant.items() if grade > 0)


def judged_queries(records: Iterable[Mapping[str, Any]], *, source: str = "queries") -> tuple[JudgedQuery, ...]:
    """Judged questions from records with `id`, `text` (or `query`, `question`) and `relevant`.

    `relevant` is a list of ids, or a mapping of ids to grades.

    Raises
    ------
    CorpusError
        Naming the record and what it lacks.
    """
    queries: dict[str, JudgedQuery] = {}
    for number, record in enumerate(records, start=1):
        place = f"{source}, record {number}"
        if not isinstance(record, Mapping):
            raise CorpusError(f"{place}: a judged question should be an object with id, text and relevant.")
        text = next((record[name] for name in ("text", "query", "question") if record.get(name)), None)
        if not isinstance(text, str):
            raise CorpusError(f"{place}: there is no question; it belongs under 'text'.")
        query_id = str(record.get("id", number))
        if query_id in queries:
            raise CorpusError(f"{place}: the question id {query_id!r} is already taken; ids must be unique.")
        queries[query_id] = JudgedQuery(
            query_id,
            text,
            _grades(record.get("relevant", ()), place),
            tuple(map(str, record.get("required_evidence", ()) or ())),
            str(record.get("type") or record.get("kind") or ""),
        )
    return tuple(queries.values())


def read_judgements(queries: str | Path, qrels: str | Path | None = None) -> tuple[JudgedQuery, ...]:
    """Judged questions from a file, or from questions and TREC qrels in two files.

    Parameters
    ----------
    queries
        JSON Lines, JSON or CSV. With `qrels` only id and text are read.
    qrels
        Tab- or blank-separated ``query document grade``, or ``query 0 document grade``.

    Raises
    ------
    CorpusError
        If a file cannot be read, naming file and line.
    """
    path = Path(queries)
    data = _bytes(path)
    if qrels is None:
        return read_judgements_bytes(data, path.name)
    grades = read_qrels(_bytes(Path(qrels)).decode("utf-8-sig"), source=Path(qrels).name)
    records = _records(data.decode("utf-8-sig"), path.name)
    return judged_queries(
        ({**record, "relevant": grades.get(str(record.get("id")), {})} for record in records), source=path.name
    )


def read_judgements_bytes(data: bytes, name: str) -> tuple[JudgedQuery, ...]:
    """Judged questions from the bytes of an upload."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorpusError(f"{name}: judged questions should be UTF-8 text; byte {error.start} is not.") from None
    return judged_queries(_records(text, name), source=name)


def read_qrels(text: str, *, source: str = "qrels") -> dict[str, dict[str, int]]:
    """Grades by query and document from TREC qrels."""
    grades: dict[str, dict[str, int]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        parts = line.split()
        if not parts:
            continue
        if len(parts) not in (3, 4) or not parts[-1].lstrip("-").isdigit():
            if number == 1:
                continue  # a header
            raise CorpusError(f"{source}, line {number}: expected 'query document grade', found {line[:60]!r}.")
        grades.setdefault(parts[0], {})[parts[-2]] = int(parts[-1])
    return grades


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CorpusError(f"{path.name} cannot be read: {error.strerror}.") from None


def _records(text: str, name: str) -> Sequence[Mapping[str, Any]]:
    start = text.lstrip()[:1]
    if start == "[":
        try:
            records = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise CorpusError(f"{name}: not valid JSON ({error}).") from None
        return list(records)
    if start == "{":
        return [_json_line(line, number, name) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    return _csv_records(text, name)


def _json_line(line: str, number: int, name: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"{name}, line {number}: not valid JSON ({error}).") from None


def _csv_records(text: str, name: str) -> Sequence[Mapping[str, Any]]:
    """One row a question with its ids in one cell, or one row a judgement with the question repeated."""
    try:
        dialect: Any = csv.Sniffer().sniff(text[:4096], delimiters=",;\t")
    except csv.Error:
        dialect = csv.excel
    rows = list(csv.DictReader(io.StringIO(text), dialect=dialect))
    if not rows:
        raise CorpusError(f"{name} holds no judged questions.")
    gathered: dict[str, dict[str, Any]] = {}
    for number, row in enumerate(rows, start=2):
        question = next((row[key] for key in ("text", "query", "question") if row.get(key)), None)
        if question is None:
            raise CorpusError(f"{name}, line {number}: there is no question; name the column 'text'.")
        query_id = row.get("id") or row.get("query_id") or question
        entry = gathered.setdefault(query_id, {"id": query_id, "text": question, "relevant": {}})
        cell = row.get("relevant") or row.get("document") or row.get("doc_id") or ""
        grade = row.get("grade") or "1"
        for node_id in cell.split("|") if "|" in cell else cell.split(";"):
            if node_id.strip():
                entry["relevant"][node_id.strip()] = int(grade) if grade.lstrip("-").isdigit() else 1
    return list(gathered.values())


def _grades(value: Any, place: str) -> dict[str, int]:
    if isinstance(value, Mapping):
        pairs = value.items()
    elif isinstance(value, (list, tuple)):
        pairs = ((item, 1) for item in value)  # type: ignore[assignment]  # pairs of the same kind
    else:
        raise CorpusError(
            f"{place}: 'relevant' should be a list of ids or a mapping of ids to grades, found {value!r}."
        )
    try:
        return {str(node_id): int(grade) for node_id, grade in pairs}
    except (TypeError, ValueError):
        raise CorpusError(f"{place}: every grade in 'relevant' should be a whole number.") from None
