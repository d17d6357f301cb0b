"""Long work in the background: a step name, a share, an estimate, and a way to stop it.

Enters: a function that reports `Progress`. Leaves: a `Job` that a page can look at whenever it likes. A
job whose owner has gone ends by itself, so that nobody's closed tab keeps a processor busy.
"""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from cnrag_core.errors import CNRagError, memory_named
from cnrag_core.event_log import write_event, write_failure
from cnrag_core.freed_memory import give_back
from cnrag_core.types import Progress

T = TypeVar("T")

JobState = Literal["running", "done", "failed", "cancelled"]

LONG = 1.0
"""Seconds of work from which on there may be memory to give back."""

ABANDONED_AFTER = 30.0
"""Seconds without its owner after which a job ends: longer than a browser needs to come back to its session."""


class JobCancelled(Exception):  # noqa: N818  # a signal on its way out of the work, not an error
    """Raised inside the work when somebody asked for it to stop."""


class LoggedFailureError(RuntimeError):
    """Something that should not have happened in another process, which has logged it under `reference`."""

    def __init__(self, reference: str) -> None:
        super().__init__(f"logged under reference {reference}")
        self.reference = reference


@dataclass(frozen=True)
class Failure:
    """Something that should not have happened: the reference under which it is logged, and when, in epoch seconds."""

    reference: str
    at: float


_running: weakref.WeakSet[Job[Any]] = weakref.WeakSet()
_lock = threading.Lock()
_last_failure: Failure | None = None


def running_jobs() -> list[Job[Any]]:
    """All jobs of this process that have not ended."""
    with _lock:
        return list(_running)


def last_failure() -> Failure | None:
    """The last failure of this process that was no fault of an input; None where there was none."""
    return _last_failure


def failed(event: str) -> str:
    """Log the exception being handled, remember it for the health report, and return its reference."""
    return _remember(write_failure(event))


def _remember(reference: str) -> str:
    global _last_failure
    _last_failure = Failure(reference, time.time())
    return reference


def cancel_all(timeout: float = 5.0) -> None:
    """Ask every running job to stop and wait for it: what a server does before it ends."""
    jobs = running_jobs()
    for job in jobs:
        job.cancel()
    end = time.monotonic() + timeout
    for job in jobs:
        job.wait(max(0.0, end - time.monotonic()))


class Job(Generic[T]):
    """One piece of work on a thread of its own.

    Parameters
    ----------
    name
        For the person; it is not logged.
    work
        Reports its progress, and returns the result.
    owner_is_here
        Whether whoever wants the result can still be reached; absent: always. The job ends when they
        could not be for `ABANDONED_AFTER` seconds.

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
    error
        The same as it was raised, where the input was at fault.
    """

    def __init__(
        self, name: str, work: Callable[[Progress], T], *, owner_is_here: Callable[[], bool] | None = None
    ) -> None:
        self.name = name
        self.state: JobState = "running"
        self.step = "Starting"
        self.share = 0.0
        self.steps: dict[str, float] = {}
        self.message = ""
        self.error: CNRagError | None = None
        self.started = time.monotonic()
        self.finished: float | None = None
        self.owner_is_here = owner_is_here
        self._last_seen = self.started
        self._result: T | None = None
        self._work = work
        self._step_started = self.started
        self._cancelled = threading.Event()
        with _lock:
            _running.add(self)
        self._thread = threading.Thread(target=self._run, name="cnrag job", daemon=True)
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
    def seconds_since(self) -> float:
        """Seconds since it ended, 0 while it runs."""
        return 0.0 if self.finished is None else time.monotonic() - self.finished

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
        now = time.monotonic()
        if self.owner_is_here is None or self.owner_is_here():
            self._last_seen = now
        if self._cancelled.is_set() or now - self._last_seen > ABANDONED_AFTER:
            raise JobCancelled
        if step != self.step:
            self.step, self._step_started = step, now
        self.share = min(max(share, 0.0), 1.0)
        self.steps[step] = now - self._step_started

    def _run(self) -> None:
        reference = None
        try:
            with memory_named(f"The work on {self.name!r}"):
                self._result = self._work(self._report)
            self.state = "done"
        except JobCancelled:
            self.state = "cancelled"
        except CNRagError as error:
            self.message, self.error, self.state = str(error), error, "failed"
        except LoggedFailureError as error:
            reference = _remember(error.reference)
        except Exception:
            reference = failed("job failed")
        finally:
            if reference is not None:
                self.message = f"Something went wrong that should not have; it is logged under reference {reference}."
                self.state = "failed"
            self.finished = time.monotonic()
            if self.seconds > LONG:
                give_back()
            with _lock:
                _running.discard(self)
            outcome = self.state if self.state in ("done", "failed", "cancelled") else None
            level = logging.INFO if self.state in ("done", "cancelled") else logging.WARNING
            write_event("job ended", level=level, outcome=outcome, reference=reference, duration_seconds=self.seconds)
