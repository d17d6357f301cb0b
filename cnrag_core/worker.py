"""A build in a process of its own, so that other visitors of the same server stay responsive.

Enters: a corpus, or the file of one, and a configuration. Leaves: a `Workspace`. The child reads a request
from a private folder and writes a workspace file into it; nothing but files, JSON and plain arrays passes
between the two, and what the server holds already is not made there a second time. Run as
``python -m cnrag_core.worker FOLDER`` it is the child.
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from cnrag_core import errors
from cnrag_core.config.spec import PipelineConfig
from cnrag_core.corpus.document import Corpus
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.errors import CNRagError, ResourceLimitError
from cnrag_core.event_log import log_events, write_failure
from cnrag_core.freed_memory import give_back
from cnrag_core.jobs import LoggedFailureError
from cnrag_core.limits import server_limits
from cnrag_core.storage.whole_file import disk_errors
from cnrag_core.types import Progress, silent
from cnrag_core.workspace import Workspace
from cnrag_core.workspace_file import queries_of_records, read_documents, write_documents

if TYPE_CHECKING:
    from cnrag_core.evaluation.judgements import JudgedQuery

WORTH_A_PROCESS = 1500
"""Documents from which on a build gets a process of its own; smaller ones are over before it has started."""

WORTH_RESUMING = 20_000
"""Documents from which on the pairs of a build that ended early are kept; fewer are compared again in seconds."""

NICENESS = 5

DOCUMENTS = "documents"
"""In the folder of a child: the uploaded file, or `write_documents` of a corpus."""

LESS = "choose a higher threshold or fewer documents."

HEARTBEAT = 0.5
"""Seconds after which a silent child's last step is reported again, so that a cancelled build ends at once."""

_turns = threading.BoundedSemaphore(server_limits().builds)


@dataclass(frozen=True, eq=False)
class CorpusFile:
    """The bytes of a file of documents as somebody uploaded it, and the name that they gave it.

    `keep_duplicates` keeps a repeated id as ``x#2``, where they said so.
    """

    data: bytes
    name: str
    keep_duplicates: bool = False

    def read(self, config: PipelineConfig | None = None) -> Corpus:
        """Its documents, their fields read as a configuration says; raises as `read_bytes`."""
        if config is None:
            return read_bytes(self.data, self.name, keep_duplicates=self.keep_duplicates)
        return read_bytes(
            self.data,
            self.name,
            id_field=config.id_field,
            fields=config.fields or None,
            keep_duplicates=self.keep_duplicates,
        )


def build_workspace(
    corpus: Corpus,
    config: PipelineConfig,
    *,
    name: str,
    file: CorpusFile | None = None,
    queries: Sequence[JudgedQuery] = (),
    resume: ResumeFolder | None = None,
    progress: Progress = silent,
) -> Workspace:
    """Build here or in a child, whichever is quicker for everybody.

    Parameters
    ----------
    file
        From which the documents are read again, their fields as the configuration says; the corpus is then what
        the file was taken for before, and those of its documents that stay the same are shared.
    resume
        From which a large build goes on that was cancelled or ended before.

    Raises
    ------
    CNRagError
        As `Workspace.build`; ResourceLimitError also where the child was ended for its memory.
    """
    neural = any(getattr(part, "model", "tfidf") != "tfidf" for part in config.components)
    if len(corpus) < WORTH_A_PROCESS and not neural and config.engine.engine == "local":
        most = server_limits().edges
        documents = corpus if file is None else file.read(config)
        return Workspace.build(documents, config, name=name, queries=queries, max_edges=most, progress=progress)
    kept = resume if len(corpus) >= WORTH_RESUMING else None
    return build_in_child(corpus, config, name=name, file=file, queries=queries, resume=kept, progress=progress)


def build_in_child(
    corpus: Corpus,
    config: PipelineConfig,
    *,
    name: str,
    file: CorpusFile | None = None,
    queries: Sequence[JudgedQuery] = (),
    resume: ResumeFolder | None = None,
    progress: Progress = silent,
) -> Workspace:
    """Build in a child process; cancelling through `progress` ends the child. `file` as for `build_workspace`.

    Nothing is left behind but, in `resume`, the pairs that were found: there the next build of the same
    documents and configuration goes on.
    """
    with (
        _a_turn(progress),
        disk_errors("The folder for temporary files cannot be used"),
        tempfile.TemporaryDirectory(prefix="cnrag-build-") as private,
    ):
        folder = Path(private)
        progress("Handing over the documents", 0.0)
        if file is None:
            write_documents(folder / DOCUMENTS, corpus)
        else:
            (folder / DOCUMENTS).write_bytes(file.data)
        request: dict[str, Any] = {
            "name": name,
            "file": None if file is None else {"name": file.name, "keep_duplicates": file.keep_duplicates},
            "n_documents": len(corpus),
            "corpus": {"name": corpus.name, "kinds": dict(corpus.kinds), "warnings": corpus.warnings},
            "config": config.model_dump(mode="json", by_alias=True),
            "queries": [asdict(query) for query in queries],
        }
        kept = None if resume is None else resume.for_build(folder / DOCUMENTS, request["config"])
        request["resume"] = None if kept is None else str(kept)
        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        with _child(folder) as (child, lines):
            failure: dict[str, Any] | None = None
            for message in _messages(lines, progress):
                if "error" in message:
                    failure = message
                else:
                    progress(message["step"], message["share"])
            code = child.wait()
        if failure is not None:
            raise _error_of(failure)
        if code > 0:
            raise RuntimeError(f"The child that builds ended with code {code} before it could say why.")
        if code < 0:
            raise ResourceLimitError(
                f"The build of {len(corpus):,} documents was ended by the system (signal {-code}), most likely for its "
                f"memory; {LESS}"
            )
        if resume is not None:
            resume.clear()
        progress("Opening what was built", 0.0)
        return Workspace.open(folder / "built.cnrag", known=corpus)


class ResumeFolder:
    """A private folder of one session for the pairs of its unfinished build; it goes when this object does.

    The system gives it to its owner alone. It holds the pairs of one build at a time: nothing of one corpus
    or configuration is ever read for another, and nothing is shared between sessions.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="cnrag-resume-"))
        self._remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def for_build(self, corpus: Path, config: Mapping[str, Any]) -> Path:
        """The folder for a written corpus and a configuration; that of any other build is removed."""
        digest = hashlib.blake2b(json.dumps(config, sort_keys=True).encode(), digest_size=16)
        with corpus.open("rb") as file:
            while part := file.read(1 << 20):
                digest.update(part)
        own = self.path / digest.hexdigest()
        for other in self.path.glob("*"):
            if other != own:
                shutil.rmtree(other, ignore_errors=True)
        return own

    def clear(self) -> None:
        """Remove what is kept; the build is done."""
        for kept in self.path.glob("*"):
            shutil.rmtree(kept, ignore_errors=True)


@contextmanager
def _a_turn(progress: Progress) -> Iterator[None]:
    """Wait until fewer builds than the server allows are at work."""
    while not _turns.acquire(timeout=HEARTBEAT):
        progress("Waiting for other builds", 0.0)
    try:
        yield
    finally:
        _turns.release()


def _messages(lines: queue.SimpleQueue[str | None], progress: Progress) -> Iterator[dict[str, Any]]:
    """What the child says; while it is silent its last step is reported again."""
    last: dict[str, Any] = {"step": "Starting", "share": 0.0}
    while True:
        try:
            line = lines.get(timeout=HEARTBEAT)
        except queue.Empty:
            progress(last["step"], last["share"])
            continue
        if line is None:
            return
        message = json.loads(line)
        last = message if "step" in message else last
        yield message


@contextmanager
def _child(folder: Path) -> Iterator[tuple[subprocess.Popen[str], queue.SimpleQueue[str | None]]]:
    """The child process and the lines of its output, None at their end; killed when an exception leaves the block."""
    root = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    child = subprocess.Popen(
        [sys.executable, "-m", "cnrag_core.worker", str(folder)],
        stdin=subprocess.PIPE,  # never written to; its end tells the child that nobody waits any more
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": path},
    )
    assert child.stdin is not None
    assert child.stdout is not None
    output = child.stdout
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def listen() -> None:
        for line in output:
            lines.put(line)
        lines.put(None)

    listener = threading.Thread(target=listen, name="cnrag build output", daemon=True)
    listener.start()
    try:
        yield child, lines
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()
        listener.join()
        child.stdin.close()
        output.close()


def _error_of(failure: dict[str, Any]) -> Exception:
    if failure["error"] == LoggedFailureError.__name__:
        return LoggedFailureError(failure["message"])
    kind = getattr(errors, failure["error"], CNRagError)
    error: CNRagError = kind(failure["message"])
    return error


def run(folder: Path) -> int:
    """What the child does: read the request, build, write the workspace, report on standard output."""
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    try:
        with disk_errors("What is built could not be written"):
            config = PipelineConfig.model_validate(request["config"])
            corpus = _handed_over(folder, request, config)
            workspace = Workspace.build(
                corpus,
                config,
                name=request["name"],
                queries=queries_of_records(request["queries"]),
                resume=None if request["resume"] is None else Path(request["resume"]),
                max_edges=server_limits().edges,
                progress=_report,
            )
            _report("Saving what was built", 0.0)
            workspace.save(folder / "built.cnrag")
    except CNRagError as error:
        print(json.dumps({"error": type(error).__name__, "message": str(error)}), flush=True)
    except MemoryError:
        message = f"The build of {request['n_documents']:,} documents needs more memory than there is; {LESS}"
        print(json.dumps({"error": "ResourceLimitError", "message": message}), flush=True)
    except Exception:
        print(json.dumps({"error": "LoggedFailureError", "message": write_failure("build failed")}), flush=True)
    return 0


def _handed_over(folder: Path, request: Mapping[str, Any], config: PipelineConfig) -> Corpus:
    """The documents to build from; what held them on the way is gone."""
    place, about = folder / DOCUMENTS, request["corpus"]
    if request["file"] is not None:
        _report("Reading the documents", 0.0)
        corpus = CorpusFile(place.read_bytes(), **request["file"]).read(config)
    else:
        corpus = Corpus(read_documents(place), about["kinds"], about["name"], tuple(about["warnings"]))
    place.unlink()
    return corpus


def _report(step: str, share: float) -> None:
    if share == 0.0:
        give_back()  # what the step before has freed
    print(json.dumps({"step": step, "share": round(share, 4)}), flush=True)


def _end_with_parent(folder: Path) -> threading.Event:
    """End this process, and remove what it wrote, once the one that started it is gone, however it went.

    The event is set before anything is removed: what fails from then on fails because of it.
    """
    gone = threading.Event()

    def watch() -> None:
        os.read(sys.stdin.fileno(), 1)  # unbuffered: a buffer's lock would be held while this process ends
        gone.set()
        _remove_and_end(folder)

    threading.Thread(target=watch, name="cnrag parent", daemon=True).start()
    return gone


def _remove_and_end(folder: Path) -> NoReturn:
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


if __name__ == "__main__":
    os.nice(NICENESS)
    log_events()
    private = Path(sys.argv[1])
    parent_gone = _end_with_parent(private)
    status = 1
    try:
        status = run(private)
    except BrokenPipeError:  # nobody listens any more, and this was noticed before the watcher noticed it
        parent_gone.set()
    except Exception:
        if not parent_gone.is_set():
            raise
    if parent_gone.is_set():  # ending here would stop the watcher in the middle of removing
        _remove_and_end(private)
    sys.exit(status)
