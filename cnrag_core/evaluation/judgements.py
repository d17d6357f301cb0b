"""Judged questions: what was asked, and which documents answer it.

Enters: JSON Lines, JSON, CSV, TSV, or TREC qrels beside a file of questions. Leaves: `JudgedQuery` tuples.

- JSON: ``{"id": "q1", "text": "...", "relevant": ["doc1", "doc7"]}``; `relevant` may map ids to grades;
  ``required_evidence`` lists documents that are needed together;
- CSV and TSV: columns ``id, text, relevant`` with ids parted by ``;`` or ``|``, or one row a judgement
  with ``id, text, document, grade``;
- qrels: ``question 0 document grade``, or the same without the second column, parted by white space.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cnrag_core.corpus.document import as_number, as_text
from cnrag_core.errors import CorpusError

_TEXT_NAMES = ("text", "query", "question")
_ID_NAMES = ("id", "query_id", "qid", "question_id")
_RELEVANT_NAMES = ("relevant", "relevant_ids", "documents", "answers")
_DOCUMENT_NAMES = ("document", "document_id", "doc_id", "docid", "node_id")
_GRADE_NAMES = ("grade", "relevance", "score", "label")


@dataclass(frozen=True)
class JudgedQuery:
    """A question with its judged documents.

    Attributes
    ----------
    id, text
        As written.
    relevant
        Document id -> grade, above 0; all 1 where the judgements are yes or no.
    required_evidence
        Documents that are needed together for an answer; may be empty.
    type
        Kind of question, for people.
    """

    id: str
    text: str
    relevant: Mapping[str, float] = field(default_factory=dict)
    required_evidence: tuple[str, ...] = ()
    type: str = ""


def read_judgements(path: str | Path, qrels: str | Path | None = None) -> tuple[JudgedQuery, ...]:
    """Read judged questions from a file, from questions and qrels, or from a folder that holds both.

    Raises
    ------
    CorpusError
        Naming the file and row that cannot be used, or that nothing was judged.
    """
    path = Path(path)
    if path.is_dir():
        questions = sorted(path.glob("queries.*"))
        judgements = sorted(path.glob("qrels*"))
        if not questions:
            raise CorpusError(f"{path} holds no file 'queries.jsonl', 'queries.csv' or 'queries.tsv'.")
        path, qrels = questions[0], qrels or (judgements[0] if judgements else None)
    data = _read(path)
    judged = None if qrels is None else _read(Path(qrels))
    return read_judgements_bytes(data, path.name, judged, qrels_filename=Path(qrels).name if qrels else "qrels")


def read_judgements_bytes(
    data: bytes, filename: str, qrels: bytes | None = None, *, qrels_filename: str = "qrels"
) -> tuple[JudgedQuery, ...]:
    """As `read_judgements`, from the content of an uploaded file."""
    records = _records(_decoded(data, filename), filename)
    if qrels is None:
        return judged_queries(records, source=filename)
    grades = read_qrels(_decoded(qrels, qrels_filename), qrels_filename)
    questions = _questions(records, filename)
    found = [
        JudgedQuery(id=query_id, text=text, relevant=grades[query_id])
        for query_id, text in questions.items()
        if query_id in grades
    ]
    if not found:
        raise CorpusError(f"No question of {filename} is judged in {qrels_filename}; do their ids belong together?")
    return tuple(found)


def read_questions_bytes(data: bytes, filename: str) -> tuple[JudgedQuery, ...]:
    """Questions to be asked, judged or not: one a line of plain text, or as `read_judgements_bytes` reads them.

    Raises
    ------
    CorpusError
        If the file is no UTF-8 text, holds no question, or has a table without a column for it.
    """
    text = _decoded(data, filename)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    plain = Path(filename).suffix.lower() not in (".csv", ".tsv", ".tab", ".json", ".jsonl") and not _is_table(lines)
    records = [{"text": line} for line in lines] if plain else _records(text, filename)
    questions = judged_queries(records, source=filename, keep_unjudged=True)
    if not questions:
        raise CorpusError(f"{filename} holds no question; write one a line.")
    return questions


def _is_table(lines: Sequence[str]) -> bool:
    """Whether plain text is JSON, or begins with a header that names a column of questions."""
    if not lines or lines[0].startswith(("{", "[")):
        return bool(lines)
    delimiter = max(",;|\t", key=lines[0].count)
    header = [cell.strip().lower() for cell in lines[0].split(delimiter)]
    return len(header) > 1 and bool(set(header) & set(_TEXT_NAMES))


def judged_queries(
    records: Iterable[Mapping[str, Any]], *, source: str = "queries", keep_unjudged: bool = False
) -> tuple[JudgedQuery, ...]:
    """Judged questions from records, as JSON or CSV gives them.

    Questions without a relevant document are left out, unless they are wanted: nothing can be measured on them.

    Raises
    ------
    CorpusError
        For a record without a text or judgements, an id used twice, a grade that is no number, or where
        nothing is judged at all.
    """
    texts: dict[str, str] = {}
    relevant: dict[str, dict[str, float]] = {}
    evidence: dict[str, tuple[str, ...]] = {}
    types: dict[str, str] = {}
    rows: dict[str, int] = {}
    for row, record in enumerate(records, start=1):
        where = f"{source}, record {row}"
        text = _text_of(record, where)
        query_id = as_text(_first(record, _ID_NAMES)).strip() or f"q{row}"
        one_judgement = _first(record, _DOCUMENT_NAMES) is not None and _first(record, _RELEVANT_NAMES) is None
        if query_id in texts and not (one_judgement and texts[query_id] == text):
            raise CorpusError(f"{where}: question {query_id!r} stands in record {rows[query_id]} already.")
        rows.setdefault(query_id, row)
        texts[query_id] = text
        types[query_id] = as_text(record.get("type"))
        evidence[query_id] = tuple(map(as_text, _listed(record.get("required_evidence"))))
        relevant.setdefault(query_id, {}).update(_grades(record, where))
    found = [
        JudgedQuery(query_id, text, relevant[query_id], evidence[query_id], types[query_id])
        for query_id, text in texts.items()
        if relevant[query_id] or keep_unjudged
    ]
    if texts and not found:
        raise CorpusError(
            f"{source} judges no document; give each question the field 'relevant', a list of document ids."
        )
    return tuple(found)


def read_qrels(text: str, filename: str = "qrels") -> dict[str, dict[str, float]]:
    """Question id -> document id -> grade above 0, from TREC judgements.

    Raises
    ------
    CorpusError
        For a line without three or four columns, or with a grade that is no number.
    """
    grades: dict[str, dict[str, float]] = {}
    for row, line in enumerate(text.splitlines(), start=1):
        # tabs part columns where there are any, because ids may hold spaces
        columns = line.split("\t") if "\t" in line else line.split()
        if not line.strip():
            continue
        if len(columns) not in (3, 4):
            raise CorpusError(
                f"{filename}, line {row}: expected 'question 0 document grade', found {len(columns)} columns."
            )
        grade = as_number(columns[-1])
        if grade is None:
            if row == 1:  # a header
                continue
            raise CorpusError(f"{filename}, line {row}: grade {columns[-1]!r} is no number.")
        if grade > 0:
            grades.setdefault(columns[0].strip(), {})[columns[-2].strip()] = grade
    return grades


def unknown_documents(queries: Sequence[JudgedQuery], node_ids: Iterable[str]) -> tuple[str, ...]:
    """Judged documents that the corpus does not hold, sorted; they count as never found."""
    judged = {document for query in queries for document in query.relevant}
    return tuple(sorted(judged.difference(node_ids)))


def _records(text: str, filename: str) -> list[Mapping[str, Any]]:
    suffix = Path(filename).suffix.lower()
    if suffix in (".csv", ".tsv", ".tab"):
        return _table(text, "\t" if suffix != ".csv" else None, filename)
    stripped = text.lstrip()
    if suffix == ".json" or stripped.startswith("["):
        value = _json(text, f"{filename}")
        if isinstance(value, Mapping):
            value = next((item for item in value.values() if isinstance(item, list)), None)
        if not isinstance(value, list):
            raise CorpusError(f"{filename}: expected a list of questions.")
        return [_mapping(item, f"{filename}, record {row}") for row, item in enumerate(value, start=1)]
    if stripped.startswith("{"):
        lines = [(row, line) for row, line in enumerate(text.splitlines(), start=1) if line.strip()]
        return [_mapping(_json(line, f"{filename}, line {row}"), f"{filename}, line {row}") for row, line in lines]
    return _table(text, "\t" if "\t" in text else None, filename)


def _table(text: str, delimiter: str | None, filename: str) -> list[Mapping[str, Any]]:
    lines = io.StringIO(text.lstrip("\ufeff"))
    if delimiter is None:
        head = text.split("\n", 1)[0]
        delimiter = max(",;|\t", key=head.count)
    try:
        rows = [row for row in csv.reader(lines, delimiter=delimiter) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise CorpusError(f"{filename} is no table that can be read: {error}.") from None
    if not rows:
        return []
    header = [cell.strip().lower() for cell in rows[0]]
    if not set(header) & set(_TEXT_NAMES):
        if len(header) == 2:  # id and text without a header, as TREC questions come
            return [{"id": row[0], "text": row[1]} for row in rows if len(row) == 2]
        raise CorpusError(f"{filename}: no column is called 'text'; the columns are {', '.join(map(repr, header))}.")
    for number, row in enumerate(rows[1:], start=2):
        if len(row) > len(header):
            raise CorpusError(f"{filename}, row {number}: {len(row)} cells, but the header names {len(header)}.")
    return [dict(zip(header, row, strict=False)) for row in rows[1:]]


def _questions(records: Iterable[Mapping[str, Any]], filename: str) -> dict[str, str]:
    """Texts of questions by id, for judgements that stand elsewhere."""
    questions: dict[str, str] = {}
    for row, record in enumerate(records, start=1):
        where = f"{filename}, record {row}"
        query_id = as_text(_first(record, _ID_NAMES)).strip()
        if not query_id:
            raise CorpusError(f"{where}: a question needs an 'id', by which the judgements name it.")
        if query_id in questions:
            raise CorpusError(f"{where}: question {query_id!r} stands there twice.")
        questions[query_id] = _text_of(record, where)
    return questions


def _grades(record: Mapping[str, Any], where: str) -> dict[str, float]:
    """Grades above 0 of one record, whichever way it gives them."""
    value = _first(record, _RELEVANT_NAMES)
    if value is None:
        document = as_text(_first(record, _DOCUMENT_NAMES)).strip()
        grade = _first(record, _GRADE_NAMES)
        pairs: list[tuple[Any, Any]] = [(document, 1.0 if grade in (None, "") else grade)] if document else []
    elif isinstance(value, Mapping):
        pairs = list(value.items())
    else:
        pairs = [
            (item.get("id"), item.get("grade", 1.0)) if isinstance(item, Mapping) else (item, 1.0)
            for item in _listed(value)
        ]
    grades = {}
    for document, given in pairs:
        grade = as_number(given)
        if grade is None:
            raise CorpusError(f"{where}: grade {given!r} of document {as_text(document)!r} is no number.")
        if grade > 0:
            grades[as_text(document)] = grade
    return grades


def _listed(value: Any) -> Sequence[Any]:
    """A list of ids; a text holds several, parted by ``;`` or ``|``."""
    if value is None:
        return ()
    if isinstance(value, str):
        delimiter = "|" if "|" in value and ";" not in value else ";"
        return [part.strip() for part in value.split(delimiter) if part.strip()]
    return value if isinstance(value, (list, tuple)) else [value]


def _text_of(record: Mapping[str, Any], where: str) -> str:
    text = as_text(_first(record, _TEXT_NAMES)).strip()
    if not text:
        raise CorpusError(f"{where}: a question needs a 'text'; found {', '.join(map(repr, record)) or 'nothing'}.")
    return text


def _first(record: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((record[name] for name in names if record.get(name) is not None), None)


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"{where} is no JSON: {error}.") from None


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise CorpusError(f"{where}: expected an object with 'text' and 'relevant', found {type(value).__name__}.")
    return value


def _decoded(data: bytes, filename: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CorpusError(f"{filename} is not UTF-8 text; save it as UTF-8.") from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CorpusError(f"{path} cannot be read: {error.strerror}.") from None
