"""The Search page: a judged question says who finds its answer, and the other strategies are one click away."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from cnrag_core.retrieval.search import STRATEGIES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def page() -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["sample"] = "larkspur"
    app.run()
    return app.switch_page("pages/6_Search.py").run()


def said(app: AppTest) -> str:
    assert [element.value for element in (*app.exception, *app.error)] == []
    return next(element.value for element in app.markdown if "by judgement" in element.value)


def test_a_judged_question_says_how_many_documents_its_answer_takes(page):
    offered = page.selectbox(key="judged_question").options
    assert any(text.startswith("2 documents · ") for text in offered)
    assert any(text.startswith("3 documents · ") for text in offered)


def test_the_other_strategies_are_one_click_away(page):
    assert sum(name in said(page) for name in STRATEGIES) == 3
    page.button(key="try_all").click().run()
    assert all(name in said(page) for name in STRATEGIES)
    assert "try_all" not in [button.key for button in page.button]


def test_a_misspelt_filter_is_told_beside_the_results(page):
    page.session_state["question"] = "outage sektion:billing"
    page.run()
    assert any("Did you mean 'section'?" in element.value for element in page.info)


def test_how_questions_are_compared_is_said_once_and_in_plain_words(page):
    captions = [element.value for element in page.caption]
    assert sum("words that they share with the question" in text for text in captions) == 1
    assert sum("documents name each other" in text for text in captions) == 1


def test_a_question_without_any_result_says_so_once_and_what_to_do(page):
    page.session_state["question"] = "xylophonist"
    page.run()
    told = [element.value.replace("\\", "") for element in page.info]
    assert told == ["No word of the question occurs in the documents. Try other words or fewer filters."]


def test_the_help_of_the_question_box_names_fields_of_the_corpus(page):
    help = page.text_input(key="question").help.replace("\\", "")
    assert help == "A part like section:Billing keeps only documents with that value."
