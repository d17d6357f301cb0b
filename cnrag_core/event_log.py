"""What happened, as one JSON object a line, without a word of what people loaded or asked.

Enters: an event with numbers, or any log record. Leaves: a line with time, level, logger, event, and
those fields that hold numbers or a reference. Messages of other libraries may quote a document, so of
their records only the template, its place in the code and the kind of an error are written, never the
arguments or the text of an exception.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
import uuid
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TextIO

OURS = "cnrag"
"""Logger of the product's own events."""

Outcome = Literal["done", "failed", "cancelled", "refused", "ok", "not ok"]

_FIELDS = "cnrag_fields"
_HANDLER = "cnrag events"
MOST_FRAMES = 20

log = logging.getLogger(OURS)


def write_event(
    event: str,
    *,
    level: int = logging.INFO,
    reference: str | None = None,
    outcome: Outcome | None = None,
    **numbers: float,
) -> None:
    """Log one event of our own.

    Parameters
    ----------
    event
        A fixed name such as ``build ended``; never anything that a person wrote.
    reference
        Of a failure, as it was shown to the person.
    numbers
        Counts, and durations in seconds; their names end in ``_seconds`` or name what is counted.
    """
    fields: dict[str, object] = {"reference": reference, "outcome": outcome}
    fields |= {
        name: round(float(value), 3) if isinstance(value, float) else int(value) for name, value in numbers.items()
    }
    kept = {name: value for name, value in fields.items() if value is not None}
    log.log(level, event, extra={_FIELDS: kept})


def write_failure(event: str) -> str:
    """Log the exception being handled; returns the reference to show to the person."""
    reference = uuid.uuid4().hex[:8]
    log.error(event, exc_info=True, extra={_FIELDS: {"reference": reference}})
    return reference


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON that quotes nothing.

    Examples
    --------
    >>> record = logging.LogRecord("other", 40, "a/b.py", 7, "cannot read %s", ("a secret",), None)
    >>> "secret" in JsonLines().format(record)
    False
    """

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        fields = getattr(record, _FIELDS, None)
        if fields is not None:
            line["event"] = record.msg
            line |= fields
        else:
            line["event"] = "library message"
            line["at"] = f"{Path(record.pathname).name}:{record.lineno}"
            if record.args and isinstance(record.msg, str):
                line["message"] = _quoting_numbers_alone(record.msg, record.args)
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            line["error"] = type(error).__name__
            frames = traceback.extract_tb(error.__traceback__)[-MOST_FRAMES:]
            line["frames"] = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
        return json.dumps(line, ensure_ascii=True)


def _quoting_numbers_alone(template: str, arguments: Any) -> str:
    """The message where all its arguments are numbers, which is what operators need; else only its template."""
    if isinstance(arguments, tuple) and all(isinstance(value, int | float) for value in arguments):
        with suppress(TypeError, ValueError):
            return template % arguments
    return template


def event_handler(target: TextIO | Path | None = None) -> logging.Handler:
    """A handler that writes such lines to a file (appended to), a stream, or standard error."""
    if isinstance(target, Path):
        handler: logging.Handler = logging.FileHandler(target, encoding="utf-8", delay=True)
    else:
        handler = logging.StreamHandler(target or sys.stderr)
    handler.setFormatter(JsonLines())
    handler.setLevel(logging.INFO)
    handler.set_name(_HANDLER)
    return handler


def log_events(target: TextIO | Path | None = None) -> None:
    """Write the product's own events as JSON lines; a second call replaces the first."""
    for handler in list(log.handlers):
        if handler.get_name() == _HANDLER:
            log.removeHandler(handler)
            handler.close()
    log.addHandler(event_handler(target))
    log.setLevel(logging.INFO)


def has_handler() -> bool:
    """Whether `log_events` was called."""
    return any(handler.get_name() == _HANDLER for handler in log.handlers)
