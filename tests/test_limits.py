"""Limits of a server: set by whoever runs it, never by what somebody uploads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from cnrag_core import worker
from cnrag_core.config.loader import load_config
from cnrag_core.config.spec import EdgeRule, FieldEmbeddingComponent, PipelineConfig
from cnrag_core.corpus.document import Corpus, Document
from cnrag_core.corpus.limits import Limits
from cnrag_core.corpus.readers import read_bytes, read_corpus
from cnrag_core.errors import ConfigError, CorpusError, ResourceLimitError
from cnrag_core.limits import BYTES_PER_EDGE, ServerLimits, edges_of_this_machine, limits_markdown
from cnrag_core.workspace import Workspace

ROOT = Path(__file__).resolve().parents[1]


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Python in a process of its own, because limits are read once."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, encoding="utf-8", timeout=120,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"CNRAG_MAX_EDGES": "many"}, "CNRAG_MAX_EDGES should be a whole number, 1 or more, got 'many'"),
        ({"CNRAG_MAX_EDGES": "0"}, "got '0'"),
        ({"CNRAG_MAX_READ_S": "inf"}, "CNRAG_MAX_READ_S should be a number, 0.1 or more"),
        ({"CNRAG_MAX_READ_S": "nan"}, "got 'nan'"),
        ({"CNRAG_MAX_TRIES": "11"}, "1 to 10"),
        ({"CNRAG_MAX_EDGE": "5"}, "CNRAG_MAX_EDGE is no limit; there are CNRAG_MAX_UPLOAD_MB"),
    ],
)
def test_a_limit_that_cannot_be_is_said_in_a_sentence(environment, said):
    with pytest.raises(ConfigError, match=said):
        ServerLimits.of(environment)


def test_the_command_says_a_wrong_limit_without_a_traceback():
    done = run("from cnrag_core.cli import main; main()", CNRAG_MAX_EDGES="many")
    assert done.returncode in (0, 2), "help needs no limits"
    code = "import sys; sys.argv = ['cnrag', 'build', 'larkspur']; from cnrag_core.cli import main; main()"
    done = run(code, CNRAG_MAX_EDGES="many")
    assert done.returncode == 1
    assert done.stderr.startswith("cnrag: CNRAG_MAX_EDGES should be a whole number")
    assert "Traceback" not in done.stderr


def test_the_variables_reach_the_places_that_enforce_them():
    code = """
from cnrag_core.chunking.chunker import MAX_CHUNKS
from cnrag_core.config import source, yaml_reading
from cnrag_core.corpus.limits import UPLOAD_LIMITS
from cnrag_core.embedding.ollama import Patience
from cnrag_core.graph.builder import edge_limit
from cnrag_core.limits import server_limits
from cnrag_core.topology.centrality import MAX_EXACT_WORK
from cnrag_core.views.graph_picture import DEFAULT_NODES, MOST_NODES
from cnrag_core.views.network_options import MOST_HOPS
patience = Patience()
print(MAX_CHUNKS, source.MAX_DEPTH, yaml_reading.MAX_BYTES, yaml_reading.MAX_ALIASED, UPLOAD_LIMITS.file_bytes,
      UPLOAD_LIMITS.documents, UPLOAD_LIMITS.text_bytes, UPLOAD_LIMITS.field_bytes, patience.connect, patience.read,
      patience.tries, patience.total, edge_limit(9_999), server_limits().edges, MAX_EXACT_WORK, MOST_NODES,
      DEFAULT_NODES, MOST_HOPS)
"""
    values = {
        "CHUNKS": 7, "YAML_DEPTH": 8, "YAML_KB": 9, "YAML_ALIASED": 10, "UPLOAD_MB": 11, "DOCUMENTS": 12, "TEXT_MB": 13,
        "FIELD_MB": 14, "CONNECT_S": 1.5, "READ_S": 2.5, "TRIES": 2, "TOTAL_S": 30.5, "EDGES": 1000, "EXACT_WORK": 2000,
        "DRAWN": 400, "HOPS": 2,
    }  # fmt: skip
    done = run(code, **{f"CNRAG_MAX_{name}": str(value) for name, value in values.items()})
    found = [float(word) for word in done.stdout.split()]
    mb = 2**20
    assert found == [
        7, 8, 9 * 1024, 10, 11 * mb, 12, 13 * mb, 14 * mb, 1.5, 2.5, 2, 30.5, 1000, 1000, 2000, 400, 400, 2
    ], done.stderr  # fmt: skip


def test_a_graph_in_the_dashboard_is_held_to_the_server_and_ones_own_to_memory(monkeypatch):
    lines = tuple(Document(str(i), {"text": "the same words"}) for i in range(40))  # 780 pairs, all alike
    config = PipelineConfig(components=[FieldEmbeddingComponent(field="text")], edges=EdgeRule(min_similarity=0.5))
    monkeypatch.setattr(worker, "server_limits", lambda: ServerLimits(edges=500))
    with pytest.raises(ResourceLimitError, match="More than 500 pairs"):
        worker.build_workspace(Corpus(lines), config, name="alike")
    assert Workspace.build(Corpus(lines), config).network.graph.n_edges == 780
    half_of_it = psutil.virtual_memory().available // 2
    assert 0.5 * half_of_it < edges_of_this_machine({}) * BYTES_PER_EDGE < 2 * half_of_it
    assert edges_of_this_machine({"CNRAG_MAX_EDGES": "500"}) == 500


def test_an_upload_is_held_to_the_server_and_a_file_of_ones_own_to_memory(tmp_path):
    rows = b"id,text\n" + b"".join(b"%d,coral %d\n" % (i, i) for i in range(50))
    few = Limits.of_server(ServerLimits(documents=40))
    with pytest.raises(CorpusError, match="more than 40 documents"):
        read_bytes(rows, "rows.csv", limits=few)
    path = tmp_path / "rows.csv"
    path.write_bytes(rows)
    assert len(read_corpus(path)) == 50
    own = Limits.of_this_machine()
    assert (own.file_bytes, own.documents, own.field_bytes) == (None, None, None)
    assert own.text_bytes is not None
    assert own.text_bytes > 0


@pytest.mark.parametrize("key", ["limits: {edges: 9}", "max_edges: 9", "engine: {max_edges: 9}", "display: {drawn: 9}"])
def test_no_key_of_a_configuration_touches_a_limit(key):
    text = "similarity: {components: [{type: field_embedding, field: text}]}\n" + key
    with pytest.raises(ConfigError, match="is not known here"):
        load_config(text, uploaded=True)


def test_the_readme_lists_every_limit_with_its_default():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert limits_markdown() in readme
