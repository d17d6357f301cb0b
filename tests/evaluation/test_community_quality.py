"""Communities against labels."""

from __future__ import annotations

import numpy as np
import pytest

from cnrag_core.corpus.document import Document
from cnrag_core.errors import CorpusError, UnknownNameError
from cnrag_core.evaluation.partitions import community_quality

DOCUMENTS = [Document(f"d{i}", {"label": "red" if i < 3 else "blue"}) for i in range(6)]


def test_communities_that_are_the_labels_agree_fully():
    quality = community_quality(DOCUMENTS, np.array([1, 1, 1, 0, 0, 0]), "label")
    assert (quality.nmi, quality.ari) == (pytest.approx(1.0), pytest.approx(1.0))
    assert (quality.n_communities, quality.isolated_share, quality.n_labels) == (2, 0.0, 2)
    assert quality.kmeans_ari is None


def test_a_shattered_graph_shows_by_its_isolated_share():
    quality = community_quality(DOCUMENTS, np.arange(6), "label")
    assert quality.isolated_share == 1.0
    assert quality.n_communities == 0
    assert quality.nmi > 0.5 > quality.ari


def test_one_community_of_all_tells_nothing():
    quality = community_quality(DOCUMENTS, np.zeros(6, dtype=np.int64), "label")
    assert (quality.nmi, quality.ari) == (0.0, 0.0)


def test_documents_without_a_label_are_left_out():
    documents = [*DOCUMENTS, Document("x", {"label": ""}), Document("y", {})]
    quality = community_quality(documents, np.array([1, 1, 1, 0, 0, 0, 0, 1]), "label")
    assert quality.n_labelled == 6
    assert quality.ari == pytest.approx(1.0)


@pytest.mark.parametrize("dense", [True, False])
def test_k_means_on_the_same_rows_stands_beside(dense):
    import scipy.sparse as sp

    rows = np.zeros((6, 60), dtype=np.float32)
    rows[:3, 0] = rows[3:, 1] = 1.0
    given = rows if dense else sp.csr_matrix(rows)
    quality = community_quality(DOCUMENTS, np.zeros(6, dtype=np.int64), "label", rows=given)
    assert (quality.kmeans_nmi, quality.kmeans_ari) == (pytest.approx(1.0), pytest.approx(1.0))


def test_unknown_field_and_single_label_are_refused():
    with pytest.raises(UnknownNameError, match="No document has a field 'colour'"):
        community_quality(DOCUMENTS, np.zeros(6, dtype=np.int64), "colour")
    with pytest.raises(CorpusError, match="holds 1 distinct labels; comparing needs at least two"):
        community_quality(DOCUMENTS[:3], np.zeros(3, dtype=np.int64), "label")
