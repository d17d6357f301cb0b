"""The reference names every key, and the layer's table of contents leads to what it promises."""

from __future__ import annotations

import subprocess
import sys

import pytest

import cnrag_core.config as layer
from cnrag_core.config.annotations import known_keys, models_below
from cnrag_core.config.components_dialect import ComponentsDocument
from cnrag_core.config.graph_document import GraphDocument
from cnrag_core.config.names import ALIASES
from cnrag_core.config.reference import reference_markdown


@pytest.mark.parametrize("document", [ComponentsDocument, GraphDocument])
def test_every_key_of_a_dialect_has_a_row(document: type[ComponentsDocument] | type[GraphDocument]) -> None:
    text = reference_markdown()
    for _, model in models_below(document):
        for key in known_keys(model):
            assert f"| `{key}` |" in text


def test_every_other_spelling_is_listed() -> None:
    text = reference_markdown()
    for alias, name in ALIASES.items():
        assert f"`{alias}` = `{name}`" in text


def test_rows_give_type_default_and_meaning() -> None:
    text = reference_markdown()
    assert "| `min_combined_similarity` | number from 0 to 1 |  | threshold: pairs link at this" in text
    assert "| `max_tokens` | whole number, 1 or more | `512` | longest chunk, in tokens" in text
    assert "| `algorithm` | `louvain`, `leiden` | `louvain` |" in text
    assert "| `components` | list of mappings | required |" in text


def test_every_table_has_four_columns() -> None:
    rows = [line for line in reference_markdown().splitlines() if line.startswith("|")]
    assert rows
    assert all(row.replace("\\|", "").count("|") == 5 for row in rows)


def test_the_reference_is_the_same_every_time() -> None:
    assert reference_markdown() == reference_markdown()


def test_the_table_of_contents_leads_to_everything_it_names() -> None:
    for name in layer.__all__:
        assert callable(getattr(layer, name))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = layer.nothing


def test_importing_the_layer_loads_no_library() -> None:
    code = "import sys, cnrag_core.config; print({'pydantic', 'ruamel.yaml', 'rapidfuzz', 'numpy'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.strip() == "set()"
