"""B25: keys and values of a filter are never a part of a statement."""

from __future__ import annotations

from typing import Any

import pytest

from cnrag_core.storage.sqlite_storage import SQLiteStorage
from tests.hardening.campaign import report

FILTERS: tuple[dict[Any, Any], ...] = (
    {"year) OR 1=1 --": 1},
    {"year": "' OR '1'='1"},
    {"year') OR ('1'='1": 1},
    {'a"b': 1},
    {"a'b": 1},
    {'$."year"': 2020},
    {"$": 1},
    {"year\0": 2020},
    {"": 1},
    {"tag": "%"},
    {"tag": "_"},
    {"tag": "m*"},
    {"tag": "ml; DROP TABLE nodes"},
    {"year": "2020 UNION SELECT sql FROM sqlite_master"},
    {"nested.deep'--": 1},
    {7: 1},
    {None: 1},
    {"tag": b"ml"},
    {"tag": object()},
    {"year": float("nan")},
    {"year": 2**70},
    {"tag": "\ud800"},
    {"\ud800": 1},
    {f"key{number}": number for number in range(10_000)},
    {"k" * 100_000: 1},
    {"tag": ["%", "' OR 1=1"]},
)


def test_b25_a_hostile_filter_finds_nothing_and_changes_nothing() -> None:
    with SQLiteStorage() as storage:
        storage.save_node("a", "text", {"year": 2020, "tag": "ml", "nested": {"deep": 1}})
        storage.save_node("b", "text", {"year": 2021, "tag": "nlp"})
        before = storage.search_nodes()
        found = [storage.search_nodes(wanted) for wanted in FILTERS]
        handled = sum(nodes == [] for nodes in found)
        report("B25", handled, len(FILTERS), "filters that find nothing", score="inputs")
        assert found == [[]] * len(FILTERS)
        assert storage.search_nodes() == before
        assert [node["id"] for node in storage.search_nodes({"nested.deep": 1, "tag": "ml"})] == ["a"]


@pytest.mark.parametrize("node_id", ["' OR '1'='1", "a'; DROP TABLE nodes; --", "%", "\ud800", "\0"])
def test_b25_a_hostile_id_is_an_id_like_any_other(node_id: str) -> None:
    with SQLiteStorage() as storage:
        storage.save_node("a", "text")
        assert storage.get_node(node_id) is None
        assert not storage.delete_node(node_id)
        assert storage.load_embeddings("m", [node_id, "a"]) == {}
        assert storage.node_ids() == ["a"]
