"""The box that finds a document, with more titles than are sent: what the browser is told, and when."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """The documents of a sample are too many to send their titles."""
    from pages.shared import title_box

    monkeypatch.setattr(title_box, "MOST_OFFERED", 10)


def opened(**link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in {"sample": "larkspur", **link}.items():
        app.query_params[name] = value
    return settled(app.run().switch_page("pages/1_Network.py").run())


@pytest.fixture
def app() -> AppTest:
    return opened()


def settled(app: AppTest) -> AppTest:
    assert not [element.value for element in (*app.exception, *app.error)]
    return app


def sent(app: AppTest, name: str) -> dict[str, Any]:
    """The message to the browser that has a part of this name."""
    messages = [json.loads(part.proto.json) for part in app.get("bidi_component") if part.proto.json]
    return next(message for message in messages if name in message)


def ask(app: AppTest, number: int, typed: str) -> AppTest:
    """As the browser does where typing pauses."""
    app.session_state["cnrag_title_answers_question"] = {"number": number, "typed": typed}
    return settled(app.run())


def test_too_many_titles_are_not_sent(app: AppTest):
    messages = [part.proto.json for part in app.get("bidi_component")]
    assert not any('"titles"' in message and '"stamp"' in message for message in messages)
    assert sent(app, "offers")["offers"] is None
    assert not [box.label for box in (*app.text_input, *app.selectbox) if "Find a document" in box.label]


def test_what_was_typed_is_answered_by_numbers_and_titles_of_documents(app: AppTest):
    network = app.session_state["workspace"].network
    title = network.title(network.node_ids[0])
    answer = sent(ask(app, 1, title), "offers")
    assert answer["answered"] == 1
    assert title in answer["offers"]["titles"]
    assert len(answer["offers"]["numbers"]) == len(answer["offers"]["titles"])


def test_an_answer_is_sent_once(app: AppTest):
    assert sent(ask(app, 1, "a"), "offers")["offers"]["titles"]
    again = sent(settled(app.run()), "offers")
    assert again["offers"] is None
    assert again["answered"] == 1
    assert sent(ask(app, 2, "a"), "offers")["offers"]["titles"]


def test_the_box_shows_what_is_chosen_though_its_title_was_never_sent(app: AppTest):
    network = app.session_state["workspace"].network
    node_id = network.node_ids[3]
    offers = sent(ask(app, 1, node_id), "offers")["offers"]
    box = sent(opened(doc=node_id), "placeholder")
    assert box["title"] == network.title(node_id)
    assert box["chosen"] == offers["numbers"][0]
