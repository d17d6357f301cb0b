"""Exported conversations: trees of messages and lists of turns become documents with `messages`."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from cnrag_core.corpus.readers import read_bytes
from cnrag_core.corpus.readers.conversations import flatten_conversation


def node(parent: str | None, role: str | None = None, *parts: Any, time: float = 0.0) -> dict[str, Any]:
    message = {
        "author": {"role": role},
        "content": {"content_type": "text", "parts": list(parts)},
        "create_time": time,
        "metadata": {"model_slug": "m-1"} if role == "assistant" else {},
    }
    return {"parent": parent, "message": message if role else None, "children": []}


def tree(**changes: Any) -> dict[str, Any]:
    mapping = {
        "root": node(None),
        "sys": node("root", "system", "You are helpful.", time=1),
        "q": node("sys", "user", "How do trees drink?", time=2),
        "old": node("q", "assistant", "With a straw.", time=3),
        "new": node("q", "assistant", "By transpiration.", {"content_type": "image"}, time=4),
        "thanks": node("new", "user", "Thanks!", time=5),
    }
    value = {"id": "c1", "title": "Trees", "create_time": 1700000000.5, "mapping": mapping, "current_node": "thanks"}
    return {**value, **changes}


def test_the_branch_to_the_current_message_is_the_conversation() -> None:
    corpus = read_bytes(json.dumps([tree(), tree(id="c2", current_node="old")]).encode(), "conversations.json")
    assert corpus["c1"].fields["messages"] == [
        {"role": "user", "content": "How do trees drink?"},
        {"role": "assistant", "content": "By transpiration."},
        {"role": "user", "content": "Thanks!"},
    ]
    assert corpus["c2"].fields["messages"][-1]["content"] == "With a straw."
    assert corpus.kinds["messages"] == "text"
    assert corpus["c1"].fields["create_time"] == "2023-11-14T22:13:20+00:00"
    assert corpus["c1"].fields["models"] == ["m-1"]
    assert corpus["c1"].text("messages") == "How do trees drink?\nBy transpiration.\nThanks!"


def test_without_a_current_message_the_last_one_written_ends_the_branch() -> None:
    record = flatten_conversation(tree(current_node=None))
    assert record is not None
    assert record["messages"][-1]["content"] == "Thanks!"


def test_a_circle_ends() -> None:
    value = tree()
    value["mapping"]["q"]["parent"] = "thanks"
    record = flatten_conversation(value)
    assert record is not None
    assert [turn["content"] for turn in record["messages"]] == ["How do trees drink?", "By transpiration.", "Thanks!"]


def test_a_single_conversation_is_a_corpus_of_one() -> None:
    assert len(read_bytes(json.dumps(tree()).encode(), "x.json")) == 1


@pytest.mark.parametrize(
    "value",
    [
        {"id": "a", "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]},
        {"id": "a", "conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Ho"}]},
        {
            "id": "a",
            "chat_messages": [{"sender": "human", "text": "Hi", "content": []}, {"sender": "assistant", "text": "Ho"}],
        },
        {"id": "a", "turns": [{"speaker": "user", "utterance": "Hi"}, {"speaker": "assistant", "utterance": "Ho"}]},
    ],
)
def test_lists_of_turns_under_any_name(value: dict[str, Any]) -> None:
    for text in (json.dumps([value]), json.dumps(value) + "\n" + json.dumps({**value, "id": "b"})):
        turns = read_bytes(text.encode(), "x.json")["a"].fields["messages"]
        assert turns == [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]


def test_conversations_as_arrays_of_turns() -> None:
    turns = [{"role": "user", "content": "Hi"}]
    assert read_bytes(json.dumps([turns, turns]).encode(), "x.json").documents[1].fields["messages"] == turns


@pytest.mark.parametrize(
    "value", [{"mapping": {"a": 1}}, {"mapping": []}, {"messages": "none"}, {"turns": [{"n": 1}]}, {}]
)
def test_other_objects_are_no_conversation(value: dict[str, Any]) -> None:
    assert flatten_conversation(value) is None


def test_the_archive_of_an_export_is_read_at_its_conversations() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("user.json", "{}")
        archive.writestr("chat.html", "<html><p>everything</p></html>" * 500)
        archive.writestr("conversations.json", json.dumps([tree(), tree(id="c2")]))
    corpus = read_bytes(buffer.getvalue(), "export.zip")
    assert [document.id for document in corpus] == ["c1", "c2"]
