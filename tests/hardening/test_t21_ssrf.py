"""Whatever a configuration names as a host, only exact entries of the installation's list are ever contacted."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from cnrag_core.config.loader import load_config
from cnrag_core.embedding.fields import make_provider
from cnrag_core.embedding.ollama import OllamaEmbedding, Patience
from cnrag_core.errors import ConfigError, EmbeddingError
from cnrag_core.traversal.language_model import LanguageModel
from tests.embedding.fake_ollama import FakeOllama, running
from tests.hardening.campaign import report
from tests.hardening.connections import contacts

HOSTS = (
    "http://169.254.169.254/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://metadata.google.internal/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:{port}/_x",
    "ftp://127.0.0.1:{port}",
    "http://127.0.0.1:{port}@evil.example/",
    "http://evil.example@127.0.0.1:{port}",
    "http://user:word@127.0.0.1:{port}",
    "http://evil.example#@127.0.0.1:{port}",
    "http://evil.example\\@127.0.0.1:{port}",
    "http://2130706433:{port}",
    "http://0x7f000001:{port}",
    "http://0x7f.0.0.1:{port}",
    "http://0177.0.0.1:{port}",
    "http://127.1:{port}",
    "http://0:{port}",
    "http://[::1]:{port}",
    "http://[::ffff:127.0.0.1]:{port}",
    "http://[::ffff:7f00:1]:{port}",
    "http://rebound.example:{port}",
    "http://localhost:{port}",
    "http://127.0.0.1:22",
    "https://127.0.0.1:{port}",
    "http://127.0.0.1:{port}/api/../../elsewhere",
)
"""The last eight reach this machine: only the list says no."""

YAML = """
similarity:
  components:
    - type: field_embedding
      field: title
      model: ollama
      host: "{host}"
"""

QUICK = Patience(connect=1.0, read=2.0, total=5.0, tries=1)


@pytest.fixture
def allowed(monkeypatch: pytest.MonkeyPatch):
    """The one server that may be asked; every name leads to this machine."""

    def resolved(host: Any, port: Any, *_: Any, **__: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", int(port)))]

    with running() as server:
        monkeypatch.setenv("OLLAMA_ALLOWED_HOSTS", server.url)
        for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        monkeypatch.setattr(socket, "getaddrinfo", resolved)
        yield server


def refused(host: str) -> bool:
    """Whether every way to name a host refuses it with one sentence."""
    for name in (
        lambda: OllamaEmbedding(host, patience=QUICK).embed(["text"]),
        lambda: LanguageModel(host, "little", read_seconds=2.0).complete("text"),
        lambda: make_provider(load_config(YAML.format(host=host.replace("\\", "\\\\")), uploaded=True).components[0]),
    ):
        with pytest.raises(ConfigError, match="is not a model server that this installation may ask"):
            name()
    return True


def test_t21_only_the_exact_entries_of_the_list_are_contacted(allowed: FakeOllama) -> None:
    port = allowed.server_address[1]
    survived = n_connects = 0
    for pattern in HOSTS:
        with contacts() as counted:
            survived += refused(pattern.format(port=port)) and not counted.connects and not counted.names
        n_connects += len(counted.connects)
    with contacts() as counted:
        OllamaEmbedding(allowed.url, patience=QUICK).embed(["text"])
    assert counted.connects == [("127.0.0.1", port)], "the counter sees the one connection that is allowed"
    figures = f"{n_connects} connects to hosts that are not on the list, 1 to the one that is"
    report("T21", survived, len(HOSTS), figures, score="inputs")
    assert (survived, n_connects, len(HOSTS)) == (25, 0, 25)
    assert len(allowed.asked) == 1


def test_t21_a_redirect_leads_nowhere(allowed: FakeOllama) -> None:
    with running() as elsewhere:
        allowed.always, allowed.elsewhere = "redirect", elsewhere.url
        with contacts() as counted:
            with pytest.raises(EmbeddingError, match="a redirect"):
                OllamaEmbedding(allowed.url, patience=QUICK).embed(["text"])
            with pytest.raises(EmbeddingError, match="a redirect"):
                LanguageModel(allowed.url, "little", read_seconds=2.0).complete("text")
        assert set(counted.connects) == {("127.0.0.1", allowed.server_address[1])}
        assert elsewhere.asked == []


def test_t21_a_proxy_of_the_environment_is_never_contacted(allowed: FakeOllama) -> None:
    with contacts() as counted:
        OllamaEmbedding(allowed.url, patience=QUICK).embed(["text"])
    assert ("127.0.0.1", 9) not in counted.connects


def test_t21_a_name_on_the_list_is_looked_up_once_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    with running() as server:
        host = f"http://localhost:{server.server_address[1]}"
        monkeypatch.setenv("OLLAMA_ALLOWED_HOSTS", host)
        with contacts() as counted:
            OllamaEmbedding(host, batch_size=1, patience=QUICK).embed(["a", "b", "c"])
        assert counted.names == ["localhost"]
        assert len(server.asked) == 3
