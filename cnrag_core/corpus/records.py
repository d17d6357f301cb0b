"""From records to a corpus: clean, name, type, and remember where each came from.

Enters: mappings, one a document, from a reader or from Python. Leaves: a `Corpus` in the order of the
records, every document with its provenance. The work is done in four looks at the records: flatten and
count each while it streams in, read the schema's fields, choose the ids, and settle the kinds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cnrag_core.config.spec import FieldSpec
from cnrag_core.corpus.columns import settle_columns
from cnrag_core.corpus.document import Corpus, Document, Provenance
from cnrag_core.corpus.flatten import Flattener
from cnrag_core.corpus.identity import DEFAULT_ID_FIELD, assign_ids, choose_id_field, stays_a_field
from cnrag_core.corpus.limits import Limits, Meter
from cnrag_core.corpus.report import Report, RowError
from cnrag_core.corpus.schema import SchemaReader
from cnrag_core.corpus.wording import count, shown
from cnrag_core.errors import CorpusError


@dataclass(frozen=True)
class Record:
    """One record as a reader found it, with its place.

    `row` counts from 1 in the `unit` that a person would count in (record, line, row, page); `file` is
    given where one corpus has several. `typed` is False where the format has no types (CSV), so that
    numbers and lists are recognised in texts.
    """

    fields: Mapping[Any, Any]
    row: int | None = None
    page: int | None = None
    unit: str = "record"
    file: str | None = None
    typed: bool = True

    @property
    def place(self) -> str:
        """Where the record stands, for messages: ``record 14`` or ``notes/a.md``."""
        inside = f"page {self.page}" if self.page is not None else f"{self.unit} {self.row}" if self.row else ""
        return ", ".join(filter(None, [self.file, inside])) or "the document"


@dataclass
class _Loaded:
    rows: list[dict[str, Any]] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    origins: list[Provenance] = field(default_factory=list)
    untyped: bool = True


def corpus_of_records(
    records: Iterable[Mapping[str, Any] | Record],
    *,
    name: str = "corpus",
    file: str = "",
    id_field: str = DEFAULT_ID_FIELD,
    fields: Mapping[str, FieldSpec] | None = None,
    keep_duplicates: bool = False,
    skip_bad_rows: bool = False,
    limits: Limits | None = None,
    report: Report | None = None,
) -> Corpus:
    """Make a corpus of records.

    Parameters
    ----------
    records
        Mappings of field names to values, or `Record` where the place in a file is known; nested objects
        become dotted fields.
    name, file
        Name of the corpus, and of the file for provenance and messages.
    id_field
        Field that holds the ids. Without a field of that name the default ``id`` is looked for under
        other names (``_id``, ``doc_id``, ``doi``, ...), and documents are numbered where there is none.
    fields
        Schema: how fields are read from the record. Fields that it does not name are kept as they are.
    keep_duplicates
        Keep a repeated id as ``x#2`` instead of refusing it.
    skip_bad_rows
        Leave out records that cannot be used and count them, instead of stopping at the first.
    limits
        What the corpus may cost; `Limits()` by default.
    report
        Findings of the reader, to which these are added.

    Returns
    -------
    Corpus
        Documents in the order of the records, kinds of all fields, and what a person should know.

    Raises
    ------
    CorpusError
        If there is no document, an id is used twice, a limit is passed, or a record cannot be used.

    Examples
    --------
    >>> corpus = corpus_of_records([{"id": 7, "title": "Trees", "tags": ["a"]}, {"id": "007", "title": "Roots"}])
    >>> [document.id for document in corpus], dict(corpus.kinds)
    (['7', '007'], {'title': 'text', 'tags': 'list'})
    """
    if isinstance(records, (str, bytes, Mapping)) or not isinstance(records, Iterable):
        raise CorpusError(f"{file or name}: a corpus should be a list of records, found {shown(records)}.")
    limits = limits or Limits()
    report = report or Report(file or name, skip_bad_rows=skip_bad_rows)
    flattener = Flattener(limits, meter := Meter(limits, report.file), report)
    schema = SchemaReader(fields or {}, flattener, report)

    loaded = _load(records, file, flattener, meter, schema, limits, report)
    if not loaded.rows:
        rejected = f"; {_all_rejected(report)}" if report.n_rejected else ""
        raise CorpusError(f"{report.file}: there is no document in it{rejected}.")

    id_name = choose_id_field(loaded.rows, id_field, report)
    ids = assign_ids(loaded.rows, loaded.places, id_name, keep_duplicates=keep_duplicates, report=report)
    _drop_rejected(loaded, ids)
    if not loaded.rows:
        raise CorpusError(f"{report.file}: there is no document in it; {_all_rejected(report)}.")

    keep = {*schema.kinds, *([id_name] if id_name else [])}
    kinds = settle_columns(loaded.rows, keep=keep, cells_are_text=loaded.untyped, flattener=flattener, report=report)
    if id_name is not None and id_name not in schema.kinds:
        if stays_a_field(id_name):
            kinds[id_name] = "category"
        else:
            for row in loaded.rows:
                row.pop(id_name, None)
    kinds = {**schema.kinds, **kinds}

    documents = tuple(
        Document(node_id, row, origin)
        for node_id, row, origin in zip((i for i in ids if i is not None), loaded.rows, loaded.origins, strict=True)
    )
    return Corpus(documents, kinds, name, report.sentences(len(documents)))


def _all_rejected(report: Report) -> str:
    n = report.n_rejected
    return "its only record was rejected" if n == 1 else f"all {n:,} records were rejected"


def _load(
    records: Iterable[Mapping[str, Any] | Record],
    file: str,
    flattener: Flattener,
    meter: Meter,
    schema: SchemaReader,
    limits: Limits,
    report: Report,
) -> _Loaded:
    """Flatten and count the records one by one as they stream in, so that a limit stops a bomb early."""
    loaded = _Loaded()
    names: set[str] = set()
    for index, given in enumerate(records, start=1):
        record = given if isinstance(given, Record) else Record(given, row=index)
        fields: Any = record.fields  # JSON Lines and callers from Python may hand over anything
        if not isinstance(fields, Mapping):
            report.reject(record.place, f"a document should be an object with fields, found {shown(fields)}.")
            continue
        meter.add_document()
        try:
            row = flattener.flat(record.fields, record.place)
            digest = _sha256(row)
            row.update(schema.read(record.fields, row, record.place))
        except RowError as problem:
            report.reject(record.place, str(problem))
            continue
        names.update(row)
        if limits.fields is not None and len(names) > limits.fields:
            raise CorpusError(
                f"{report.file}: there are more than {count(limits.fields, 'different field')}; "
                "this does not look like documents that share their fields."
            )
        loaded.rows.append(row)
        loaded.places.append(record.place)
        loaded.untyped &= not record.typed
        loaded.origins.append(Provenance(record.file or file, record.row, record.page, digest))
    return loaded


def _drop_rejected(loaded: _Loaded, ids: list[str | None]) -> None:
    if None in ids:
        kept = [index for index, node_id in enumerate(ids) if node_id is not None]
        loaded.rows = [loaded.rows[index] for index in kept]
        loaded.origins = [loaded.origins[index] for index in kept]


def _sha256(row: Mapping[str, Any]) -> str:
    canonical = json.dumps(row, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()
