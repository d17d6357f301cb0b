"""A visitor waits for the run that it asked for, whatever else is on its way: a conversation written by hand."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any, cast

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.server import ServerConnection, serve

from tests.hardening.visitors import Served, Visitor


def begun(run: str, *fragments: str) -> ForwardMsg:
    message = ForwardMsg()
    message.new_session.page_script_hash = "page"
    message.metadata.run.script_run_id = run
    message.metadata.run.fragment_ids.extend(fragments)
    return message


def ended(run: str, how: int = ForwardMsg.FINISHED_SUCCESSFULLY, *fragments: str) -> ForwardMsg:
    message = ForwardMsg(script_finished=cast(Any, how))
    message.metadata.run.script_run_id = run
    message.metadata.run.fragment_ids.extend(fragments)
    return message


def button(key: str) -> ForwardMsg:
    message = ForwardMsg()
    message.delta.new_element.button.id = f"$$ID-0-{key}"
    message.delta.new_element.button.label = key
    return message


ANSWERS = [
    [begun("1"), button("first"), ended("1")],
    [
        ended("0"),  # of a run before ours
        ended("0", ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY, "part"),
        begun("2"),
        button("half"),
        ended("2", ForwardMsg.FINISHED_EARLY_FOR_RERUN),
        begun("3"),
        button("second"),
        ended("3"),
    ],
]


class ByHand:
    """Answers each request of one visitor with the next of `ANSWERS`."""

    def __init__(self) -> None:
        self._server = serve(self._talk, "127.0.0.1", 0, subprotocols=cast(Any, ["streamlit"]))
        self.url = f"http://127.0.0.1:{self._server.socket.getsockname()[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def get(self, _: str) -> tuple[int, bytes, dict[str, str]]:
        return 200, b"", {"set-cookie": "_streamlit_xsrf=token"}

    def close(self) -> None:
        self._server.shutdown()

    def _talk(self, connection: ServerConnection) -> None:
        for request, messages in zip(connection, ANSWERS, strict=False):
            assert request
            for message in messages:
                connection.send(message.SerializeToString())
        connection.recv()  # until the visitor leaves


@pytest.fixture
def visitor() -> Iterator[Visitor]:
    server = ByHand()
    with Visitor(cast(Served, server)) as visitor:
        yield visitor
    server.close()


def test_a_run_is_over_when_the_page_that_was_asked_for_is_whole(visitor: Visitor) -> None:
    assert visitor.run(seconds=10).ok
    assert visitor.run(seconds=10).ok
    assert visitor.has("second")


def test_what_a_page_no_longer_holds_is_forgotten(visitor: Visitor) -> None:
    visitor.run(seconds=10)
    assert visitor.has("first")
    visitor.run(seconds=10)
    assert not visitor.has("first")
    assert not visitor.has("half")
