"""Pages run as Streamlit runs them: from the folder of the project, with nothing in its caches."""

from __future__ import annotations

from pathlib import Path

import pytest
import streamlit as st

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _as_streamlit_runs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.chdir(ROOT)
    st.cache_data.clear()
