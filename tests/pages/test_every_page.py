"""Every page opens cold on a sample, and again at another threshold, without an error."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "pages").glob("*.py"))


def opened(page: str, **query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in {"sample": "larkspur", **query}.items():
        app.query_params[name] = value
    app.run()
    return app if page == "app.py" else app.switch_page(page).run()


def errors_of(app: AppTest) -> list[str]:
    return [element.value for element in (*app.exception, *app.error)]


@pytest.mark.parametrize("page", ["app.py", *PAGES])
def test_a_page_opens_without_an_error(page):
    app = opened(page)
    assert not errors_of(app)
    assert app.header


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_where_nothing_is_linked(page):
    app = opened("app.py", t="1.0")
    app = app.switch_page(page).run()
    assert not errors_of(app)


@pytest.mark.parametrize("query", [{"t": "abc"}, {"t": "-3"}, {"doc": "no such"}, {"t": "nan"}])
def test_a_link_from_elsewhere_is_forgiven(query):
    app = opened("pages/2_Threshold.py", **query)
    assert not errors_of(app)


def test_an_unknown_sample_in_the_link_is_said_in_a_sentence():
    app = opened("app.py", sample="no such sample")
    assert not app.exception
    assert any("no such sample" in element.value for element in app.error)


def test_the_threshold_is_kept_from_page_to_page():
    app = opened("pages/2_Threshold.py")
    app.slider(key="threshold_slider").set_value(0.3).run()
    assert not errors_of(app)
    app.switch_page("pages/3_Communities.py").run()
    assert app.session_state["threshold"] == pytest.approx(0.3)


def test_a_configuration_with_mistakes_lists_all_of_them():
    app = opened("app.py")
    app.segmented_control(key="source").set_value("The present documents, compared otherwise").run()
    app.text_area(key="yaml_present").set_value(
        "similarity:\n  components:\n    - {type: field_embedding, field: title, wieght: 1}\n"
        "    - {type: attribute_similarity, field: tags, metric: jacard}\n"
    ).run()
    shown = " ".join(element.value for element in app.text)
    assert "wieght" in shown
    assert "jacard" in shown
    assert not app.exception


def test_an_uploaded_corpus_shows_its_fields_and_a_configuration_to_start_from():
    app = opened("app.py")
    app.segmented_control(key="source").set_value("My own documents").run()
    rows = b"id,title,text\n" + b"".join(b"%d,Paper %d,coral reefs and warm seas %d\n" % (i, i, i) for i in range(20))
    app.file_uploader(key="corpus_file").upload("papers.csv", rows, "text/csv").run()
    assert not errors_of(app)
    assert any("similarity" in area.value for area in app.text_area)


def test_an_uploaded_corpus_is_read_once_however_often_the_page_is_drawn(monkeypatch):
    from cnrag_core import worker

    read: list[str] = []
    of_bytes = worker.read_bytes
    monkeypatch.setattr(
        worker, "read_bytes", lambda data, name, **how: read.append(name) or of_bytes(data, name, **how)
    )
    app = opened("app.py")
    app.segmented_control(key="source").set_value("My own documents").run()
    for name in ("papers.csv", "reefs.csv"):
        rows = b"id,text\n" + b"".join(b"%d,coral reefs and warm seas %d\n" % (i, i) for i in range(20))
        app.file_uploader(key="corpus_file").upload(name, rows, "text/csv").run()
        app.run()
        app.run()
    assert not errors_of(app)
    assert read == ["papers.csv", "reefs.csv"]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("empty.json", b"", "empty"),
        ("none.json", b"[]", "no "),
        ("broken.jsonl", b'{"id": 1}\n{"id": 2', "line 2"),
        ("twice.csv", b"id,text\nx,a\nx,b\n", "x"),
    ],
)
def test_a_bad_file_is_one_sentence_on_the_page(name, data, said):
    app = opened("app.py")
    app.segmented_control(key="source").set_value("My own documents").run()
    app.file_uploader(key="corpus_file").upload(name, data, "application/octet-stream").run()
    assert not app.exception
    assert any(said in element.value for element in app.error), errors_of(app)
