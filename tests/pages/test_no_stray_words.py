"""A page shows what it is told to show: a bare text in its script stays in the script."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_line_that_is_only_a_text_is_not_shown():
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert settings["runner"]["magicEnabled"] is False
