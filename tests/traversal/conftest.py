"""A sample built once, a model server that does as it is told, and corpora that fit on the screen."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from cnrag_core.config.loader import load_config
from cnrag_core.corpus.document import Document
from cnrag_core.corpus.samples import load_sample
from cnrag_core.network import Network, build_network


@pytest.fixture(scope="session")
def larkspur() -> Network:
    """The documentation of Larkspur Cloud, with the configuration that it comes with."""
    sample = load_sample("larkspur")
    return build_network(sample.corpus, load_config(sample.config_yaml))


@pytest.fixture
def network_of() -> Callable[..., Network]:
    """A network of (id, title, text) with a configuration of title and text."""

    def build(rows: list[tuple[str, str, str]], **traversal: Any) -> Network:
        documents = [Document(node_id, {"title": title, "text": text}) for node_id, title, text in rows]
        parts = [{"type": "field_embedding", "field": name} for name in ("title", "text")]
        config = load_config({"similarity": {"components": parts}, "traversal": traversal})
        return build_network(documents, config)

    return build


class ModelServer(ThreadingHTTPServer):
    """Answers like Ollama and like an OpenAI-compatible server, or with a fault; keeps what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        self.answers: Callable[[str], str] = lambda prompt: "no"
        self.fault = ""
        self.asked: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        self.release = threading.Event()
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append((self.path, body, {k.lower(): v for k, v in self.headers.items()}))
        said = self.server.answers(body["messages"][-1]["content"])
        message = {"role": "assistant", "content": said}
        whole = {"message": message} if self.path == "/api/chat" else {"choices": [{"message": message}]}
        data = json.dumps(whole).encode()
        status = 200
        if self.server.fault == "hangs":
            self.server.release.wait(10)
            return
        if self.server.fault == "redirect":
            self.send_response(307)
            self.send_header("location", "http://127.0.0.1:9/elsewhere")
            self.end_headers()
            return
        if self.server.fault == "missing":
            status, data = 404, b'{"error": "model not found, secret-path"}'
        if self.server.fault == "broken":
            status, data = 500, b"secret-trace"
        if self.server.fault == "nonsense":
            data = b"<html>secret</html>"
        if self.server.fault == "no text":
            data = json.dumps({"message": {"content": None}, "choices": []}).encode()
        if self.server.fault == "flood":
            data = b'{"message": {"content": "' + b"x" * (5 * 2**20) + b'"}}'
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        try:
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has had enough

    def log_message(self, *arguments: Any) -> None:
        """Tests say enough."""


@pytest.fixture
def model_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A server on this machine that the installation allows."""
    server = ModelServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setenv("OLLAMA_ALLOWED_HOSTS", server.url)
    yield server
    server.release.set()
    server.shutdown()
    server.server_close()
    thread.join()
