"""A saved workspace reopens with the view that it was saved with, whoever opens it, and however."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from cnrag_core.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
VIEW = {"t": "0.200", "view": "communities", "color": "field:section", "mark": "links:3", "q": "snapshots"}


@pytest.fixture(autouse=True)
def _as_streamlit_runs_it(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.chdir(ROOT)
    st.cache_data.clear()
    st.cache_resource.clear()


@cache
def saved(**more: str) -> bytes:
    return replace(Workspace.of_sample("larkspur"), sample=None, view={**VIEW, **more}).to_bytes()


def clean(app: AppTest) -> AppTest:
    assert [element.value for element in (*app.exception, *app.error)] == []
    return app


def looks_as_saved(app: AppTest) -> None:
    clean(app.switch_page("pages/1_Network.py").run())
    assert app.session_state["threshold"] == pytest.approx(0.2)
    assert app.segmented_control(key="net_view").value == "communities"
    assert app.selectbox(key="net_color").value == "field:section"
    assert app.session_state["marked"] == ("links", 3)
    clean(app.switch_page("pages/6_Search.py").run())
    assert app.text_input(key="question").value == "snapshots"


def test_a_workspace_that_is_uploaded_looks_as_it_was_saved():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["sample"] = "blog"
    clean(app.run())
    clean(app.segmented_control(key="source").set_value("A saved workspace").run())
    clean(app.file_uploader(key="workspace_file").upload("w.cnrag", saved(), "application/zip").run())
    clean(app.button(key="open_workspace").click().run())
    assert app.session_state["workspace"].name == "Larkspur Cloud documentation"
    looks_as_saved(app)


def test_a_workspace_that_the_server_was_started_with_looks_as_it_was_saved(monkeypatch, tmp_path):
    path = tmp_path / "w.cnrag"
    path.write_bytes(saved())
    monkeypatch.setenv("CNRAG_OPEN", str(path))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    looks_as_saved(clean(app.run()))


def test_a_view_that_means_nothing_here_is_passed_over(monkeypatch, tmp_path):
    path = tmp_path / "w.cnrag"
    path.write_bytes(saved(view="upside", color="field:nowhere", t="9", doc="nobody", mark="x"))
    monkeypatch.setenv("CNRAG_OPEN", str(path))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    clean(app.run())
    clean(app.switch_page("pages/1_Network.py").run())
    assert app.segmented_control(key="net_view").value == "documents"
