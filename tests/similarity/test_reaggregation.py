from __future__ import annotations

import numpy as np
import pytest

from cnrag_core.config.loader import load_config
from cnrag_core.config.spec import ChunkingStrategy
from cnrag_core.corpus.document import Document
from cnrag_core.errors import ConfigError
from cnrag_core.network import build_network
from cnrag_core.similarity.reaggregation import METHODS, components_of_field, reaggregated
from cnrag_core.views.reaggregation_tables import reaggregation_sentence, reaggregation_table

TEXTS = [
    "Coral reefs bleach in warm seas. Bond yields rise with inflation.",
    "Coral reefs grow in clear and warm seas.",
    "Bond yields and inflation move together.",
    "Wolves hunt in packs.",
]
CUT = ChunkingStrategy(method="sentences", max_tokens=8)
WHOLE = ChunkingStrategy(method="none")


@pytest.fixture(scope="module", params=["field", "composite"])
def network(request):
    fields = "{type: field_embedding, field: text, weight: 3, component_id: words}"
    both = (
        "{type: composite_embedding, component_id: words, weight: 3, "
        "fields: [{field: title, weight: 1}, {field: text, weight: 3}]}"
    )
    config = load_config(
        f"similarity: {{min_combined_similarity: 0.1, components: [{fields if request.param == 'field' else both}, "
        "{type: attribute_similarity, field: kind, metric: exact, weight: 1}]}"
    )
    documents = [
        Document(f"d{n}", {"title": f"title {n}", "text": text, "kind": "a" if n < 3 else "b"})
        for n, text in enumerate(TEXTS)
    ]
    return build_network(documents, config)


def test_the_whole_text_changes_nothing(network):
    found = reaggregated(network, 0, "words", "text", WHOLE, "mean")
    assert found.row_cosine == pytest.approx(1.0, abs=1e-6)
    assert found.after == pytest.approx(found.before, abs=1e-6)
    assert "stays as it is" in reaggregation_sentence(found, network)


def test_as_built_it_is_the_combined_similarity(network):
    found = reaggregated(network, 0, "words", "text", CUT, "first")
    expected = [0.0, *(network.similarity.compute("d0", f"d{n}") for n in (1, 2, 3))]
    assert found.before == pytest.approx(expected)


def test_the_first_chunk_alone_is_about_reefs_and_the_last_about_bonds(network):
    first = reaggregated(network, 0, "words", "text", CUT, "first").after
    last = reaggregated(network, 0, "words", "text", CUT, "last").after
    assert first[1] > first[2]
    assert last[2] > last[1]


def test_it_is_what_a_build_with_that_one_document_cut_so_would_give(network):
    found = reaggregated(network, 0, "words", "text", CUT, "first")
    part = network.embedded["words"]
    if part.component.type == "field_embedding":
        alone = Document("d0", {**network.documents[0].fields, "text": "Coral reefs bleach in warm seas."})
        row, _ = part.embed_documents([alone])
        cosine = (row @ part.rows.T).toarray().ravel()
        exact = np.array([0.0, 1.0, 1.0, 0.0])
        assert found.after[1:] == pytest.approx((0.75 * cosine + 0.25 * exact)[1:], abs=1e-6)
    assert found.row_cosine < 0.99


@pytest.mark.parametrize("method", METHODS)
def test_every_aggregation_gives_similarities(network, method):
    found = reaggregated(network, 0, "words", "text", CUT, method)
    assert np.all((found.after >= 0) & (found.after <= 1 + 1e-9))
    table = reaggregation_table(found, network)
    assert "Wolves" not in " ".join(table["document"]) or len(table) <= 3
    assert (table["rank then"].diff().dropna() > 0).all()


def test_only_fields_that_are_embedded_can_be_combined_anew(network):
    assert components_of_field(network, "text") == ["words"]
    assert components_of_field(network, "kind") == []
    with pytest.raises(ConfigError, match="cannot be made again"):
        reaggregated(network, 0, "words", "kind", CUT, "mean")
    with pytest.raises(ConfigError, match="concat"):
        reaggregated(network, 0, "words", "text", CUT, "concat")
