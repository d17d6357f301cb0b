"""10,000 documents from texts to communities, beside the naive way.

::

    python -m tests.benchmarks.graph_10k

Three text fields and two list fields: TF-IDF of each text, all pairs compared exactly, an edge at a
combined similarity of 0.3, communities. The naive way is the guides': a dense cosine matrix of each text
field and a Python double loop over all pairs; a part of the loop is timed and extrapolated by the number
of pairs. CPU seconds of one thread, each way in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

from tests.benchmarks.measuring import ONE_THREAD, ROOT
from tests.benchmarks.synthetic import make_corpus
from tests.benchmarks.tasks import peak_mb

THRESHOLD = 0.3
WEIGHTS = {"title": 0.25, "summary": 0.2, "abstract": 0.3, "tags": 0.15, "authors": 0.1}
LOOPED_ROWS = 100

T = TypeVar("T")


class Steps:
    """CPU and wall seconds of named steps."""

    def __init__(self) -> None:
        self.cpu: dict[str, float] = {}
        self.wall: dict[str, float] = {}

    def run(self, name: str, work: Callable[[], T]) -> T:
        cpu, wall = time.process_time(), time.perf_counter()
        result = work()
        self.cpu[name], self.wall[name] = time.process_time() - cpu, time.perf_counter() - wall
        return result


def ours(n: int) -> dict[str, Any]:
    """TF-IDF, all pairs, communities, with every import and the compiled code's loading in the clock."""
    documents = list(make_corpus(n).documents())
    steps = Steps()

    def embed() -> dict[str, Any]:
        from cnrag_core.embedding.fields import embed_component

        return {part.name: embed_component(documents, part) for part in config.components[:3]}

    def compare() -> Any:
        from cnrag_core.graph.builder import build_graph
        from cnrag_core.similarity.components import build_columns

        columns = build_columns(documents, config, embedded)
        return build_graph([document.id for document in documents], columns, config.edges)

    def group() -> Any:
        from cnrag_core.topology.communities import find_communities

        return find_communities(built.graph)

    config = _config()
    embedded = steps.run("TF-IDF of three fields", embed)
    built = steps.run("all pairs, graph and candidates", compare)
    communities = steps.run("communities", group)
    facts = {
        "edges": built.graph.n_edges,
        "candidates": built.candidates.n_edges,
        "floor": built.candidates.floor,
        "communities": int((communities.sizes > 1).sum()),
        "library": communities.library,
    }
    return {"cpu": steps.cpu, "wall": steps.wall, "facts": facts, "rss_mb": peak_mb()}


def naive(n: int) -> dict[str, Any]:
    """The same comparison with scikit-learn's matrices and Python's loops; communities by python-louvain."""
    import community
    import networkx as nx
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    documents = list(make_corpus(n).documents())
    tags, authors = ([set(document.items(name)) for document in documents] for name in ("tags", "authors"))
    steps = Steps()

    def embed() -> list[Any]:
        texts = ([document.text(name) for document in documents] for name in ("title", "summary", "abstract"))
        return [TfidfVectorizer().fit_transform(field) for field in texts]

    def loop() -> list[tuple[int, int, float]]:
        edges = []
        for i in range(min(n, LOOPED_ROWS)):
            for j in range(i + 1, n):
                similarity = (
                    WEIGHTS["title"] * cosines[0][i, j]
                    + WEIGHTS["summary"] * cosines[1][i, j]
                    + WEIGHTS["abstract"] * cosines[2][i, j]
                    + WEIGHTS["tags"] * len(tags[i] & tags[j]) / max(1, len(tags[i] | tags[j]))
                    + WEIGHTS["authors"] * len(authors[i] & authors[j]) / max(1, len(authors[i] | authors[j]))
                )
                if similarity >= THRESHOLD:
                    edges.append((i, j, float(similarity)))
        return edges

    def group() -> Any:
        graph = nx.Graph()
        graph.add_nodes_from(range(n))
        graph.add_weighted_edges_from(edges)
        return community.best_partition(graph, random_state=0)

    matrices = steps.run("TF-IDF of three fields", embed)
    cosines = steps.run("dense cosine matrices", lambda: [cosine_similarity(matrix) for matrix in matrices])
    edges = steps.run("double loop", loop)
    rows = min(n, LOOPED_ROWS)
    share = sum(n - 1 - i for i in range(rows)) / (n * (n - 1) / 2)
    steps.cpu["double loop"] /= share
    steps.run("communities", group)
    return {"cpu": steps.cpu, "wall": steps.wall, "facts": {"looped share": round(share, 4)}, "rss_mb": peak_mb()}


def _config() -> Any:
    from cnrag_core.config.spec import AttributeSimilarityComponent, EdgeRule, FieldEmbeddingComponent, PipelineConfig

    texts = [FieldEmbeddingComponent(field=name, weight=WEIGHTS[name]) for name in ("title", "summary", "abstract")]
    lists = [AttributeSimilarityComponent(field=name, weight=WEIGHTS[name]) for name in ("tags", "authors")]
    return PipelineConfig(components=[*texts, *lists], edges=EdgeRule(min=THRESHOLD))


def _in_a_process(way: str, n: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.benchmarks.graph_10k", "--way", way, "--documents", str(n)]
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.graph_10k", description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--way", choices=["ours", "naive"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        print(json.dumps({"ours": ours, "naive": naive}[options.way](options.documents)))
        return
    found = {way: _in_a_process(way, options.documents) for way in ("ours", "naive")}
    print(f"{options.documents:,} documents, three text fields and two list fields, threshold {THRESHOLD}")
    for way, result in found.items():
        looped = result["facts"].get("looped share", 1.0)
        print(
            f"\n{way}"
            + (f" (double loop: {looped:.1%} of the pairs timed, the rest extrapolated)" if looped < 1 else "")
        )
        for step, seconds in result["cpu"].items():
            print(f"  {step:36}{seconds:>10.2f} CPU s")
        print(f"  {'in all':36}{sum(result['cpu'].values()):>10.2f} CPU s, peak {result['rss_mb']:,.0f} MiB")
    facts = found["ours"]["facts"]
    print(
        f"\nours: {facts['edges']:,} edges, {facts['candidates']:,} candidates down to {facts['floor']:.2f}, "
        f"{facts['communities']:,} communities of two or more ({facts['library']})"
    )
    totals = {way: sum(result["cpu"].values()) for way, result in found.items()}
    pairs = {"ours": ["all pairs, graph and candidates"], "naive": ["dense cosine matrices", "double loop"]}
    compared = {way: sum(found[way]["cpu"][step] for step in steps) for way, steps in pairs.items()}
    in_all, in_comparing = (seconds["naive"] / seconds["ours"] for seconds in (totals, compared))
    print(f"ratio: {in_all:.1f} times in all, {in_comparing:.0f} times in comparing")


if __name__ == "__main__":
    main()
