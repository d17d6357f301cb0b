"""How far walks reach on multi-hop questions: ``python -m tests.benchmarks.reach [--nodes 10]``.

Prints, for each corpus with judged multi-hop questions, the evidence recall of flat retrieval, of the walk by the
question, of the walk by weight alone, and of the walk over the seed's graph, all with the same number of chunks, and
the paired interval of each against flat retrieval. Real corpora are found through ``CNRAG_CORPORA``.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path

from cnrag_core.config.infer import infer_config
from cnrag_core.config.loader import load_config
from cnrag_core.config.spec import AttributeSimilarityComponent, PipelineConfig
from cnrag_core.corpus.document import Corpus
from cnrag_core.corpus.readers import read_corpus
from cnrag_core.corpus.samples import load_sample
from cnrag_core.embedding.fields import embed_component
from cnrag_core.evaluation.judgements import JudgedQuery, judged_queries, read_judgements
from cnrag_core.retrieval.query import QueryScorer
from cnrag_core.traversal.paired import paired_interval
from cnrag_core.traversal.reach import at_nodes, evidence_of
from cnrag_core.traversal.walker import Walker, make_walker

CORPORA = Path(os.environ.get("CNRAG_CORPORA", Path(__file__).resolve().parents[3] / "shared" / "corpora"))
MULTI_HOP = ("2wiki-migres", "hotpotqa-dev100", "musique-dev100")
WAYS = {
    "flat": {"walk": "flat"},
    "walk by the question": {"cost": "question"},
    "walk by weight": {"cost": "weight"},
}


def collections() -> Iterator[tuple[str, Corpus, PipelineConfig, tuple[JudgedQuery, ...]]]:
    """The sample, and the real corpora that are there."""
    sample = load_sample("larkspur")
    judged = tuple(query for query in judged_queries(sample.queries) if len(query.required_evidence) > 1)
    yield "larkspur", sample.corpus, load_config(sample.config_yaml), judged
    for name in MULTI_HOP:
        folder = CORPORA / name
        if not folder.is_dir():
            print(f"{name}: not at {folder}; set CNRAG_CORPORA")
            continue
        corpus = read_corpus(folder / "corpus.jsonl")
        yield name, corpus, infer_config(corpus), read_judgements(folder / "queries.jsonl", folder / "qrels.tsv")


def walker_of(corpus: Corpus, config: PipelineConfig) -> Walker:
    """A walker without the similarity graph, which walks do not need."""
    documents = sorted(corpus, key=lambda document: document.id)
    parts = [part for part in config.components if not isinstance(part, AttributeSimilarityComponent)]
    embedded = {part.name: embed_component(documents, part) for part in parts}
    return make_walker(documents, config, embedded, QueryScorer(documents, config, embedded))


def recalls(walker: Walker, queries: tuple[JudgedQuery, ...], n: int, **options: object) -> list[float]:
    """Evidence recall of every question at `n` chunks."""
    found = []
    for query in queries:
        evidence = evidence_of(query)
        trace = walker.traverse(query.text, budget=at_nodes(n), required_evidence=evidence, **options)  # type: ignore[arg-type]
        found.append(1 - len(trace.missing_evidence) / len(evidence))
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nodes", type=int, default=10, help="chunks that every way may take")
    n = parser.parse_args().nodes
    for name, corpus, config, queries in collections():
        start = time.process_time()
        walker = walker_of(corpus, config)
        seconds = time.process_time() - start
        print(f"\n{name}: {len(corpus):,} documents, {len(queries):,} questions, {n} chunks, made in {seconds:.1f} s")
        measured = {way: recalls(walker, queries, n, **options) for way, options in WAYS.items()}
        seed = config.model_copy(update={"traversal": config.traversal.model_copy(update={"links": "seed"})})
        measured["walk over the seed's graph"] = recalls(walker_of(corpus, seed), queries, n)
        for way, values in measured.items():
            gain = paired_interval([a - b for a, b in zip(values, measured["flat"], strict=True)])
            against = "" if way == "flat" else f"   {gain}"
            print(f"  {way:28} {100 * sum(values) / len(values):5.1f}{against}")


if __name__ == "__main__":
    main()
