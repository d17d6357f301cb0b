"""What the README says is true: the reference is the code's, its Python runs, every name is in it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from cnrag_core.config.loader import load_config
from cnrag_core.config.reference import REFERENCE_BEGINS, REFERENCE_ENDS, reference_markdown
from cnrag_core.config.spec import AggregationMethod, ChunkingMethod, Metric
from cnrag_core.retrieval.search import STRATEGIES

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def test_the_reference_is_what_the_schema_says():
    """Refresh it with: cnrag config reference."""
    written = README.split(REFERENCE_BEGINS)[1].split(REFERENCE_ENDS)[0]
    assert written.strip() == reference_markdown().strip()


@pytest.mark.parametrize("number", range(len(blocks("python"))))
def test_python_blocks_run(number, capsys):
    exec(compile(blocks("python")[number], f"README block {number}", "exec"), {})
    assert capsys.readouterr().out


@pytest.mark.parametrize("number", range(len(blocks("yaml"))))
def test_yaml_blocks_load(number):
    assert load_config(blocks("yaml")[number]).components


@pytest.mark.parametrize(
    "name", [*STRATEGIES, *get_args(Metric), *get_args(ChunkingMethod), *get_args(AggregationMethod)]
)
def test_every_strategy_metric_and_method_is_named(name):
    assert re.search(rf"`[^`]*\b{name}\b[^`]*`", README), f"{name} is not in the README"


def test_pictures_and_pages_that_are_named_exist():
    for path in re.findall(r"!\[[^]]*\]\(([^)]+)\)", README):
        assert (ROOT / path).is_file(), path
