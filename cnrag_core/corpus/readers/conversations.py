"""The conversations that a chat assistant exports: trees of messages, and plain lists of turns.

Enters: one conversation as JSON. Leaves: a record whose `messages` are ``{role, content}`` in the order in
which they were said, with its title and dates. In a tree the branch that ends in the current message is
the conversation; where none is marked, the branch that ends in the last message written.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from cnrag_core.corpus.flatten import as_turns

__all__ = ["as_turns", "flatten_conversation"]

_HIDDEN_ROLES = frozenset({"system", "tool"})
_LIST_KEYS = ("messages", "chat_messages", "turns", "conversation", "conversations", "dialog", "dialogue")
_SPEAKERS = {"human": "user", "gpt": "assistant", "bot": "assistant", "ai": "assistant"}


def flatten_conversation(value: Mapping[str, Any]) -> dict[str, Any] | None:
    """A conversation as a record with `messages`, or None when the object is not one.

    Examples
    --------
    >>> flatten_conversation({"id": 3, "turns": [{"speaker": "human", "text": "Hi"}]})
    {'id': 3, 'messages': [{'role': 'user', 'content': 'Hi'}]}
    """
    mapping = value.get("mapping")
    if isinstance(mapping, Mapping) and any(_is_node(node) for node in mapping.values()):
        return _from_tree(value, mapping)
    for key in _LIST_KEYS:
        turns = value.get(key)
        if isinstance(turns, list) and turns and all(isinstance(turn, Mapping) for turn in turns):
            named = as_turns([_with_speaker(turn) for turn in turns])
            if named is not None:
                rest = {name: inner for name, inner in value.items() if name != key}
                return {**rest, "messages": named}
    return None


def _with_speaker(turn: Mapping[str, Any]) -> dict[str, Any]:
    """The turn with `role` and `content` where an export calls them `sender`, `from` or `text`."""
    speaker = next((turn[key] for key in ("role", "sender", "speaker", "from", "author") if turn.get(key)), None)
    if isinstance(speaker, Mapping):
        speaker = speaker.get("role") or speaker.get("name")
    role = _SPEAKERS.get(speaker, speaker) if isinstance(speaker, str) else speaker
    content = next((turn[key] for key in ("content", "text", "value", "utterance") if key in turn), None)
    if isinstance(content, list) and isinstance(turn.get("text"), str) and turn["text"]:
        content = turn["text"]
    return {"role": role, "content": content}


def _is_node(node: Any) -> bool:
    return isinstance(node, Mapping) and "parent" in node and "message" in node


def _from_tree(value: Mapping[str, Any], mapping: Mapping[str, Any]) -> dict[str, Any]:
    messages = [turn for node_id in _branch(value, mapping) if (turn := _turn(mapping[node_id])) is not None]
    record: dict[str, Any] = {}
    for name in ("id", "conversation_id"):
        if isinstance(value.get(name), (str, int)):
            record.setdefault("id", value[name])
    record["title"] = value.get("title")
    record["messages"] = messages
    record["turns"] = len(messages)
    for name in ("create_time", "update_time"):
        record[name] = _date(value.get(name))
    models = {
        node["message"]["metadata"]["model_slug"]
        for node in mapping.values()
        if _is_node(node)
        and isinstance(node["message"], Mapping)
        and isinstance(node["message"].get("metadata"), Mapping)
        and isinstance(node["message"]["metadata"].get("model_slug"), str)
    }
    if models:
        record["models"] = sorted(models)
    return record


def _branch(value: Mapping[str, Any], mapping: Mapping[str, Any]) -> list[str]:
    """Ids from the root to the current message."""
    node_id = value.get("current_node")
    if not isinstance(node_id, str) or not _is_node(mapping.get(node_id)):
        written = [
            (_time(node["message"]), position, key)
            for position, (key, node) in enumerate(mapping.items())
            if _is_node(node) and isinstance(node["message"], Mapping)
        ]
        if not written:
            return []
        node_id = max(written)[2]
    branch: dict[str, None] = {}
    while isinstance(node_id, str) and node_id not in branch and _is_node(mapping.get(node_id)):
        branch[node_id] = None  # a damaged export may point in a circle
        node_id = mapping[node_id]["parent"]
    return list(reversed(branch))


def _turn(node: Mapping[str, Any]) -> dict[str, str] | None:
    message = node["message"]
    if not isinstance(message, Mapping):
        return None
    author, content = message.get("author"), message.get("content")
    role = author.get("role") if isinstance(author, Mapping) else author
    if not isinstance(role, str) or role in _HIDDEN_ROLES:
        return None
    text = _content_text(content)
    return {"role": role, "content": text} if text.strip() else None


def _content_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, Mapping):
        return ""
    if isinstance(content.get("text"), str):
        return str(content["text"])
    parts = content.get("parts")
    texts = []
    for part in parts if isinstance(parts, list) else []:
        text = part.get("text") if isinstance(part, Mapping) else part
        if isinstance(text, str) and text:
            texts.append(text)
    return "\n".join(texts)


def _time(message: Mapping[str, Any]) -> float:
    written = message.get("create_time")
    return float(written) if isinstance(written, (int, float)) and abs(written) < 1e15 else 0.0


def _date(value: Any) -> Any:
    """Seconds since 1970 as a date; anything else as it is."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 4e9:
        return datetime.datetime.fromtimestamp(value, tz=datetime.UTC).isoformat(timespec="seconds")
    return value
