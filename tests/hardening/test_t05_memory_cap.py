"""A build under a memory limit completes, or names the limit; it is never killed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hardening.campaign import SEED, count, report

ROOT = Path(__file__).resolve().parents[2]
MEGABYTE = 2**20

CHILD = """
import json, random, resource, sys

def use_at_most(n_bytes):
    resource.setrlimit(resource.RLIMIT_AS, (n_bytes, resource.getrlimit(resource.RLIMIT_AS)[1]))

def status(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))

limit, n_documents, seed, *steps = map(int, sys.argv[1:])
if limit:
    use_at_most(limit)
from cnrag_core.config.spec import EdgeRule, FieldEmbeddingComponent, PipelineConfig
from cnrag_core.corpus.document import Document
from cnrag_core.errors import ResourceLimitError
from cnrag_core.network import build_network

def documents(n):
    rng = random.Random(seed)
    common = [f"common{i}" for i in range(3000)]
    topics = [[f"topic{t}word{i}" for i in range(25)] for t in range(100)]
    return [
        Document(f"d{i:05d}", {"content": " ".join(rng.choices(common, k=40) + rng.choices(topics[i % 100], k=40))})
        for i in range(n)
    ]

config = PipelineConfig(components=(FieldEmbeddingComponent(field="content"),), edges=EdgeRule(min_similarity=0.3))

def build(some):
    try:
        network = build_network(some, config)
    except ResourceLimitError as error:
        outcome = {"refused": str(error)}
    else:
        outcome = {"edges": network.graph.n_edges, "documents": network.graph.n_nodes}
    if steps:
        use_at_most(resource.RLIM_INFINITY)
    print(json.dumps({**outcome, "peak": status("VmHWM")}), flush=True)

all_documents = documents(n_documents)
if not steps:
    build(all_documents)
else:
    build_network(all_documents, config)  # libraries are loaded and loops compiled before memory is short
    for step in steps:
        use_at_most(status("VmSize") + step)
        build(all_documents)
"""


def built(limit: int, n_documents: int, *steps: int) -> list[dict[str, object]]:
    """What a child under a limit of address space says of its builds."""
    command = [sys.executable, "-c", CHILD, str(limit), str(n_documents), str(SEED), *map(str, steps)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=400)
    assert ran.returncode == 0, f"the child ended with {ran.returncode}: {ran.stderr[-2000:]}"
    return [json.loads(line) for line in ran.stdout.splitlines()]


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a limit of address space is a matter of Linux")


def test_t5_five_thousand_documents_fit_into_one_and_a_half_gigabytes() -> None:
    n_documents = count(5000, 1500)
    (outcome,) = built(1536 * MEGABYTE, n_documents)
    completes = outcome.get("documents") == n_documents and int(outcome["edges"]) > 0
    is_typed = "1.5 GB of memory that this process may use" in str(outcome.get("refused", ""))
    figures = f"{n_documents:,} documents, {outcome.get('edges', 0):,} edges, peak RSS {outcome['peak'] / 1e6:.0f} MB"
    report("T5", int(completes or is_typed), 1, figures, score="faults")
    assert completes or is_typed, outcome


def test_t5_a_tighter_limit_is_named() -> None:
    steps = [megabytes * MEGABYTE for megabytes in (0, 4, 8, 16, 32, 64, 128, 256)]
    outcomes = built(0, count(5000, 1500), *steps)
    typed = ["GB of memory that this process may use (RLIMIT_AS)" in str(one.get("refused", "")) for one in outcomes]
    survived = sum("edges" in one or is_typed for one, is_typed in zip(outcomes, typed, strict=True))
    report("T5 tighter", survived, len(steps), f"{sum(typed)} name the limit, the others completed", score="faults")
    assert survived == len(steps)
    assert any(typed)
