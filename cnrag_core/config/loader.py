"""From whatever a person has to one `PipelineConfig`, and back to YAML.

Enters: YAML text in either dialect, a path to it, a mapping, or a finished configuration. Leaves: a `PipelineConfig`,
or a `ConfigError` that lists every problem with its path and line. Guide 000.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from cnrag_core.config import components_dialect, graph_dialect, schedulers
from cnrag_core.config.annotations import Location, known_keys
from cnrag_core.config.components_dialect import ComponentsDocument
from cnrag_core.config.dialect import mapping_in, value_in
from cnrag_core.config.graph_document import GraphDocument
from cnrag_core.config.problems import did_you_mean, nearest, one_of, shortened, shown
from cnrag_core.config.source import Finding, Source, source_of_mapping
from cnrag_core.config.spec import PipelineConfig
from cnrag_core.config.yaml_reading import MAX_BYTES, read_text
from cnrag_core.errors import ConfigError

Dialect: TypeAlias = Literal["components", "graph"]
DIALECTS: tuple[Dialect, ...] = ("components", "graph")

_KEY_OF_COMPONENTS = "similarity"
_KEYS_OF_GRAPH = ("similarities", "embeddings")


def load_config(
    source: PipelineConfig | Mapping[str, Any] | str | bytes | Path, *, uploaded: bool = False
) -> PipelineConfig:
    """Read a configuration in either dialect.

    Parameters
    ----------
    source
        A finished configuration (returned as it is), a mapping, YAML text, its bytes, or a path to a YAML file. A
        text of one line that ends in ``.yaml``, ``.yml`` or ``.json`` is a path.
    uploaded
        Whether it comes from somebody else: then a text is never a path, and keys that would name files or other
        machines are refused.

    Raises
    ------
    ConfigError
        With every problem at once: where it is, what was found, what would be right.

    Examples
    --------
    >>> config = load_config('''
    ... similarity:
    ...   components:
    ...     - {type: field_embedding, field: title, weight: 3}
    ...     - {type: attribute_similarity, field: tags, metric: jaccard, weight: 2}
    ...   min_combined_similarity: 0.4
    ... ''')
    >>> config.normalized_weights, config.edges.min_similarity
    ({'title': 0.6, 'tags': 0.4}, 0.4)
    """
    if isinstance(source, PipelineConfig):
        if uploaded and source.engine.scheduler is not None and not schedulers.is_allowed(source.engine.scheduler):
            raise ConfigError(schedulers.refusal())
        return source
    found = _source_of(source, uploaded=uploaded)
    if uploaded:
        found = Source(found.data, found.lines, (*found.findings, *_refused_in_uploads(found.data)))
    return graph_dialect.read(found) if dialect_of(found) == "graph" else components_dialect.read(found)


def to_yaml(config: PipelineConfig, dialect: Dialect = "components") -> str:
    """The configuration as YAML that reads back as an equal configuration.

    Raises
    ------
    ConfigError
        If there is no such dialect.
    """
    if dialect not in DIALECTS:
        raise ConfigError(f"{shown(dialect)} is not a dialect. {one_of(DIALECTS)}{did_you_mean(dialect, DIALECTS)}")
    return graph_dialect.write(config) if dialect == "graph" else components_dialect.write(config)


def dialect_in(source: Mapping[str, Any] | str | bytes | Path) -> Dialect:
    """The dialect of a configuration that has not been read yet.

    Raises
    ------
    ConfigError
        If it is no YAML mapping, or mixes both.
    """
    return dialect_of(_source_of(source, uploaded=False))


def dialect_of(source: Source) -> Dialect:
    """The dialect that a source is written in, by its keys; misspelt keys count for the one that they resemble.

    Raises
    ------
    ConfigError
        If it mixes both.
    """
    data = source.data
    graph_keys = [key for key in _KEYS_OF_GRAPH if key in data]
    if _KEY_OF_COMPONENTS in data and graph_keys:
        line = source.line_of((_KEY_OF_COMPONENTS,))
        message = f"this key belongs to the other dialect than `{_KEY_OF_COMPONENTS}`"
        message += f" on line {line}; use one of the two." if line else "; use one of the two."
        source.refuse(Finding((key,), message) for key in graph_keys)
    if graph_keys or _KEY_OF_COMPONENTS in data:
        return "graph" if graph_keys else "components"
    if value_in(data, "network", "edges", "similarity") is not None:
        return "graph"
    only_graph = set(known_keys(GraphDocument)) - set(known_keys(ComponentsDocument))
    either = {*known_keys(GraphDocument), *known_keys(ComponentsDocument)}
    meant = {nearest(key, either) for key in data if key not in either}
    return "graph" if meant & only_graph and _KEY_OF_COMPONENTS not in meant else "components"


def _source_of(source: Mapping[str, Any] | str | bytes | Path, *, uploaded: bool) -> Source:
    if isinstance(source, Mapping):
        return source_of_mapping(source)
    if isinstance(source, bytes):
        return read_text(_decoded(source, "The configuration"))
    if isinstance(source, str):
        return read_text(source) if uploaded or not _is_path(source) else _read_file(Path(source.strip()))
    if isinstance(source, Path):
        return _read_file(source)
    raise ConfigError(f"A configuration is YAML text, a path or a mapping, not a {type(source).__name__}.")


def _is_path(text: str) -> bool:
    """Whether a text names a file: one line that ends like one, and holds no key."""
    return "\n" not in text and ": " not in text and text.strip().lower().endswith((".yaml", ".yml", ".json"))


def _read_file(path: Path) -> Source:
    name = shortened(str(path), 120)
    try:
        if not path.exists():
            raise ConfigError(f"There is no file {name!r}.")
        if not path.is_file():
            raise ConfigError(f"{name!r} is not a file.")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, ConfigError):
            raise
        reason = getattr(error, "strerror", None) or "its name is not a possible one"
        raise ConfigError(f"{name!r} cannot be read: {reason}.") from None
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{name!r} has more than {MAX_BYTES:,} bytes; a configuration never needs so many.")
    return read_text(_decoded(data, repr(name)))


def _decoded(data: bytes, name: str) -> str:
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name} is not UTF-8 text (byte {error.start + 1} is wrong).") from None


def _refused_in_uploads(data: Mapping[str, Any]) -> Iterator[Finding]:
    """What a configuration of a stranger must not say; models and hosts are checked where they would be used."""
    engine = mapping_in(data, "engine")
    if engine.get("scheduler") is not None and not schedulers.is_allowed(engine["scheduler"]):
        yield Finding(("engine", "scheduler"), schedulers.refusal())
    for location, name in _values_of("model_name", data):
        if isinstance(name, str) and (name.startswith(("/", ".", "~")) or ".." in name or "\\" in name or ":/" in name):
            yield Finding(location, "model_name must be the name of a model, not a path.")


def _values_of(wanted: str, value: Any, location: Location = ()) -> Iterator[tuple[Location, Any]]:
    """Every value that stands under a key of that name, with its place."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in entries:
        if key == wanted:
            yield (*location, key), item
        yield from _values_of(wanted, item, (*location, key))
