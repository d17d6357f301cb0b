"""The jobs of a search on a Dask cluster: one that is running somewhere, or processes of this machine.

Enters: the address of a scheduler, or none. Leaves: a crew. The state is handed over once: as a folder
that every worker maps into memory where all of them see it, else as one copy for each worker. Needs the
extra ``dask``; nothing of it is imported before it is asked for.
"""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from cnrag_core.errors import ConfigError, ResourceLimitError
from cnrag_core.similarity.crews import JOBS_PER_WORKER, Hands, forget_state, state_folder
from cnrag_core.similarity.state import SearchState

CONNECTING = 10.0
"""Seconds until a scheduler counts as not there."""

FIRST_WORKER = 30.0
"""Seconds until its first worker has to be there."""

NO_WORKER = 120.0
"""Seconds without any worker after which nobody is expected back."""

MAX_PROCESSES = 4
"""Processes of a cluster that is started here; as many as there are processors, at most."""

COUNTED_EVERY = 1.0
"""Seconds between two questions for the workers that are there."""

GOES_ON = "With a folder to resume from, the next build goes on where this one stopped."

SHARE_OF_MEMORY = 0.6
"""Of a worker's memory limit; Dask moves what is larger to the disk and back for every job."""


@contextmanager
def dask_crew(scheduler: str | None = None, *, n_workers: int | None = None) -> Iterator[DaskCrew]:
    """Workers of a Dask cluster, for as long as the block lasts.

    Parameters
    ----------
    scheduler
        Address of a running one, e.g. ``tcp://10.0.0.1:8786``; None starts processes on this machine, which
        end with the block.
    n_workers
        How many processes to start.

    Raises
    ------
    ConfigError
        If the package is missing, processes cannot start, no scheduler answers, or it has no workers that can
        import cnrag.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise ConfigError(
            "engine: 'dask' needs an extra package: pip install 'cnrag[dask]'; or leave `engine` out to compare in "
            "this process."
        ) from None
    with ExitStack() as stack:
        address: Any = scheduler
        if scheduler is None:
            try:
                address = stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=n_workers or _processes(), threads_per_worker=1, processes=True,
                        host="127.0.0.1", dashboard_address="127.0.0.1:0", memory_limit=0, silence_logs=50,
                    )
                )  # fmt: skip
            except (RuntimeError, OSError) as error:
                raise ConfigError(
                    f"engine: 'dask' cannot start processes on this machine ({_first_line(error)}). In a script of "
                    'your own, build below `if __name__ == "__main__":`, because each process imports it; or leave '
                    "`engine` out to compare in this process."
                ) from None
        try:
            client = stack.enter_context(distributed.Client(address, timeout=CONNECTING, set_as_default=False))
        except (OSError, ValueError, ImportError) as error:
            raise ConfigError(
                f"engine.scheduler: no Dask scheduler answers at {scheduler!r} ({_first_line(error)}). Start one with "
                "`dask scheduler`, and `dask worker ADDRESS` on every machine; or leave `scheduler` out to use "
                "processes of this machine."
            ) from None
        yield DaskCrew(client, is_local=scheduler is None)


class DaskCrew:
    """The workers of a `distributed.Client`, which stays open.

    Parameters
    ----------
    is_local
        Whether all workers are processes of this machine.
    """

    def __init__(self, client: Any, *, is_local: bool = False) -> None:
        self.client, self.is_local = client, is_local

    @contextmanager
    def hands(self, state: SearchState, folder: Path | None) -> Iterator[Hands]:
        self._wait_for_workers()
        if not (self.is_local or self._all_see(folder)):
            yield _Hands(self.client, state, None)
            return
        with state_folder(state, folder) as written:
            try:
                yield _Hands(self.client, state, str(written))
            finally:
                with suppress(Exception):  # a cluster that has gone away holds nothing any more
                    self.client.run(forget_state)

    def _wait_for_workers(self) -> None:
        try:
            self.client.wait_for_workers(1, timeout=FIRST_WORKER)
        except TimeoutError:
            raise ConfigError(
                f"engine: the Dask scheduler at {_address(self.client)} has no workers; start some with "
                f"`dask worker {_address(self.client)}`, with the same version of cnrag installed."
            ) from None

    def _all_see(self, folder: Path | None) -> bool:
        """Whether every worker sees a folder, and not one of its own by that name; refuses workers without cnrag."""
        with ExitStack() as stack:
            marker = None
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
                marker = stack.enter_context(NamedTemporaryFile(prefix="seen-", dir=folder.resolve())).name
            found = self.client.run(_sees, marker, on_error="return")
        for answer in found.values():
            if isinstance(answer, Exception):
                raise ConfigError(
                    "engine: a Dask worker cannot run cnrag; install the same version of it, of Python and of numpy "
                    f"there ({_first_line(answer)})."
                )
        return all(found.values())


class _Hands:
    """Jobs on the cluster, with the path of a shared folder or with a copy of the state on every worker."""

    def __init__(self, client: Any, state: SearchState, path: str | None) -> None:
        self.client, self.state, self.path = client, state, path
        self.alone_since: float | None = None
        self._threads, self._counted = 0, -math.inf
        self._copies: Any = None

    @property
    def n_at_once(self) -> int:
        return self._n_threads() * JOBS_PER_WORKER

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        job = self.client.submit(function, self.path or self._handed_over(), *arguments, pure=False)
        return asyncio.run_coroutine_threadsafe(self._result(job), self.client.loop.asyncio_loop)

    async def _result(self, job: Any) -> Any:
        """What a job gives, or why it gives nothing; letting go of `job` takes it back from the cluster.

        The executor of `distributed` waits for ever for a job that is lost while its result is on the way.
        """
        return await self.client.gather(job, asynchronous=True)

    def mend(self, error: BaseException, job: Future[Any] | None) -> bool:
        from distributed import KilledWorker

        self._counted = -math.inf
        if self._copies is not None and self._copies.status != "finished":  # lost with the last worker that had one
            self._copies = None
        return isinstance(error, (KilledWorker, CancelledError, BrokenExecutor))

    def check(self) -> None:
        if self._n_threads():
            self.alone_since = None
            return
        now = time.monotonic()
        self.alone_since = self.alone_since or now
        if now - self.alone_since > NO_WORKER:
            raise ResourceLimitError(
                f"The Dask scheduler at {_address(self.client)} has lost all its workers, and none has come back in "
                f"{NO_WORKER:.0f} seconds. {GOES_ON}"
            )

    def _n_threads(self) -> int:
        """Threads of the workers that are there, asked now and then."""
        if time.monotonic() - self._counted > COUNTED_EVERY:
            try:
                if self.client.status != "running":
                    raise OSError("not connected")
                self._threads = sum(self.client.nthreads().values())
            except OSError:
                raise ResourceLimitError(f"The Dask scheduler has gone away. {GOES_ON}") from None
            self._counted = time.monotonic()
        return self._threads

    def _handed_over(self) -> Any:
        """The copies of the state, made now where there are none."""
        if self._copies is not None:
            return self._copies
        workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
        least = min((worker["memory_limit"] or math.inf for worker in workers), default=math.inf)
        if self.state.nbytes > SHARE_OF_MEMORY * least:
            raise ResourceLimitError(
                f"Each Dask worker has to hold {self.state.nbytes / 1e9:.1f} GB to compare these documents, and one "
                f"has {least / 1e9:.1f} GB; start fewer workers with more threads and more memory "
                "(`--memory-limit`), or resume from a folder that all of them see."
            )
        try:
            self._copies = self.client.scatter(self.state, broadcast=True, hash=False, timeout=CONNECTING)
        except TimeoutError as error:
            raise BrokenExecutor("the workers went away") from error
        return self._copies


def _sees(path: str | None) -> bool:
    return path is not None and os.path.exists(path)


def _processes() -> int:
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MAX_PROCESSES, available))


def _address(client: Any) -> str:
    with suppress(Exception):
        return str(client.scheduler.address)
    return "its address"


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__
