"""G51, G52: what users of comparable programs reported about model servers, with the exact input."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest

from cnrag_core.config.spec import FieldEmbeddingComponent, PipelineConfig
from cnrag_core.corpus.document import Corpus, Document
from cnrag_core.embedding import model_rows
from cnrag_core.embedding.fields import embed_component
from cnrag_core.embedding.ollama import OllamaEmbedding, Patience
from cnrag_core.errors import EmbeddingError
from cnrag_core.limits import ServerLimits
from cnrag_core.storage.sqlite_embedding_store import SQLiteEmbeddingStore
from cnrag_core.worker import build_in_child
from tests.embedding.fake_ollama import FakeOllama, running, server_row

HANG_SECONDS = 60.0
TITLES = [f"title {number}" for number in range(23)]
COMPONENT = FieldEmbeddingComponent(field="title", model="ollama")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch):
    with running() as server:
        monkeypatch.setenv("OLLAMA_ALLOWED_HOSTS", server.url)
        yield server


def documents(titles: list[str]) -> list[Document]:
    return [Document(title.replace(" ", "-"), {"title": title}) for title in titles]


def test_g51_a_server_that_accepts_and_never_answers_is_waited_for_as_configured(server: FakeOllama) -> None:
    server.always = "silence"
    with pytest.raises(EmbeddingError, match=r"did not answer within 0\.3 s"):
        OllamaEmbedding(server.url, patience=Patience(read=0.3, tries=2, wait=0.0)).embed(["a"])
    assert len(server.asked) == 2


def test_g51_a_cold_model_has_a_minute_and_the_environment_can_give_more() -> None:
    assert (Patience().connect, Patience().read) == (5.0, 60.0)
    limits = ServerLimits.of({"CNRAG_MAX_READ_S": "300", "CNRAG_MAX_CONNECT_S": "10"})
    assert (limits.connect_s, limits.read_s) == (10.0, 300.0)


class EnoughError(Exception):
    """What a watcher raises who has seen enough."""


def test_g51_a_build_that_waits_for_a_server_can_be_cancelled(server: FakeOllama) -> None:
    server.always = "silence"
    config = PipelineConfig(components=(COMPONENT.model_copy(update={"host": server.url}),))
    corpus = Corpus(tuple(documents(TITLES)))

    def cancelled(step: str, share: float) -> None:
        if server.asked:
            raise EnoughError

    started = time.monotonic()
    with pytest.raises(EnoughError):
        build_in_child(corpus, config, name="cold", progress=cancelled)
    assert server.asked, "the build had begun to wait for the server"
    assert time.monotonic() - started < HANG_SECONDS


def test_g51_an_ingest_is_resumed_where_the_server_failed(
    server: FakeOllama, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_rows, "GROUP_SIZE", 5)
    provider = OllamaEmbedding(server.url, batch_size=5, patience=Patience(tries=1))
    with SQLiteEmbeddingStore(tmp_path / "a.db") as store:
        server.faults = ["", "", "500"]
        with pytest.raises(EmbeddingError, match="status 500"):
            embed_component(documents(TITLES), COMPONENT, provider=provider, store=store)
        n_asked = len(server.texts)
        rows = embed_component(documents(TITLES), COMPONENT, provider=provider, store=store).rows
        assert len(server.texts) - n_asked == len(TITLES) - 10
        assert np.asarray(rows).shape == (len(TITLES), 4)


def test_g52_one_batch_size_gives_the_same_vectors_again(server: FakeOllama) -> None:
    assert server_row("a", 1) != server_row("a", 2), "the fake's rows depend on the batch, as real ones do"
    stored = []
    for order in (TITLES, TITLES[::-1]):
        provider = OllamaEmbedding(server.url, batch_size=4)
        with SQLiteEmbeddingStore() as store:
            embed_component(documents(order), COMPONENT, provider=provider, store=store)
            ids = [document.id for document in documents(TITLES)]
            stored.append(store.load_field_embeddings(ids, "title", "nomic-embed-text"))
    assert stored[0].keys() == stored[1].keys() == {document.id for document in documents(TITLES)}
    for node_id, row in stored[0].items():
        np.testing.assert_array_equal(row, stored[1][node_id])


def test_g52_the_batch_size_is_recorded_and_rows_of_another_one_are_not_mixed_in(server: FakeOllama) -> None:
    with SQLiteEmbeddingStore() as store:
        for size in (4, 8):
            provider = OllamaEmbedding(server.url, batch_size=size)
            assert provider.get_model_config()["batch_size"] == size
            n_asked = len(server.texts)
            embed_component(documents(TITLES), COMPONENT, provider=provider, store=store)
            assert len(server.texts) - n_asked == len(TITLES), "rows of another batch size were taken for these"


def test_g52_rows_keep_the_order_of_their_texts(server: FakeOllama) -> None:
    rows = OllamaEmbedding(server.url, batch_size=4).embed(TITLES)
    for text, row in zip(TITLES, rows, strict=True):
        np.testing.assert_allclose(row, server_row(text, 4), atol=1e-5)


def test_g52_two_threads_on_one_provider_do_not_mix_their_rows(server: FakeOllama) -> None:
    provider = OllamaEmbedding(server.url, batch_size=4)
    found: dict[int, np.ndarray] = {}
    texts = {number: [f"{number} {title}" for title in TITLES] for number in range(4)}
    threads = [
        threading.Thread(target=lambda number=number: found.update({number: provider.embed(texts[number])}))
        for number in texts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=HANG_SECONDS)
    for number, rows in found.items():
        for text, row in zip(texts[number], rows, strict=True):
            np.testing.assert_allclose(row, server_row(text, 4), atol=1e-5)
    assert len(found) == 4
