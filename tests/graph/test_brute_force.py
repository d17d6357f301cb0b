"""Random small corpora from texts to edges against the definition, written out with other libraries' vectors.

``CNRAG_RANDOM_CORPORA=1000`` compares so many corpora; the suite a few dozen.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from cnrag_core.config.spec import AttributeSimilarityComponent, EdgeRule, FieldEmbeddingComponent, PipelineConfig
from cnrag_core.corpus.document import Document
from cnrag_core.graph.edge_rules import edges_of_density
from cnrag_core.network import build_network
from cnrag_core.similarity import kernels, pairwise

N_CORPORA = int(os.environ.get("CNRAG_RANDOM_CORPORA", "40"))
CLOSE = 1e-6
WEIGHTS = {"title": 0.3, "text": 0.4, "tags": 0.2, "authors": 0.1}


def random_documents(rng: np.random.Generator) -> list[Document]:
    """3 to 40 documents of few words and tags; some lack a field, some repeat another document."""
    n = int(rng.integers(3, 41))
    n_words = int(rng.integers(5, 60))
    documents: list[Document] = []
    for row in range(n):
        if documents and rng.random() < 0.1:
            fields = dict(documents[int(rng.integers(0, len(documents)))].fields)
        else:
            fields = {
                "title": " ".join(f"w{word}" for word in rng.integers(0, n_words, rng.integers(1, 5))),
                "text": " ".join(f"w{word}" for word in rng.integers(0, n_words, rng.integers(1, 25))),
                "tags": [f"t{tag}" for tag in rng.integers(0, 9, rng.integers(0, 5))],
                "authors": [f"a{author}" for author in rng.integers(0, 6, rng.integers(0, 3))],
            }
            if row and rng.random() < 0.15:
                fields.pop(str(rng.choice(list(fields))))
        documents.append(Document(f"d{row:02}", fields))
    documents[0] = Document("d00", {"title": "w1", "text": "w1 w2", "tags": ["t1"], "authors": ["a1"]})
    return [documents[place] for place in rng.permutation(n)]


def random_rule(rng: np.random.Generator) -> EdgeRule:
    """Any of the rules, alone or with a minimum."""
    chosen = rng.integers(0, 5)
    least = round(float(rng.random() * 0.6), 2)
    if chosen == 0:
        return EdgeRule(min=least)
    if chosen == 1:
        return EdgeRule(max_per_node=int(rng.integers(1, 6)), min=least if rng.random() < 0.5 else None)
    if chosen == 2:
        return EdgeRule(density=float(rng.random() * 0.3 + 0.01), min=least if rng.random() < 0.3 else None)
    if chosen == 3:
        return EdgeRule(min_neighbors=int(rng.integers(1, 5)), max_per_node=int(rng.integers(3, 8)))
    return EdgeRule(density=float(rng.random() * 0.2 + 0.01), min_neighbors=int(rng.integers(0, 4)))


def similarities(documents: list[Document]) -> np.ndarray:
    """(n, n) combined similarity by scikit-learn's vectors and Python's sets."""
    n = len(documents)
    total = np.zeros((n, n))
    for name in ("title", "text"):
        texts = [document.text(name) for document in documents]
        present = [text for text in texts if text.strip()]
        # statistics of the texts that have words, as a missing field says nothing about any word
        model = TfidfVectorizer(token_pattern=r"(?u)\b\w+\b", sublinear_tf=True).fit(present)
        rows = model.transform(texts)
        total += WEIGHTS[name] * (rows @ rows.T).toarray()
    for name in ("tags", "authors"):
        sets = [set(document.items(name)) for document in documents]
        total += WEIGHTS[name] * np.array([[len(a & b) / max(1, len(a | b)) for b in sets] for a in sets])
    return total


def edges_by_definition(s: np.ndarray, rule: EdgeRule) -> dict[tuple[int, int], float]:
    n = len(s)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n) if s[i, j] > CLOSE / 1000]
    pairs.sort(key=lambda pair: (-round(s[pair], 9), pair))
    kept = set(pairs)
    best = {node: [pair for pair in pairs if node in pair] for node in range(n)}
    if rule.by_density:
        kept = set(pairs[: edges_of_density(rule.density or 0.0, n)])
        for node in range(n):
            kept |= set(best[node][: rule.min_neighbors or 0])
    kept = {pair for pair in kept if s[pair] >= (rule.min_similarity or 0.0) - 1e-9}
    if rule.max_per_node is not None:
        left = {node: [pair for pair in best[node] if pair in kept][: rule.max_per_node] for node in range(n)}
        kept = {(i, j) for i, j in kept if (i, j) in left[i] and (i, j) in left[j]}
    return {pair: float(s[pair]) for pair in kept}


@pytest.mark.parametrize("start", range(0, N_CORPORA, 20))
def test_edges_are_those_of_the_definition(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    components = [
        *(FieldEmbeddingComponent(field=name, weight=WEIGHTS[name]) for name in ("title", "text")),
        *(AttributeSimilarityComponent(field=name, weight=WEIGHTS[name]) for name in ("tags", "authors")),
    ]
    for seed in range(start, min(N_CORPORA, start + 20)):
        rng = np.random.default_rng(seed)
        documents, rule = random_documents(rng), random_rule(rng)
        monkeypatch.setattr(pairwise, "COMPILED_FROM", 0 if seed % 2 else 2_000)
        monkeypatch.setattr(kernels, "are_compiled", lambda: True)
        graph = build_network(documents, PipelineConfig(components=components, edges=rule)).graph
        s = similarities(sorted(documents, key=lambda document: document.id))
        wanted = edges_by_definition(s, rule)
        found = dict(
            zip(zip(graph.left.tolist(), graph.right.tolist(), strict=True), graph.weight.tolist(), strict=True)
        )
        for pair, weight in found.items():
            assert weight == pytest.approx(float(s[pair]), abs=CLOSE), (seed, rule, pair)
        different = set(found) ^ set(wanted)
        # of pairs that are equally similar either may be kept, where a rule counts edges
        for pair in different:
            tied = [other for other in different if other != pair and abs(s[other] - s[pair]) <= CLOSE]
            assert tied or abs(s[pair] - (rule.min_similarity or 0.0)) <= CLOSE, (seed, rule, pair, float(s[pair]))
        assert len(different) <= 4, (seed, rule, different)
