"""Nodes and their embeddings in SQLite.

Enters: documents, texts with metadata, rows. Leaves: the same, exactly. Guide 002, "Storage Layer".
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from cnrag_core.corpus.document import Document, Provenance
from cnrag_core.errors import CorpusError, StorageCorruptError, UnknownNameError
from cnrag_core.storage.connection import Database
from cnrag_core.storage.json_text import from_json, to_json
from cnrag_core.storage.lookup import BATCH, lookup_key, matching_rows, storable
from cnrag_core.storage.vector_codec import checksum, decode_vector, encode_vector
from cnrag_core.types import Progress, silent

CONTENT_FIELD = "content"
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_]{1,64}")
_MAX_CONDITIONS = 20
NODE_COLUMNS = "id, source_id, node_type, content_hash, content_text, metadata, provenance, checksum"
EMBEDDING_COLUMNS = "node_id, model_name, model_config, embedding, dimension, encoding, checksum"
_SAVE_NODE = f"""
INSERT INTO nodes ({NODE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
    source_id = excluded.source_id, node_type = excluded.node_type, content_hash = excluded.content_hash,
    content_text = excluded.content_text, metadata = excluded.metadata, provenance = excluded.provenance,
    checksum = excluded.checksum
"""

Vector: TypeAlias = "NDArray[np.float32] | sp.csr_matrix"


class NodeRow(NamedTuple):
    """A row of `nodes` without its checksum."""

    id: str
    source_id: str
    node_type: str
    content_hash: str
    content_text: str | None
    metadata: str
    provenance: str | None

    def with_checksum(self) -> tuple[Any, ...]:
        return (*self, self.checksum())

    def checksum(self) -> int:
        return checksum(repr(tuple(self)))


class SQLiteStorage:
    """Nodes with content and metadata, and any number of embeddings of each, one a model.

    Two documents with the same text are two nodes; `content_hash`, the SHA-256 of the text, tells
    that their text is the same. Every write is a transaction: all of it is kept, or nothing.
    Usable from any number of threads and processes.

    Parameters
    ----------
    path
        Database file, created if absent; ``:memory:`` keeps everything in memory.

    Raises
    ------
    StorageCorruptError
        If the file is damaged or was not written by cnrag.
    StorageError
        If it cannot be opened.

    Examples
    --------
    >>> storage = SQLiteStorage()
    >>> storage.save_node("a", "Coral reefs bleach.", {"year": 2020})
    >>> storage.get_node("a")["metadata"]
    {'year': 2020}
    >>> storage.save_embedding("a", [0.6, 0.8], "toy", {"size": 2})
    >>> storage.load_embeddings("toy")["a"].tolist()
    [0.6000000238418579, 0.800000011920929]
    """

    def __init__(self, path: str | Path = ":memory:") -> None:
        self.database = Database(path)

    def __enter__(self) -> SQLiteStorage:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; the storage cannot be used afterwards."""
        self.database.close()

    # Nodes.

    def save_node(
        self,
        node_id: str,
        content: str,
        metadata: Mapping[str, Any] | None = None,
        *,
        source_id: str = "",
        node_type: str = "document",
    ) -> None:
        """Add a node, or replace it; embeddings of another text that it had are dropped.

        Raises
        ------
        CorpusError
            If the id is not a text or is empty, or the metadata cannot be stored.
        """
        self._save([_node_row(node_id, content, metadata or {}, source_id, node_type, None)])

    def save_nodes(
        self, nodes: Iterable[tuple[str, str, Mapping[str, Any] | None]], *, progress: Progress = silent
    ) -> int:
        """Add many ``(node_id, content, metadata)`` in one transaction, and return how many."""
        return self._save((_node_row(*_triple(node), "", "document", None) for node in nodes), progress)

    def save_documents(
        self, documents: Iterable[Document], *, replace: bool = True, progress: Progress = silent
    ) -> int:
        """Add or replace documents in one transaction, and return how many; all of them, or none.

        Raises
        ------
        CorpusError
            If `replace` is False and an id is taken, be it since a moment ago by another process.
        """
        documents = list(documents)
        with self.database.transaction() as connection:
            if not replace:
                ids = [document.id for document in documents]
                taken = next(matching_rows(connection, "SELECT id FROM nodes WHERE id IN", ids), None)
                if taken is not None:
                    raise CorpusError(
                        f"There is already a document {taken[0]!r}, which another program has stored meanwhile; "
                        "open the database again to see it."
                    )
            return self._save(map(_document_row, documents), progress, len(documents))

    def load_documents(self) -> list[Document]:
        """All documents, in the order of their ids, with the fields and provenance that they were saved with."""
        with self.database.snapshot() as connection:
            return [_document(row) for row in connection.execute(f"SELECT {NODE_COLUMNS} FROM nodes ORDER BY id")]

    def get_node(self, node_id: str) -> dict[str, Any] | None:
        """Content and metadata of a node: id, source_id, node_type, content_hash, content, metadata; or None."""
        with self.database.snapshot() as connection:
            row = connection.execute(
                f"SELECT {NODE_COLUMNS} FROM nodes WHERE id = ?", (lookup_key(node_id),)
            ).fetchone()
        return None if row is None else _node(row)

    def search_nodes(self, filters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Nodes whose metadata fit all filters, in the order of their ids.

        A filter ``{"year": 2020}`` asks for equality; a list in the metadata fits when it holds the
        value, a list in the filter when one of its values fits, None when the key is absent. A key
        ``"a.b"`` also looks for `b` inside `a`. ``True`` is not 1, and texts fit exactly.
        """
        filters = filters or {}
        # SQLite narrows down what it can decide for sure; Python decides. Keys and values are bound, never a part
        # of the statement.
        narrowing = [(key, wanted) for key, wanted in filters.items() if _is_plain(key, wanted)][:_MAX_CONDITIONS]
        conditions = ["EXISTS (SELECT 1 FROM json_each(nodes.metadata, ?) WHERE json_each.value = ?)"] * len(narrowing)
        parameters = [part for key, wanted in narrowing for part in (f'$."{key}"', wanted)]
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        with self.database.snapshot() as connection:
            rows = connection.execute(f"SELECT {NODE_COLUMNS} FROM nodes {where} ORDER BY id", parameters)
            nodes = [_node(row) for row in rows]
        return [
            node for node in nodes if all(_fits(node["metadata"], str(key), wanted) for key, wanted in filters.items())
        ]

    def delete_node(self, node_id: str) -> bool:
        """Remove a node with its embeddings; whether it existed. Other nodes with the same text stay."""
        with self.database.transaction() as connection:
            return connection.execute("DELETE FROM nodes WHERE id = ?", (lookup_key(node_id),)).rowcount > 0

    def node_ids(self) -> list[str]:
        """All ids, sorted."""
        with self.database.snapshot() as connection:
            return [row[0] for row in connection.execute("SELECT id FROM nodes ORDER BY id")]

    def count(self) -> int:
        """Number of nodes."""
        with self.database.snapshot() as connection:
            return int(connection.execute("SELECT count(*) FROM nodes").fetchone()[0])

    # Embeddings.

    def save_embedding(
        self,
        node_id: str,
        embedding: ArrayLike | sp.spmatrix,
        model_name: str,
        config: Mapping[str, Any] | None = None,
    ) -> None:
        """Add the embedding of a node by a model, or replace it; dense, or one sparse row.

        Raises
        ------
        UnknownNameError
            If there is no such node.
        EmbeddingError
            If the embedding is not one finite vector; the message names node and model.
        """
        self.save_embeddings({node_id: embedding}, model_name, config)

    def save_embeddings(
        self,
        embeddings: Mapping[str, ArrayLike | sp.spmatrix],
        model_name: str,
        config: Mapping[str, Any] | None = None,
    ) -> None:
        """Many embeddings by one model in one transaction; raises as `save_embedding`."""
        settings = to_json(config or {}, f"Model {model_name!r}")
        statement = f"INSERT OR REPLACE INTO embeddings ({EMBEDDING_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"
        with self.database.transaction() as connection:
            known = set(matching_rows(connection, "SELECT id FROM nodes WHERE id IN", list(embeddings)))
            for node_id, embedding in embeddings.items():
                if (node_id,) not in known:
                    raise UnknownNameError(f"There is no node {node_id!r}; save it before its embedding.")
                encoding, dimension, blob = encode_vector(embedding, _owner(node_id, model_name))
                check = checksum(repr((node_id, model_name, settings, dimension, encoding)), blob)
                connection.execute(statement, (node_id, model_name, settings, blob, dimension, encoding, check))

    def load_embeddings(self, model_name: str, node_ids: Sequence[str] | None = None) -> dict[str, Vector]:
        """Embeddings by a model, by node id: of the given nodes in their order, or of all, sorted.

        Nodes without one are left out. Dense ones are (d,) float32, sparse ones (1, d) CSR.

        Raises
        ------
        StorageCorruptError
            If a stored vector is damaged; the message names node and model.
        """
        statement = f"SELECT {EMBEDDING_COLUMNS} FROM embeddings WHERE model_name = ?"
        with self.database.snapshot() as connection:
            if node_ids is None:
                return dict(
                    map(decoded_embedding_row, connection.execute(f"{statement} ORDER BY node_id", (model_name,)))
                )
            rows = matching_rows(connection, f"{statement} AND node_id IN", node_ids, model_name)
            found = dict(map(decoded_embedding_row, rows))
        return {node_id: found[node_id] for node_id in node_ids if node_id in found}

    def get_model_config(self, node_id: str, model_name: str) -> dict[str, Any] | None:
        """Configuration that an embedding was made with, or None where there is none."""
        statement = f"SELECT {EMBEDDING_COLUMNS} FROM embeddings WHERE node_id = ? AND model_name = ?"
        with self.database.snapshot() as connection:
            row = connection.execute(statement, (lookup_key(node_id), model_name)).fetchone()
        if row is None:
            return None
        decoded_embedding_row(row)
        return from_json(row[2], _owner(node_id, model_name))

    def model_names(self) -> list[str]:
        """Models that some node has an embedding by, sorted."""
        with self.database.snapshot() as connection:
            return [row[0] for row in connection.execute("SELECT DISTINCT model_name FROM embeddings ORDER BY 1")]

    def _save(self, rows: Iterable[NodeRow], progress: Progress = silent, n_rows: int = 0) -> int:
        """Write node rows in one transaction."""
        number = 0
        with self.database.transaction() as connection:
            for number, row in enumerate(rows, 1):
                # an embedding belongs to the text it was made from
                connection.execute(
                    "DELETE FROM embeddings WHERE node_id = ? AND EXISTS "
                    "(SELECT 1 FROM nodes WHERE id = ? AND content_hash <> ?)",
                    (row.id, row.id, row.content_hash),
                )
                connection.execute(_SAVE_NODE, row.with_checksum())
                if n_rows and number % BATCH == 0:
                    progress("save documents", number / n_rows)
        if n_rows:
            progress("save documents", 1.0)
        return number


def _triple(node: Any) -> tuple[str, str, Mapping[str, Any]]:
    try:
        node_id, content, metadata = node
    except (TypeError, ValueError):
        raise CorpusError("A node to save should be (node_id, content, metadata).") from None
    return node_id, content, metadata or {}


def _node_row(
    node_id: str, content: str | None, metadata: Mapping[str, Any], source_id: str, node_type: str, origin: str | None
) -> NodeRow:
    if not isinstance(node_id, str) or not lookup_key(node_id):
        raise CorpusError(f"A node's id should be a text that is not empty, got {node_id!r}.")
    if content is not None and not isinstance(content, str):
        raise CorpusError(f"Node {node_id!r}: the content should be a text, got {type(content).__name__}.")
    text = None if content is None else storable(content)
    digest = hashlib.sha256((text or "").encode("utf-8")).hexdigest()
    settings = to_json(metadata, f"Node {node_id!r}")
    return NodeRow(node_id, storable(source_id), storable(node_type), digest, text, settings, origin)


def _document_row(document: Document) -> NodeRow:
    """A document as a node: its field `content`, if it has that text, and all others as metadata."""
    fields = dict(document.fields)
    content = fields.pop(CONTENT_FIELD) if isinstance(fields.get(CONTENT_FIELD), str) else None
    origin = document.provenance
    provenance = None
    if origin != Provenance():
        known = {"file": origin.file, "row": origin.row, "page": origin.page, "sha256": origin.sha256}
        provenance = to_json({key: value for key, value in known.items() if value not in (None, "")}, "Provenance")
    return _node_row(document.id, content, fields, origin.file, "document", provenance)


def checked_node_row(row: tuple[Any, ...]) -> NodeRow:
    """The columns of a row of `nodes`.

    Raises
    ------
    StorageCorruptError
        If they are not as they were written.
    """
    node = NodeRow(*row[:-1])
    if node.checksum() != row[-1]:
        raise StorageCorruptError(f"Node {node.id!r} was changed by something else than cnrag, or is damaged.")
    return node


def _node(row: tuple[Any, ...]) -> dict[str, Any]:
    node = checked_node_row(row)
    return {
        "id": node.id,
        "source_id": node.source_id,
        "node_type": node.node_type,
        "content_hash": node.content_hash,
        "content": node.content_text or "",
        "metadata": from_json(node.metadata, f"Node {node.id!r}"),
    }


def _document(row: tuple[Any, ...]) -> Document:
    node = checked_node_row(row)
    fields = from_json(node.metadata, f"Node {node.id!r}")
    if node.content_text is not None:
        fields[CONTENT_FIELD] = node.content_text
    provenance = Provenance(**from_json(node.provenance, f"Node {node.id!r}"))
    return Document(node.id, fields, provenance)


def decoded_embedding_row(row: tuple[Any, ...]) -> tuple[str, Vector]:
    """Node id and vector of a row of `embeddings`; raises as `checked_node_row`."""
    node_id, model_name, settings, blob, dimension, encoding, check = row
    owner = _owner(node_id, model_name)
    if (
        not isinstance(blob, bytes)
        or checksum(repr((node_id, model_name, settings, dimension, encoding)), blob) != check
    ):
        raise StorageCorruptError(f"{owner}: the stored embedding is damaged.")
    return node_id, decode_vector(encoding, dimension, blob, owner)


def _owner(node_id: str, model_name: str) -> str:
    return f"Node {node_id!r}, model {model_name!r}"


def _is_plain(key: Any, wanted: Any) -> bool:
    """Whether SQLite compares the value under this key exactly as we do."""
    is_text = isinstance(wanted, str) and wanted == storable(wanted) and "\0" not in wanted
    return is_text and isinstance(key, str) and _PLAIN_KEY.fullmatch(key) is not None


def _fits(metadata: Mapping[str, Any], key: str, wanted: Any) -> bool:
    found = _value_at(metadata, key)
    if isinstance(wanted, (list, tuple, set, frozenset)):
        return any(_equals(found, one) for one in wanted)
    return _equals(found, wanted)


def _value_at(metadata: Mapping[str, Any], key: str) -> Any:
    if key in metadata:
        return metadata[key]
    value: Any = metadata
    for part in key.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]
    return value


def _equals(found: Any, wanted: Any) -> bool:
    if isinstance(found, list):
        return any(_equals(one, wanted) for one in found)
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    if isinstance(found, str) or isinstance(wanted, str):
        return isinstance(found, str) and isinstance(wanted, str) and found == wanted
    return bool(found == wanted)


__all__ = ["SQLiteStorage", "Vector"]
