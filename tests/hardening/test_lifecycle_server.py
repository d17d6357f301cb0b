"""The life of a server: killed while a visitor looks at a network, started again on the same files."""

from __future__ import annotations

import signal
from pathlib import Path

from cnrag_core.workspace import Workspace
from tests.hardening.campaign import count, report
from tests.hardening.visitors import Served, Visitor


def test_lifecycle_a_killed_server_starts_again_with_the_same_workspace_and_the_same_view(tmp_path: Path) -> None:
    workspace = Workspace.of_sample("larkspur")
    path = tmp_path / "mine.cnrag"
    workspace.save(path)
    before = path.read_bytes()
    n_documents = workspace.network.graph.n_nodes
    shown = rf"^{n_documents} documents ·.*similarity at least 0\\?\.40"
    survived = 0
    ways = (signal.SIGKILL, signal.SIGTERM)[: count(2, 1)]
    for how in ways:
        server = Served(tmp_path, str(path))
        try:
            # two tabs of one person
            with Visitor(server, "Network", t="0.400") as first, Visitor(server, "Communities", t="0.400") as second:
                assert first.run(seconds=120).ok
                assert second.run(seconds=120).ok
                assert first.shows(shown), [text for text in first.texts if "documents" in text]
                assert second.shows(shown)
                server.stop(how)
        finally:
            server.stop(signal.SIGKILL)
        assert path.read_bytes() == before
        survived += 1
    again = Served(tmp_path, str(path))
    try:
        with Visitor(again, "Network", t="0.400") as visitor:
            assert visitor.run(seconds=120).ok
            assert visitor.shows(shown)
    finally:
        again.stop()
    report("lifecycle: server restarts", survived, len(ways), "the same view from the same link", score="faults")
