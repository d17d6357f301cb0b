"""B20, G53: hosts that an uploaded configuration must not reach, with the exact values of public reports."""

from __future__ import annotations

import pytest

from cnrag_core.config.loader import load_config
from cnrag_core.embedding.fields import make_provider
from cnrag_core.embedding.ollama import OllamaEmbedding, Patience
from cnrag_core.errors import ConfigError, EmbeddingError
from tests.embedding.fake_ollama import running
from tests.hardening.connections import contacts
from tests.hardening.test_t21_ssrf import YAML

HOSTS = ("http://169.254.169.254/", "http://127.0.0.1:22", "file:///", "http://localhost:11434@evil/")


@pytest.mark.parametrize("host", HOSTS)
def test_b20_a_host_that_is_not_on_the_list_is_refused_and_not_contacted(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OLLAMA_ALLOWED_HOSTS", raising=False)
    config = load_config(YAML.format(host=host), uploaded=True)
    with contacts() as counted, pytest.raises(ConfigError, match=r"allowed are http://localhost:11434 \("):
        make_provider(config.components[0])
    assert (counted.connects, counted.names) == ([], [])


def test_b20_a_body_is_never_repeated_in_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with running() as server:
        monkeypatch.setenv("OLLAMA_ALLOWED_HOSTS", server.url)
        for fault in ("500", "400", "no_model", "html", "list", "not_json", "words"):
            server.always = fault
            with pytest.raises(EmbeddingError) as caught:
                OllamaEmbedding(server.url, patience=Patience(tries=1)).embed(["a"])
            assert "secret" not in f"{caught.value} {caught.value.__cause__}"


@pytest.mark.parametrize("host", ["http://169.254.169.254/latest/meta-data/", "http://internal-service.local:8080"])
def test_g53_an_address_of_a_configuration_alone_reaches_nothing(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OLLAMA_ALLOWED_HOSTS", raising=False)
    with contacts() as counted, pytest.raises(ConfigError, match="not a model server that this installation may ask"):
        OllamaEmbedding(host).embed(["text"])
    assert (counted.connects, counted.names) == ([], [])
