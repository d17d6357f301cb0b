"""The life of a workspace file: saved while killed, on a full disk, by two at once; opened when damaged."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from cnrag_core.cli import app
from cnrag_core.errors import CNRagError, StorageError, StorageFullError
from cnrag_core.worker import build_in_child
from cnrag_core.workspace import Workspace
from cnrag_core.workspace_file import check_file
from tests.hardening.campaign import count, random_of, report
from tests.hardening.test_t02_disk_full import small_disk

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def larkspur() -> Workspace:
    return Workspace.of_sample("larkspur")


@pytest.fixture(scope="module")
def parts(larkspur: Workspace) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(larkspur.to_bytes())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(parts: dict[str, bytes]) -> bytes:
    """The parts as an archive, every checksum right."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return target.getvalue()


SAVER = """
import os, sys
from cnrag_core.workspace import Workspace
workspace = Workspace.open(sys.argv[1])
for _ in sys.stdin:
    pid = os.fork()
    if pid == 0:
        os.write(1, f"{os.getpid()}\\n".encode())
        while True:
            workspace.save(sys.argv[2])
    os.waitpid(pid, 0)
    os.write(1, b"ended\\n")
"""


def test_lifecycle_a_save_that_is_killed_leaves_a_whole_file(larkspur: Workspace, tmp_path: Path) -> None:
    source, target = tmp_path / "source.cnrag", tmp_path / "target.cnrag"
    larkspur.save(source)
    larkspur.save(target)
    rng = random_of("lifecycle save")
    n_kills, whole = count(50, 8), 0
    command = [sys.executable, "-c", SAVER, str(source), str(target)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for _ in range(n_kills):
            child.stdin.write("again\n")
            child.stdin.flush()
            pid = int(child.stdout.readline())
            time.sleep(rng.uniform(0.0, 0.1))
            os.kill(pid, signal.SIGKILL)
            assert child.stdout.readline() == "ended\n"
            whole += check_file(target) == []
    report("lifecycle: save killed", whole, n_kills, "the older file or the new one, never half", score="faults")
    assert whole == n_kills


def test_lifecycle_a_full_disk_leaves_the_older_file(larkspur: Workspace, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "200k") as disk:
        path = disk / "kept.cnrag"
        larkspur.save(path)
        before = path.read_bytes()
        (disk / "something else").write_bytes(bytes(180_000 - len(before)))
        with pytest.raises(StorageFullError, match=r"kept\.cnrag could not be written: No space left on device\."):
            larkspur.save(path)
        assert path.read_bytes() == before
        assert sorted(file.name for file in disk.iterdir()) == ["kept.cnrag", "something else"]
        said = CliRunner().invoke(app, ["build", str(path), "--save", str(path), "--json"])
        assert isinstance(said.exception, StorageFullError)
        assert path.read_bytes() == before
        (disk / "something else").unlink()
        larkspur.save(path)
        assert Workspace.open(path).network.graph.digest == larkspur.network.graph.digest


@pytest.mark.parametrize("target", ["network.graphml", "network.html", "network.json"])
def test_lifecycle_an_export_to_a_full_disk_leaves_the_older_file(target: str, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "16k") as disk:
        (disk / target).write_text("older", encoding="utf-8")
        said = CliRunner().invoke(app, ["export", "larkspur", str(disk / target)])
        assert isinstance(said.exception, StorageFullError)
        assert [file.read_text(encoding="utf-8") for file in disk.iterdir()] == ["older"]


def test_lifecycle_a_build_with_a_full_folder_for_temporary_files_says_so(
    larkspur: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with small_disk(tmp_path / "disk", "40k") as disk:
        monkeypatch.setattr(tempfile, "tempdir", str(disk))
        with pytest.raises(StorageFullError, match="No space left on device"):
            build_in_child(larkspur.corpus, larkspur.config, name="again")
        assert list(disk.iterdir()) == []


def test_lifecycle_a_folder_that_is_not_there_is_a_sentence(larkspur: Workspace, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"a\.cnrag could not be written: No such file or directory\."):
        larkspur.save(tmp_path / "nowhere" / "a.cnrag")


def test_lifecycle_two_tabs_save_one_workspace_and_a_third_opens_it(larkspur: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "shared.cnrag"
    larkspur.save(path)
    errors: list[BaseException] = []
    over = threading.Event()

    def guarded(work: Any) -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    def save() -> None:
        for _ in range(count(20, 5)):
            larkspur.save(path)

    def look() -> None:
        while not over.is_set():
            assert check_file(path) == []

    savers = [threading.Thread(target=guarded, args=(save,)) for _ in range(2)]
    looker = threading.Thread(target=guarded, args=(look,))
    for thread in (*savers, looker):
        thread.start()
    for thread in savers:
        thread.join(timeout=120)
    over.set()
    looker.join(timeout=120)
    assert errors == []
    assert list(tmp_path.iterdir()) == [path]


# Damage.

BAD: tuple[Any, ...] = (
    *(None, float("nan"), float("inf"), -1, 10**30, 1e308, "x", [], {}, [[]], True),
    *({"a": 1}, "\ud800", "9" * 5000),
)


def damaged(whole: bytes, parts: dict[str, bytes], rng: random.Random) -> tuple[str, bytes]:
    """A workspace with one thing wrong: bytes of the archive, or a value or array inside with checksums that fit."""
    name = rng.choice(["bit", "cut", "zeros", *parts])
    if name == "bit":
        data = bytearray(whole)
        for _ in range(rng.choice([1, 1, 40])):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        return name, bytes(data)
    if name == "cut":
        return name, whole[: rng.randrange(len(whole))]
    if name == "zeros":
        start = rng.randrange(len(whole))
        return name, whole[:start] + bytes(min(200, len(whole) - start)) + whole[start + 200 :]
    changed = wrong_array(parts[name], rng) if name.endswith(".npy") else wrong_json(parts[name], name, rng)
    if rng.random() < 0.05:
        return f"no {name}", packed({part: data for part, data in parts.items() if part != name})
    return name, packed({**parts, name: changed})


def wrong_json(data: bytes, name: str, rng: random.Random) -> bytes:
    lines = data.splitlines() if name.endswith(".jsonl") else [data]
    number = rng.randrange(len(lines))
    value = json.loads(lines[number])
    place = rng.choice([place for place in places(value) if place])
    inside = value
    for key in place[:-1]:
        inside = inside[key]
    if rng.random() < 0.2:
        del inside[place[-1]]
    else:
        inside[place[-1]] = rng.choice(BAD)
    lines[number] = json.dumps(value).encode()
    return b"\n".join(lines) + b"\n"


def places(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to every value inside, of lists to the first three."""
    keys = list(value) if isinstance(value, dict) else range(min(3, len(value))) if isinstance(value, list) else []
    return [place, *(found for key in keys for found in places(value[key], (*place, key)))]


def wrong_array(data: bytes, rng: random.Random) -> bytes:
    kind = rng.choice(["value", "value", "shape", "dtype", "empty", "header", "cut"])
    if kind == "header":
        return data.replace(b"'shape': (", b"'shape': (9999999,", 1)
    if kind == "cut":
        return data[: rng.randrange(len(data))]
    array = np.load(io.BytesIO(data), allow_pickle=False).copy()
    if kind == "value" and array.size:
        top = np.iinfo(array.dtype).max if array.dtype.kind in "iu" else 1e30
        array.flat[rng.randrange(array.size)] = rng.choice([-1, top] if array.dtype.kind != "f" else [np.nan, -5, top])
    array = {"shape": array.reshape(1, -1), "dtype": array.astype(str), "empty": array[:0]}.get(kind, array)
    target = io.BytesIO()
    np.save(target, array)
    return target.getvalue()


def use(workspace: Workspace) -> None:
    """What the pages ask of a workspace; every number must be one."""
    json.dumps(workspace.summary(), allow_nan=False)
    network = workspace.network
    assert all(np.isfinite(result.score) for result in network.search("cancel my plan").top(5))
    assert np.isfinite(network.layout.positions).all()
    network.similarity.explain(network.node_ids[0], network.node_ids[1])
    _ = network.suggestion, network.cohesion, network.participation, network.clustering
    workspace.to_bytes()


def test_lifecycle_a_damaged_workspace_is_refused_or_right(
    larkspur: Workspace, parts: dict[str, bytes], tmp_path: Path
) -> None:
    rng = random_of("lifecycle damage")
    whole = larkspur.to_bytes()
    n_tried = count(600, 40)
    outcomes: Counter[str] = Counter()
    wrong: list[str] = []
    for number in range(n_tried):
        name, data = damaged(whole, parts, rng)
        try:
            use(Workspace.open(data))
            outcomes["opened"] += 1
        except CNRagError:
            outcomes["refused"] += 1
            (tmp_path / "bad.cnrag").write_bytes(data)
            if not check_file(tmp_path / "bad.cnrag"):
                wrong.append(f"{number} ({name}): `cnrag check` finds nothing")
        except Exception as error:
            wrong.append(f"{number} ({name}): {error!r}")
    figures = f"{outcomes['refused']} refused in a sentence, {outcomes['opened']} opened with every number finite"
    report("lifecycle: damaged workspaces", n_tried - len(wrong), n_tried, figures, score="inputs")
    assert wrong == []


def test_lifecycle_cnrag_check_names_the_damaged_parts_of_a_workspace(
    larkspur: Workspace, parts: dict[str, bytes], tmp_path: Path
) -> None:
    path = tmp_path / "a.cnrag"
    larkspur.save(path)
    said = CliRunner().invoke(app, ["check", str(path)])
    assert (said.exit_code, said.output) == (0, f"{path}: no damage found.\n")
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        for name in ("corpus.jsonl", "graph/weight.npy"):
            entry = archive.getinfo(name)
            data[entry.header_offset + 30 + len(name) + entry.compress_size // 2] ^= 0xFF
    path.write_bytes(data)
    said = CliRunner().invoke(app, ["check", str(path)])
    assert said.exit_code == 1
    findings = said.output.splitlines()
    assert [line.split("(")[1].split()[0] for line in findings] == ["corpus.jsonl", "graph/weight.npy"]
    assert all(line.startswith("damage: a.cnrag is damaged") for line in findings)
    path.write_bytes(packed({**parts, "layout.npy": parts["communities.npy"]}))
    said = CliRunner().invoke(app, ["check", str(path)])
    assert "layout.npy" in said.output


def test_lifecycle_a_page_tells_of_a_damaged_workspace_in_a_sentence(
    larkspur: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "damaged.cnrag"
    path.write_bytes(larkspur.to_bytes()[:-3000])
    monkeypatch.setenv("CNRAG_OPEN", str(path))
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.chdir(ROOT)
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
    assert list(page.exception) == []
    assert len(page.error) == 1
    assert "damaged" in page.error[0].value.replace("\\", "")
