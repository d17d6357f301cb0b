"""From a path or from bytes to a corpus: the two ways in.

The content decides what a file is. Files of a person (`read_corpus`) may hold any number of documents;
uploads (`read_bytes`) are held to the limits of a shared server unless the caller says otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from cnrag_core.config.spec import FieldSpec
from cnrag_core.corpus.document import Corpus
from cnrag_core.corpus.identity import DEFAULT_ID_FIELD
from cnrag_core.corpus.limits import UPLOAD_LIMITS, Limits
from cnrag_core.corpus.readers.folder import entries_of_folder, read_entries, read_zip
from cnrag_core.corpus.readers.registry import reader_of
from cnrag_core.corpus.readers.sniffing import detect
from cnrag_core.corpus.readers.source import Source, Split
from cnrag_core.corpus.records import Record, corpus_of_records
from cnrag_core.corpus.report import Report
from cnrag_core.corpus.wording import file_label, quoted, shown, stem
from cnrag_core.errors import CorpusError


def read_corpus(
    path: str | os.PathLike[str],
    *,
    id_field: str = DEFAULT_ID_FIELD,
    fields: Mapping[str, FieldSpec] | None = None,
    keep_duplicates: bool = False,
    skip_bad_rows: bool = False,
    split: Split = "auto",
    limits: Limits | None = None,
) -> Corpus:
    """Read a file or folder of documents.

    JSON, JSON Lines, CSV and TSV, Parquet, Excel and OpenDocument sheets, YAML, Markdown, plain text, HTML, PDF,
    BibTeX, RIS, news feeds, exported chats (WhatsApp among them), and folders or zips of these. The content decides,
    not the name.

    Parameters
    ----------
    path
        A file, or a folder.
    id_field
        Field that holds the ids. Where nothing is called ``id``, ``_id``, ``doc_id``, ``doi``, ... and is
        unique, documents are numbered, with a warning.
    fields
        Schema: how fields are read from each record.
    keep_duplicates
        Keep a repeated id as ``x#2`` instead of refusing it.
    skip_bad_rows
        Leave out and count rows that cannot be read, instead of stopping at the first.
    split
        How prose becomes documents: ``whole``, ``passages``, or what suits the format (``auto``).
    limits
        `Limits.of_this_machine()` by default: as much text as the free memory bears.

    Returns
    -------
    Corpus
        Documents in the order of the file, the kind of every field, and what a person should know (`warnings`).

    Raises
    ------
    CorpusError
        If the file cannot be read or used, with the file, the row and the field.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise CorpusError(f"`path` should be the path of a file or folder, found {shown(path)}.")
    limits = limits or Limits.of_this_machine()
    label = file_label(os.fspath(path))
    report = Report(label, skip_bad_rows=skip_bad_rows)
    options = _Options(id_field, fields, keep_duplicates, limits, split)
    try:
        place = Path(path)
        if place.is_dir():
            source = Source(b"", label, report, limits, split)
            return options.corpus(read_entries(entries_of_folder(place, report), source), report)
        if not place.exists():
            raise CorpusError(f"There is no file or folder '{quoted(os.fspath(path), length=200)}'.")
        if not place.is_file():
            raise CorpusError(f"{label} is no ordinary file.")
        limits.check_file(label, place.stat().st_size)
        data = place.read_bytes()
    except CorpusError:
        raise
    except (OSError, ValueError) as error:  # no permission, a name too long, a NUL in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise CorpusError(f"'{quoted(os.fspath(path))}' cannot be opened: {quoted(reason).rstrip('.')}.") from None
    return options.read(data, report)


def read_bytes(
    data: bytes,
    filename: str,
    *,
    id_field: str = DEFAULT_ID_FIELD,
    fields: Mapping[str, FieldSpec] | None = None,
    keep_duplicates: bool = False,
    skip_bad_rows: bool = False,
    split: Split = "auto",
    limits: Limits | None = None,
) -> Corpus:
    """Read documents from the bytes of a file that somebody uploaded.

    Parameters
    ----------
    data
        The content.
    filename
        The name that the uploader gave; shown shortened, and never used as a path.
    id_field, fields, keep_duplicates, skip_bad_rows, split
        As for `read_corpus`.
    limits
        `UPLOAD_LIMITS` by default: those of the server.

    Returns
    -------
    Corpus
        As for `read_corpus`.

    Raises
    ------
    CorpusError
        If the content cannot be read or used.
    """
    limits = limits or UPLOAD_LIMITS
    report = Report(file_label(filename), skip_bad_rows=skip_bad_rows)
    limits.check_file(report.file, len(data))
    return _Options(id_field, fields, keep_duplicates, limits, split).read(data, report)


class _Options:
    """What both ways in have in common."""

    def __init__(
        self,
        id_field: str,
        fields: Mapping[str, FieldSpec] | None,
        keep_duplicates: bool,
        limits: Limits,
        split: Split,
    ) -> None:
        self._id_field = id_field
        self._fields = fields
        self._keep_duplicates = keep_duplicates
        self._limits = limits
        self._split = split

    def read(self, data: bytes, report: Report) -> Corpus:
        source = Source(data, report.file, report, self._limits, self._split)
        found = detect(data, report.file, report)
        if found == "zip":
            return self.corpus(read_zip(source), report)
        return self.corpus(reader_of(found)(source), report)

    def corpus(self, records: Iterator[Record], report: Report) -> Corpus:
        return corpus_of_records(
            records,
            name=stem(report.file),
            file=report.file,
            id_field=self._id_field,
            fields=self._fields,
            keep_duplicates=self._keep_duplicates,
            skip_bad_rows=report.skip_bad_rows,
            limits=self._limits,
            report=report,
        )
