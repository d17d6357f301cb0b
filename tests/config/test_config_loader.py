"""What `load_config` takes, and how it tells the dialects apart."""
# ruff: noqa: E501  (sentences stay on one line, as people read them)

from __future__ import annotations

from pathlib import Path

import pytest

from cnrag_core.config.loader import dialect_of, load_config, to_yaml
from cnrag_core.config.spec import FieldEmbeddingComponent, PipelineConfig
from cnrag_core.config.yaml_reading import read_text
from cnrag_core.errors import ConfigError

TEXT = "similarity:\n  components:\n    - {type: field_embedding, field: title, model: tfidf, weight: 1}\n"
CONFIG = PipelineConfig(components=[FieldEmbeddingComponent(field="title")])


def test_text_bytes_mapping_and_path_give_the_same(tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text(TEXT, encoding="utf-8")
    mapping = {"similarity": {"components": [{"type": "field_embedding", "field": "title"}]}}
    for source in (TEXT, TEXT.encode(), ("\ufeff" + TEXT).encode(), TEXT.encode("utf-16"), mapping, path, str(path)):
        assert load_config(source) == CONFIG


def test_a_finished_configuration_is_returned_as_it_is() -> None:
    assert load_config(CONFIG) is CONFIG


def test_json_is_yaml() -> None:
    assert load_config('{"similarity": {"components": [{"type": "field_embedding", "field": "title"}]}}') == CONFIG


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("no/such/file.yaml", r"^There is no file 'no/such/file\.yaml'\.$"),
        (Path("/"), r"^'/' is not a file\.$"),
        ("a\0b.yaml", "a\\\\x00b.yaml"),
        ("x" * 5000 + ".yaml", r"cannot be read: File name too long\.$"),
        (3, r"^A configuration is YAML text, a path or a mapping, not a int\.$"),
        (b"\xff\x00a", r"^The configuration is not UTF-8 text \(byte 1 is wrong\)\.$"),
    ],
)
def test_sources_that_cannot_be_read_are_refused(source: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(source)  # type: ignore[arg-type]


def test_files_are_limited_too(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_bytes(b"#" * 70_000)
    with pytest.raises(ConfigError, match="has more than 65,536 bytes"):
        load_config(path)


def test_a_line_with_a_key_is_no_path() -> None:
    with pytest.raises(ConfigError, match=r"^similarity: this key is required"):
        load_config("name: one.yaml")


def test_an_uploaded_text_is_never_a_path(tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text(TEXT, encoding="utf-8")
    with pytest.raises(ConfigError, match="A configuration is a mapping of keys"):
        load_config(str(path), uploaded=True)


@pytest.mark.parametrize(
    ("addition", "message"),
    [
        (
            "engine: {engine: dask, scheduler: 'tcp://10.0.0.1:8786'}",
            "line 4, engine.scheduler: an uploaded configuration cannot name another machine on this server; leave "
            "`scheduler` out (CNRAG_ALLOWED_SCHEDULERS in the server's environment allows one).",
        ),
        (
            "embeddings: {}",
            "line 4, embeddings: this key belongs to the other dialect than `similarity` on line 1; use one of the two.",
        ),
    ],
)
def test_uploaded_configurations_cannot_name_machines(addition: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(TEXT + addition, uploaded=True)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["../../x", "/etc/passwd", "~/m", "C:\\m", "C:/m", "a/../b"])
def test_uploaded_configurations_cannot_name_paths_as_models(name: str) -> None:
    text = (
        "similarity: {components: [{type: field_embedding, field: title, model: sentence_bert, model_name: "
        f"'{name}'}}]}}"
    )
    with pytest.raises(ConfigError, match="model_name must be the name of a model, not a path"):
        load_config(text, uploaded=True)


@pytest.mark.parametrize(
    "address", ["tcp://10.0.0.1:8787", "tcp://10.0.0.1", "10.0.0.1:8786", "tcp://10.0.0.1:8786@x", 7]
)
def test_uploaded_configurations_name_only_schedulers_that_the_server_allows(
    address: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CNRAG_ALLOWED_SCHEDULERS", "tcp://10.0.0.1:8786, tls://cluster:8786/")
    for allowed in ("tcp://10.0.0.1:8786", "tls://cluster:8786"):
        config = load_config(TEXT + f"engine: {{engine: dask, scheduler: '{allowed}'}}", uploaded=True)
        assert load_config(config, uploaded=True).engine.scheduler == allowed
    with pytest.raises(ConfigError, match=r"this server allows: tcp://10\.0\.0\.1:8786, tls://cluster:8786"):
        load_config(TEXT + f"engine: {{engine: dask, scheduler: {address!r}}}", uploaded=True)


def test_an_uploaded_configuration_may_ask_for_processes_of_the_server() -> None:
    assert load_config(TEXT + "engine: dask", uploaded=True).engine.scheduler is None


def test_a_scheduler_is_allowed_where_the_file_is_ones_own() -> None:
    config = load_config(TEXT + "engine: {engine: dask, scheduler: 'tcp://10.0.0.1:8786'}")
    assert config.engine.scheduler == "tcp://10.0.0.1:8786"
    with pytest.raises(ConfigError, match="cannot name another machine"):
        load_config(config, uploaded=True)


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("similarity: {}", "components"),
        ("similarities: {}", "graph"),
        ("embeddings: {}", "graph"),
        ("network: {edges: {similarity: overall}}", "graph"),
        ("similarty: {}", "components"),
        ("similarites: {}", "graph"),
        ("embedings: {}", "graph"),
        ("name: x", "components"),
    ],
)
def test_the_dialect_is_told_by_its_keys(text: str, dialect: str) -> None:
    assert dialect_of(read_text(text)) == dialect


def test_a_text_without_any_comparison_says_what_is_missing() -> None:
    with pytest.raises(
        ConfigError, match=r"similarity: this key is required and missing: how two documents are compared"
    ):
        load_config("name: x")


def test_writing_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"'grpah' is not a dialect\. Use one of 'components', 'graph'\. Did you mean"
    ):
        to_yaml(CONFIG, "grpah")  # type: ignore[arg-type]


def test_notes_become_comments() -> None:
    text = to_yaml(CONFIG.model_copy(update={"notes": ("Two\nlines.",)}))
    assert text.startswith("# Two lines.\n\nsimilarity:\n")
