"""Whatever is done to a storage in whatever order, it answers as a dictionary would."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from numpy.typing import NDArray

from cnrag_core.embedding.aggregation import EmbeddingAggregator
from cnrag_core.errors import EmbeddingError, UnknownNameError
from cnrag_core.storage.check import check_database
from cnrag_core.storage.sqlite_embedding_store import SQLiteEmbeddingStore
from cnrag_core.storage.sqlite_storage import SQLiteStorage
from tests.hardening.campaign import IS_FULL, SEED, count, hypothesis_settings, report

FIELD, MODEL, DIMENSION = "body", "model", 3
STEPS = 50 if IS_FULL else 20

ids = st.sampled_from(["a", "b", "c", "007", "7", "é", "x'; DROP TABLE nodes; --"])
texts = st.sampled_from(["", "one", "one two", "Ünïcode 😀", "a\0b", "' OR 1=1"])
metadata = st.fixed_dictionaries(
    {},
    optional={
        "year": st.sampled_from([0, 1, 2020, 2**70, -1]),
        "tag": st.sampled_from(["x", "y", ""]),
        "tags": st.lists(st.sampled_from(["x", "y", "z"]), max_size=3),
        "done": st.booleans(),
    },
)
rows = st.lists(
    st.lists(st.floats(-4, 4, width=32), min_size=DIMENSION, max_size=DIMENSION), min_size=1, max_size=4
).map(lambda found: np.array(found, dtype=np.float32))
filters = st.sampled_from(
    [{}, {"year": 2020}, {"year": 1}, {"year": 2**70}, {"tag": "x"}, {"tags": "y"}, {"done": True}, {"tag": ["x", "y"]}]
)


class Fields:
    """What a store holds of one document."""

    def __init__(self, chunks: NDArray[np.float32], aggregate: NDArray[np.float32]) -> None:
        self.chunks = chunks
        self.aggregate = aggregate


class StorageMachine(RuleBasedStateMachine):
    """A storage and a store in one file, beside two dictionaries."""

    n_runs = 0
    n_steps = 0

    @initialize()
    def begin(self) -> None:
        memory = Path("/dev/shm")  # what is checked here is what is stored, not whether a disk has it
        folder = tempfile.mkdtemp(prefix="cnrag-t16-", dir=memory if memory.is_dir() else None)
        self.folder = Path(folder)
        self.nodes: dict[str, tuple[str, dict[str, Any]]] = {}
        self.embeddings: dict[str, NDArray[np.float32]] = {}
        self.fields: dict[str, Fields] = {}
        self._open()
        type(self).n_runs += 1

    def _open(self) -> None:
        self.storage = SQLiteStorage(self.folder / "a.db")
        self.store = SQLiteEmbeddingStore(self.folder / "a.db", cache_size=3)

    @rule(node_id=ids, text=texts, values=metadata)
    def add(self, node_id: str, text: str, values: dict[str, Any]) -> None:
        """Add, or add again with another text."""
        self.storage.save_node(node_id, text, values)
        if node_id in self.nodes and self.nodes[node_id][0] != text:
            self.embeddings.pop(node_id, None)  # it belonged to the older text
        self.nodes[node_id] = (text, values)

    @rule(node_id=ids)
    def delete(self, node_id: str) -> None:
        assert self.storage.delete_node(node_id) == (node_id in self.nodes)
        self.nodes.pop(node_id, None)
        self.embeddings.pop(node_id, None)

    @rule(node_id=ids, found=rows)
    def save_embedding(self, node_id: str, found: NDArray[np.float32]) -> None:
        if node_id in self.nodes:
            self.storage.save_embedding(node_id, found[0], MODEL)
            self.embeddings[node_id] = found[0]
        else:
            with pytest.raises(UnknownNameError, match="There is no node"):
                self.storage.save_embedding(node_id, found[0], MODEL)

    @rule(node_id=ids, found=rows)
    def save_chunks(self, node_id: str, found: NDArray[np.float32]) -> None:
        aggregate = found.mean(axis=0)
        self.store.save_chunked_embeddings(node_id, FIELD, MODEL, found, aggregate, {"aggregation": "mean"})
        self.fields[node_id] = Fields(found, aggregate)

    @rule(node_id=ids, found=rows)
    def save_chunks_that_are_no_numbers(self, node_id: str, found: NDArray[np.float32]) -> None:
        broken = found.copy()
        broken[-1, 0] = np.nan
        with pytest.raises(EmbeddingError, match="NaN"):
            self.store.save_chunked_embeddings(node_id, FIELD, MODEL, broken, found[0])

    @rule(node_id=ids, method=st.sampled_from(["mean", "max_pool", "sum", "first", "last", "weighted_mean"]))
    def re_aggregate(self, node_id: str, method: str) -> None:
        known = self.fields.get(node_id)
        if known is None or not len(known.chunks):
            with pytest.raises(UnknownNameError, match="no chunk embeddings"):
                self.store.re_aggregate(node_id, FIELD, MODEL, method)
            return
        known.aggregate = EmbeddingAggregator().aggregate(known.chunks, method)
        np.testing.assert_array_equal(self.store.re_aggregate(node_id, FIELD, MODEL, method), known.aggregate)

    @rule(node_id=ids)
    def purge_chunks(self, node_id: str) -> None:
        known = self.fields.get(node_id)
        dropped = self.store.purge_chunks(node_id)
        assert dropped == (0 if known is None else len(known.chunks))
        if known is not None:
            known.chunks = np.empty((0, DIMENSION), dtype=np.float32)

    @rule(node_id=ids)
    def delete_fields(self, node_id: str) -> None:
        assert self.store.delete_node(node_id) == (node_id in self.fields)
        self.fields.pop(node_id, None)

    @precondition(lambda self: hasattr(self, "storage"))
    @rule()
    def reopen(self) -> None:
        self.storage.close()
        self.store.close()
        self._open()

    @rule(wanted=filters)
    def search_nodes(self, wanted: dict[str, Any]) -> None:
        found = [node["id"] for node in self.storage.search_nodes(wanted)]
        assert found == sorted(
            (node_id for node_id, (_, values) in self.nodes.items() if fits(values, wanted)),
            key=lambda node_id: node_id.encode(),
        )

    @invariant()
    def the_nodes_are_those_of_the_model(self) -> None:
        if not hasattr(self, "storage"):
            return
        type(self).n_steps += 1
        assert self.storage.count() == len(self.nodes)
        for node_id, (text, values) in self.nodes.items():
            node = self.storage.get_node(node_id)
            assert node is not None
            assert (node["content"], node["metadata"]) == (text, values)

    @invariant()
    def the_embeddings_are_those_of_the_model(self) -> None:
        if not hasattr(self, "storage"):
            return
        stored = self.storage.load_embeddings(MODEL)
        assert stored.keys() == self.embeddings.keys()
        for node_id, row in self.embeddings.items():
            np.testing.assert_array_equal(stored[node_id], row)
        for node_id, known in self.fields.items():
            np.testing.assert_array_equal(self.store.load_field_embedding(node_id, FIELD, MODEL), known.aggregate)
            chunks = self.store.load_chunk_embeddings(node_id, FIELD, MODEL)
            np.testing.assert_array_equal(np.array(chunks).reshape(-1, DIMENSION), known.chunks)

    def teardown(self) -> None:
        if hasattr(self, "storage"):
            self.storage.close()
            self.store.close()
            findings = check_database(self.folder / "a.db")
            shutil.rmtree(self.folder)
            assert findings == []


def fits(values: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Equality as people mean it: a list fits what it holds, true is not 1."""
    for key, asked in wanted.items():
        found = values.get(key)
        options = asked if isinstance(asked, list) else [asked]
        present = found if isinstance(found, list) else [found]
        if not any(type(one) is type(option) and one == option for one in present for option in options):
            return False
    return True


def test_t16_a_storage_answers_as_a_dictionary_would() -> None:
    wanted = count(500, 15)
    StorageMachine.n_runs = StorageMachine.n_steps = 0
    settings = hypothesis_settings(
        500, 15, stateful_step_count=STEPS, suppress_health_check=list(hypothesis.HealthCheck)
    )
    diverged = 1
    try:
        run_state_machine_as_test(hypothesis.seed(SEED)(StorageMachine), settings=settings)
        diverged = 0
    finally:
        figures = f"{diverged} divergences, {StorageMachine.n_steps:,} steps checked, at most {STEPS} a run"
        report("T16", StorageMachine.n_runs - diverged, StorageMachine.n_runs, figures)
    assert StorageMachine.n_runs >= wanted
