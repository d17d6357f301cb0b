"""A visitor waits for the run that it asked for, whatever else is on its way: a conversation written by hand."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

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


def repeated(fragment: str) -> ForwardMsg:
    message = ForwardMsg()
    message.auto_rerun.fragment_id, message.auto_rerun.interval = fragment, 0.01
    return message


Answers = Sequence[Sequence[ForwardMsg]]

INTERRUPTED: Answers = [
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

REPEATED: Answers = [
    [begun("1"), repeated("part"), ended("1")],
    [begun("2", "part"), ended("2", ForwardMsg.FINISHED_EARLY_FOR_RERUN, "part"), begun("3"), ended("3")],
    [begun("4"), button("asked"), ended("4")],
]


class ByHand:
    """Answers each request of one visitor with the next messages; slowly, so that visitors are ahead of it."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._server = serve(self._talk, "127.0.0.1", 0, subprotocols=cast(Any, ["streamlit"]))
        self.url = f"http://127.0.0.1:{self._server.socket.getsockname()[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def get(self, _: str) -> tuple[int, bytes, dict[str, str]]:
        return 200, b"", {"set-cookie": "_streamlit_xsrf=token"}

    def close(self) -> None:
        self._server.shutdown()

    def _talk(self, connection: ServerConnection) -> None:
        for request, messages in zip(connection, self._answers, strict=False):
            assert request
            time.sleep(0.2)
            for message in messages:
                connection.send(message.SerializeToString())
        connection.recv()  # until the visitor leaves


@contextmanager
def visiting(answers: Answers) -> Iterator[Visitor]:
    server = ByHand(answers)
    with Visitor(cast(Served, server)) as visitor:
        yield visitor
    server.close()


def test_a_run_is_over_when_the_page_that_was_asked_for_is_whole() -> None:
    with visiting(INTERRUPTED) as visitor:
        assert visitor.run(seconds=10).ok
        assert visitor.run(seconds=10).ok
        assert visitor.has("second")


def test_what_a_page_no_longer_holds_is_forgotten() -> None:
    with visiting(INTERRUPTED) as visitor:
        visitor.run(seconds=10)
        assert visitor.has("first")
        visitor.run(seconds=10)
        assert not visitor.has("first")
        assert not visitor.has("half")


def test_a_part_that_makes_the_script_run_anew_is_not_taken_for_the_next_run() -> None:
    with visiting(REPEATED) as visitor:
        assert visitor.run(seconds=10).ok
        assert not visitor.wait_for("nothing says this", seconds=0.1)  # meanwhile the part is asked for
        assert visitor.run(seconds=10).ok
        assert visitor.has("asked")
