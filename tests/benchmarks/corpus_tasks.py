"""What is measured from texts on: the full analysis, questions, opening, importing, adding a document."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cnrag_core.corpus.document import Document
from tests.benchmarks.synthetic import make_corpus
from tests.benchmarks.tasks import LOOPED_ROWS, Clock, Report

N_QUESTIONS = 40
QUERY_EDGES = 1_000_000
N_SOURCES_TIMED = 10
ANALYSIS_THRESHOLD = {1_000: 0.15, 10_000: 0.2, 100_000: 0.3}


def _config(threshold: float) -> Any:
    from cnrag_core.config.spec import EdgeRule
    from tests.benchmarks.incremental import CONFIG

    return CONFIG.model_copy(update={"edges": EdgeRule(min_similarity=threshold)})


# Texts to edges, communities, betweenness, clustering.


def analysis_ours(clock: Clock, *, n: int, threshold: float) -> Report:
    from cnrag_core.network import build_network

    config = _config(ANALYSIS_THRESHOLD[n])
    _analyse(build_network(make_corpus(2_500).documents(), config))  # compiled
    documents = list(make_corpus(n).documents())
    clock.start()
    network = build_network(documents, config)
    _analyse(network)
    clock.stop()
    return {"edges": network.graph.n_edges, "of which building": round(sum(network.timings.values()), 2)}


def _analyse(network: Any) -> None:
    assert network.communities.n_communities
    assert len(network.betweenness.values) == len(network.clustering)


def analysis_guides_way(clock: Clock, *, n: int, threshold: float) -> Report:
    """scikit-learn's vectors, a Python loop over all pairs, networkx and python-louvain; long parts extrapolated."""
    import community
    import networkx as nx
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    from cnrag_core.network import build_network

    documents = list(make_corpus(n).documents())
    graph = build_network(documents, _config(ANALYSIS_THRESHOLD[n])).graph  # whose edges the loop would find
    tags, authors = ([set(document.items(name)) for document in documents] for name in ("tags", "authors"))
    extrapolated = 0.0
    clock.start()
    fields = ([document.text(name) for document in documents] for name in ("title", "abstract"))
    titles, abstracts = (cosine_similarity(TfidfVectorizer(sublinear_tf=True).fit_transform(field)) for field in fields)
    looped = min(n, LOOPED_ROWS)
    start = time.process_time()
    linked = 0
    for i in range(looped):
        for j in range(i + 1, n):
            shared_tags, shared_authors = tags[i] & tags[j], authors[i] & authors[j]
            similarity = (
                0.3 * titles[i, j]
                + 0.4 * abstracts[i, j]
                + 0.2 * len(shared_tags) / max(1, len(tags[i] | tags[j]))
                + 0.1 * len(shared_authors) / max(1, len(authors[i] | authors[j]))
            )
            linked += similarity >= ANALYSIS_THRESHOLD[n]
    done = sum(n - 1 - i for i in range(looped)) / (n * (n - 1) / 2)
    extrapolated += (time.process_time() - start) * (1 / done - 1)
    found = graph.to_networkx()
    community.best_partition(found, random_state=0)
    start = time.process_time()
    nx.betweenness_centrality(found, k=min(n, N_SOURCES_TIMED), seed=0)
    extrapolated += (time.process_time() - start) * (n / min(n, N_SOURCES_TIMED) - 1)
    nx.clustering(found)
    clock.stop()
    return {"edges": graph.n_edges, "share": clock.cpu / (clock.cpu + extrapolated)}


# Questions: one strategy each, over a million edges.


def _named_documents(n: int) -> list[Document]:
    """The synthetic corpus with capitalised titles, each named by another document of its subtopic."""
    corpus = make_corpus(n)
    rng = np.random.default_rng(1)
    titles = [" ".join(f"W{word}" for word in row[:3]) for row in corpus.words["title"]]
    order = np.argsort(corpus.topic, kind="stable")
    named = np.empty(n, dtype=np.int64)
    named[order] = np.roll(order, 1)
    found = []
    for row, document in enumerate(corpus.documents()):
        words = document.text("abstract").split()
        place = int(rng.integers(0, len(words)))
        text = " ".join([*words[:place], titles[named[row]], *words[place:]])
        found.append(Document(document.id, {**document.fields, "title": titles[row], "abstract": text}))
    return found


def questions(clock: Clock, *, folder: str, n: int, threshold: float) -> Report:
    """The 95th percentile of one answer, of the slowest strategy; and what the first question waits for."""
    from cnrag_core.network import Network
    from cnrag_core.retrieval.search import STRATEGIES
    from tests.benchmarks.graph_tasks import community_graph

    documents, graph = tuple(_named_documents(n)), community_graph(folder, n)
    network = Network(documents, _config(0.2), {}, (), graph, replace(graph, node_ids=tuple(d.id for d in documents)))  # type: ignore[arg-type]
    rng = np.random.default_rng(2)
    asked = []
    for row in rng.integers(0, n, N_QUESTIONS).tolist():
        words = documents[row].text("abstract").split()
        asked.append(" ".join(words[at] for at in rng.integers(0, len(words), 8)))
    _analyse(network)  # once a network, not once a question
    start = time.process_time()
    for strategy in STRATEGIES:
        network.search(asked[0]).with_strategy(strategy).top(10)
    facts: Report = {"edges": graph.n_edges, "first": round(time.process_time() - start, 2)}
    for strategy in STRATEGIES:
        seconds = []
        for question in asked:
            start = time.process_time()
            network.search(question).with_strategy(strategy).top(10)
            seconds.append(time.process_time() - start)
        facts[f"p95 {strategy} ms"] = round(1000 * float(np.quantile(seconds, 0.95)), 1)
    clock.cpu = clock.wall = max(value for name, value in facts.items() if name.startswith("p95")) / 1000
    return facts


# Opening, importing, adding.


def open_workspace(clock: Clock, *, folder: str, n: int, threshold: float) -> Report:
    """From a file to a workspace in a process that has imported nothing."""
    path = Path(folder) / f"saved-{n}.cnrag"
    if not path.exists():
        subprocess.run([sys.executable, "-m", "tests.benchmarks.corpus_tasks", str(path), str(n)], check=True)
    program = (
        "import sys, time\nstart = time.process_time()\nfrom cnrag_core.workspace import Workspace\n"
        "opened = Workspace.open(sys.argv[1])\nassert opened.network.communities.n_communities\n"
        "print(time.process_time() - start)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], check=True, capture_output=True, text=True)
    clock.cpu = clock.wall = float(done.stdout)
    return {"MB": round(path.stat().st_size / 1e6, 1)}


def import_core(clock: Clock, *, n: int, threshold: float) -> Report:
    program = "import time\nstart = time.process_time()\nimport cnrag_core\nprint(time.process_time() - start)"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    clock.cpu = clock.wall = float(done.stdout)
    return {}


def add_document(clock: Clock, *, n: int, threshold: float) -> Report:
    """One document more, the graph and its candidates included; the mean of ten."""
    from cnrag_core.incremental import updated_network
    from cnrag_core.network import build_network

    documents = list(make_corpus(n + 11).documents())
    network = updated_network(build_network(documents[:n], _config(0.2)), added=[documents[n]])
    clock.start()
    for document in documents[n + 1 :]:
        network = updated_network(network, added=[document])
    clock.stop()
    clock.cpu, clock.wall = clock.cpu / 10, clock.wall / 10
    return {"edges": network.graph.n_edges}


CORPUS_TASKS: dict[str, Callable[..., Report]] = {
    task.__name__: task
    for task in (analysis_ours, analysis_guides_way, questions, open_workspace, import_core, add_document)
}


def _save(path: str, n: int) -> None:
    from cnrag_core.corpus.document import Corpus
    from cnrag_core.workspace import Workspace

    Workspace.build(Corpus(tuple(make_corpus(n).documents())), _config(0.2)).save(path)


if __name__ == "__main__":
    _save(sys.argv[1], int(sys.argv[2]))
