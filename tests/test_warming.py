"""Loops made ready in the background: once a process, with the types that are used."""

from __future__ import annotations

import subprocess
import sys

from cnrag_core.warming import warm_up_in_background

SCRIPT = """
from cnrag_core.warming import warm_up_in_background
first, second = warm_up_in_background(), warm_up_in_background()
assert first is second
first.join(280)
assert not first.is_alive()
from cnrag_core.similarity.kernels import search_tile
from cnrag_core.topology.centrality_loops import accumulate_dependencies
from cnrag_core.topology.louvain import _move_nodes
for loop in (search_tile, accumulate_dependencies, _move_nodes):
    assert len(loop.signatures) == 1, loop
print("ready")
"""


def test_everything_is_warmed_up_once_and_with_the_types_that_are_used():
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False, timeout=600)
    assert found.stdout == "ready\n", found.stderr


def test_the_thread_ends_with_the_process():
    assert warm_up_in_background().daemon
