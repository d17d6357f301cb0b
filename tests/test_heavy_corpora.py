"""Corpora that are heavy in one way: each is built inside its memory, or refused before it starts.

Every build runs in a process of its own under a limit of address space; ``CNRAG_FULL_SIZE=1`` takes the
sizes in the names of the cases, the suite a part of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FULL = os.environ.get("CNRAG_FULL_SIZE") == "1"
MEMORY = 2_500_000_000
"""Bytes of address space, libraries included."""

CHILD = """
import json, resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]), resource.getrlimit(resource.RLIMIT_AS)[1]))
import numpy as np
from cnrag_core.config.spec import AttributeSimilarityComponent, EdgeRule, FieldEmbeddingComponent, PipelineConfig
from cnrag_core.corpus.document import Corpus, Document
from cnrag_core.errors import ResourceLimitError
from cnrag_core.workspace import Workspace

case, n = sys.argv[2], int(sys.argv[3])
rng = np.random.default_rng(0)
text = FieldEmbeddingComponent(field="text")
rule = EdgeRule(min=0.3)
words = rng.integers(0, 5_000, (n, 12))
texts = [" ".join(f"w{word}" for word in row) for row in words.tolist()]
components = [text]
if case == "threshold 0":
    texts, rule = [f"common {line}" for line in texts], EdgeRule(min=0.0)
elif case == "one long document":
    texts[0] = " ".join(f"w{word}" for word in rng.integers(0, 50_000, 100_000).tolist())
elif case == "one value":
    components = [text, AttributeSimilarityComponent(field="kind", metric="exact", weight=0.2)]
elif case == "all identical":
    texts = ["the same few words in every document"] * n
elif case == "one word in every document":
    texts = [f"common {line}" for line in texts]
documents = [Document(f"d{i:06}", {"text": line, "kind": "paper"}) for i, line in enumerate(texts)]
try:
    built = Workspace.build(Corpus(tuple(documents)), PipelineConfig(components=components, edges=rule))
    found = {"edges": built.network.graph.n_edges, "communities": built.network.communities.n_communities}
except ResourceLimitError as error:
    found = {"refused": str(error)}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({**found, "CPU s": round(time.process_time(), 1), "peak MiB": round(peak)}))
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a limit of address space is a matter of Linux")


def outcome(case: str, n: int) -> dict[str, object]:
    command = [sys.executable, "-c", CHILD, str(MEMORY), case, str(n if FULL else max(3_000, n // 10))]
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr[-1500:]}"
    found: dict[str, object] = json.loads(done.stdout)
    print(f"{case}: {found}")
    return found


def test_threshold_0_on_20_000_documents_that_share_a_word_is_refused_with_a_threshold_that_fits() -> None:
    refused = str(outcome("threshold 0", 20_000 if FULL else 30_000)["refused"])
    assert refused.startswith("A threshold of 0.00 would give ")
    assert "The lowest threshold that fits here is 0." in refused


def test_50_000_identical_documents_are_refused_because_no_threshold_helps() -> None:
    refused = str(outcome("all identical", 50_000)["refused"])
    assert "No threshold makes a graph that fits" in refused


@pytest.mark.parametrize(
    ("case", "n"), [("one long document", 20_000), ("one value", 20_000), ("one word in every document", 50_000)]
)
def test_what_is_only_long_or_common_is_built(case: str, n: int) -> None:
    found = outcome(case, n)
    assert int(str(found["communities"])) >= 1
