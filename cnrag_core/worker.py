"""A build in a process of its own, so that other visitors of the same server stay responsive.

Enters: a corpus and a configuration. Leaves: a `Workspace`. The child reads a request from a private
folder and writes a workspace file into it; nothing but JSON and plain arrays passes between the two. Run
as ``python -m cnrag_core.worker FOLDER`` it is the child.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cnrag_core import errors
from cnrag_core.config.spec import PipelineConfig
from cnrag_core.corpus.document import Corpus
from cnrag_core.errors import CNRagError, ResourceLimitError
from cnrag_core.types import Progress, silent
from cnrag_core.workspace import Workspace
from cnrag_core.workspace_file import queries_of_records, read_documents, write_documents

if TYPE_CHECKING:
    from cnrag_core.evaluation.judgements import JudgedQuery

WORTH_A_PROCESS = 1500
"""Documents from which on a build gets a process of its own; smaller ones are over before it has started."""

NICENESS = 5


def build_workspace(
    corpus: Corpus,
    config: PipelineConfig,
    *,
    name: str,
    queries: Sequence[JudgedQuery] = (),
    progress: Progress = silent,
) -> Workspace:
    """Build here or in a child, whichever is quicker for everybody.

    Raises
    ------
    CNRagError
        As `Workspace.build`; ResourceLimitError also where the child was ended for its memory.
    """
    neural = any(getattr(part, "model", "tfidf") != "tfidf" for part in config.components)
    if len(corpus) < WORTH_A_PROCESS and not neural:
        return Workspace.build(corpus, config, name=name, queries=queries, progress=progress)
    return build_in_child(corpus, config, name=name, queries=queries, progress=progress)


def build_in_child(
    corpus: Corpus,
    config: PipelineConfig,
    *,
    name: str,
    queries: Sequence[JudgedQuery] = (),
    progress: Progress = silent,
) -> Workspace:
    """Build in a child process; cancelling through `progress` ends the child and leaves nothing behind."""
    with tempfile.TemporaryDirectory(prefix="cnrag-build-") as private:
        folder = Path(private)
        progress("Handing over the documents", 0.0)
        write_documents(folder / "corpus.jsonl", corpus)
        request = {
            "name": name,
            "corpus": {"name": corpus.name, "kinds": dict(corpus.kinds), "warnings": corpus.warnings},
            "config": config.model_dump(mode="json", by_alias=True),
            "queries": [asdict(query) for query in queries],
        }
        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        with _child(folder) as child:
            assert child.stdout is not None
            failure: dict[str, Any] | None = None
            for line in child.stdout:
                message = json.loads(line)
                if "error" in message:
                    failure = message
                else:
                    progress(message["step"], message["share"])
            code = child.wait()
        if failure is not None:
            raise _error_of(failure)
        if code:
            raise ResourceLimitError(
                f"The build of {len(corpus):,} documents was ended by the system (code {code}), most likely for its "
                "memory; choose a higher threshold or fewer documents."
            )
        progress("Opening what was built", 0.0)
        return Workspace.open(folder / "built.cnrag")


@contextmanager
def _child(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """The child process; killed when the block is left by an exception."""
    root = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    child = subprocess.Popen(
        [sys.executable, "-m", "cnrag_core.worker", str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": path},
    )
    try:
        yield child
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()
        if child.stdout is not None:
            child.stdout.close()


def _error_of(failure: dict[str, Any]) -> CNRagError:
    kind = getattr(errors, failure["error"], CNRagError)
    error: CNRagError = kind(failure["message"])
    return error


def run(folder: Path) -> int:
    """What the child does: read the request, build, write the workspace, report on standard output."""
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    about = request["corpus"]
    corpus = Corpus(read_documents(folder / "corpus.jsonl"), about["kinds"], about["name"], tuple(about["warnings"]))
    try:
        workspace = Workspace.build(
            corpus,
            PipelineConfig.model_validate(request["config"]),
            name=request["name"],
            queries=queries_of_records(request["queries"]),
            progress=_report,
        )
        _report("Saving what was built", 0.0)
        workspace.save(folder / "built.cnrag")
    except CNRagError as error:
        print(json.dumps({"error": type(error).__name__, "message": str(error)}), flush=True)
    return 0


def _report(step: str, share: float) -> None:
    print(json.dumps({"step": step, "share": round(share, 4)}), flush=True)


if __name__ == "__main__":
    os.nice(NICENESS)
    sys.exit(run(Path(sys.argv[1])))
