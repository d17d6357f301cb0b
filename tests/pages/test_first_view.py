"""What somebody sees first of a corpus whose documents would be dust in one picture; choices and links go before it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from cnrag_core.config.spec import AttributeSimilarityComponent, EdgeRule, PipelineConfig
from cnrag_core.corpus.document import Corpus, Document
from cnrag_core.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
PAGE = "pages/1_Network.py"
N_GROUPS, OF_EACH = 500, 4


@cache
def many_small_groups() -> bytes:
    """2,000 documents in 500 groups that share nothing: one picture has room for one of each."""
    documents = [
        Document(f"d{number:04d}", {"title": f"Paper {number}", "tags": [f"tag{number // OF_EACH}", "all"]})
        for number in range(N_GROUPS * OF_EACH)
    ]
    config = PipelineConfig(
        components=(AttributeSimilarityComponent(field="tags", metric="jaccard"),), edges=EdgeRule(min=0.9)
    )
    return Workspace.build(Corpus(tuple(documents), {"title": "text", "tags": "list"}, "groups"), config).to_bytes()


@pytest.fixture(autouse=True)
def _served(monkeypatch, tmp_path):
    (tmp_path / "groups.cnrag").write_bytes(many_small_groups())
    monkeypatch.setenv("CNRAG_OPEN", str(tmp_path / "groups.cnrag"))
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.chdir(ROOT)
    st.cache_data.clear()
    st.cache_resource.clear()


def opened(**link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in link.items():
        app.query_params[name] = value
    return settled(app.run().switch_page(PAGE).run())


def settled(app: AppTest) -> AppTest:
    assert not [element.value for element in (*app.exception, *app.error)]
    return app


def view_of(app: AppTest) -> str:
    return app.segmented_control(key="net_view").value


def link_of(app: AppTest) -> dict[str, str]:
    return dict(app.query_params)


def test_communities_come_first_and_the_page_says_why():
    app = opened()
    assert view_of(app) == "communities"
    said = [caption.value for caption in app.caption]
    assert any("500 of 2,000 documents, and 100 % of those would stand there without a link" in words for words in said)
    assert "view" not in link_of(app)


def test_the_choice_of_documents_survives_a_reload_and_another_page():
    app = opened()
    settled(app.button(key="net_documents").click().run())
    assert view_of(app) == "documents"
    assert link_of(app)["view"] == "documents"
    assert view_of(opened(**link_of(app))) == "documents"
    settled(app.switch_page("pages/2_Threshold.py").run())
    settled(app.switch_page(PAGE).run())
    assert view_of(app) == "documents"
    settled(app.segmented_control(key="net_view").set_value("communities").run())
    assert "view" not in link_of(app)
    assert view_of(opened(**link_of(app))) == "communities"


def test_a_link_to_a_document_or_to_some_of_them_opens_documents():
    assert view_of(opened(doc="d0007")) == "documents"
    assert view_of(opened(only="c3")) == "documents"
    assert view_of(opened(doc="nobody")) == "communities"


def test_communities_chosen_with_a_document_in_hand_survive_a_reload():
    app = opened(doc="d0007")
    settled(app.segmented_control(key="net_view").set_value("communities").run())
    assert link_of(app)["view"] == "communities"
    assert view_of(opened(**link_of(app))) == "communities"


def test_whoever_comes_from_another_page_to_see_a_document_sees_it():
    app = opened()
    settled(app.switch_page("pages/2_Threshold.py").run())
    app.session_state["selected"] = "d0042"
    settled(app.switch_page(PAGE).run())
    assert view_of(app) == "documents"
    assert any("Paper 42" in words.value for words in app.markdown)


def test_a_document_of_a_community_can_be_opened_from_it():
    app = opened()
    app.session_state["net_community"] = 0
    settled(app.run())
    member = next(button for button in app.button if str(button.key).startswith("net_member_"))
    settled(member.click().run())
    assert view_of(app) == "documents"
    assert app.session_state["selected"] is not None


def test_a_small_corpus_opens_on_its_documents(monkeypatch):
    monkeypatch.delenv("CNRAG_OPEN")
    app = opened(sample="papers")
    assert view_of(app) == "documents"
    assert not [button for button in app.button if button.key == "net_documents"]
