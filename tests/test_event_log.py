"""The log tells what happened and quotes nobody."""

from __future__ import annotations

import json
import logging

import pytest

from cnrag_core import event_log
from cnrag_core.event_log import JsonLines, log_events, write_event, write_failure

SECRET = "Zq7 confidential sentence of a document"


@pytest.fixture
def lines(tmp_path):
    """Reads what was logged so far."""
    path = tmp_path / "log.jsonl"
    log_events(path)
    yield lambda: [json.loads(line) for line in path.read_text("ascii").splitlines()]
    for handler in list(event_log.log.handlers):
        event_log.log.removeHandler(handler)
        handler.close()


def test_an_event_is_one_object_with_its_numbers(lines):
    write_event("job ended", outcome="done", duration_seconds=1.23456, documents=310)
    [line] = lines()
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "info", "logger": "cnrag", "event": "job ended", "outcome": "done",
        "duration_seconds": 1.235, "documents": 310,
    }  # fmt: skip


def test_a_failure_has_a_reference_and_its_place_but_not_its_words(lines):
    def breaks():
        raise KeyError(SECRET)

    try:
        breaks()
    except KeyError:
        reference = write_failure("page failed")
    [line] = lines()
    assert line["reference"] == reference
    assert line["error"] == "KeyError"
    assert any("breaks" in frame for frame in line["frames"])
    assert SECRET not in json.dumps(line)


@pytest.mark.parametrize(
    ("message", "arguments"),
    [("cannot read %s", (SECRET,)), (f"cannot read {SECRET}", ()), ("%s", (SECRET,)), (KeyError(SECRET), ())],
)
def test_messages_of_libraries_are_not_quoted(message, arguments):
    record = logging.LogRecord("library", logging.ERROR, "/somewhere/reader.py", 7, message, arguments, None)
    line = JsonLines().format(record)
    assert SECRET not in line
    assert json.loads(line)["at"] == "reader.py:7"


def test_an_exception_that_is_chained_quotes_nothing_either():
    try:
        try:
            raise ValueError(SECRET)
        except ValueError as error:
            raise RuntimeError(SECRET) from error
    except RuntimeError as error:
        record = logging.LogRecord("x", 40, "a.py", 1, "failed", (), (type(error), error, error.__traceback__))
    assert SECRET not in JsonLines().format(record)


def test_an_event_takes_numbers_only():
    with pytest.raises((TypeError, ValueError)):
        write_event("read", title=SECRET)
