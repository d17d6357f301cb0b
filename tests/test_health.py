"""The health report says what is wrong in sentences, and nothing of what people loaded."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from cnrag_core import health, jobs
from cnrag_core.health import look_after
from cnrag_core.jobs import Job


def test_a_machine_with_room_is_well(tmp_path):
    report = look_after(tmp_path)
    assert report.ok, report.problems
    assert report.to_dict()["status"] == "ok"
    assert report.figures["temporary_folder"]["free_bytes"] > 0
    assert not list(tmp_path.iterdir())
    json.dumps(report.to_dict())


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    report = look_after(tmp_path / "gone")
    assert not report.ok
    assert any("cannot be written" in problem for problem in report.problems)


def test_little_space_and_little_memory_are_named_with_their_figures(tmp_path, monkeypatch):
    monkeypatch.setattr(health.psutil, "disk_usage", lambda _: SimpleNamespace(free=5_000_000))
    monkeypatch.setattr(health.psutil, "virtual_memory", lambda: SimpleNamespace(available=1_000_000))
    problems = look_after(tmp_path).problems
    assert len(problems) == 2
    assert "4.8 MB free" in problems[0]
    assert "of memory are free" in problems[1]


def test_running_jobs_and_the_last_failure_are_counted(monkeypatch):
    monkeypatch.setattr(jobs, "_last_failure", None)

    def breaks(progress):
        raise KeyError("secret title")

    job = Job("secret name", breaks)
    job.wait(10)
    report = look_after().to_dict()
    assert report["last_failure"]["reference"] in job.message
    assert "secret" not in json.dumps(report)
    assert report["jobs_running"] == 0


@pytest.mark.parametrize("field", ["uptime_seconds", "memory", "open_files", "threads", "jobs_running"])
def test_every_figure_is_there(field):
    assert field in look_after().figures
