"""Documents and judged questions as lines of JSON.

Enters: either. Leaves: the same, from a file that may be anybody's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from cnrag_core.corpus.document import Corpus, Document, Provenance

if TYPE_CHECKING:
    from cnrag_core.evaluation.judgements import JudgedQuery


class _Record(BaseModel):
    model_config = ConfigDict(strict=True)


class _Origin(_Record):
    file: str
    row: int | None
    page: int | None
    sha256: str


class _DocumentRecord(_Record):
    id: Annotated[str, Field(min_length=1)]
    fields: dict[str, Any]
    provenance: _Origin


class _QueryRecord(_Record):
    id: str
    text: str
    relevant: dict[str, FiniteFloat]
    required_evidence: list[str]
    type: str


def write_documents(path: Path, corpus: Corpus) -> None:
    """The documents of a corpus as JSON Lines, with their provenance."""
    with path.open("w", encoding="utf-8") as lines:
        lines.writelines(map(document_line, corpus))


def read_documents(path: Path) -> tuple[Document, ...]:
    """What `write_documents` wrote."""
    with path.open("rb") as lines:
        return documents_of_lines(lines)


def document_line(document: Document) -> str:
    """A document as one line."""
    return json.dumps(_plain(document), ensure_ascii=False, default=str) + "\n"


def documents_of_lines(lines: Iterable[bytes], *, known: Corpus | None = None) -> tuple[Document, ...]:
    """Documents of lines.

    Parameters
    ----------
    known
        Whose documents stand in for those that are the same: texts are kept in memory once.

    Raises
    ------
    ValueError
        If a line is no document or no text that can be stored, or an id comes twice; pydantic's, where a value is of
        another kind.
    """
    held = {} if known is None else {document.id: document for document in known}
    documents = tuple(_document_of(line, held) for line in lines)
    if len({document.id for document in documents}) != len(documents):
        raise ValueError("an id comes twice")
    return documents


def _document_of(line: bytes, held: Mapping[str, Document]) -> Document:
    plain = _plain_value(line)
    if held and isinstance(plain, dict) and isinstance(node_id := plain.get("id"), str):
        same = held.get(node_id)
        if same is not None and plain == _plain(same) and _same_values(plain["fields"], same.fields):
            return same
    record = _DocumentRecord.model_validate(plain)
    origin = record.provenance
    return Document(record.id, record.fields, Provenance(origin.file, origin.row, origin.page, origin.sha256))


def _plain_value(line: bytes) -> Any:
    """The value of a line; one with half of a surrogate pair, which could not be written again, is refused."""
    text = line.decode("utf-8")  # the library itself would let such halves pass, as bytes and as escapes
    plain = json.loads(text)
    if "\\u" in text:
        json.dumps(plain, ensure_ascii=False).encode("utf-8")
    return plain


def _plain(document: Document) -> dict[str, Any]:
    return {"id": document.id, "fields": dict(document.fields), "provenance": vars(document.provenance)}


def _same_values(a: Any, b: Any) -> bool:
    """Whether nobody could tell two equal values apart: 1, 1.0 and True are equal, and so are fields in any order."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(_same_values, a.values(), b.values()))
    return not isinstance(a, list) or all(map(_same_values, a, b))


def query_line(query: JudgedQuery) -> str:
    """A judged question as one line."""
    return json.dumps(asdict(query)) + "\n"


def queries_of_records(records: Sequence[Mapping[str, Any]]) -> tuple[JudgedQuery, ...]:
    """Judged questions as `dataclasses.asdict` made them plain; raises as `documents_of_lines`."""
    from cnrag_core.evaluation.judgements import JudgedQuery

    checked = [_QueryRecord.model_validate(record) for record in records]
    return tuple(JudgedQuery(q.id, q.text, q.relevant, tuple(q.required_evidence), q.type) for q in checked)
