"""Long work in the background: a step name, a share, an estimate, and a way to stop it.

Enters: a function that reports `Progress`. Leaves: a `Job` that a page can look at whenever it likes.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable
from typing import Generic, Literal, TypeVar

from cnrag_core.errors import CNRagError
from cnrag_core.types import Progress

log = logging.getLogger(__name__)
T = TypeVar("T")

JobState = Literal["running", "done", "failed", "cancelled"]


class JobCancelled(Exception):  # noqa: N818  # a signal on its way out of the work, not an error
    """Raised inside the work when somebody asked for it to stop."""


class Job(Generic[T]):
    """One piece of work on a thread of its own.

    Attributes
    ----------
    state
        ``running``, ``done``, ``failed`` or ``cancelled``.
    step, share
        What is at work, and how much of it is done, in [0, 1].
    steps
        Seconds of every step begun so far, by name, in order.
    message
        What went wrong, in a sentence for the person.
    """

    def __init__(self, name: str, work: Callable[[Progress], T]) -> None:
        self.name = name
        self.state: JobState = "running"
        self.step = "Starting"
        self.share = 0.0
        self.steps: dict[str, float] = {}
        self.message = ""
        self.started = time.monotonic()
        self.finished: float | None = None
        self._result: T | None = None
        self._work = work
        self._step_started = self.started
        self._cancelled = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"job {name}", daemon=True)
        self._thread.start()

    @property
    def result(self) -> T:
        """What the work returned; only where `state` is ``done``."""
        if self.state != "done":
            raise RuntimeError(f"The job {self.name!r} is {self.state}; it has no result.")
        return self._result  # type: ignore[return-value]  # done: the work has returned a T

    @property
    def seconds(self) -> float:
        """Seconds since the start, or the whole duration once it has ended."""
        return (self.finished or time.monotonic()) - self.started

    @property
    def seconds_left(self) -> float | None:
        """Estimate for the step at work from its rate so far; None while there is too little to go by."""
        if self.state != "running" or not 0.05 <= self.share < 1.0:
            return None
        return (time.monotonic() - self._step_started) * (1.0 - self.share) / self.share

    def cancel(self) -> None:
        """Ask the work to stop at its next report of progress; nothing half-done is kept."""
        self._cancelled.set()

    def wait(self, timeout: float | None = None) -> None:
        """Block until it has ended, or for `timeout` seconds."""
        self._thread.join(timeout)

    def _report(self, step: str, share: float) -> None:
        if self._cancelled.is_set():
            raise JobCancelled
        now = time.monotonic()
        if step != self.step:
            self.step, self._step_started = step, now
        self.share = min(max(share, 0.0), 1.0)
        self.steps[step] = now - self._step_started

    def _run(self) -> None:
        try:
            self._result = self._work(self._report)
            self.state = "done"
        except JobCancelled:
            self.state = "cancelled"
        except CNRagError as error:
            self.message, self.state = str(error), "failed"
        except Exception:
            reference = uuid.uuid4().hex[:8]
            log.exception("job failed, reference %s", reference)
            self.message = f"Something went wrong that should not have; it is logged under reference {reference}."
            self.state = "failed"
        finally:
            self.finished = time.monotonic()
