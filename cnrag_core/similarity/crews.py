"""Who does the jobs of a search: the threads of this process, or any `concurrent.futures.Executor`.

Enters: a `SearchState`, handed over once, and jobs, which are pure module-level functions of it. Leaves:
their results as they come, in any order. A job whose worker was lost is done again.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

from cnrag_core.errors import ResourceLimitError, StorageError, check_room_for_threads
from cnrag_core.similarity.state import SearchState, open_state, write_state

Job = TypeVar("Job", bound=Hashable)
Result = TypeVar("Result")

POLL = 0.2
"""Seconds between two looks at whether anybody still wants the results."""

ATTEMPTS = 4
"""How often a job is done whose worker is lost each time, before it is held to be the cause."""

JOBS_PER_WORKER = 2
"""Waiting and running jobs of one worker: none idles, and a floor that rises soon reaches all."""


class Hands(Protocol):
    """Workers that have a state in hand."""

    @property
    def n_at_once(self) -> int:
        """How many jobs may wait or run at one time; 0 while no worker is there."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Do ``function(handle, *arguments)``, where `state_of` makes a state of the handle."""

    def mend(self, error: BaseException, job: Future[Any] | None) -> bool:
        """Whether a job that ended so was lost with its worker; if so, jobs can be given out again."""

    def check(self) -> None:
        """Raise where nobody is left who could do a job."""


class Crew(Protocol):
    """Workers that may be given a state."""

    def hands(self, state: SearchState, folder: Path | None) -> AbstractContextManager[Hands]:
        """Hand a state over, once; `folder` is where it may be written if it has to be."""


def run_jobs(
    hands: Hands,
    function: Callable[..., Result],
    jobs: Sequence[Job],
    arguments: Callable[[Job], tuple[Any, ...]],
    *,
    waiting: Callable[[], None],
) -> Generator[tuple[Job, Result], None, None]:
    """The result of every job, as they come.

    Parameters
    ----------
    function
        Called as ``function(handle, *arguments(job))``; a module-level function.
    arguments
        Asked when a job is given out, which is not long before it is done.
    waiting
        Called a few times a second; may raise to cancel.

    Raises
    ------
    ResourceLimitError
        If the worker of one job is lost again and again.
    """
    todo, running = deque(jobs), dict[Future[Result], Job]()
    losses = Counter[Job]()
    try:
        while todo or running:
            while todo and len(running) < hands.n_at_once:
                job = todo.popleft()
                try:
                    running[hands.submit(function, *arguments(job))] = job
                except BrokenExecutor as error:
                    todo.appendleft(job)
                    _mend(hands, error, None, losses, job)
            if not running:  # nobody is there who could be given a job
                time.sleep(POLL)
            done, _ = wait(running, timeout=POLL, return_when=FIRST_COMPLETED)
            waiting()
            if not done:
                hands.check()
            for future in done:
                job = running.pop(future)
                try:
                    result = future.result()
                except (Exception, CancelledError) as error:
                    _mend(hands, error, future, losses, job)
                    todo.appendleft(job)
                    continue
                yield job, result
                del result  # may be large, and the next one is being waited for
    finally:
        for future in running:
            future.cancel()


def _mend(hands: Hands, error: BaseException, future: Future[Any] | None, losses: Counter[Job], job: Job) -> None:
    losses[job] += 1
    if not hands.mend(error, future):
        raise error
    if losses[job] >= ATTEMPTS:
        raise ResourceLimitError(
            f"The worker that compared one part of the pairs was lost {ATTEMPTS} times, most likely for its memory; "
            "give the workers more memory, or choose a higher threshold."
        ) from None


def state_of(handle: SearchState | str) -> SearchState:
    """The state that a job was given: itself, or the path of a folder, which each process opens once."""
    if isinstance(handle, SearchState):
        return handle
    with _opening:
        if handle not in _opened:
            _opened.clear()  # a worker serves one search at a time
            try:
                _opened[handle] = open_state(Path(handle))
            except OSError as error:
                raise StorageError(
                    f"{handle}: a worker cannot read what it shall compare ({error.strerror or error})."
                ) from None
        return _opened[handle]


def forget_state() -> None:
    """Let go of the folder that this process has mapped; its files may then be removed."""
    with _opening:
        _opened.clear()


_opened: dict[str, SearchState] = {}
_opening = threading.Lock()


@contextmanager
def state_folder(state: SearchState, parent: Path | None) -> Iterator[Path]:
    """A written state, for as long as the block lasts."""
    folder = None
    try:
        try:
            if parent is not None:
                parent.mkdir(parents=True, exist_ok=True)
                for left_over in parent.glob("state-*"):  # of a process that was killed: the parent is ours alone
                    shutil.rmtree(left_over, ignore_errors=True)
            folder = Path(tempfile.mkdtemp(prefix="state-", dir=parent))
            write_state(state, folder)
        except OSError as error:
            reason = error.strerror or error
            raise StorageError(f"What the workers shall compare cannot be written ({reason}).") from None
        yield folder
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


class ThreadCrew:
    """Threads of this process; each reads the state where it is."""

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads

    @contextmanager
    def hands(self, state: SearchState, folder: Path | None) -> Iterator[Hands]:
        check_room_for_threads(self.n_threads)
        with ThreadPoolExecutor(self.n_threads, thread_name_prefix="pairs") as pool:
            try:
                yield _Hands(pool, state, self.n_threads)
            finally:
                state.stopped.set()  # the pool waits for its threads when the block is left


class ExecutorCrew:
    """The workers of an executor: threads share the state, anything else maps a folder into memory.

    Parameters
    ----------
    executor
        One that is open and stays open; or a function that makes one, and another one where a worker's end has
        broken the last, which are shut down at the end.
    n_workers
        How many there are, where the executor does not say so itself.
    """

    def __init__(self, executor: Executor | Callable[[], Executor], *, n_workers: int | None = None) -> None:
        self.executor, self.n_workers = executor, n_workers

    @contextmanager
    def hands(self, state: SearchState, folder: Path | None) -> Iterator[Hands]:
        make = self.executor
        executor = make if isinstance(make, Executor) else make()
        known = self.n_workers or getattr(executor, "_max_workers", None) or os.cpu_count() or 1
        remake = None if isinstance(make, Executor) else make
        with _handle(executor, state, folder) as handle:
            hands = _Hands(executor, handle, known, remake)
            try:
                yield hands
            finally:
                state.stopped.set()
                if remake is not None:
                    hands.executor.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _handle(executor: Executor, state: SearchState, folder: Path | None) -> Iterator[SearchState | str]:
    if isinstance(executor, ThreadPoolExecutor):
        yield state
        return
    with state_folder(state, folder) as written:
        yield str(written)


class _Hands:
    """Jobs on one executor, and on the next one where it breaks and can be made again."""

    def __init__(
        self,
        executor: Executor,
        handle: SearchState | str,
        n_workers: int,
        remake: Callable[[], Executor] | None = None,
    ) -> None:
        self.executor, self.handle, self.remake = executor, handle, remake
        self.n_at_once = max(1, n_workers) * JOBS_PER_WORKER
        self._given = WeakKeyDictionary[Future[Any], Executor]()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future = self.executor.submit(function, self.handle, *arguments)
        self._given[future] = self.executor
        return future

    def mend(self, error: BaseException, job: Future[Any] | None) -> bool:
        given = self.executor if job is None else self._given.get(job)
        if given is not self.executor:  # it went down with an executor that has been made again since
            return isinstance(error, (BrokenExecutor, CancelledError))
        if not isinstance(error, BrokenExecutor):
            return False
        if self.remake is None:
            raise ResourceLimitError(
                "A worker process ended and took its pool with it, most likely for its memory. Give a function that "
                "makes the executor, so that it can be made again, or a folder of shards to go on from."
            ) from None
        self.executor.shutdown(wait=False, cancel_futures=True)
        self.executor = self.remake()
        return True

    def check(self) -> None:
        """An executor says so itself where it is broken."""
