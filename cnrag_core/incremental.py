"""A network that follows a few documents in or out without comparing the others again.

Enters: a built `Network`, documents added and ids removed. Leaves: another `Network`, equal to a rebuild
under the same vocabulary statistics: words are weighed as at the last fit, and how far the documents
have drifted from it since can be asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cnrag_core.config.spec import AttributeSimilarityComponent
from cnrag_core.corpus.document import Document
from cnrag_core.embedding.fields import EmbeddedComponent
from cnrag_core.embedding.rows import freeze_rows, stack_rows
from cnrag_core.embedding.tfidf import TFIDFEmbedding
from cnrag_core.graph.builder import build_graph, graph_of_candidates
from cnrag_core.graph.similarity_graph import CandidateEdges, merged_edges
from cnrag_core.network import Network
from cnrag_core.similarity.components import build_columns, concat_columns, take_rows
from cnrag_core.similarity.pairwise import pairs_of_rows

FOLLOW_SHARE = 0.05
"""Up to this share of the documents is followed at once; beyond it, building anew is cheaper."""


def worth_following(network: Network, n_changed: int) -> bool:
    """Whether following a change costs less than a rebuild."""
    return n_changed <= max(1, int(FOLLOW_SHARE * len(network.documents)))


def updated_network(network: Network, *, added: Sequence[Document] = (), removed: Sequence[str] = ()) -> Network:
    """The network with some documents taken out and others put in; an update is both.

    Raises
    ------
    EmbeddingError
        If a provider fails; the network given is unchanged.
    """
    network = network.base or network
    gone = set(removed)
    staying = [i for i, node_id in enumerate(network.node_ids) if node_id not in gone]
    kept = np.array(staying, dtype=np.int64)
    together = [*map(network.documents.__getitem__, staying), *added]
    ids = [*map(network.node_ids.__getitem__, staying), *(document.id for document in added)]
    in_order = sorted(range(len(ids)), key=ids.__getitem__)
    order = np.array(in_order, dtype=np.int64)
    documents = tuple(map(together.__getitem__, in_order))
    node_ids = tuple(map(ids.__getitem__, in_order))

    new = {
        name: replace(part, rows=rows, missing=missing)
        for name, part in network.embedded.items()
        for rows, missing in [part.embed_documents(added)]
    }
    # where each document's row lies when the new rows follow all old ones: rows are moved once, not twice
    origin = np.concatenate([kept, len(network.documents) + np.arange(len(added))])[order]
    embedded = {name: _joined(part, new[name], origin) for name, part in network.embedded.items()}
    columns = network.columns
    if added:
        columns = concat_columns(columns, build_columns(added, network.config, new))
    columns = take_rows(columns, origin)

    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    candidates = _followed(network.candidates, kept, place, node_ids)
    if added:
        rows = place[len(kept) :]
        fresh = pairs_of_rows(columns, rows.tolist(), network.candidates.floor)
        merged = merged_edges(candidates, fresh.left, fresh.right, fresh.weight)
        candidates = CandidateEdges(node_ids, *merged, floor=candidates.floor)
    graph = graph_of_candidates(candidates, columns, network.config.edges)
    if graph is None:
        built = build_graph(node_ids, columns, network.config.edges)
        candidates, graph = built.candidates, built.graph
    return Network(documents, network.config, embedded, columns, candidates, graph, network.timings, network.warnings)


def drift(network: Network, documents: Sequence[Document]) -> dict[str, float]:
    """Share of the words of `documents` that the fitted vocabulary lacks, by component; 0 = none.

    Components of models have no vocabulary, and do not drift.
    """
    shares = {}
    for part in network.config.components:
        if isinstance(part, AttributeSimilarityComponent):
            continue
        provider = network.embedded[part.name].provider
        if isinstance(provider, TFIDFEmbedding):
            fields = [part.field] if hasattr(part, "field") else [piece.field for piece in part.fields]
            shares[part.name] = provider.unknown_share([d.text(name) for d in documents for name in fields])
    return shares


def _joined(old: EmbeddedComponent, new: EmbeddedComponent, origin: NDArray[np.int64]) -> EmbeddedComponent:
    missing = np.concatenate([old.missing, new.missing])[origin]
    missing.flags.writeable = False
    rows = stack_rows([old.rows, new.rows]) if new.rows.shape[0] else old.rows
    return replace(old, rows=freeze_rows(rows[origin]), missing=missing)


def _followed(
    candidates: CandidateEdges, kept: NDArray[np.int64], place: NDArray[np.int64], node_ids: tuple[str, ...]
) -> CandidateEdges:
    """The candidate edges among the kept documents, under their new numbers.

    Old and new numbers follow the same order of ids, so the canonical order of the edges is unchanged.
    """
    number = np.full(candidates.n_nodes, -1, dtype=np.int64)
    number[kept] = place[: len(kept)]
    left, right = number[candidates.left], number[candidates.right]
    stays = (left >= 0) & (right >= 0)
    return CandidateEdges(
        node_ids,
        left[stays].astype(np.int32),
        right[stays].astype(np.int32),
        candidates.weight[stays],
        floor=candidates.floor,
    )
