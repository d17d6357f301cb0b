"""Every pair of settings somewhere in one configuration: each is built or refused, and none hangs."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from cnrag_core.config.loader import load_config
from cnrag_core.corpus.document import Document
from cnrag_core.errors import CNRagError, ConfigError, ResourceLimitError
from cnrag_core.network import build_network
from tests.hardening import campaign
from tests.hardening.watched import watched

HANG = 5.0
SETTINGS: dict[str, Sequence[Any]] = {
    "method": ("none", "fixed_tokens", "sentences", "paragraphs", "sliding", "recursive", "fixed", "no such"),
    "max_tokens": (1, 2, 26, 512),
    "overlap": ("0", "1", "half", "max - 1", "max", "2 max"),
    "aggregation": ("mean", "weighted_avg", "weighted_mean", "max_pool", "sum", "concat", "first", "last", "no such"),
    "metric": ("jaccard", "dice", "overlap", "exact", "numeric", "jacard"),
    "weight": (0.0, -1.0, math.nan, math.inf, 1e9, "1e-1", 0.1, 1.0),
    "threshold": (0.0, 1e-9, 0.4, 1.0, 1.0000001, -1.0, math.nan),
    "dialect": ("components", "graph"),
    "composite": (False, True),
}
VALID = {
    "method": {"none", "fixed_tokens", "sentences", "paragraphs", "sliding", "recursive", "fixed"},
    "overlap": {"0", "1", "half", "max - 1"},
    "aggregation": {"mean", "weighted_avg", "weighted_mean", "max_pool", "sum", "concat", "first", "last"},
    "metric": {"jaccard", "dice", "overlap", "exact", "numeric"},
}


def covering(settings: Mapping[str, Sequence[Any]], chosen: random.Random) -> list[dict[str, Any]]:
    """Rows in which every two values of two settings meet, built greedily: one row covers as many as it can."""
    names = list(settings)
    open_pairs = {
        ((a, i), (b, j))
        for a, b in itertools.combinations(names, 2)
        for i in range(len(settings[a]))
        for j in range(len(settings[b]))
    }
    rows = []
    while open_pairs:
        (a, i), (b, j) = min(open_pairs, key=lambda pair: repr(pair))
        row = {a: i, b: j}
        for name in chosen.sample(names, len(names)):
            if name in row:
                continue
            gains = [
                sum(tuple(sorted(((name, value), (other, at)), key=lambda x: names.index(x[0]))) in open_pairs
                    for other, at in row.items())
                for value in range(len(settings[name]))
            ]  # fmt: skip
            row[name] = chosen.choice([value for value, gain in enumerate(gains) if gain == max(gains)])
        rows.append({name: settings[name][row[name]] for name in names})
        for first, second in itertools.combinations(names, 2):
            open_pairs.discard(((first, row[first]), (second, row[second])))
    return rows


def overlap_of(row: Mapping[str, Any]) -> int:
    most = row["max_tokens"]
    return {"0": 0, "1": 1, "half": most // 2, "max - 1": most - 1, "max": most, "2 max": 2 * most}[row["overlap"]]


def config_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration that a row describes, as a mapping that YAML could have held."""
    chunking = {"method": row["method"], "max_tokens": row["max_tokens"], "overlap": overlap_of(row)}
    attribute: dict[str, Any] = {"field": "tags", "metric": row["metric"]}
    if row["metric"] == "numeric":
        attribute = {"field": "year", "metric": "numeric", "scale": 3.0}
    if row["composite"]:
        parts = [{"field": "title", "weight": 1.0}, {"field": "text", "weight": 2.0}]
        text: dict[str, Any] = {"fields": parts, "chunking": chunking, "aggregation": row["aggregation"]}
    else:
        text = {"field": "text", "chunking": chunking, "aggregation": row["aggregation"]}
    if row["dialect"] == "components":
        kind = "composite_embedding" if row["composite"] else "field_embedding"
        return {
            "similarity": {
                "components": [
                    {"type": kind, **text, "weight": row["weight"]},
                    {"type": "attribute_similarity", **attribute, "weight": 0.5},
                ],
                "min_combined_similarity": row["threshold"],
            }
        }
    whole: dict[str, Any] = {"field": "text", "chunking": chunking, "aggregation": row["aggregation"]}
    embeddings = {"whole": whole}
    if row["composite"]:
        parts = [{"ref": "head", "weight": 1.0}, {"ref": "body", "weight": 2.0}]
        embeddings = {"head": {"field": "title"}, "body": {"field": "text", "chunking": chunking}}
        embeddings["whole"] = {"combine": parts, "aggregation": row["aggregation"]}
    return {
        "embeddings": embeddings,
        "similarities": {
            "words": {"embedding": "whole"},
            "attributes": attribute,
            "all": {"combine": [{"ref": "words", "weight": row["weight"]}, {"ref": "attributes", "weight": 0.5}]},
        },
        "network": {"edges": {"similarity": "all", "min": row["threshold"]}},
    }


WORDS = ["coral", "reef", "bond", "yield", "steam", "engine", "river", "delta", "forest", "fire"]
DOCUMENTS = [
    Document(
        f"d{i}",
        {
            "title": f"{WORDS[i % 10]} {WORDS[(i * 3) % 10]}",
            "text": " ".join(f"The {WORDS[(i + k) % 10]} meets a {WORDS[(i * k) % 10]}." for k in range(6))
            if i
            else "",
            "tags": [WORDS[i % 4], WORDS[i % 7]] if i % 5 else [],
            "year": 1990 + i if i % 4 else None,
        },
    )
    for i in range(16)
]


def must_be_refused(row: Mapping[str, Any]) -> bool:
    """What no configuration may say, by the contract alone."""
    wrong_word = any(row[name] not in words for name, words in VALID.items() if name != "overlap")
    too_much_overlap = row["method"] != "recursive" and overlap_of(row) >= row["max_tokens"]
    weight, threshold = row["weight"], row["threshold"]
    wrong_weight = isinstance(weight, str) or not 0.0 <= weight <= 1e12
    return wrong_word or too_much_overlap or wrong_weight or not 0.0 <= threshold <= 1.0


ROWS = covering(SETTINGS, campaign.random_of("T15"))


def test_t15_every_two_values_meet_in_a_row() -> None:
    for (a, of_a), (b, of_b) in itertools.combinations(SETTINGS.items(), 2):
        met = {(repr(row[a]), repr(row[b])) for row in ROWS}
        assert met >= {(repr(i), repr(j)) for i in of_a for j in of_b}


def test_t15_a_configuration_is_built_or_refused() -> None:
    chosen = campaign.random_of("T15 more")
    more = [
        {name: chosen.choice(values) for name, values in SETTINGS.items()} for _ in range(campaign.count(1_000, 40))
    ]
    # most values are right by themselves, but few rows are right as a whole
    right = [
        {
            name: chosen.choice([v for v in values if name not in VALID or v in VALID[name]])
            for name, values in SETTINGS.items()
        }
        for _ in range(campaign.count(300, 30))
    ]
    for row in right:
        row["weight"], row["threshold"] = chosen.choice([0.0, 1e9, 0.1, 1.0]), chosen.choice([0.0, 1e-9, 0.4, 1.0])
    built = refused = 0
    slowest = 0.0
    for row in [*ROWS, *more, *right]:
        problem: CNRagError | None = None
        with watched(hang=60) as watch:
            try:
                config = load_config(config_of(row))
                assert sum(config.normalized_weights.values()) == pytest.approx(1.0, abs=1e-9)
                network = build_network(DOCUMENTS, config)
            except (ConfigError, ResourceLimitError) as error:
                problem = error
        slowest = max(slowest, watch.cpu)
        assert watch.cpu < HANG, row
        assert (problem is not None) == must_be_refused(row), (row, problem)
        if problem is not None:
            refused += 1
            assert isinstance(problem, ConfigError)
            assert all(found.path for found in problem.problems), str(problem)
            continue
        built += 1
        assert all(0.0 < weight <= 1.0 + 1e-9 for weight in network.graph.weight.tolist())
        assert sum(column.weight for column in network.columns) == pytest.approx(1.0, abs=1e-9)
    tried = built + refused
    assert built >= 20
    figures = f"{len(ROWS)} rows cover all pairs, {built} built, {refused} refused, slowest {slowest:.2f} CPU s"
    campaign.report("T15", tried, tried, figures, score="inputs")
