from __future__ import annotations

import threading
import time

import pytest

from cnrag_core import jobs
from cnrag_core.errors import CorpusError
from cnrag_core.jobs import Job, cancel_all, last_failure, running_jobs


def test_a_finished_job_has_its_result_and_its_steps():
    def work(progress):
        progress("reading", 0.5)
        progress("building", 1.0)
        return 42

    job = Job("answer", work)
    job.wait()
    assert (job.state, job.result) == ("done", 42)
    assert list(job.steps) == ["reading", "building"]


def test_bad_input_is_its_own_sentence():
    def work(progress):
        raise CorpusError("papers.csv, record 3: no id.")

    job = Job("bad", work)
    job.wait()
    assert (job.state, job.message) == ("failed", "papers.csv, record 3: no id.")
    with pytest.raises(RuntimeError, match="is failed; it has no result"):
        _ = job.result


def test_anything_else_is_logged_under_a_reference_and_shown_without_details(caplog):
    def work(progress):
        raise KeyError("secret")

    job = Job("broken", work)
    job.wait()
    assert job.state == "failed"
    assert "secret" not in job.message
    reference = job.message.rsplit(" ", 1)[1].rstrip(".")
    assert any(getattr(record, "cnrag_fields", {}).get("reference") == reference for record in caplog.records)
    failure = last_failure()
    assert failure is not None
    assert failure.reference == reference


def test_a_cancelled_job_stops_at_its_next_report_and_keeps_nothing():
    begun, cancelled = threading.Event(), threading.Event()

    def work(progress):
        progress("step", 0.1)
        begun.set()
        cancelled.wait(5)
        progress("step", 0.2)
        return "never"

    job = Job("long", work)
    begun.wait(5)
    job.cancel()
    cancelled.set()
    job.wait(5)
    assert job.state == "cancelled"


def test_time_left_is_unknown_until_there_is_something_to_go_by():
    release = threading.Event()

    def work(progress):
        progress("step", 0.0)
        release.wait(5)

    job = Job("slow", work)
    assert job.seconds_left is None
    release.set()
    job.wait(5)
    assert job.seconds_left is None


def until_ended(progress):
    while True:
        progress("working", 0.5)
        time.sleep(0.005)


def test_a_job_whose_owner_has_gone_ends_by_itself(monkeypatch):
    monkeypatch.setattr(jobs, "ABANDONED_AFTER", 0.05)
    here = threading.Event()
    here.set()
    job = Job("watched", until_ended, owner_is_here=here.is_set)
    job.wait(0.2)
    assert job.state == "running"
    here.clear()
    job.wait(10)
    assert job.state == "cancelled"


def test_an_owner_who_comes_back_in_time_keeps_the_job(monkeypatch):
    monkeypatch.setattr(jobs, "ABANDONED_AFTER", 60.0)
    here = threading.Event()
    job = Job("watched", until_ended, owner_is_here=here.is_set)
    here.set()
    job.wait(0.1)
    assert job.state == "running"
    cancel_all()
    assert job.state == "cancelled"
    assert job not in running_jobs()


def test_running_jobs_are_known_until_they_end():
    job = Job("known", until_ended)
    assert job in running_jobs()
    job.cancel()
    job.wait(10)
    assert job not in running_jobs()
