"""A network whose edges can be read off the tags: two triangles, a bridge between them, a loner."""

from __future__ import annotations

from cnrag_core.config.spec import AttributeSimilarityComponent, EdgeRule, PipelineConfig, ReferenceLinks
from cnrag_core.corpus.document import Document
from cnrag_core.network import Network, build_network

KINDS = {"title": "text", "tags": "list", "year": "number", "field": "category", "cites": "list"}

TAGS = {
    "a1": ["x", "y"],
    "a2": ["x", "y"],
    "a3": ["x", "y", "z"],
    "b1": ["p", "q"],
    "b2": ["p", "q"],
    "b3": ["p", "q", "z"],
    "c1": ["alone"],
}
"""Jaccard: 1 between the first two of a triangle, 2/3 to its third, 1/5 between the thirds."""


def network_of_tags(threshold: float = 0.2) -> Network:
    documents = [
        Document(
            node_id,
            {
                "title": f"Title of {node_id}",
                "tags": tags,
                "year": 2000 + number,
                "field": "first" if node_id < "b" else "second",
                "cites": ["a1"] if node_id == "b1" else [],
            },
        )
        for number, (node_id, tags) in enumerate(TAGS.items())
    ]
    config = PipelineConfig(
        components=(AttributeSimilarityComponent(field="tags", metric="jaccard"),),
        edges=EdgeRule(min=threshold),
        links=(ReferenceLinks.model_validate({"from": "cites"}),),
    )
    return build_network(documents, config)
