"""From what a configuration and a caller ask for to the `Engine` that compares.

Enters: an `EngineSpec`, a folder, an executor. Leaves: an engine that is open for as long as a block lasts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cnrag_core.config.spec import EngineSpec
from cnrag_core.similarity.tiles import LOCAL, Engine

if TYPE_CHECKING:
    from cnrag_core.similarity.crews import Crew


@contextmanager
def engine_of(
    spec: EngineSpec,
    *,
    resume: str | Path | None = None,
    executor: Executor | Callable[[], Executor] | None = None,
) -> Iterator[Engine]:
    """The engine that a configuration names.

    Parameters
    ----------
    resume
        Folder for shards, which this process then has for itself.
    executor
        Instead of what the configuration names.

    Raises
    ------
    ConfigError
        If Dask is not installed, does not answer, or has no workers; if another process uses the folder.
    """
    if spec.engine == "local" and executor is None and resume is None:
        yield LOCAL
        return
    folder = None if resume is None else Path(resume)
    with ExitStack() as stack:
        if folder is not None:
            from cnrag_core.similarity.shards import only_user

            stack.enter_context(only_user(folder))
        crew: Crew | None = None
        if executor is not None:
            from cnrag_core.similarity.crews import ExecutorCrew

            crew = ExecutorCrew(executor)
        elif spec.engine == "dask":
            from cnrag_core.similarity.cluster import dask_crew

            crew = stack.enter_context(dask_crew(spec.scheduler))
        yield Engine(crew, folder)
