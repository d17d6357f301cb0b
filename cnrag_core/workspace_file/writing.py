"""Writing a workspace file, whole or not at all."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.corpus.storable import storable_text, storable_value
from cnrag_core.embedding.fields import EmbeddedComponent
from cnrag_core.embedding.tfidf import TFIDFEmbedding
from cnrag_core.network import Network
from cnrag_core.storage.whole_file import whole_file
from cnrag_core.workspace_file.contents import Contents
from cnrag_core.workspace_file.manifest import FORMAT, VERSION, Manifest
from cnrag_core.workspace_file.records import document_line, query_line

_AT_ONCE = 1 << 20
"""Bytes of documents packed at a time."""


def write_file(path: Path, contents: Contents) -> None:
    """Write beside `path` and move it into place.

    Raises
    ------
    StorageFullError
        If there is no space; an older file of that name stays as it was.
    StorageError
        If the folder does not exist or may not be written.
    """
    with whole_file(path) as target:
        write_stream(target, contents)


def write_stream(target: BinaryIO, contents: Contents) -> None:
    """Write the archive to an open binary stream."""
    network = contents.network.base or contents.network
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("workspace.json", _manifest(contents, network).model_dump_json())
        archive.writestr("config.json", contents.config.model_dump_json(by_alias=True))
        with archive.open("corpus.jsonl", "w", force_zip64=True) as entry, io.BufferedWriter(entry, _AT_ONCE) as lines:
            lines.writelines(document_line(document).encode() for document in contents.corpus)
        archive.writestr("queries.jsonl", "".join(map(query_line, contents.queries)))
        for name, array in _arrays(network):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.ascontiguousarray(array), allow_pickle=False)


def _manifest(contents: Contents, network: Network) -> Manifest:
    return Manifest.model_validate(
        {
            "format": FORMAT,
            "version": VERSION,
            # names and sentences may come from Python, where a text can hold what no file can
            "name": storable_text(contents.name),
            "sample": contents.sample,
            "view": storable_value(contents.view),
            "corpus": {
                "name": storable_text(contents.corpus.name),
                "kinds": storable_value(contents.corpus.kinds),
                "warnings": storable_value(list(contents.corpus.warnings)),
            },
            "floor": network.candidates.floor,
            "graph": {
                "threshold": network.graph.threshold,
                "strong_similarity": network.graph.strong_similarity,
                "rule": network.graph.rule,
            },
            "timings": dict(network.timings),
            "warnings": storable_value(list(network.warnings)),
            "communities": {"modularity": network.communities.modularity, "library": network.communities.library},
            "layout_spacing": network.layout.spacing,
            "tags": {str(community): list(words) for community, words in network.tags.items()},
            "components": {name: _about(part) for name, part in network.embedded.items()},
        }
    )


def _about(part: EmbeddedComponent) -> dict[str, Any]:
    state = part.provider.to_state() if isinstance(part.provider, TFIDFEmbedding) else None
    return {
        "notes": list(part.notes),
        "slot_scales": list(part.slot_scales),
        "is_sparse": bool(sp.issparse(part.rows)),
        "shape": list(part.rows.shape),
        "tfidf": None if state is None else {key: value for key, value in state.items() if key != "idf"},
    }


def _arrays(network: Network) -> Sequence[tuple[str, NDArray[Any]]]:
    arrays: list[tuple[str, NDArray[Any]]] = []
    for prefix, edges in (("candidates", network.candidates), ("graph", network.graph)):
        arrays += [(f"{prefix}/{name}", getattr(edges, name)) for name in ("left", "right", "weight")]
    arrays.append(("communities", network.communities.labels))
    arrays.append(("layout", network.layout.positions))
    for number, part in enumerate(network.embedded.values()):
        rows = part.rows
        if sp.issparse(rows):
            arrays += [(f"rows/{number}/{name}", getattr(rows, name)) for name in ("indptr", "indices", "data")]
        else:
            arrays.append((f"rows/{number}/dense", rows))
        arrays.append((f"rows/{number}/missing", part.missing))
        if isinstance(part.provider, TFIDFEmbedding):
            arrays.append((f"rows/{number}/idf", part.provider.to_state()["idf"]))
    return arrays
