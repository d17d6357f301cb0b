"""The tables, their version, and how an older version becomes the present one.

Guide 002, "Storage Layer"; guide 003, "Dual storage pattern". Edges are not stored: they follow from
the rows and the configuration.
"""

from __future__ import annotations

import sqlite3

from cnrag_core.errors import StorageCorruptError, StorageError

APPLICATION_ID = 0x636E7267
"""``cnrg`` in the header of the file: how a database of ours is told from another."""

_FIRST_VERSION = (
    """
    CREATE TABLE nodes (
        id TEXT PRIMARY KEY NOT NULL,
        source_id TEXT NOT NULL DEFAULT '',      -- file that the document came from
        node_type TEXT NOT NULL DEFAULT 'document',
        content_hash TEXT NOT NULL,              -- SHA-256 of content_text
        content_text TEXT,
        metadata TEXT NOT NULL DEFAULT '{}',     -- JSON
        provenance TEXT,                         -- JSON
        checksum INTEGER NOT NULL                -- CRC-32 of the columns above
    )
    """,
    "CREATE INDEX nodes_by_content ON nodes (content_hash)",
    """
    CREATE TABLE embeddings (
        node_id TEXT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
        model_name TEXT NOT NULL,
        model_config TEXT NOT NULL DEFAULT '{}', -- JSON
        embedding BLOB NOT NULL,                 -- float32 little-endian, or index/value pairs
        dimension INTEGER NOT NULL,
        encoding TEXT NOT NULL DEFAULT 'dense',  -- 'dense' or 'sparse'
        checksum INTEGER NOT NULL,
        PRIMARY KEY (node_id, model_name)
    )
    """,
    """
    CREATE TABLE field_embeddings (
        node_id TEXT NOT NULL,
        field TEXT NOT NULL,
        model TEXT NOT NULL,
        chunk_index INTEGER NOT NULL,            -- 0, 1, ... in order; -1 is the aggregate
        dimension INTEGER NOT NULL,
        embedding BLOB NOT NULL,                 -- float32 little-endian
        text_key BLOB,                           -- SHA-256 of model, configuration and text of a chunk
        metadata TEXT,                           -- JSON, in the aggregate's row
        checksum INTEGER NOT NULL,
        PRIMARY KEY (node_id, field, model, chunk_index)
    )
    """,
    "CREATE INDEX field_embeddings_by_text ON field_embeddings (text_key) WHERE text_key IS NOT NULL",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (_FIRST_VERSION,)
"""Statements that lead from each version to the next; version n is the state after the first n."""


def schema_version() -> int:
    """The version that this program writes."""
    return len(MIGRATIONS)


def prepare(connection: sqlite3.Connection) -> None:
    """Create the tables in a new database, or bring an older one up to date, all in one transaction.

    Raises
    ------
    StorageCorruptError
        If the database is not one of ours.
    StorageError
        If a newer version of cnrag wrote it.
    """
    check_ownership(connection)
    if _number(connection, "user_version") == schema_version():
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statements in MIGRATIONS[_number(connection, "user_version") :]:  # another process may have been faster
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={schema_version()}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def check_ownership(connection: sqlite3.Connection) -> None:
    """Refuse a database of another program or of a newer version; an empty one is fine."""
    application, version = _number(connection, "application_id"), _number(connection, "user_version")
    if application != APPLICATION_ID:
        n_tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        if application != 0 or version != 0 or n_tables:
            raise StorageCorruptError("This database was written by another program, so it is left as it is.")
    elif version > schema_version():
        raise StorageError(
            f"This database has version {version}, but this program knows versions up to {schema_version()}; "
            "a newer cnrag wrote it."
        )


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
