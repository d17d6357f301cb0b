"""How well strategies find judged documents on real corpora, and how fast.

::

    python -m tests.benchmarks.retrieval                     # every corpus, without a model
    python -m tests.benchmarks.retrieval --model             # with all-MiniLM-L6-v2 where it is installed
    python -m tests.benchmarks.retrieval --leave-one-out     # are the constants of path scoring chosen too well?

The corpora are not part of the project; they are looked for at CNRAG_CORPORA. Every figure comes from the
configuration that the product proposes for the corpus by itself, and from one setting of all constants.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from cnrag_core.config.infer import infer_config
from cnrag_core.config.spec import AttributeSimilarityComponent, PipelineConfig
from cnrag_core.corpus.document import Corpus, Document
from cnrag_core.corpus.readers import read_corpus
from cnrag_core.evaluation.bootstrap import paired_differences
from cnrag_core.evaluation.judgements import JudgedQuery, read_judgements
from cnrag_core.evaluation.metrics import recall_at
from cnrag_core.evaluation.report import evaluate
from cnrag_core.network import Network, build_network
from cnrag_core.retrieval.ordering import best
from cnrag_core.retrieval.path_setting import PATHS, PathSetting
from cnrag_core.retrieval.paths import score_paths

ROOT = Path(__file__).resolve().parents[2]
SINGLE_HOP = ("cranfield", "cacm", "med", "xquad-en", "xquad-zh")
MULTI_HOP = ("2wiki-migres", "hotpotqa-dev100", "musique-dev100")
STRATEGIES = ("similarity", "community", "hub", "bridge", "hybrid", "smoothing", "pagerank", "links", "auto")

ALTERNATIVES: dict[str, tuple[object, ...]] = {
    "title": (0.5, 1.0, 1.5, 2.0),
    "rounds": tuple(
        ((first, 1.0), (second, weight))
        for first, second, weight in [(5, 3, 0.6), (10, 5, 0.3), (10, 5, 0.6), (10, 5, 1.0), (20, 10, 0.6)]
    ),
    "reduced": (1.0, 2.0, 3.0, 4.0),
    "sentence": (0.0, 0.5, 1.0, 2.0),
    "indirect": (0.2, 0.3, 0.4, 0.5, 0.7),
    "known": (0.0, 0.25, 0.5, 0.75),
    "max_share": (0.01, 0.02, 0.05),
}  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """A corpus, ready to be asked."""

    name: str
    network: Network
    queries: tuple[JudgedQuery, ...]
    seconds: float


def corpora_folder() -> Path:
    return Path(os.environ.get("CNRAG_CORPORA", ROOT.parent / "shared" / "corpora"))


def load(name: str) -> tuple[Corpus, tuple[JudgedQuery, ...]]:
    folder = corpora_folder() / name
    return read_corpus(folder / "corpus.jsonl"), read_judgements(folder)


def pooled(names: Sequence[str]) -> tuple[Corpus, tuple[JudgedQuery, ...]]:
    """Several corpora as one, ids prefixed by the corpus."""
    documents: list[Document] = []
    queries: list[JudgedQuery] = []
    kinds: dict = {}
    for name in names:
        corpus, judged = load(name)
        kinds |= corpus.kinds
        documents += [replace(document, id=f"{name}/{document.id}") for document in corpus]
        queries += [
            replace(query, id=f"{name}/{query.id}", relevant={f"{name}/{d}": g for d, g in query.relevant.items()})
            for query in judged
        ]
    return Corpus(tuple(documents), kinds, "pooled"), tuple(queries)


def build(name: str, corpus: Corpus, queries: tuple[JudgedQuery, ...], *, model: bool) -> Judged:
    """Build with the proposed configuration; seconds include every index that the first question builds."""
    start = time.perf_counter()
    config = infer_config(corpus)
    if model:
        config = with_model(config)
    network = build_network(corpus.documents, config)
    network.search(queries[0].text).with_strategy("auto").top(10)
    return Judged(name, network, queries, time.perf_counter() - start)


def with_model(config: PipelineConfig) -> PipelineConfig:
    """The same comparison with sentence embeddings instead of TF-IDF."""
    parts = [
        part if isinstance(part, AttributeSimilarityComponent) else part.model_copy(update={"model": "sentence_bert"})
        for part in config.components
    ]
    return config.model_copy(update={"components": tuple(parts)})


def show(judged: Judged, strategies: Sequence[str]) -> None:
    """Print one corpus: every strategy, and TF-IDF cosine as a second baseline."""
    network, queries = judged.network, judged.queries
    report = evaluate(network.search, queries, strategies, k=(2, 5, 10))
    base = network.scorer.score(queries[0].text).method
    print(f"\n{judged.name}: {len(network.documents):,} documents, {len(queries):,} questions; base: {base}; ", end="")
    print(f"built and indexed in {judged.seconds:.1f} s; {network.graph.rule}")
    columns = [("strategy", -14), ("nDCG@10", 9), ("against base", 17), ("R@5", 8), ("against base", 17), ("all@5", 8)]
    print("  " + "".join(f"{name:<{-w}}" if w < 0 else f"{name:>{w}}" for name, w in [*columns, ("ms", 8), ("p95", 7)]))
    cosine = evaluate(lambda q: network.search(q).with_query_mode("cosine"), queries, ["similarity"], k=(2, 5, 10))
    rows = [(row.strategy, row, True) for row in report.strategies] + [("cosine", cosine.strategies[0], False)]
    for name, row, compared in rows:
        cells = "".join(
            f"{100 * row.metrics[metric]:>{width}.1f}"
            + (f"{interval(row.differences[metric]):>17}" if compared else " " * 17)
            for metric, width in (("ndcg@10", 9), ("recall@5", 8))
        )
        all_evidence = 100 * row.metrics["all_evidence@5"]
        print(f"  {name:<14}{cells}{all_evidence:>8.1f}{1000 * row.seconds:>8.1f}{1000 * row.slow_seconds:>7.1f}")
    print(f"  auto: {network.search(queries[0].text).with_strategy('auto').top(1).reason}", flush=True)


def interval(difference) -> str:
    return f"[{100 * difference.low:+.1f}, {100 * difference.high:+.1f}]"


def leave_one_out() -> None:
    """Choose the constants of path scoring on all multi-hop corpora but one, and measure them on that one."""
    built = [build(name, *load(name), model=False) for name in MULTI_HOP]
    prepared = {judged.name: _prepared(judged) for judged in built}
    shipped = {name: _recalls(prepared[name], PATHS).mean() for name in MULTI_HOP}
    print("\nConstants of path scoring chosen on the other two corpora, R@5:")
    for left_out in MULTI_HOP:
        others = [name for name in MULTI_HOP if name != left_out]
        setting = _ascend(lambda tried, others=others: np.mean([_recalls(prepared[n], tried).mean() for n in others]))
        value = _recalls(prepared[left_out], setting)
        d = paired_differences(value[:, None], _recalls(prepared[left_out], PATHS)[:, None])[0]
        figures = f"{100 * value.mean():6.1f}   shipped {100 * shipped[left_out]:.1f}, {interval(d)}"
        print(f"  {left_out:<18}{figures}   {setting}", flush=True)


def _prepared(judged: Judged) -> list:
    scorer, ids = judged.network.scorer, judged.network.node_ids
    return [(q, scorer.score(q.text).similarity, scorer, judged.network.links, ids) for q in judged.queries]


def _recalls(prepared: list, setting: PathSetting) -> np.ndarray:
    values = []
    for query, similarity, scorer, links, ids in prepared:
        scores = score_paths(query.text, similarity, scorer, links, setting=setting)
        ranked = [ids[node] for node in best(similarity + scores.title + scores.path, 5)]
        values.append(recall_at(ranked, query.relevant.keys(), 5))
    return np.array(values)


def _ascend(value_of: Callable[[PathSetting], float]) -> PathSetting:
    """One constant after the other, twice, from a start that knows nothing: the middle of each range."""
    setting = PathSetting(**{name: options[len(options) // 2] for name, options in ALTERNATIVES.items()})
    reached = value_of(setting)
    for _, (name, options) in itertools.product(range(2), ALTERNATIVES.items()):
        for option in options:
            tried = replace(setting, **{name: option})
            if (value := value_of(tried)) > reached + 1e-9:
                setting, reached = tried, value
    return setting


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", default=[*SINGLE_HOP, *MULTI_HOP, "pooled"])
    parser.add_argument("--strategies", nargs="+", default=list(STRATEGIES))
    parser.add_argument("--model", action="store_true", help="compare with all-MiniLM-L6-v2 as well")
    parser.add_argument("--leave-one-out", action="store_true")
    options = parser.parse_args(arguments)
    if not corpora_folder().is_dir():
        print(f"The corpora are not at {corpora_folder()}; set CNRAG_CORPORA to where they are.", file=sys.stderr)
        return 1
    if options.leave_one_out:
        leave_one_out()
        return 0
    for name in options.corpora:
        corpus, queries = pooled(MULTI_HOP) if name == "pooled" else load(name)
        show(build(name, corpus, queries, model=options.model), options.strategies)
    return 0


if __name__ == "__main__":
    sys.exit(main())
