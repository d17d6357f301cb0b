"""Adding documents one at a time against rebuilding: ``python -m tests.benchmarks.incremental [n] [n_added]``.

Prints CPU seconds of adding `n_added` documents one by one to a network of `n`, of one rebuild, the ratio
to as many rebuilds, and whether the graph equals a rebuild under the same vocabulary statistics.
"""

from __future__ import annotations

import sys
import time

from cnrag_core.config.spec import AttributeSimilarityComponent, EdgeRule, FieldEmbeddingComponent, PipelineConfig
from cnrag_core.embedding.fields import embed_component
from cnrag_core.graph.builder import build_graph
from cnrag_core.incremental import updated_network
from cnrag_core.network import Network, build_network
from cnrag_core.similarity.components import build_columns
from tests.benchmarks.synthetic import make_corpus

CONFIG = PipelineConfig(
    components=[
        FieldEmbeddingComponent(field="title", weight=3),
        FieldEmbeddingComponent(field="abstract", weight=4),
        AttributeSimilarityComponent(field="tags", weight=2),
        AttributeSimilarityComponent(field="authors", weight=1),
    ],
    edges=EdgeRule(min_similarity=0.2),
)


def rebuilt_like(network: Network) -> Network:
    """A whole build of the same documents under the vocabulary of a network."""
    documents, config = network.documents, network.config
    embedded = {
        part.name: embed_component(documents, part, provider=network.embedded[part.name].provider)
        for part in config.components
        if part.name in network.embedded
    }
    columns = build_columns(documents, config, embedded)
    built = build_graph(network.node_ids, columns, config.edges)
    return Network(documents, config, embedded, columns, built.candidates, built.graph)


def main(n: int = 5000, n_added: int = 100) -> None:
    documents = list(make_corpus(n + n_added).documents())
    network = build_network(documents[:n], CONFIG)
    start = time.process_time()
    rebuilt_like(network)
    rebuild = time.process_time() - start
    start = time.process_time()
    for document in documents[n:]:
        network = updated_network(network, added=[document])
    following = time.process_time() - start
    equal = rebuilt_like(network).graph.digest == network.graph.digest
    print(f"documents {n:,}, added one at a time {n_added:,}")
    print(f"following: {following:.2f} s CPU, {1000 * following / n_added:.1f} ms a document")
    print(f"one rebuild: {rebuild:.2f} s CPU; {n_added} rebuilds: {rebuild * n_added:.1f} s")
    print(f"ratio: following costs 1/{rebuild * n_added / following:.1f} of rebuilding; equal graphs: {equal}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
