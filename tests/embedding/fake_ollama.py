"""A model server on this machine that behaves as a test wants it to."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def server_row(text: str, n_together: int = 1) -> list[float]:
    """What the fake server answers; the last digits depend on how many texts came together, as real ones do."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return [byte / 255 + 1e-6 * n_together for byte in digest[:4]]


class FakeOllama(ThreadingHTTPServer):
    """A model server on this machine whose behaviour a test chooses; it remembers what it was asked.

    `faults` holds one behaviour for each of the next requests; after them it behaves.
    """

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.faults: list[str] = []
        self.always: str = ""
        self.has_batches = True
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.elsewhere = ""
        self.n_bytes_sent = 0
        self.finished = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def texts(self) -> list[str]:
        return [text for _, body in self.asked for text in (body["input"] if "input" in body else [body["prompt"]])]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error here."""


class _Handler(BaseHTTPRequestHandler):
    server: FakeOllama
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the output of the tests clean."""

    def do_POST(self) -> None:  # the name that the base class calls
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append((self.path, body))
        fault = self.server.faults.pop(0) if self.server.faults else self.server.always
        if fault:
            return getattr(self, f"fault_{fault}")()
        if self.path == "/api/embed" and self.server.has_batches:
            texts = body["input"]
            return self.answer(200, {"embeddings": [server_row(text, len(texts)) for text in texts]})
        if self.path == "/api/embeddings":
            return self.answer(200, {"embedding": server_row(body["prompt"])})
        return self.answer(404, "404 page not found", kind="text/plain")

    def answer(self, status: int, body: Any, kind: str = "application/json", **headers: str) -> None:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def fault_silence(self) -> None:
        self.server.finished.wait(30)

    def fault_drip(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "1000000")
        self.end_headers()
        while not self.server.finished.wait(0.02):
            self.wfile.write(b" ")

    def fault_drip_headers(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
        while not self.server.finished.wait(0.02):
            self.wfile.write(b"a")

    def fault_500(self) -> None:
        self.answer(500, {"error": "secret-from-the-server"})

    def fault_429(self) -> None:
        self.answer(429, {"error": "secret-from-the-server"})

    def fault_400(self) -> None:
        self.answer(400, {"error": "secret-from-the-server"})

    def fault_no_model(self) -> None:
        self.answer(404, {"error": "model 'secret-from-the-server' not found"})

    def fault_not_json(self) -> None:
        self.answer(200, '{"embeddings": [[0.1, secret-from-the-server')

    def fault_html(self) -> None:
        self.answer(200, "<html>secret-from-the-server</html>", kind="text/html")

    def fault_list(self) -> None:
        self.answer(200, ["secret-from-the-server"])

    def fault_deep(self) -> None:
        self.answer(200, "[" * 200_000)

    def fault_huge(self) -> None:
        self.send_response(200)
        self.send_header("content-length", str(2**30))
        self.end_headers()
        while not self.server.finished.is_set():
            self.wfile.write(b" " * 2**20)
            self.server.n_bytes_sent += 2**20

    def fault_redirect(self) -> None:
        self.answer(302, "", location=(self.server.elsewhere or self.server.url) + "/elsewhere")

    def fault_hang_up(self) -> None:
        self.close_connection = True
        self.connection.close()

    def fault_nan(self) -> None:
        self.answer(200, '{"embeddings": [[NaN, 1.0]]}')

    def fault_words(self) -> None:
        self.answer(200, {"embeddings": [["secret-from-the-server", 1.0]]})

    def fault_ragged(self) -> None:
        self.answer(200, {"embeddings": [[1.0], [1.0, 2.0]]})

    def fault_too_few(self) -> None:
        self.answer(200, {"embeddings": []})

    def fault_empty_row(self) -> None:
        self.answer(200, {"embeddings": [[]]})


@contextmanager
def running(port: int = 0) -> Iterator[FakeOllama]:
    """A server that answers until the block ends."""
    with FakeOllama(port) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.finished.set()
            server.shutdown()
            thread.join()
