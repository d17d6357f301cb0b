"""Parquet, batch by batch with a running count.

A megabyte of Parquet can hold ten gigabytes of repeated text, and its own metadata does not say so. Text
columns are therefore read as dictionaries, in which a repeated value exists once, and their values are
shared by the rows; the total is counted as if they were not.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cnrag_core.corpus.limits import too_many_values
from cnrag_core.corpus.readers.children import stopped, told_by_child
from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.readers.tables import MAX_COLUMNS
from cnrag_core.corpus.records import Record
from cnrag_core.corpus.report import refusing
from cnrag_core.corpus.wording import count, size
from cnrag_core.errors import CorpusError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

BATCH_ROWS = 256
_INDEX = "__index_level_"  # what a data frame calls its row numbers
VALUES_PER_ROW = 10_000
"""Values of one row on average, beyond which a file is no corpus: lists can be repeated as cheaply as texts."""


def read(source: Source) -> Iterator[Record]:
    """Rows as records; nested values stay nested.

    Raises
    ------
    CorpusError
        If the file is damaged, has too many rows or columns, or unpacks to too much.
    """
    import pyarrow.parquet as pq

    if source.limits.file_bytes is not None:
        _try_in_child(source)
    with refusing(source.name, "Parquet"):
        file = pq.ParquetFile(io.BytesIO(source.data))
        _check_size(file, source)
        texts = [
            file.schema.column(position).path
            for position in range(len(file.schema))
            if file.schema.column(position).physical_type == "BYTE_ARRAY"
        ]
        file = pq.ParquetFile(io.BytesIO(source.data), read_dictionary=texts)
        row = 0
        for batch in file.iter_batches(batch_size=BATCH_ROWS):
            limit = source.limits.text_bytes
            if limit is not None and batch.nbytes > 2 * limit:
                raise CorpusError(f"{source.name} unpacks to more than {size(limit)}, the most that is allowed here.")
            for values in _rows(batch):
                row += 1
                yield Record(values, row=row)


def _try_in_child(source: Source) -> None:
    """Unpack a stranger's file where that may fail: pages of a few kilobytes hold gigabytes, and metadata can lie."""
    messages = told_by_child("parquet", source, BATCH_ROWS)
    refused = next((message["refused"] for message in messages if "refused" in message), None)
    if refused is not None:
        raise CorpusError(f"{source.name}: {refused}")
    if not messages:
        raise stopped(source)


def _check_size(file: pq.ParquetFile, source: Source) -> None:
    """Refuse what the metadata already admits, before anything is unpacked."""
    metadata, limits, name = file.metadata, source.limits, source.name
    rows = count(metadata.num_rows, "row")
    if metadata.num_columns > MAX_COLUMNS:
        raise CorpusError(f"{name} has {count(metadata.num_columns, 'column')}; at most {MAX_COLUMNS:,} are allowed.")
    if limits.documents is not None and metadata.num_rows > limits.documents:
        raise CorpusError(f"{name} has {rows}; at most {limits.documents:,} documents are allowed here.")
    n_bytes = n_values = 0
    for group in range(metadata.num_row_groups):
        for position in range(metadata.num_columns):
            column = metadata.row_group(group).column(position)
            n_bytes += column.total_uncompressed_size
            n_values = max(n_values, column.num_values)
    if limits.text_bytes is not None and n_bytes > 2 * limits.text_bytes:
        raise CorpusError(f"{name} unpacks to {size(n_bytes)}; at most {size(limits.text_bytes)} are allowed here.")
    if limits.values is not None and metadata.num_rows * metadata.num_columns > limits.values:
        raise too_many_values(name, limits.values)
    if n_values > VALUES_PER_ROW * max(1, metadata.num_rows):
        raise CorpusError(f"{name} has {n_values:,} values in {rows}; this is no corpus.")


def _rows(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    import pyarrow as pa

    names = [name for name in batch.schema.names if not name.startswith(_INDEX)]
    columns = []
    for column in (batch.column(name) for name in names):
        if pa.types.is_dictionary(column.type):
            shared = column.dictionary.to_pylist()
            columns.append([None if index is None else shared[index] for index in column.indices.to_pylist()])
        else:
            columns.append(column)
    for row in range(batch.num_rows):
        yield {
            name: column[row] if isinstance(column, list) else column[row].as_py()
            for name, column in zip(names, columns, strict=True)
        }
