"""A workspace as one file that reopens with the same view.

Enters: everything that was built. Leaves: a zip of JSON, YAML and plain arrays, written whole or not at
all. Nothing in it is ever executed: arrays are read without pickled objects, and every size is checked
before memory is spent on it, because the file may come from anybody.
"""

from __future__ import annotations

import io
import json
import os
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.config.spec import AttributeSimilarityComponent, PipelineConfig
from cnrag_core.corpus.document import Corpus, Document, Provenance
from cnrag_core.errors import CNRagError, ResourceLimitError, StorageCorruptError, StorageFullError
from cnrag_core.graph.similarity_graph import CandidateEdges, SimilarityGraph
from cnrag_core.network import Network
from cnrag_core.similarity.components import build_columns
from cnrag_core.types import Rows

if TYPE_CHECKING:
    from cnrag_core.embedding.fields import EmbeddedComponent
    from cnrag_core.evaluation.judgements import JudgedQuery

FORMAT = "cnrag workspace"
VERSION = 1
MOST_BYTES = 8_000_000_000
"""Largest workspace opened, unpacked."""


@dataclass(frozen=True, eq=False)
class Contents:
    """What a workspace file holds."""

    name: str
    corpus: Corpus
    config: PipelineConfig
    network: Network
    queries: tuple[JudgedQuery, ...]
    sample: str | None


def write_file(path: Path, contents: Contents) -> None:
    """Write to a temporary file beside `path` and move it into place.

    Raises
    ------
    StorageFullError
        If there is no space; an older file of that name stays as it was.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as target:
            write_stream(target, contents)
            target.flush()
            os.fsync(target.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise StorageFullError(f"{path.name} could not be written: {error.strerror}.") from error
    finally:
        Path(temporary).unlink(missing_ok=True)


def write_stream(target: BinaryIO, contents: Contents) -> None:
    """Write the archive to an open binary stream."""
    network = contents.network.base or contents.network
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("workspace.json", json.dumps(_manifest(contents)))
        archive.writestr("config.json", contents.config.model_dump_json(by_alias=True))
        archive.writestr("corpus.jsonl", "".join(_document_line(document) for document in contents.corpus))
        archive.writestr("queries.jsonl", "".join(json.dumps(asdict(query)) + "\n" for query in contents.queries))
        for name, array in _arrays(network):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.ascontiguousarray(array), allow_pickle=False)


def write_documents(path: Path, corpus: Corpus) -> None:
    """The documents of a corpus as JSON Lines, with their provenance."""
    with path.open("w", encoding="utf-8") as lines:
        lines.writelines(map(_document_line, corpus))


def read_documents(path: Path) -> tuple[Document, ...]:
    """What `write_documents` wrote."""
    with path.open("rb") as lines:
        return tuple(map(_document_of, lines))


def read_file(source: str | Path | bytes) -> Contents:
    """Read a workspace from a path or from the bytes of an upload.

    Raises
    ------
    StorageCorruptError
        If it is not a workspace, is damaged, or its parts do not fit together.
    ResourceLimitError
        If it would unpack to more than the limit.
    """
    name = "the uploaded workspace" if isinstance(source, bytes) else Path(source).name
    try:
        with zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source) as archive:
            return _read(archive, name)
    except CNRagError:
        raise
    except (
        zipfile.BadZipFile,
        KeyError,
        ValueError,
        TypeError,
        AttributeError,
        EOFError,
        OSError,
        IndexError,
    ) as error:
        raise StorageCorruptError(f"{name} is damaged, or is not a workspace written by cnrag ({error}).") from error


def _manifest(contents: Contents) -> dict[str, Any]:
    network = contents.network.base or contents.network
    from cnrag_core.embedding.tfidf import TFIDFEmbedding

    components = {}
    for name, part in network.embedded.items():
        state = part.provider.to_state() if isinstance(part.provider, TFIDFEmbedding) else None
        components[name] = {
            "notes": part.notes,
            "slot_scales": part.slot_scales,
            "is_sparse": bool(sp.issparse(part.rows)),
            "shape": part.rows.shape,
            "tfidf": None if state is None else {key: value for key, value in state.items() if key != "idf"},
        }
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": contents.name,
        "sample": contents.sample,
        "corpus": {
            "name": contents.corpus.name,
            "kinds": dict(contents.corpus.kinds),
            "warnings": contents.corpus.warnings,
        },
        "floor": network.candidates.floor,
        "graph": {
            "threshold": network.graph.threshold,
            "strong_similarity": network.graph.strong_similarity,
            "rule": network.graph.rule,
        },
        "timings": dict(network.timings),
        "warnings": network.warnings,
        "communities": {"modularity": network.communities.modularity, "library": network.communities.library},
        "layout_spacing": network.layout.spacing,
        "tags": {str(community): words for community, words in network.tags.items()},
        "components": components,
    }


def _document_line(document: Document) -> str:
    record = {"id": document.id, "fields": dict(document.fields), "provenance": asdict(document.provenance)}
    return json.dumps(record, ensure_ascii=False, default=str) + "\n"


def _document_of(line: bytes) -> Document:
    record = json.loads(line)
    return Document(record["id"], record["fields"], Provenance(**record["provenance"]))


def _arrays(network: Network) -> Sequence[tuple[str, NDArray[Any]]]:
    from cnrag_core.embedding.tfidf import TFIDFEmbedding

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


def _read(archive: zipfile.ZipFile, name: str) -> Contents:
    size = sum(entry.file_size for entry in archive.infolist())
    if size > MOST_BYTES:
        raise ResourceLimitError(f"{name} unpacks to {size / 1e9:.1f} GB; the limit is {MOST_BYTES / 1e9:.0f} GB.")
    manifest = json.loads(archive.read("workspace.json"))
    if manifest.get("format") != FORMAT:
        raise StorageCorruptError(f"{name} is not a workspace written by cnrag.")
    if manifest["version"] > VERSION:
        raise StorageCorruptError(
            f"{name} was written by a newer cnrag (format {manifest['version']}, this one reads up to {VERSION})."
        )
    config = PipelineConfig.model_validate_json(archive.read("config.json"))
    corpus = _read_corpus(archive, manifest)
    return Contents(
        name=str(manifest["name"]),
        corpus=corpus,
        config=config,
        network=_read_network(archive, manifest, corpus, config),
        queries=_read_queries(archive),
        sample=manifest["sample"],
    )


def _read_corpus(archive: zipfile.ZipFile, manifest: Mapping[str, Any]) -> Corpus:
    with archive.open("corpus.jsonl") as lines:
        documents = tuple(map(_document_of, lines))
    about = manifest["corpus"]
    return Corpus(documents, about["kinds"], about["name"], tuple(about["warnings"]))


def _read_queries(archive: zipfile.ZipFile) -> tuple[JudgedQuery, ...]:
    return queries_of_records([json.loads(line) for line in archive.read("queries.jsonl").splitlines()])


def queries_of_records(records: Sequence[Mapping[str, Any]]) -> tuple[JudgedQuery, ...]:
    """Judged questions as `dataclasses.asdict` made them plain."""
    from cnrag_core.evaluation.judgements import JudgedQuery

    return tuple(
        JudgedQuery(**{**record, "required_evidence": tuple(record["required_evidence"])}) for record in records
    )


def _read_network(
    archive: zipfile.ZipFile, manifest: Mapping[str, Any], corpus: Corpus, config: PipelineConfig
) -> Network:
    from cnrag_core.topology.communities import Communities
    from cnrag_core.topology.layout import restored_layout

    def array(entry: str) -> NDArray[Any]:
        with archive.open(f"{entry}.npy") as stream:
            loaded: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
        loaded.flags.writeable = False
        return loaded

    documents = tuple(sorted(corpus, key=lambda document: document.id))
    node_ids = tuple(document.id for document in documents)
    embedded = _read_embedded(manifest["components"], config, array, len(documents))
    candidates = CandidateEdges(node_ids, *_edge_arrays("candidates", array, len(node_ids)), floor=manifest["floor"])
    about = manifest["graph"]
    graph = SimilarityGraph(
        node_ids,
        *_edge_arrays("graph", array, len(node_ids)),
        threshold=about["threshold"],
        strong_similarity=about["strong_similarity"],
        rule=about["rule"],
    )
    network = Network(
        documents,
        config,
        embedded,
        build_columns(documents, config, embedded),
        candidates,
        graph,
        manifest["timings"],
        tuple(manifest["warnings"]),
    )
    labels, positions = array("communities"), array("layout")
    if labels.shape != (len(node_ids),) or positions.shape != (len(node_ids), 2):
        raise ValueError("communities or positions are not one a document")
    spec = config.communities
    # What was computed before is put where it would be computed on first use.
    network.__dict__["communities"] = Communities(
        node_ids,
        labels,
        manifest["communities"]["modularity"],
        manifest["communities"]["library"],
        algorithm=spec.algorithm,
        resolution=spec.resolution,
        random_state=config.random_state,
        threshold=graph.threshold,
    )
    network.__dict__["tags"] = {int(community): list(words) for community, words in manifest["tags"].items()}
    network.__dict__["layout"] = restored_layout(graph, positions, manifest["layout_spacing"])
    return network


def _edge_arrays(
    prefix: str, array: Callable[[str], NDArray[Any]], n_nodes: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    left, right, weight = (array(f"{prefix}/{name}") for name in ("left", "right", "weight"))
    whole = left.shape == right.shape == weight.shape and left.ndim == 1
    if not whole or (left.size and not (left.min() >= 0 and (left < right).all() and right.max() < n_nodes)):
        raise ValueError(f"the {prefix} edges do not fit the documents")
    if not np.isfinite(weight).all() or (np.diff(weight) > 0).any():
        raise ValueError(f"the {prefix} edges are not sorted by a finite weight")
    return left, right, weight


def _read_embedded(
    components: Mapping[str, Any], config: PipelineConfig, array: Callable[[str], NDArray[Any]], n_documents: int
) -> dict[str, EmbeddedComponent]:
    from cnrag_core.embedding.fields import EmbeddedComponent, make_provider
    from cnrag_core.embedding.rows import freeze_rows
    from cnrag_core.embedding.tfidf import TFIDFEmbedding

    embedded = {}
    parts = [part for part in config.components if not isinstance(part, AttributeSimilarityComponent)]
    for number, part in enumerate(parts):
        about = components[part.name]
        rows: Rows
        if about["is_sparse"]:
            data, indices, indptr = (array(f"rows/{number}/{name}") for name in ("data", "indices", "indptr"))
            rows = sp.csr_matrix((data, indices, indptr), shape=tuple(about["shape"]))
            rows.check_format(full_check=True)
        else:
            rows = array(f"rows/{number}/dense")
        missing = array(f"rows/{number}/missing")
        if rows.shape[0] != n_documents or missing.shape != (n_documents,):
            raise ValueError(f"the rows of {part.name} are not one a document")
        provider = (
            make_provider(part)
            if about["tfidf"] is None
            else TFIDFEmbedding.from_state({**about["tfidf"], "idf": array(f"rows/{number}/idf")})
        )
        embedded[part.name] = EmbeddedComponent(
            name=part.name,
            component=part,
            rows=freeze_rows(rows),
            missing=missing,
            provider=provider,
            notes=tuple(about["notes"]),
            slot_scales=tuple(about["slot_scales"]),
        )
    return embedded
