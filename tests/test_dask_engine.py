"""The same network from a Dask cluster of separate processes, one of which is killed midway."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cnrag_core.config.loader import load_config
from cnrag_core.config.spec import EdgeRule
from cnrag_core.corpus.document import Document
from cnrag_core.errors import ConfigError, ResourceLimitError
from cnrag_core.graph.builder import build_graph
from cnrag_core.network import build_network
from cnrag_core.similarity import cluster, search
from cnrag_core.similarity.cluster import DaskCrew, dask_crew
from cnrag_core.similarity.pairwise import pairs_above, strongest_pairs
from cnrag_core.similarity.tiles import Engine
from tests.similarity.random_columns import random_columns

pytest.importorskip("distributed", reason="the extra dask is not installed")


N = 240
YAML = """
similarity:
  components:
    - {type: field_embedding, field: text, weight: 3}
    - {type: attribute_similarity, field: tags, metric: jaccard, weight: 1}
  min_combined_similarity: 0.2
"""


@pytest.fixture(scope="module")
def crew() -> Iterator[DaskCrew]:
    with dask_crew(n_workers=2) as crew:
        crew.client.wait_for_workers(2, timeout=60)
        yield crew


@pytest.fixture(scope="module")
def columns() -> tuple:
    return random_columns(np.random.default_rng(9), N)


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "TILE", 10)


def bits(pairs: Any) -> tuple[bytes, bytes, bytes]:
    return pairs.left.tobytes(), pairs.right.tobytes(), pairs.weight.tobytes()


def documents() -> list[Document]:
    rng = np.random.default_rng(2)
    words = [f"word{number}" for number in range(80)]
    return [
        Document(
            f"d{number:03d}",
            {
                "text": " ".join(rng.choice(words[number % 4 * 20 :][:40], 12)),
                "tags": rng.choice(words[:9], 3).tolist(),
            },
        )
        for number in range(120)
    ]


@pytest.mark.parametrize("hand_over", ["mapped folder", "a copy for each worker"])
def test_every_rule_keeps_the_same_edges_on_a_cluster(
    columns: tuple, crew: DaskCrew, hand_over: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "is_local", hand_over == "mapped folder")
    ids = [f"d{number:03d}" for number in range(N)]
    for rule in (EdgeRule(min=0.35), EdgeRule(min=0.2, max_per_node=4), EdgeRule(density=0.02, min_neighbors=3)):
        plain, found = build_graph(ids, columns, rule), build_graph(ids, columns, rule, engine=Engine(crew))
        assert plain.graph.n_edges > 100
        assert bits(found.graph) == bits(plain.graph)
        assert bits(found.candidates) == bits(plain.candidates)
    pairs, floor = strongest_pairs(columns, 0.0, 50)
    found_pairs, found_floor = strongest_pairs(columns, 0.0, 50, engine=Engine(crew, tmp_path / "shards"))
    assert (bits(found_pairs), found_floor) == (bits(pairs), floor)
    assert {path.name.split("-")[0] for path in (tmp_path / "shards").iterdir()} == {"manifest.json", "pairs"}


def test_a_worker_killed_midway_costs_its_tiles_only(columns: tuple, crew: DaskCrew) -> None:
    crew.client.wait_for_workers(2, timeout=60)
    plain, killed = pairs_above(columns, 0.3), []

    def kill_one(step: str, share: float) -> None:
        if share > 0.2 and not killed:
            killed.append(next(iter(crew.client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    assert bits(pairs_above(columns, 0.3, engine=Engine(crew), progress=kill_one)) == bits(plain)
    assert len(killed) == 1
    assert killed[0] not in crew.client.run(os.getpid).values()


@pytest.mark.parametrize("share_at_the_end", [0.2, 0.5, 0.8])
def test_copies_that_were_lost_with_all_workers_are_handed_over_again(columns: tuple, share_at_the_end: float) -> None:
    plain, killed = pairs_above(columns, 0.3), []

    def kill_all(step: str, share: float) -> None:
        if share > share_at_the_end and not killed:
            killed.extend(crew.client.run(os.getpid).values())
            for pid in killed:
                os.kill(pid, signal.SIGKILL)

    # Processes of its own: Dask gives up one that is killed in the moment in which it comes back.
    with dask_crew(n_workers=2) as crew:
        crew.is_local = False
        crew.client.wait_for_workers(2, timeout=60)
        assert bits(pairs_above(columns, 0.3, engine=Engine(crew), progress=kill_all)) == bits(plain)
    assert killed


def test_cancelling_stops_the_cluster_and_the_next_build_goes_on(
    columns: tuple, crew: DaskCrew, tmp_path: Path
) -> None:
    engine, shares = Engine(crew, tmp_path / "shards"), []

    def cancel(step: str, share: float) -> None:
        shares.append(share)
        if share > 0.4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pairs_above(columns, 0.3, engine=engine, progress=cancel)
    assert shares == sorted(shares)
    kept = len(list(tmp_path.rglob("tile-*.npz")))
    assert 5 < kept < N // 10
    assert bits(pairs_above(columns, 0.3, engine=engine)) == bits(pairs_above(columns, 0.3))


def test_a_yaml_that_names_a_scheduler_builds_the_same_network(crew: DaskCrew) -> None:
    local = build_network(documents(), load_config(YAML))
    address = crew.client.scheduler.address
    found = build_network(documents(), load_config(YAML + f"engine: {{engine: dask, scheduler: '{address}'}}"))
    assert local.graph.n_edges > 100
    assert bits(found.graph) == bits(local.graph)
    assert bits(found.candidates) == bits(local.candidates)


@pytest.mark.slow
def test_a_yaml_that_names_none_starts_processes_and_ends_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "MAX_PROCESSES", 1)
    pids: list[int] = []
    hands = DaskCrew.hands

    def watched(self: DaskCrew, *state: Any) -> Any:
        self._wait_for_workers()
        pids.extend(self.client.run(os.getpid).values())
        return hands(self, *state)

    monkeypatch.setattr(DaskCrew, "hands", watched)
    found = build_network(documents(), load_config(YAML + "engine: dask"))
    assert bits(found.graph) == bits(build_network(documents(), load_config(YAML)).graph)
    assert pids
    assert os.getpid() not in pids
    assert not any(is_running(pid) for pid in pids)


UNGUARDED = """
from cnrag_core.config.loader import load_config
from cnrag_core.corpus.document import Document
from cnrag_core.errors import ConfigError
from cnrag_core.network import build_network

config = load_config("similarity: {components: [{type: field_embedding, field: text}]}\\nengine: dask")
try:
    build_network([Document(str(i), {"text": f"coral reef {i % 7}"}) for i in range(60)], config)
except ConfigError as error:
    print(error)
"""


@pytest.mark.slow
def test_a_script_without_a_guard_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=False)
    assert "engine: 'dask' cannot start processes on this machine" in done.stdout
    assert 'build below `if __name__ == "__main__":`' in done.stdout
    assert done.returncode == 0


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_scheduler_that_does_not_answer_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECTING", 0.5)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{unused.getsockname()[1]}"
    begun = time.monotonic()
    for wrong in (address, "nonsense://x", "tcp://"):
        with pytest.raises(ConfigError, match=r"engine\.scheduler: no Dask scheduler answers at .*Start one with"):
            build_network(documents(), load_config(YAML + f"engine: {{engine: dask, scheduler: '{wrong}'}}"))
    assert time.monotonic() - begun < 60


def test_a_missing_package_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ConfigError, match=r"engine: 'dask' needs an extra package: pip install 'cnrag\[dask\]'; or"):
        build_network(documents(), load_config(YAML + "engine: dask"))


def test_workers_with_too_little_memory_are_told_how_much_is_needed(
    columns: tuple, crew: DaskCrew, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "is_local", False)
    small = {"workers": {"tcp://a": {"memory_limit": 1_000_000}}}
    monkeypatch.setattr(crew.client, "scheduler_info", lambda **_: small)
    with pytest.raises(ResourceLimitError, match=r"has to hold 0\.0 GB .* one has 0\.0 GB; start fewer workers"):
        pairs_above(columns, 0.3, engine=Engine(crew))


def test_workers_that_lack_cnrag_are_told_so(columns: tuple, crew: DaskCrew, monkeypatch: pytest.MonkeyPatch) -> None:
    def look(path: str | None) -> bool:
        raise ModuleNotFoundError("No module named 'cnrag_core'")

    monkeypatch.setattr(crew, "is_local", False)
    monkeypatch.setattr(cluster, "_sees", look)
    with pytest.raises(ConfigError, match=r"cannot run cnrag; install the same version .*No module named 'cnrag_core'"):
        pairs_above(columns, 0.3, engine=Engine(crew))


def test_a_cluster_without_workers_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "FIRST_WORKER", 0.5)
    from distributed import LocalCluster

    with LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as empty:
        config = load_config(YAML + f"engine: {{engine: dask, scheduler: '{empty.scheduler_address}'}}")
        with pytest.raises(ConfigError, match=r"has no workers; start some with `dask worker inproc"):
            build_network(documents(), config)


def test_a_cluster_that_loses_all_workers_for_good_is_one_sentence(
    columns: tuple, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "NO_WORKER", 0.5)
    monkeypatch.setattr(cluster, "COUNTED_EVERY", 0.1)
    from distributed import LocalCluster

    lost = pytest.raises(ResourceLimitError, match="has lost all its workers, and none has come back")
    with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as one, one.get_client() as client, lost:
        pairs_above(columns, 0.3, engine=Engine(DaskCrew(client)), progress=lambda *_: one.scale(0))
