"""Every test, attack and public bug that the product must withstand has a test that begins with its number."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NUMBERS = [f"t{n}" for n in range(1, 22)] + [f"b{n}" for n in range(1, 34)] + [f"g{n}" for n in range(1, 54)]
_NUMBER = re.compile(r"(?<![a-z0-9])[tbg]\d+(?![a-z0-9])")


def numbers_of_tests() -> dict[str, list[str]]:
    """Names of tests by each number that they begin with; one may stand for several (``test_g1_g2_...``)."""
    found: dict[str, list[str]] = {}
    for path in sorted(HERE.glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", node.name).lower()
                start = re.match(r"test_((?:[tbg]\d+_)+)", name)
                for number in _NUMBER.findall(start[1].replace("_", " ")) if start else ():
                    found.setdefault(number, []).append(f"{path.name}::{node.name}")
    return found


def test_the_numbers_of_a_name_are_those_that_it_begins_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test_x.py").write_text(
        "def test_g1_g2_both(): ...\ndef test_g10_ten(): ...\ndef test_b1(): ...\ndef helper_t1_(): ...\n",
        encoding="utf-8",
    )
    monkeypatch.setattr("tests.hardening.test_every_number_is_tested.HERE", tmp_path)
    assert sorted(numbers_of_tests()) == ["g1", "g10", "g2"]


def test_every_number_has_a_test() -> None:
    found = numbers_of_tests()
    missing = [number.upper() for number in NUMBERS if number not in found]
    assert not missing, f"no test begins with {', '.join(missing)}"
