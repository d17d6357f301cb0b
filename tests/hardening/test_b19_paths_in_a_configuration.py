"""B19: an uploaded configuration names no file, no database and no model that the installation does not know."""

from __future__ import annotations

import inspect

import pytest

from cnrag_core.config.loader import load_config
from cnrag_core.embedding import sentence_transformer
from cnrag_core.embedding.fields import make_provider
from cnrag_core.embedding.ollama import OllamaEmbedding
from cnrag_core.errors import ConfigError

CONFIG = """
{key}
similarity:
  components:
    - type: field_embedding
      field: title
      model: {model}
      model_name: {name}
"""


@pytest.mark.parametrize(
    "key", ["corpus: /etc/passwd", "db: ../other.db", "database: /tmp/a.db", "storage: ../x", "path: ~/.ssh/id_rsa"]
)
def test_b19_a_key_that_names_a_path_is_refused(key: str) -> None:
    with pytest.raises(ConfigError, match=rf"line 2, {key.split(':')[0]}"):
        load_config(CONFIG.format(key=key, model="tfidf", name="x"), uploaded=True)


@pytest.mark.parametrize("name", ["../../x", "/etc/passwd", "somebody/with-remote-code", "..", "a/b/c", "'a b'"])
@pytest.mark.parametrize("model", ["sentence_bert", "ollama"])
def test_b19_a_model_is_one_of_those_that_are_allowed(name: str, model: str) -> None:
    if model == "ollama" and name in ("somebody/with-remote-code", "a/b/c"):
        # a name of a model on the server that is asked; it is no path and is never resolved here
        assert OllamaEmbedding(model_name=name).get_model_name() == name
        return
    with pytest.raises(ConfigError, match="model_name"):
        make_provider(load_config(CONFIG.format(key="", model=model, name=name), uploaded=True).components[0])


def test_b19_a_model_is_read_from_this_machine_and_its_code_never_runs() -> None:
    source = inspect.getsource(sentence_transformer)
    assert "trust_remote_code=False" in source
    assert "local_files_only" in source


def test_b19_a_model_is_loaded_without_remote_code(monkeypatch: pytest.MonkeyPatch) -> None:
    transformers = pytest.importorskip("sentence_transformers")
    asked: list[dict[str, object]] = []

    def load(name: str, **options: object) -> object:
        asked.append(options)
        raise OSError("nothing there")

    monkeypatch.setattr(transformers, "SentenceTransformer", load)
    monkeypatch.delenv("CNRAG_ALLOW_DOWNLOAD", raising=False)
    sentence_transformer._load.cache_clear()
    with pytest.raises(Exception, match="not on this machine"):
        sentence_transformer.SentenceTransformerEmbedding("BAAI/bge-m3")
    assert asked
    assert all(options["trust_remote_code"] is False and options["local_files_only"] is True for options in asked)
