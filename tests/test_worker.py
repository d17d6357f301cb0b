"""A build in a process of its own: it ends when nobody waits for it any more, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

from cnrag_core import worker
from cnrag_core.config.infer import infer_config
from cnrag_core.corpus.document import Corpus
from cnrag_core.corpus.records import corpus_of_records
from cnrag_core.errors import ResourceLimitError
from cnrag_core.jobs import Job
from cnrag_core.worker import build_in_child

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 60.0

SERVER = """
import sys
from cnrag_core.config.infer import infer_config
from cnrag_core.worker import build_in_child
from tests.test_worker import large_corpus
corpus = large_corpus()
build_in_child(corpus, infer_config(corpus), name="abandoned", progress=lambda step, share: print(step, flush=True))
"""


def large_corpus(n: int = 6000) -> Corpus:
    """A corpus whose build takes several seconds."""
    records = [
        {"id": f"d{i}", "text": " ".join(f"w{(i * 7919 + j * j * 31) % 20011} topic{i % 40}" for j in range(120))}
        for i in range(n)
    ]
    return corpus_of_records(records, name="large")


def builders() -> list[psutil.Process]:
    """Children of this test that build."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if "cnrag_core.worker" in process.cmdline():
                found.append(process)
        except psutil.NoSuchProcess:
            continue
    return found


def eventually(condition) -> bool:
    """Whether it becomes true; hangs are the only thing that ends this."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def test_a_cancelled_build_ends_its_silent_child(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(worker, "HEARTBEAT", 0.05)
    corpus = large_corpus()
    config = infer_config(corpus)
    job = Job("large", lambda progress: build_in_child(corpus, config, name="large", progress=progress))
    assert eventually(builders)
    job.cancel()
    job.wait(PATIENCE)
    assert job.state == "cancelled"
    assert not builders()
    assert not list(tmp_path.iterdir())


def test_a_child_whose_server_was_killed_ends_and_removes_its_folder(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    assert server.stdout is not None
    try:
        assert "Handing over" in server.stdout.readline()
        assert eventually(builders)
        child = builders()[0]
        server.send_signal(signal.SIGKILL)
        server.wait(PATIENCE)
        assert eventually(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)
        assert not list(tmp_path.glob("cnrag-build-*/*"))
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def test_no_more_children_build_at_a_time_than_the_server_allows(monkeypatch):
    monkeypatch.setattr(worker, "_turns", worker.threading.BoundedSemaphore(1))
    monkeypatch.setattr(worker, "HEARTBEAT", 0.05)
    corpus = large_corpus(400)
    config = infer_config(corpus)
    jobs = [Job("one", lambda step: build_in_child(corpus, config, name="one", progress=step)) for _ in range(2)]
    most = 0
    while any(job.state == "running" for job in jobs):
        most = max(most, len(builders()))
        time.sleep(0.2)
    assert [job.state for job in jobs] == ["done"] * 2
    assert most == 1
    assert sum("Waiting for other builds" in job.steps for job in jobs) >= 1


def test_a_child_that_the_system_ended_is_said_in_a_sentence(monkeypatch):
    corpus = large_corpus()

    def progress(step: str, share: float) -> None:
        for child in builders():
            child.kill()

    with pytest.raises(ResourceLimitError, match=r"ended by the system .signal 9., most likely for its memory"):
        build_in_child(corpus, infer_config(corpus), name="killed", progress=progress)
