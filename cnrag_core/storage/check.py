"""Looking for damage in a database without changing it.

Enters: the path of a database. Leaves: a sentence for everything that is wrong. Behind the command
``cnrag check``.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from cnrag_core.embedding.store import AGGREGATE_INDEX
from cnrag_core.errors import CNRagError, StorageError
from cnrag_core.storage.field_rows import FIELD_COLUMNS, check_chunks, decoded_field_row, owner_of
from cnrag_core.storage.json_text import from_json
from cnrag_core.storage.schema import check_ownership
from cnrag_core.storage.sqlite_storage import (
    EMBEDDING_COLUMNS,
    NODE_COLUMNS,
    checked_node_row,
    decoded_embedding_row,
)

MAX_FINDINGS = 100


def check_database(path: str | Path) -> list[str]:
    """What is wrong with a database, one sentence each, at most 100; empty where nothing is.

    SQLite's own integrity check first, then what cnrag promises: every row as it was written, texts
    that fit their hash, embeddings of nodes that exist, chunks 0, 1, ... without a gap and exactly
    one aggregate.

    Raises
    ------
    StorageError
        If there is no such file.
    """
    file = Path(path)
    if not file.is_file():
        raise StorageError(f"There is no database {str(path)!r}.")
    findings: list[str] = []
    try:
        uri = f"{file.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=30.0)) as connection:
            for finding in _findings(connection):
                findings.append(finding)
                if len(findings) == MAX_FINDINGS:
                    findings.append(f"There is more; the first {MAX_FINDINGS} findings are shown.")
                    break
    except CNRagError as error:
        findings.append(str(error))
    except (sqlite3.Error, UnicodeDecodeError) as error:
        findings.append(f"SQLite cannot read the file any further: {error}.")
    return findings


def _findings(connection: sqlite3.Connection) -> Iterator[str]:
    for (line,) in connection.execute(f"PRAGMA integrity_check({MAX_FINDINGS})"):
        if line != "ok":
            yield f"SQLite: {line}"
    check_ownership(connection)
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    missing = sorted({"nodes", "embeddings", "field_embeddings"} - tables)
    if missing:
        yield f"The file lacks the tables {', '.join(missing)}."
        return
    yield from _node_findings(connection)
    yield from _embedding_findings(connection)
    yield from _field_findings(connection)


def _node_findings(connection: sqlite3.Connection) -> Iterator[str]:
    for row in connection.execute(f"SELECT {NODE_COLUMNS} FROM nodes"):
        try:
            node = checked_node_row(row)
            from_json(node.metadata, f"Node {node.id!r}")
            from_json(node.provenance, f"Node {node.id!r}")
            if hashlib.sha256((node.content_text or "").encode("utf-8")).hexdigest() != node.content_hash:
                yield f"Node {node.id!r}: the text does not fit its hash."
        except CNRagError as error:
            yield str(error)


def _embedding_findings(connection: sqlite3.Connection) -> Iterator[str]:
    for row in connection.execute(f"SELECT {EMBEDDING_COLUMNS} FROM embeddings"):
        try:
            decoded_embedding_row(row)
        except CNRagError as error:
            yield str(error)
    orphans = "SELECT node_id, model_name FROM embeddings WHERE node_id NOT IN (SELECT id FROM nodes)"
    for node_id, model in connection.execute(orphans):
        yield f"Node {node_id!r}, model {model!r}: there is an embedding, but no such node."


def _field_findings(connection: sqlite3.Connection) -> Iterator[str]:
    for row in connection.execute(f"SELECT {FIELD_COLUMNS} FROM field_embeddings"):
        try:
            decoded_field_row(row)
            if row[3] == AGGREGATE_INDEX:
                from_json(row[7], f"Node {row[0]!r}, field {row[1]!r}, model {row[2]!r}")
        except CNRagError as error:
            yield str(error)
    groups = """
        SELECT node_id, field, model, group_concat(chunk_index),
               max(CASE WHEN chunk_index = -1 THEN metadata END), sum(chunk_index = -1)
        FROM field_embeddings WHERE typeof(chunk_index) = 'integer' GROUP BY node_id, field, model
    """
    for node_id, field, model, indices, metadata, n_aggregates in connection.execute(groups):
        key = (node_id, field, model)
        if n_aggregates != 1:
            yield f"{owner_of(*key)}: the aggregate (chunk_index -1) is missing; it is rebuilt when it is read."
        try:
            known = from_json(metadata, owner_of(*key))
        except CNRagError:
            known = {}  # named above
        try:
            check_chunks(key, sorted(map(int, indices.split(",")))[n_aggregates:], known)
        except CNRagError as error:
            yield str(error)
