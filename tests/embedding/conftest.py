"""Fakes that stand in for models: fast, deterministic, and counting what they are asked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cnrag_core.embedding.provider import EmbeddingProvider
from tests.embedding.fake_ollama import FakeOllama, running


class FakeModel(EmbeddingProvider):
    """A row is the sum of fixed random vectors of the words; only the first `max_tokens` words are read."""

    def __init__(self, dimension: int = 16, max_tokens: int | None = None, name: str = "fake") -> None:
        self.dimension = dimension
        self.max_tokens = max_tokens
        self.name = name
        self.calls: list[list[str]] = []

    @property
    def texts(self) -> list[str]:
        return [text for call in self.calls for text in call]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls.append(list(texts))
        assert all(text.strip() for text in texts), "a blank text was sent to a model"
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for number, text in enumerate(texts):
            for word in text.lower().split()[: self.max_tokens]:
                seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()[:4], "big")
                rows[number] += np.random.default_rng(seed).normal(size=self.dimension)
        return rows

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def get_dimension(self) -> int:
        return self.dimension

    def get_model_name(self) -> str:
        return self.name

    def get_model_config(self) -> dict[str, Any]:
        return {"dimension": self.dimension, "max_tokens": self.max_tokens}


@pytest.fixture
def fake_model() -> Callable[..., FakeModel]:
    return FakeModel


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOllama]:
    """A running fake server, allowed by the environment."""
    with running() as server:
        monkeypatch.setenv("OLLAMA_ALLOWED_HOSTS", server.url)
        yield server
