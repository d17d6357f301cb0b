"""What visitors loaded: found again by their token, by nothing else, and not for ever."""

from __future__ import annotations

import os
import stat
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from cnrag_core.corpus.document import Corpus, Document
from cnrag_core.visits import PREFIX, Visits
from cnrag_core.workspace import Workspace

FOREIGN = [
    "",
    "x",
    "../../etc/passwd",
    "a/b",
    "A" * 32,
    "A" * 31 + "\n",
    "A" * 31 + "/",
    "a" * 10_000,
    "é" * 32,
    "\0" * 32,
]


@pytest.fixture(scope="module")
def documents() -> Corpus:
    documents = [Document(f"d{n}", {"title": f"Paper {n}", "text": f"reefs and seas {n % 3}"}) for n in range(9)]
    return Corpus(tuple(documents), {"title": "text", "text": "text"}, "mine")


@pytest.fixture
def workspace(documents) -> Workspace:
    return Workspace.build(documents)


def visits_in(folder: Path, *, most: int = 5, most_bytes: int = 10**9, seconds: float = 3600) -> Visits:
    return Visits(folder, most=most, most_bytes=most_bytes, seconds=seconds)


def written() -> None:
    for thread in threading.enumerate():
        if thread.name == "cnrag visit":
            thread.join()


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"{PREFIX}*/*.cnrag"))


def test_a_token_leads_back_to_the_same_workspace(tmp_path, workspace):
    visits = visits_in(tmp_path)
    token = visits.keep(workspace)
    assert visits.open(token) is workspace
    written()
    visits._held.clear()  # as when no session holds it any more
    reopened = visits.open(token)
    assert reopened.network.graph.digest == workspace.network.graph.digest
    assert visits.open(token) is reopened
    assert visits.keep(reopened) == visits.token_of(reopened) == token


@pytest.mark.parametrize("token", FOREIGN)
def test_any_other_text_leads_nowhere(tmp_path, workspace, token):
    visits = visits_in(tmp_path)
    visits.keep(workspace)
    assert visits.open(token) is None
    assert visits.view(token) == {}
    visits.remember(token, {"a": 1})
    visits.forget(token)
    written()
    assert len(files(tmp_path)) == 1


def test_a_token_has_at_least_128_bits_and_is_in_no_name_of_a_file(tmp_path, workspace):
    visits = visits_in(tmp_path)
    tokens = {visits.keep(replace(workspace)) for _ in range(4)}
    written()
    assert len(tokens) == 4
    assert all(len(token) * 6 >= 128 for token in tokens)
    assert not [path for path in tmp_path.rglob("*") for token in tokens if token in path.name]


def test_only_the_owner_may_enter_and_read(tmp_path, workspace):
    visits = visits_in(tmp_path)
    visits.remember(visits.keep(workspace), {"threshold": 0.3})
    written()
    folder = next(tmp_path.glob(PREFIX + "*"))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_how_it_was_looked_at_is_remembered_within_limits(tmp_path, workspace):
    visits = visits_in(tmp_path)
    token = visits.keep(workspace)
    visits.remember(token, {"threshold": 0.3})
    visits.remember(token, {"words": "x" * 100_000})
    assert visits.view(token) == {"threshold": 0.3}


def test_the_one_asked_for_longest_ago_goes_first(tmp_path, workspace):
    visits = visits_in(tmp_path, most=2)
    tokens = []
    for age in (300, 200, 100):
        tokens.append(visits.keep(replace(workspace)))
        written()
        for path in files(tmp_path):
            if time.time() - path.stat().st_mtime < 50:
                os.utime(path, (time.time() - age,) * 2)
    visits._remove_old()
    visits._held.clear()
    assert [visits.open(token) is not None for token in tokens] == [False, True, True]


def test_bytes_are_limited(tmp_path, workspace):
    visits = visits_in(tmp_path)
    visits.keep(workspace)
    written()
    size = files(tmp_path)[0].stat().st_size
    small = visits_in(tmp_path / "..", most_bytes=size + size // 2)
    for _ in range(3):
        small.keep(replace(workspace))
        written()
    assert len(list(small._folder.glob("*.cnrag"))) == 1
    small.close()


def test_one_that_nobody_asked_for_in_a_while_is_gone(tmp_path, workspace):
    visits = visits_in(tmp_path, seconds=100)
    token = visits.keep(workspace)
    written()
    visits._held.clear()
    os.utime(files(tmp_path)[0], (time.time() - 101,) * 2)
    assert visits.open(token) is None
    assert not files(tmp_path)


def test_a_visitor_can_have_it_forgotten(tmp_path, workspace):
    visits = visits_in(tmp_path)
    token = visits.keep(workspace)
    written()
    visits.forget(token)
    assert visits.open(token) is None
    assert not files(tmp_path)


def test_nothing_is_left_when_the_server_ends_and_the_next_one_clears_up_after_one_that_could_not(tmp_path, workspace):
    first, running = visits_in(tmp_path), visits_in(tmp_path)
    first.keep(workspace)
    running.keep(workspace)
    written()
    os.close(first._lock_file)  # its process was killed
    for folder in tmp_path.glob(PREFIX + "*"):
        os.utime(folder, (time.time() - 3600,) * 2)
    third = visits_in(tmp_path)
    assert not first._folder.exists()
    assert running._folder.exists()
    running.close()
    third.close()
    assert not list(tmp_path.iterdir())
