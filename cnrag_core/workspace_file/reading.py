"""Opening a workspace file: every part checked by itself, then whether the parts fit together.

Enters: a path, or the bytes of an upload. Leaves: `Contents`; nothing is computed again.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from pydantic import ValidationError

from cnrag_core.config.spec import AttributeSimilarityComponent, PipelineConfig
from cnrag_core.corpus.document import Corpus
from cnrag_core.embedding.fields import EmbeddedComponent, make_provider
from cnrag_core.embedding.rows import freeze_rows
from cnrag_core.embedding.tfidf import TFIDFEmbedding
from cnrag_core.errors import StorageCorruptError
from cnrag_core.graph.similarity_graph import CandidateEdges, SimilarityGraph
from cnrag_core.network import Network
from cnrag_core.similarity.components import build_columns
from cnrag_core.topology.communities import Communities
from cnrag_core.topology.layout import restored_layout
from cnrag_core.types import Rows
from cnrag_core.workspace_file.archive import Parts, damage_of
from cnrag_core.workspace_file.contents import Contents
from cnrag_core.workspace_file.manifest import FORMAT, VERSION, ComponentAbout, Manifest, first_problem
from cnrag_core.workspace_file.records import documents_of_lines, queries_of_records

ROUNDING = 1e-6
"""How far rounding may carry a similarity beyond 1."""


def read_file(source: str | Path | bytes, *, known: Corpus | None = None) -> Contents:
    """Read a workspace from a path or from the bytes of an upload.

    Documents that `known` holds as well are its own, so that they stand in memory once.

    Raises
    ------
    StorageCorruptError
        If it is not a workspace, is damaged, or its parts do not fit together.
    ResourceLimitError
        If it would unpack to more than the limit.
    """
    name = name_of(source)
    with (
        damage_of(name),
        zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source) as archive,
    ):
        return _read(Parts(archive, name), known)


def name_of(source: str | Path | bytes) -> str:
    """What a message calls the file."""
    return "the uploaded workspace" if isinstance(source, bytes) else Path(source).name


def _read(parts: Parts, known: Corpus | None) -> Contents:
    manifest = _manifest(parts)
    with damage_of(parts.name, "config.json"):
        config = PipelineConfig.model_validate_json(parts.read("config.json"))
    with parts.lines("corpus.jsonl") as lines:
        documents = documents_of_lines(lines, known=known)
    about = manifest.corpus
    corpus = Corpus(documents, about.kinds, about.name, tuple(about.warnings))
    with damage_of(parts.name, "queries.jsonl"):
        queries = queries_of_records([json.loads(line) for line in parts.read("queries.jsonl").splitlines()])
    network = _network(parts, manifest, corpus, config)
    return Contents(manifest.name, corpus, config, network, queries, manifest.sample, manifest.view)


def _manifest(parts: Parts) -> Manifest:
    with damage_of(parts.name, "workspace.json"):
        plain = json.loads(parts.read("workspace.json"))
        if not isinstance(plain, dict) or plain.get("format") != FORMAT:
            raise StorageCorruptError(f"{parts.name} is not a workspace written by cnrag.")
        version = plain.get("version")
        if isinstance(version, int) and version > VERSION:
            raise StorageCorruptError(
                f"{parts.name} was written by a newer cnrag (format {version}, this one reads up to {VERSION})."
            )
        try:
            return Manifest.model_validate_json(json.dumps(plain))
        except ValidationError as error:
            raise ValueError(first_problem(list(error.errors()))) from error


def _network(parts: Parts, manifest: Manifest, corpus: Corpus, config: PipelineConfig) -> Network:
    documents = tuple(sorted(corpus, key=lambda document: document.id))
    node_ids = tuple(document.id for document in documents)
    n_nodes = len(node_ids)
    embedded = _embedded(parts, manifest.components, config, n_nodes)
    candidates = CandidateEdges(node_ids, *_edges(parts, "candidates", n_nodes), floor=manifest.floor)
    graph = SimilarityGraph(
        node_ids,
        *_edges(parts, "graph", n_nodes),
        threshold=manifest.graph.threshold,
        strong_similarity=manifest.graph.strong_similarity,
        rule=manifest.graph.rule,
    )
    columns = build_columns(documents, config, embedded)
    warnings = tuple(manifest.warnings)
    network = Network(documents, config, embedded, columns, candidates, graph, manifest.timings, warnings)
    labels, positions = _labels(parts, n_nodes), parts.array("layout", "f")
    spec = config.communities
    # What was computed before is put where it would be computed on first use.
    network.__dict__["communities"] = Communities(
        node_ids,
        labels,
        manifest.communities.modularity,
        manifest.communities.library,
        algorithm=spec.algorithm,
        resolution=spec.resolution,
        random_state=config.random_state,
        threshold=graph.threshold,
    )
    with damage_of(parts.name, "workspace.json"):
        network.__dict__["tags"] = {int(community): list(words) for community, words in manifest.tags.items()}
    with damage_of(parts.name, "layout.npy"):
        if positions.shape != (n_nodes, 2):
            raise ValueError("is not one position a document")
        network.__dict__["layout"] = restored_layout(graph, positions, manifest.layout_spacing)
    return network


def _labels(parts: Parts, n_nodes: int) -> NDArray[np.int64]:
    """Community numbers 0, 1, ... of all documents, none left out."""
    labels = parts.array("communities", "i")
    with damage_of(parts.name, "communities.npy"):
        if labels.shape != (n_nodes,):
            raise ValueError("is not one community a document")
        present = np.unique(labels)
        if not np.array_equal(present, np.arange(len(present))):
            raise ValueError("leaves out a community")
    return labels


def _edges(parts: Parts, prefix: str, n_nodes: int) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    left, right = parts.array(f"{prefix}/left", "i"), parts.array(f"{prefix}/right", "i")
    weight = parts.array(f"{prefix}/weight", "f")
    with damage_of(parts.name, f"{prefix}/"):
        if not left.shape == right.shape == weight.shape or left.ndim != 1:
            raise ValueError("the edges differ in number")
        if left.size and not (left.min() >= 0 and (left < right).all() and right.max() < n_nodes):
            raise ValueError("the edges do not fit the documents")
        if weight.size and not (weight[-1] >= 0 and weight[0] <= 1 + ROUNDING and (np.diff(weight) <= 0).all()):
            raise ValueError("the edges are not sorted by a weight in [0, 1]")
    return left, right, weight


def _embedded(
    parts: Parts, components: Mapping[str, ComponentAbout], config: PipelineConfig, n_documents: int
) -> dict[str, EmbeddedComponent]:
    embedded = {}
    compared = [part for part in config.components if not isinstance(part, AttributeSimilarityComponent)]
    for number, part in enumerate(compared):
        with damage_of(parts.name, f"rows/{number}/"):
            if part.name not in components:
                raise ValueError(f"{part.name} has no rows")
            about = components[part.name]
            rows = _rows(parts, f"rows/{number}", about)
            missing = parts.array(f"rows/{number}/missing", "b")
            if rows.shape[0] != n_documents or missing.shape != (n_documents,):
                raise ValueError(f"the rows of {part.name} are not one a document")
            if about.tfidf is None:
                provider: Any = make_provider(part)
            else:
                idf = parts.array(f"rows/{number}/idf", "f")
                provider = TFIDFEmbedding.from_state({**about.tfidf.model_dump(), "idf": idf})
            if about.tfidf is not None and rows.shape[1] != len(idf) * len(about.slot_scales):
                raise ValueError(f"the rows of {part.name} do not fit its words")
        embedded[part.name] = EmbeddedComponent(
            name=part.name,
            component=part,
            rows=freeze_rows(rows),
            missing=missing,
            provider=provider,
            notes=tuple(about.notes),
            slot_scales=tuple(about.slot_scales),
        )
    return embedded


def _rows(parts: Parts, prefix: str, about: ComponentAbout) -> Rows:
    if not about.is_sparse:
        rows = parts.array(f"{prefix}/dense", "f")
        if rows.ndim != 2:
            raise ValueError("is no table of numbers")
        return rows
    data = parts.array(f"{prefix}/data", "f")
    indices, indptr = parts.array(f"{prefix}/indices", "i"), parts.array(f"{prefix}/indptr", "i")
    sparse = sp.csr_matrix((data, indices, indptr), shape=tuple(about.shape))
    sparse.check_format(full_check=True)
    return sparse
