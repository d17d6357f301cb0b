"""The Traversal page: a question walked, replayed and compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def page() -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["sample"] = "larkspur"
    app.run()
    return app.switch_page("pages/7_Traversal.py").run()


def clean(app: AppTest) -> AppTest:
    assert [element.value for element in (*app.exception, *app.error)] == []
    return app


def figures(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def test_it_opens_on_a_question_whose_evidence_the_walk_finds(page):
    clean(page)
    assert figures(page)["Evidence"] == "3 of 3"
    assert "answers the question" in page.success[0].value


def test_another_question_can_be_picked(page):
    picked = page.selectbox(key="walk_judged")
    chosen = next(text for text in picked.options if "Which compensation" in text).removeprefix("2 documents · ")
    picked.set_value(chosen).run()
    assert clean(page).text_input(key="walk_question").value == chosen
    assert figures(page)["Evidence"] == "2 of 2"


def test_a_budget_ends_the_walk_and_says_so(page):
    page.number_input(key="walk_nodes").set_value(2).run()
    clean(page)
    assert figures(page)["Chunks"] == "2"
    assert "largest number of chunks was visited" in page.info[0].value
    assert any("snapshot" in warning.value for warning in page.warning)


@pytest.mark.parametrize("key", ["walk_tokens", "walk_nodes", "walk_hops", "walk_checks", "walk_seeds"])
def test_a_budget_of_nothing_is_no_error(page, key):
    clean(page.number_input(key=key).set_value(0).run())


def test_the_walk_is_replayed_step_by_step(page):
    last = page.session_state["walk_step"]
    page.button(key="walk_previous").click().run()
    assert clean(page).session_state["walk_step"] == last - 1
    page.button(key="walk_first").click().run()
    assert clean(page).session_state["walk_step"] == 0
    page.button(key="walk_next").click().run()
    assert clean(page).session_state["walk_step"] == 1


def test_flat_retrieval_and_the_notebook_stand_beside_the_walk_with_their_faults(page):
    said = " ".join(element.value for element in page.caption)
    assert "never expanded" in said
    assert "farthest seed" in said
    assert any("the flat retrieval holds 2 of 3" in text.value for text in page.text)


def test_an_own_question_has_no_known_evidence(page):
    page.text_input(key="walk_question").set_value("How are snapshots restored?").run()
    assert figures(clean(page))["Evidence"] == "unknown"


def test_a_question_that_matches_nothing_is_said_in_words(page):
    page.text_input(key="walk_question").set_value("zzz qqq").run()
    assert "nowhere to start" in clean(page).info[0].value


def test_no_question_is_an_invitation(page):
    page.text_input(key="walk_question").set_value("").run()
    assert "Ask something" in clean(page).info[0].value


def test_markup_in_a_question_stays_text(page):
    page.text_input(key="walk_question").set_value("![t](http://attacker/x.png) $5 :red[x] snapshots").run()
    clean(page)


def test_a_model_server_that_is_not_there_is_one_sentence(page, monkeypatch):
    monkeypatch.setenv("OLLAMA_ALLOWED_HOSTS", "http://127.0.0.1:9")
    page.toggle(key="walk_model_on").set_value(True).run()
    page.text_input(key="walk_model_name").set_value("little").run()
    assert not page.exception
    assert any("cannot be reached" in error.value for error in page.error)


def test_the_audit_log_is_offered(page):
    from cnrag_core.workspace import Workspace

    network = Workspace.of_sample("larkspur").network
    records = [json.loads(line) for line in network.traverse("snapshots").to_jsonl().splitlines()]
    assert records[-1]["record"] == "summary"
    assert page.get("download_button")
