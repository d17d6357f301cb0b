"""How well communities agree with labels that people gave, beside what k-means would do.

Enters: a labelled field, communities, and rows. Leaves: `CommunityQuality`. Mutual information alone
misleads on shattered graphs (a community for every document scores well), so it never stands alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cnrag_core.corpus.document import Document
from cnrag_core.errors import CorpusError, UnknownNameError
from cnrag_core.topology.partitions import adjusted_rand, normalized_mutual_information
from cnrag_core.types import Rows

MIN_SIZE = 2
_DIMENSIONS = 50


@dataclass(frozen=True)
class CommunityQuality:
    """Agreement of communities with labels.

    Attributes
    ----------
    nmi, ari
        Normalised mutual information and adjusted Rand index of communities and labels.
    n_communities
        Communities of two documents or more.
    isolated_share
        Share of documents that are alone in their community.
    n_labels
        Distinct labels.
    n_labelled
        Documents that have a label; the others are left out.
    kmeans_nmi, kmeans_ari
        The same for k-means with as many clusters as labels; None where no rows were given.
    """

    nmi: float
    ari: float
    n_communities: int
    isolated_share: float
    n_labels: int
    n_labelled: int
    kmeans_nmi: float | None = None
    kmeans_ari: float | None = None


def community_quality(
    documents: Sequence[Document],
    communities: NDArray[np.int64],
    field: str,
    *,
    rows: Rows | None = None,
    random_state: int = 0,
) -> CommunityQuality:
    """Compare communities with the values of a field.

    Parameters
    ----------
    documents
        In the order of the nodes.
    communities
        (n,) community of each document.
    field
        Holds one label a document.
    rows
        (n, d) L2-normalised rows, CSR or dense, for k-means on the same texts.

    Raises
    ------
    UnknownNameError
        If no document has the field.
    CorpusError
        If it holds fewer than two distinct labels.
    """
    if not any(field in document.fields for document in documents):
        raise UnknownNameError(f"No document has a field {field!r} to compare communities with.")
    values = [document.text(field).strip() for document in documents]
    labelled = np.flatnonzero([bool(value) for value in values])
    names, labels = np.unique([values[place] for place in labelled], return_inverse=True)
    if len(names) < 2:
        raise CorpusError(f"Field {field!r} holds {len(names)} distinct labels; comparing needs at least two.")
    sizes = np.bincount(communities)
    found = communities[labelled]
    kmeans_nmi = kmeans_ari = None
    if rows is not None:
        clusters = _kmeans(rows, len(names), random_state)[labelled]
        kmeans_nmi, kmeans_ari = normalized_mutual_information(labels, clusters), adjusted_rand(labels, clusters)
    return CommunityQuality(
        normalized_mutual_information(labels, found),
        adjusted_rand(labels, found),
        int((sizes >= MIN_SIZE).sum()),
        float((sizes[communities] < MIN_SIZE).mean()),
        len(names),
        len(labelled),
        kmeans_nmi,
        kmeans_ari,
    )


def _kmeans(rows: Rows, k: int, random_state: int) -> NDArray[np.int64]:
    """(n,) k-means clusters of the rows, in at most 50 dimensions and on the unit sphere, as texts are compared."""
    from sklearn.cluster import KMeans
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    n, width = rows.shape
    dimensions = min(_DIMENSIONS, width - 1, n - 1)
    reduced = rows
    if dimensions >= 2 and dimensions < width:
        reduced = TruncatedSVD(dimensions, random_state=random_state).fit_transform(rows)
    reduced = normalize(reduced)
    clusters: NDArray[np.int64] = KMeans(k, n_init=5, random_state=random_state).fit_predict(reduced).astype(np.int64)
    return clusters
