"""A model server that fails in any way costs no more than the agreed seconds, stores nothing half, and is resumed."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from cnrag_core.config.spec import FieldEmbeddingComponent
from cnrag_core.corpus.document import Document
from cnrag_core.embedding import model_rows
from cnrag_core.embedding.fields import EmbeddedComponent, embed_component
from cnrag_core.embedding.ollama import MAX_ANSWER_BYTES, OllamaEmbedding, Patience
from cnrag_core.errors import EmbeddingError
from cnrag_core.storage.check import check_database
from cnrag_core.storage.sqlite_embedding_store import SQLiteEmbeddingStore
from tests.embedding.fake_ollama import FakeOllama, running
from tests.hardening.campaign import report

N_DOCUMENTS, TOGETHER = 8, 2
DOCUMENTS = [Document(f"d{number}", {"title": f"title {number}"}) for number in range(N_DOCUMENTS)]
COMPONENT = FieldEmbeddingComponent(field="title", model="ollama", model_name="nomic-embed-text")
SCALED = Patience(connect=0.5, read=1.0, total=15.0, tries=3, wait=0.01)
"""The limits of a server, 5 s and 60 s, scaled down."""

HANG_SECONDS = 60.0
"""Longest anything here may take on the busiest machine."""

FAULTS: dict[str, tuple[str, str, int]] = {
    "refused": ("", "cannot be reached", 0),
    "never answers": ("silence", "did not answer within 1 s", 3),
    "one byte a second": ("drip", "did not answer within 1 s", 3),
    "status 500": ("500", "answered with status 500", 3),
    "no such model": ("no_model", "does not have the model", 1),
    "429, then well": ("429", "", 1),
    "invalid JSON": ("not_json", "something else than the JSON", 1),
    "HTML with status 200": ("html", "something else than the JSON", 1),
    "a body of 1 GB": ("huge", "more than 64 MB", 1),
    "sent to another host": ("redirect", "a redirect", 1),
}
"""What the server does in the middle of an ingest, what the error says, and how often it is asked about it."""


def provider_of(server: FakeOllama, patience: Patience = SCALED) -> OllamaEmbedding:
    return OllamaEmbedding(server.url, "nomic-embed-text", batch_size=TOGETHER, patience=patience)


def embedded(server: FakeOllama, store: SQLiteEmbeddingStore, **options: object) -> EmbeddedComponent:
    return embed_component(DOCUMENTS, COMPONENT, provider=provider_of(server, **options), store=store)


@pytest.fixture(autouse=True)
def _small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_rows, "GROUP_SIZE", TOGETHER)


def undisturbed_rows(monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    """The rows of an ingest that nothing disturbs."""
    with running() as server, SQLiteEmbeddingStore() as store:
        monkeypatch.setenv("OLLAMA_ALLOWED_HOSTS", server.url)
        return np.asarray(embedded(server, store).rows)


def test_t17_faults_in_the_middle_of_an_ingest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = undisturbed_rows(monkeypatch)
    seconds = {fault: survived(fault, tmp_path / f"{fault}.db", wanted, monkeypatch) for fault in FAULTS}
    slowest = max(seconds, key=lambda fault: seconds[fault])
    figures = f"slowest {seconds[slowest]:.1f} s ({slowest}; limits scaled to {SCALED.connect:g} and {SCALED.read:g} s)"
    report("T17", len(seconds), len(FAULTS), figures, score="faults")


def survived(fault: str, path: Path, wanted: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> float:
    """Seconds until the fault was told, in an ingest that is resumed afterwards."""
    behaviour, message, n_asked = FAULTS[fault]
    patience = Patience(connect=0.5, read=30.0, total=40.0, wait=0.01) if fault == "a body of 1 GB" else SCALED
    with ExitStack() as stack:
        server = stack.enter_context(running())
        other = stack.enter_context(running())
        server.elsewhere = other.url
        port = server.server_address[1]
        monkeypatch.setenv("OLLAMA_ALLOWED_HOSTS", server.url)
        store = stack.enter_context(SQLiteEmbeddingStore(path))
        # two groups of texts are embedded before the fault
        n_before = 2
        server.faults = [""] * n_before + [behaviour] * (1 if fault == "429, then well" else 50)
        if fault == "refused":
            stop_after(server, n_before)
        started = time.monotonic()
        if message:
            with pytest.raises(EmbeddingError, match=message) as caught:
                embedded(server, store, patience=patience)
            assert "secret" not in str(caught.value)
        else:
            embedded(server, store, patience=patience)
        seconds = time.monotonic() - started
        assert seconds < HANG_SECONDS
        assert len(server.asked) == n_before + n_asked + (N_DOCUMENTS // TOGETHER - n_before) * (not message)
        assert server.n_bytes_sent < MAX_ANSWER_BYTES + 2**24, "more of the endless answer was read than is allowed"
        assert other.asked == []
        assert check_database(path) == []
        stored = {
            document.id for document in DOCUMENTS if store.has_embedding(document.id, "title", "nomic-embed-text")
        }
        assert len(stored) == (n_before * TOGETHER if message else N_DOCUMENTS)
        assert embed_component(DOCUMENTS, FieldEmbeddingComponent(field="title")).rows.shape[0] == N_DOCUMENTS

        server.faults = []
        server.finished.set()
        again = server
        if fault == "refused":
            server.server_close()
            again = stack.enter_context(running(port))
        n_before_resuming = len(again.texts)
        resumed = embedded(again, store)
        asked_again = again.texts[n_before_resuming:]
        assert len(asked_again) == N_DOCUMENTS - len(stored)
        assert {document.fields["title"] for document in DOCUMENTS if document.id not in stored} == set(asked_again)
        np.testing.assert_array_equal(np.asarray(resumed.rows), wanted)
    return seconds


def stop_after(server: FakeOllama, n_requests: int) -> None:
    """Let the server stop listening once it has answered so often."""
    answer = server.RequestHandlerClass.answer

    class Leaving(server.RequestHandlerClass):  # type: ignore[name-defined,misc]
        def answer(self, *arguments: object, **options: object) -> None:
            if len(server.asked) == n_requests:
                self.close_connection = True
                server.socket.close()
            answer(self, *arguments, **options)

    server.RequestHandlerClass = Leaving


def test_t17_the_limits_of_a_server_are_five_and_sixty_seconds_and_three_tries() -> None:
    patience = Patience()
    assert (patience.connect, patience.read, patience.tries, patience.total) == (5.0, 60.0, 3, 900.0)
