"""Files are made when they are asked for, never while a page is drawn."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_page_makes_a_file_before_it_is_asked_for(script: Path):
    """The address of a file given as bytes ends with the next run of the page: a browser that asks late gets 404."""
    for call in ast.walk(ast.parse(script.read_text("utf-8"))):
        if not (isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "download_button"):
            continue
        data = next((word.value for word in call.keywords if word.arg == "data"), None) or call.args[1]
        assert isinstance(data, ast.Lambda | ast.Name | ast.Attribute), f"line {call.lineno}: {ast.unparse(data)}"
