"""Fixtures shared by all tests. Standard corpora contain an empty text, a duplicate and an isolated document."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def corpora() -> Path:
    """Folder of real corpora, which are not part of the project."""
    folder = Path(os.environ.get("CNRAG_CORPORA", ROOT.parent / "shared" / "corpora"))
    if not folder.is_dir():
        pytest.skip(f"real corpora are not at {folder}; set CNRAG_CORPORA to where they are")
    return folder
