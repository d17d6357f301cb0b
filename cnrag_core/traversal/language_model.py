"""An optional language model behind an OpenAI-compatible or an Ollama endpoint.

Enters: a prompt. Leaves: text. Only hosts that the server allows are ever asked; nothing follows a
redirect or reads a proxy from the environment, an answer has a limit in bytes and in seconds, and what a
server says is never repeated in a message.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from cnrag_core.embedding.hosts import checked_host
from cnrag_core.embedding.model_server import ModelServer, NoAnswer
from cnrag_core.errors import ConfigError, EmbeddingError
from cnrag_core.limits import server_limits

ModelApi: TypeAlias = Literal["ollama", "openai"]

MOST_BYTES = 4 * 2**20
KEY_VARIABLE = "CNRAG_MODEL_KEY"
"""Environment variable with the key of an OpenAI-compatible server that wants one."""

CONTEXT_TOKENS = 16_384
"""Context that an Ollama server is asked to keep: by its own default it cuts off what a walk gathers, in silence."""

_PATHS: dict[str, str] = {"ollama": "/api/chat", "openai": "/v1/chat/completions"}


@dataclass(frozen=True)
class LanguageModel:
    """One model on one server.

    Parameters
    ----------
    host
        ``scheme://host:port``; must be among the allowed hosts of the server.
    model_name
        As the server knows it.
    api
        ``ollama`` (``/api/chat``) or ``openai`` (``/v1/chat/completions``).
    read_seconds
        Longest wait for a whole answer.

    Raises
    ------
    ConfigError
        If the host is not allowed, or there is no such api.
    """

    host: str
    model_name: str
    api: ModelApi = "ollama"
    read_seconds: float = 60.0

    def __post_init__(self) -> None:
        checked_host(self.host)
        if self.api not in get_args(ModelApi):
            raise ConfigError(f"{self.api!r} is not a way to ask a language model; use one of 'ollama', 'openai'.")
        if not self.model_name.strip():
            raise ConfigError("A language model needs a name, as its server knows it.")
        if not self.read_seconds > 0:
            raise ConfigError(f"A language model needs some time to answer; got {self.read_seconds:g} s.")

    def complete(self, prompt: str) -> str:
        """The model's answer to one message.

        Raises
        ------
        EmbeddingError
            If the server does not answer in time, or not with text.
        """
        status, body = self._post(prompt)
        if 300 <= status < 400:
            raise self._error("sends elsewhere (a redirect), which is not followed")
        if status == 404:
            raise self._error(f"does not have the model {self.model_name!r}, or no {_PATHS[self.api]}")
        if status != 200:
            raise self._error(f"answered with status {status}")
        try:
            return _text_of(json.loads(body), self.api)
        except (ValueError, KeyError, IndexError, TypeError, RecursionError):
            raise self._error("sent something that is not an answer") from None

    def _post(self, prompt: str) -> tuple[int, bytes]:
        """Status and body, read within limits of time and size."""
        connect = min(server_limits().connect_s, self.read_seconds)
        with ModelServer(self.host, most_bytes=MOST_BYTES, connect_seconds=connect) as server:
            try:
                return server.post(
                    _PATHS[self.api], self._request(prompt), seconds=self.read_seconds, headers=self._headers()
                )
            except NoAnswer as none:
                raise self._error(str(none)) from None

    def _request(self, prompt: str) -> dict[str, Any]:
        message = {"role": "user", "content": prompt}
        common = {"model": self.model_name, "messages": [message], "stream": False}
        if self.api == "ollama":
            return {**common, "options": {"temperature": 0, "num_ctx": CONTEXT_TOKENS}}
        return {**common, "temperature": 0}

    def _headers(self) -> dict[str, str]:
        key = os.environ.get(KEY_VARIABLE, "") if self.api == "openai" else ""
        return {"authorization": f"Bearer {key}"} if key else {}

    def _error(self, what: str) -> EmbeddingError:
        return EmbeddingError(f"The language model at {self.host} {what}.")


def _text_of(answer: Any, api: str) -> str:
    message = answer["message"] if api == "ollama" else answer["choices"][0]["message"]
    content = message["content"]
    if not isinstance(content, str):
        raise TypeError("an answer is text")
    return content
