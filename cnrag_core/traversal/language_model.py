"""An optional language model behind an OpenAI-compatible or an Ollama endpoint.

Enters: a prompt. Leaves: text. Only hosts that the server allows are ever asked; nothing follows a
redirect, reads a proxy from the environment, or repeats an answer's body in an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import httpx

from cnrag_core.embedding.hosts import checked_host
from cnrag_core.errors import EmbeddingError

MOST_BYTES = 4 * 1024 * 1024


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
        Longest wait for an answer.
    """

    host: str
    model_name: str
    api: Literal["ollama", "openai"] = "ollama"
    read_seconds: float = 60.0

    def complete(self, prompt: str) -> str:
        """The model's answer to one message.

        Raises
        ------
        EmbeddingError
            If the server does not answer in time, or not with text.
        """
        host = checked_host(self.host)
        path = "/api/chat" if self.api == "ollama" else "/v1/chat/completions"
        body = {
            "model": self.model_name,
            "messages": [{"role": "user", "content": prompt}],
            "stream": False,
            "temperature": 0,
        }
        timeout = httpx.Timeout(self.read_seconds, connect=5.0)
        try:
            with httpx.Client(timeout=timeout, trust_env=False, follow_redirects=False) as client:
                response = client.post(host + path, json=body)
        except httpx.HTTPError as error:
            raise EmbeddingError(f"The language model at {host} did not answer: {type(error).__name__}.") from None
        if response.status_code != 200 or len(response.content) > MOST_BYTES:
            raise EmbeddingError(f"The language model at {host} answered with status {response.status_code}.")
        try:
            return _text_of(response.json(), self.api)
        except (ValueError, KeyError, IndexError, TypeError):
            raise EmbeddingError(f"The language model at {host} sent something that is not an answer.") from None


def _text_of(answer: Any, api: str) -> str:
    message = answer["message"] if api == "ollama" else answer["choices"][0]["message"]
    return str(message["content"])
