"""The same documents give the same topology in any order, under any hash seed and any number of threads."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np

from cnrag_core.corpus.document import Document
from cnrag_core.graph.similarity_graph import graph_of_networkx
from cnrag_core.topology import layout as layout_module
from cnrag_core.topology.centrality import betweenness
from cnrag_core.topology.communities import find_communities
from cnrag_core.topology.layout import compute_layout
from cnrag_core.topology.tagging import community_tags

WORDS = ["planet", "oven", "violin", "glacier", "enzyme", "harbour"]


def digests(shuffle: int = 0) -> str:
    """Digests of everything derived from one graph, whose nodes and edges arrive shuffled."""
    planted = nx.random_partition_graph([20] * 6, 0.4, 0.02, seed=2)
    random = np.random.default_rng(shuffle)
    nodes = [int(node) for node in random.permutation(len(planted))]
    edges = [list(planted.edges)[i] for i in random.permutation(planted.number_of_edges())]
    given = nx.Graph()
    given.add_nodes_from(f"doc-{node}" for node in nodes)
    given.add_weighted_edges_from((f"doc-{a}", f"doc-{b}", (1 + (a + b) % 7) / 10) for a, b in edges)
    graph = graph_of_networkx(given)
    documents = [
        Document(
            node_id,
            {"text": f"The {WORDS[int(node_id[4:]) // 20]} of {node_id}", "tags": [WORDS[int(node_id[4:]) % 6]]},
        )
        for node_id in graph.node_ids
    ]
    plain = compute_layout(graph).digest
    layout_module.MAX_PLAIN_WORK, kept = 0, layout_module.MAX_PLAIN_WORK
    compiled = compute_layout(graph).digest
    layout_module.MAX_PLAIN_WORK = kept
    found = {
        "plain layout": plain,
        "compiled layout": compiled,
        "betweenness": hashlib.sha256(np.round(betweenness(graph).values, 12).tobytes()).hexdigest(),
        "sampled": hashlib.sha256(np.round(betweenness(graph, n_sources=30).values, 12).tobytes()).hexdigest(),
    }
    for name, options in {
        "python-louvain": {},
        "networkx": {"resolution": 2.0},
        "cnrag": {"library": "cnrag"},
        "networkit": {"library": "networkit"},
        "leiden": {"algorithm": "leiden"},
    }.items():
        labels = find_communities(graph, **options).labels
        found[name] = hashlib.sha256(labels.tobytes()).hexdigest()
        found[f"tags, {name}"] = json.dumps(community_tags(documents, labels, ["text", "tags"]))
    return json.dumps(found, sort_keys=True)


def test_the_order_of_documents_changes_nothing():
    assert digests(0) == digests(1)


def test_hash_seeds_and_threads_change_nothing():
    outputs = set()
    for seed, threads in (("0", "1"), ("4242", "2")):
        environment = {
            **os.environ,
            "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
            "PYTHONHASHSEED": seed,
            "OMP_NUM_THREADS": threads,
            "OPENBLAS_NUM_THREADS": threads,
        }
        command = [sys.executable, __file__]
        finished = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=True)
        outputs.add(finished.stdout)
    assert len(outputs) == 1
    assert outputs.pop().strip() == digests(0)


if __name__ == "__main__":
    print(digests(0))
