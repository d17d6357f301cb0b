"""A file with repeated ids: the visitor is asked what is to become of them, and only then."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]
UNIQUE = "id,code,text\na,k,coral reefs bleach\nb,k,coral reefs recover\nc,m,bond yields rise\n"
REPEATED = UNIQUE.replace("b,k", "a,k")
BY_CODE = (
    "id_field: code\nsimilarity:\n  components:\n    - {type: field_embedding, field: text}\n"
    "  min_combined_similarity: 0.1\n"
)


@pytest.fixture
def page() -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["sample"] = "larkspur"
    app.run()
    app.segmented_control(key="source").set_value("My own documents").run()
    return app


def chosen(app: AppTest, text: str) -> AppTest:
    app.file_uploader(key="corpus_file").set_value(("d.csv", text.encode(), "text/csv")).run()
    assert [element.value for element in app.exception] == []
    return app


def built(app: AppTest) -> AppTest:
    next(button for button in app.button if button.key.startswith("build_")).click().run()
    for _ in range(600):
        if app.session_state["job"] is None:
            return app
        time.sleep(0.05)
        app.run()
    raise AssertionError("the build did not end")


def asked(app: AppTest) -> list[str]:
    return [box.key for box in app.checkbox if box.key.startswith("keep_duplicates_")]


def n_documents(app: AppTest) -> list[str]:
    return [element.value for element in app.markdown if element.value.endswith(" documents")]


def test_unique_ids_ask_nothing(page):
    chosen(page, UNIQUE)
    assert (asked(page), len(page.error)) == ([], 0)
    assert n_documents(page) == ["**d** · 3 documents"]


def test_repeated_ids_are_kept_where_the_visitor_says_so(page):
    chosen(page, REPEATED)
    (error,) = page.error
    assert "id 'a' is used by record 1 and record 2" in error.value
    assert "cnrag build" not in error.value
    assert n_documents(page) == []
    page.checkbox(key=asked(page)[0]).check().run()
    assert len(page.error) == 0
    assert n_documents(page) == ["**d** · 3 documents"]
    built(page)
    workspace = page.session_state["workspace"]
    assert workspace.network.node_ids == ("a", "a#2", "c")


def test_ids_that_the_configuration_chose_are_asked_about_too(page):
    chosen(page, UNIQUE)
    area = next(area for area in page.text_area if area.key.startswith("yaml_"))
    area.set_value(BY_CODE).run()
    built(page)
    assert len(asked(page)) == 1
    page.checkbox(key=asked(page)[0]).check().run()
    page.checkbox(key=asked(page)[0]).uncheck().run()
    assert n_documents(page) == ["**d** · 3 documents"]  # the file itself can be read, and its editor stays
    page.checkbox(key=asked(page)[0]).check().run()
    next(area for area in page.text_area if area.key.startswith("yaml_")).set_value(BY_CODE).run()
    built(page)
    assert page.session_state["workspace"].network.node_ids == ("k", "k#2", "m")
