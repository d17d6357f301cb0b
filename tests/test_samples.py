"""The shipped corpora give graphs worth showing, and the guides' patterns build on them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cnrag_core.config.loader import load_config, to_yaml
from cnrag_core.config.spec import PipelineConfig
from cnrag_core.corpus.samples import load_sample, sample_names
from cnrag_core.network import Network, build_network
from cnrag_core.topology.neighborhood import k_hop

ROOT = Path(__file__).resolve().parents[1]
PATTERNS = ROOT / "sample_data" / "patterns"


def built(name: str, config: PipelineConfig | None = None) -> Network:
    sample = load_sample(name)
    return build_network(sample.corpus, config or load_config(sample.config_yaml))


@pytest.fixture(scope="module")
def papers() -> Network:
    return built("papers")


@pytest.mark.parametrize("name", sample_names())
def test_every_sample_has_documents_and_judged_questions_about_them(name):
    sample = load_sample(name)
    ids = {document.id for document in sample.corpus}
    assert len(ids) == len(sample.corpus) >= 40
    assert len(sample.queries) >= 12
    for query in sample.queries:
        assert set(query["relevant"]) <= ids


@pytest.mark.parametrize("name", sample_names())
def test_every_sample_has_several_communities_hubs_and_true_bridges(name):
    network = built(name)
    labels, degree = network.communities.labels, network.graph.degree
    assert np.count_nonzero(network.communities.sizes >= 3) >= 5
    assert network.communities.modularity > 0.4
    assert np.count_nonzero(degree == 0) < 0.15 * len(degree)
    assert degree.max() >= 1.3 * np.median(degree)
    joining = 0
    for bridge in np.argsort(-network.betweenness.values)[:10]:
        neighbors = k_hop(network.graph, network.node_ids[bridge], 1)
        joining += len({labels[network.graph.index(node_id)] for node_id in neighbors}) >= 2
    assert joining >= 3


def test_papers_give_the_graph_that_a_stakeholder_is_shown(papers):
    sizes, n = papers.communities.sizes, papers.graph.n_nodes
    assert np.count_nonzero(sizes >= 5) >= 5
    assert papers.communities.modularity > 0.4
    assert np.count_nonzero(papers.graph.degree == 0) < 0.15 * n
    assert papers.curve.at(papers.graph.threshold).giant_share > 0.6


def test_papers_communities_are_named_after_their_field(papers):
    sample = load_sample("papers")
    names = {word.lower() for field, words in sample.synonyms.items() for word in (field, *words)}
    large = [c for c in range(papers.communities.n_grouped) if papers.communities.sizes[c] >= 5]
    named = [c for c in large if names & {tag.lower() for tag in papers.tags[c][:3]}]
    assert len(named) >= 0.8 * len(large)


@pytest.mark.parametrize(
    ("pattern", "sample"),
    [
        ("products", "products"),
        ("papers", "papers"),
        ("blog", "blog"),
        ("chats", "chats"),
        ("papers_components", "papers"),
    ],
)
def test_the_patterns_of_guide_000_build_and_say_when_their_minimum_isolates_most(pattern, sample):
    network = built(sample, load_config(PATTERNS / f"{pattern}.yaml"))
    n = network.graph.n_nodes
    isolated = int(np.count_nonzero(network.graph.degree == 0))
    warned = [warning for warning in network.warnings if "Suggested:" in warning]
    assert bool(warned) == (isolated * 2 > n)
    if warned:
        suggested = network.suggestion.threshold
        assert f"{suggested:.2f}" in warned[0]
        linked = np.count_nonzero(network.at_threshold(suggested).graph.degree)
        assert linked * 2 >= n


@pytest.mark.parametrize("name", sample_names())
def test_both_dialects_written_for_the_same_comparison_give_identical_graphs(name):
    config = load_config(load_sample(name).config_yaml)
    graphs = [built(name, load_config(to_yaml(config, dialect=d))).graph for d in ("components", "graph")]
    assert graphs[0].digest == graphs[1].digest


DIGESTS = """
import hashlib, json, sys
import numpy as np
from cnrag_core.config.loader import load_config
from cnrag_core.corpus.samples import load_sample
from cnrag_core.network import build_network
sample = load_sample("papers")
documents = list(sample.corpus)
if sys.argv[1] == "shuffled":
    documents = [documents[i] for i in np.random.default_rng(7).permutation(len(documents))]
network = build_network(documents, load_config(sample.config_yaml))
ask = lambda q, s: network.search(q["text"]).with_strategy(s).top(10).ids
rankings = [ask(q, s) for q in sample.queries[:5] for s in ("similarity", "hybrid")]
digest = hashlib.sha256(network.graph.digest.encode())
digest.update(network.communities.labels.tobytes())
digest.update(network.layout.positions.tobytes())
digest.update(json.dumps(rankings).encode())
print(digest.hexdigest())
"""


@pytest.mark.slow
def test_order_hash_seed_and_threads_change_nothing():
    """Two rebuilds, a shuffled one, three hash seeds, one or two threads: one digest."""
    digests = set()
    for order, seed, threads in [
        ("as given", "0", "1"),
        ("as given", "0", "2"),
        ("shuffled", "1", "1"),
        ("shuffled", "12345", "2"),
    ]:
        environment = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "OMP_NUM_THREADS": threads,
            "OPENBLAS_NUM_THREADS": threads,
            "NUMBA_NUM_THREADS": threads,
            "PYTHONPATH": str(ROOT),
        }
        run = subprocess.run(
            [sys.executable, "-c", DIGESTS, order], env=environment, capture_output=True, text=True, check=True
        )
        digests.add(run.stdout.strip())
    assert len(digests) == 1
