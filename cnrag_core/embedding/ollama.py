"""Embeddings of a model server that speaks Ollama's protocol.

Enters: texts. Leaves: dense rows. Guide 000, "Ollama (Remote)"; guide 002, "Embedding Layer".

The server is trusted with nothing: only exact addresses that the installation allows are asked, no
redirect is followed, no proxy of the environment is used, an answer has a limit in bytes and in
seconds, and what it says is never repeated in a message.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cnrag_core.arguments import checked_text, checked_whole
from cnrag_core.embedding.dense import DenseEmbedding
from cnrag_core.embedding.hosts import DEFAULT_HOST, checked_host
from cnrag_core.embedding.model_server import ModelServer, NoAnswer
from cnrag_core.errors import ConfigError, EmbeddingError
from cnrag_core.limits import server_limits

DEFAULT_MODEL = "nomic-embed-text"
DEFAULT_BATCH_SIZE = 16
MAX_ANSWER_BYTES = 64 * 2**20

_CONTEXT = {
    "all-minilm": 256,
    "mxbai-embed-large": 512,
    "snowflake-arctic-embed": 512,
    "bge-large": 512,
    "paraphrase-multilingual": 128,
    "nomic-embed-text": 2048,
    "embeddinggemma": 2048,
    "bge-m3": 8192,
    "snowflake-arctic-embed2": 8192,
}
_UNKNOWN_CONTEXT = 512
_SAFE_SHARE = 0.75  # our count of tokens is approximate; the server cuts off what is too long without a word
_MODEL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}")
_WORTH_ANOTHER_TRY = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True)
class Patience:
    """How long a server may take, in seconds, and how often it is asked.

    `read` limits one whole answer, so that a server that sends a byte a second is not waited for;
    `total` limits one call of `embed`. Waits between tries are `wait`, 2 `wait`, ...
    """

    connect: float = field(default_factory=lambda: server_limits().connect_s)
    read: float = field(default_factory=lambda: server_limits().read_s)
    total: float = field(default_factory=lambda: server_limits().total_s)
    tries: int = field(default_factory=lambda: server_limits().tries)
    wait: float = 0.5

    def __post_init__(self) -> None:
        if self.tries < 1 or min(self.connect, self.read, self.total) <= 0 or self.wait < 0:
            raise ConfigError(f"A server needs at least one try and some time; got {self}.")


class OllamaEmbedding(DenseEmbedding):
    """Rows of a model that a server holds.

    Texts go in batches of one fixed size, because a server's rows differ in the last digits between
    batch sizes; the size is part of the configuration. The batch endpoint is used, and on an older
    server the one that takes a single text.

    Parameters
    ----------
    host
        ``scheme://host:port``, exactly as in the environment variable ``OLLAMA_ALLOWED_HOSTS``
        (comma-separated; ``http://localhost:11434`` if unset).
    model_name
        Name of the model on that server.
    max_tokens
        Longest text to send whole, by our count; what is longer is cut into chunks first. By default
        three quarters of the model's context, or of 512 for a model that is not known here.

    Raises
    ------
    ConfigError
        If the host is not allowed, or an option cannot be.

    Notes
    -----
    Nothing is asked before the first text. A failure raises `EmbeddingError` and returns no row.
    """

    def __init__(
        self,
        host: str | None = None,
        model_name: str = DEFAULT_MODEL,
        *,
        batch_size: int = DEFAULT_BATCH_SIZE,
        max_tokens: int | None = None,
        patience: Patience | None = None,
    ) -> None:
        checked_text(model_name, "model_name", what="the name of a model")
        if not _MODEL_NAME.fullmatch(model_name) or ".." in model_name:
            raise ConfigError(f"model_name: {model_name[:80]!r} is not the name of a model.")
        if checked_whole(batch_size, "batch_size") < 1:
            raise ConfigError(f"batch_size should be at least 1, got {batch_size}.")
        self.host = checked_host(None if host is None else checked_text(host, "host", what="an address"))
        self.batch_size = batch_size
        family = model_name.split(":")[0].rsplit("/", 1)[-1]
        self.max_tokens = max_tokens or int(_CONTEXT.get(family, _UNKNOWN_CONTEXT) * _SAFE_SHARE)
        self._name = model_name
        self._patience = patience or Patience()
        self._dimension: int | None = None
        self._has_batches = True

    def get_dimension(self) -> int:
        """Length of a row; the first call embeds a word to learn it."""
        if self._dimension is None:
            self.embed(["dimension"])
        assert self._dimension is not None
        return self._dimension

    def get_model_name(self) -> str:
        return self._name

    def get_model_config(self) -> dict[str, Any]:
        return {"host": self.host, "batch_size": self.batch_size, "max_tokens": self.max_tokens}

    def _embed_texts(self, texts: Sequence[str]) -> Any:
        rows: list[Any] = []
        deadline = time.monotonic() + self._patience.total
        with ModelServer(self.host, most_bytes=MAX_ANSWER_BYTES, connect_seconds=self._patience.connect) as server:
            for start in range(0, len(texts), self.batch_size):
                rows.extend(self._embed_batch(server, texts[start : start + self.batch_size], deadline))
        self._dimension = self._checked(rows, len(texts)).shape[1]
        return rows

    def _embed_batch(self, server: ModelServer, texts: Sequence[str], deadline: float) -> Iterator[Any]:
        """Rows of a few texts in order."""
        if self._has_batches:
            answer = self._ask(server, "/api/embed", {"model": self._name, "input": list(texts)}, deadline)
            if answer is not None:
                found = answer.get("embeddings")
                if not isinstance(found, list) or len(found) != len(texts):
                    raise self._error("answered without a row for each text")
                yield from found
                return
            self._has_batches = False
        for text in texts:
            answer = self._ask(server, "/api/embeddings", {"model": self._name, "prompt": text}, deadline)
            if answer is None:
                raise self._error("knows neither /api/embed nor /api/embeddings; is it an Ollama server?")
            yield answer.get("embedding")

    def _ask(
        self, server: ModelServer, path: str, question: Mapping[str, Any], deadline: float
    ) -> dict[str, Any] | None:
        """The answer, or None where the server has no such endpoint; tries again what may pass."""
        attempt = 0
        while True:
            attempt += 1
            seconds = min(self._patience.read, max(deadline - time.monotonic(), 0.001))
            try:
                status, body = server.post(path, question, seconds=seconds)
            except NoAnswer as none:
                failure = self._error(str(none))
                if not none.may_pass:
                    raise failure from None
            else:
                if status not in _WORTH_ANOTHER_TRY:
                    return self._read(status, body)
                failure = self._error(f"answered with status {status}")
            pause = self._patience.wait * attempt
            if attempt == self._patience.tries or time.monotonic() + pause > deadline:
                raise failure from None
            time.sleep(pause)

    def _read(self, status: int, body: bytes) -> dict[str, Any] | None:
        """The JSON object of a final answer; None for an unknown endpoint."""
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            answer = None
        if status == 404:
            if isinstance(answer, dict) and "error" in answer:  # the endpoint exists, the model does not
                raise self._error(f"does not have the model {self._name!r}; run: ollama pull {self._name}")
            return None
        if status == 405:
            return None
        if 300 <= status < 400:
            raise self._error("sends elsewhere (a redirect), which is not followed")
        if status != 200:
            raise self._error(f"answered with status {status}")
        if not isinstance(answer, dict):
            raise self._error("answered something else than the JSON of an Ollama server")
        return answer

    def _error(self, what: str) -> EmbeddingError:
        return EmbeddingError(f"The model server at {self.host} {what}.")


__all__ = ["DEFAULT_HOST", "DEFAULT_MODEL", "OllamaEmbedding", "Patience"]
