"""Whether documents or communities come first depends on what a picture of documents would show."""

from __future__ import annotations

from cnrag_core.config.spec import AttributeSimilarityComponent, EdgeRule, PipelineConfig
from cnrag_core.corpus.document import Document
from cnrag_core.network import Network, build_network
from cnrag_core.views.network_first import first_look, first_view, share_alone, why_communities


def network_of_groups(n_groups: int, of_each: int) -> Network:
    """Documents in groups that share nothing; within a group each is linked to each."""
    documents = [
        Document(f"d{number:04d}", {"title": f"Paper {number}", "tags": [f"tag{number // of_each}"]})
        for number in range(n_groups * of_each)
    ]
    config = PipelineConfig(
        components=(AttributeSimilarityComponent(field="tags", metric="jaccard"),), edges=EdgeRule(min=0.9)
    )
    return build_network(documents, config)


def test_communities_come_first_where_most_documents_of_the_picture_would_stand_alone():
    network = network_of_groups(400, 3)  # 500 drawn: one of each group, and a second of a hundred
    assert share_alone(network) == 0.6
    assert first_view(network) == first_look(network).view == "communities"
    assert "500 of 1,200 documents, and 60 % of those" in why_communities(network)
    assert first_view(network.at_threshold(0.99)) == "communities"


def test_documents_come_first_where_the_picture_shows_how_they_hang_together():
    network = network_of_groups(50, 24)  # ten of each group
    assert share_alone(network) == 0.0
    assert first_view(network) == "documents"
    assert why_communities(network) == ""


def test_few_documents_come_first_whatever_links_them(network: Network):
    assert first_view(network) == "documents"
