"""G21 to G36: what people reported of comparable dashboards, with the value that is right here."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from cnrag_core import NetworkRAG
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.corpus.records import corpus_of_records
from cnrag_core.errors import CNRagError
from cnrag_core.storage.sqlite_storage import SQLiteStorage
from cnrag_core.views.graph_picture import DEFAULT_NODES, GraphPicture, component_data
from cnrag_core.views.network_options import NetworkOptions
from cnrag_core.views.network_picture import draw
from cnrag_core.views.standalone_page import standalone_html
from cnrag_core.workspace import Workspace
from tests.hardening.campaign import count
from tests.hardening.visitors import ROOT, Served, Visitor, until

TOPICS = ("coral reefs in warm seas", "bond yields and inflation", "protein folding in cells")


def built(records: list[dict[str, object]]) -> Workspace:
    return Workspace.build(corpus_of_records(records, name="reports"))


def records(n: int, **more: object) -> list[dict[str, object]]:
    return [
        {"id": f"d{i:04}", "title": f"{TOPICS[i % 3]} {i}", "text": f"{TOPICS[i % 3]} number {i}", **more}
        for i in range(n)
    ]


def picture_of(workspace: Workspace) -> GraphPicture:
    return draw(workspace.network, NetworkOptions(), workspace.corpus.kinds).picture


def message_of(workspace: Workspace) -> str:
    """What the browser is sent; numbers that JSON does not know would raise."""
    return json.dumps(component_data(picture_of(workspace), revision="1", layout="1", view="1"), allow_nan=False)


def test_g21_numbers_of_numpy_become_plain_ones() -> None:
    rows = [{**row, "similarity": np.float32(0.5), "count": np.int64(i)} for i, row in enumerate(records(12))]
    workspace = built(rows)
    assert isinstance(json.loads(message_of(workspace))["nodes"]["x"][0], int | float)
    page = standalone_html(picture_of(workspace))
    assert "float32" not in page
    assert "int64" not in page


def test_g22_ids_that_look_like_numbers_stay_texts() -> None:
    rows: list[dict[str, object]] = [
        {"id": "01", "text": "coral reefs bleach"},
        {"id": "02", "text": "coral reefs bleach"},
        {"id": "1", "text": "bonds"},
    ]
    workspace = built(rows)
    assert workspace.network.node_ids == ("01", "02", "1")
    assert "02" in workspace.network.analyzer.get_neighbors("01")
    assert {"01", "02"} <= set(picture_of(workspace).names)


@pytest.mark.parametrize("identity", [7, 1.5])
def test_g23_ids_of_other_kinds_become_texts(identity: object) -> None:
    rag = NetworkRAG(min_similarity=0.1)
    rag.add_node(identity, "coral reefs bleach", {})  # type: ignore[arg-type]  # what a person may do
    rag.add_node("other", "coral reefs bleach", {})
    rag.build_network()
    assert rag.get_neighbors("other") == {str(identity)}


def test_g23_an_id_that_is_no_text_and_no_number_is_refused_in_a_sentence() -> None:
    rag = NetworkRAG(min_similarity=0.1)
    with pytest.raises(CNRagError, match="the id should be a text or a number, found a list of 2"):
        rag.add_node((1, 2), "coral reefs bleach", {})  # type: ignore[arg-type]  # what a person may do


def test_g24_a_standalone_page_names_no_address_to_fetch() -> None:
    page = standalone_html(picture_of(built(records(12))))
    assert not re.search(r"<(script|link|img|iframe|object|embed)\b[^>]*\b(src|href|data)\s*=", page)
    assert "default-src 'none'" in page
    assert "jsdelivr" not in page


def test_g25_no_encoding_is_left_to_the_system(tmp_path: Path) -> None:
    title = "é漢😀 reefs"
    rows = [{"id": f"é{i}", "title": f"{title} {i}", "text": f"coral {title} {i}"} for i in range(6)]
    (tmp_path / "corpus.jsonl").write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    ours = (
        "import sys, warnings; from cnrag_core.cli import main; "
        "warnings.filterwarnings('error', category=EncodingWarning, module='cnrag_core'); "
        "sys.argv = ['cnrag', *sys.argv[1:]]; main()"
    )
    strict = [sys.executable, "-X", "warn_default_encoding", "-c", ours]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "0"}
    for target in ("page.html", "graph.graphml", "graph.json", "saved.cnrag")[: count(4, 2)]:
        done = subprocess.run(
            [*strict, "export", "corpus.jsonl", target], cwd=tmp_path, env=environment, capture_output=True, timeout=300
        )
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")[-2000:]
    for target in ("page.html", "graph.graphml"):
        assert title in (tmp_path / target).read_bytes().decode("utf-8")


def test_g26_a_thousand_documents_are_capped_with_honest_counts_and_given_places() -> None:
    drawing = draw(built(records(1_000)).network, NetworkOptions(), {})
    assert len(drawing.picture.names) == DEFAULT_NODES == 500
    assert re.search(r"500 of 1,000 documents", drawing.picture.counts), drawing.picture.counts
    assert np.isfinite(drawing.picture.x).all()
    assert re.search(r"physics:\s*false", (ROOT / "cnrag_core/views/graph_assets/component.js").read_text("utf-8"))


def test_g27_a_tip_has_lines_and_no_markup() -> None:
    rows = [{**row, "title": f"<b>bold</b> href {row['title']}"} for row in records(12)]
    tips = json.loads(message_of(built(rows)))["nodes"]["title"]
    tips = tips if isinstance(tips, list) else tips["values"]
    joined = " ".join(map(str, tips))
    assert "<br" not in joined
    assert "<b>bold</b> hr\u200bef" in joined  # the characters themselves; `href` would switch pyvis to markup
    source = "".join(path.read_text("utf-8") for path in (ROOT / "cnrag_core/views/graph_assets").glob("*.js"))
    assert "innerHTML" not in source
    assert "insertAdjacentHTML" not in source


def test_g28_a_value_that_is_no_number_is_empty() -> None:
    rows = [{**row, "score": math.nan if i % 2 else 1.5} for i, row in enumerate(records(12))]
    workspace = built(rows)
    assert "NaN" not in message_of(workspace)
    assert "NaN" not in standalone_html(picture_of(workspace)).split('id="picture">')[1].split("</script>")[0]
    assert workspace.network.document("d0001").text("score") == ""


def test_g32_mixed_kinds_in_one_field_are_shown(served: Served) -> None:
    values: list[object] = [["a", "b"], "text", 3, None, {"k": 1}, True, 2.5, 2**70]
    rows = [{**row, "mixed": values[i % len(values)]} for i, row in enumerate(records(24))]
    data = "\n".join(json.dumps(row) for row in rows).encode()
    with Visitor(served, sample="larkspur") as visitor:
        load(visitor, "mixed.jsonl", data, 24)
        for page in ("Network", "Communities", "Similarity", "Search", "Export"):
            run = visitor.run(page, seconds=120)
            assert run.ok, (page, run)
            assert not run.errors, (page, run)
        assert b"title" in visitor.download("get_documents.csv")
    assert "Arrow" not in served.all_logs()


def load(visitor: Visitor, name: str, data: bytes, n: int) -> None:
    """Upload and build, as a visitor does."""
    assert visitor.run("", seconds=180).ok
    assert visitor.set("source", "My own documents", seconds=120).ok
    run = visitor.upload("corpus_file", name, data, seconds=180)
    assert run.ok, run
    assert not run.errors, run
    [button] = [key for key in visitor.elements if key.startswith("build_")]
    visitor.press(button, seconds=120)
    assert visitor.wait_for(rf"^{n:,} documents ·", 180), visitor.texts[-20:]


def test_g29_g30_g36_an_upload_and_a_threshold_outlive_pages_and_reruns(served: Served) -> None:
    data = "\n".join(json.dumps(row) for row in records(30)).encode()
    with Visitor(served, sample="larkspur") as visitor:
        load(visitor, "kept.jsonl", data, 30)
        assert visitor.run("Threshold", seconds=120).ok
        assert visitor.set("threshold_slider", 0.55, seconds=120).ok
        for page in ("Communities", "Network", "", "Threshold"):
            for _ in range(2):
                run = visitor.run(page, seconds=120)
                assert run.ok, (page, run)
                assert not run.errors, (page, run)
            assert visitor.shows(r"^30 documents\b"), page
        assert visitor.shows("threshold 0.55") or visitor.shows(r"0\.55"), visitor.texts
        assert until(lambda: served.health()["jobs_running"] == 0)


def test_g31_two_equal_charts_are_both_drawn(served: Served) -> None:
    with Visitor(served, sample="larkspur") as visitor:
        assert visitor.run("Search", seconds=180, sample="larkspur", q="export after cancellation").ok
        run = visitor.set("strategies", ["similarity", "hybrid", "community", "hub", "bridge", "pagerank"], seconds=120)
        assert run.ok, run
        assert visitor.run("Compare", seconds=180).ok


def test_g34_what_is_shared_between_sessions_is_a_sample_or_no_data_at_all() -> None:
    allowed = {"sample_workspace", "_given_at_start"}
    shared = []
    for path in [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]:
        text = path.read_text("utf-8")
        for found in re.finditer(r"@st\.cache_(?:data|resource)(\([^)]*\))?\s*\ndef (\w+)\(([^)]*)\)", text):
            options, name, parameters = found[1] or "", found[2], found[3]
            names = [parameter.split(":")[0].strip() for parameter in parameters.split(",") if parameter.strip()]
            hashed = [given for given in names if not given.startswith("_")]
            by_digest = hashed == ["key"] and ".digest" in text
            if 'scope="session"' not in options and name not in allowed and names and not by_digest:
                shared.append(f"{path.name}: {name}({parameters})")
    assert not shared, "a cache of all sessions takes arguments: " + "; ".join(shared)


@pytest.mark.parametrize("name", ["x.csv", "x.json", "a.exe:$x.csv", "x", "../../x.yaml"])
def test_g35_a_file_is_read_by_what_it_holds(name: str, tmp_path: Path) -> None:
    path = tmp_path / "real.parquet"
    pd.DataFrame({"id": ["a", "b"], "title": ["coral reefs", "bond yields"]}).to_parquet(path)
    corpus = read_bytes(path.read_bytes(), name)
    assert [document.id for document in corpus] == ["a", "b"]


@pytest.mark.parametrize(
    "data", [b"MZ\x90\x00" + bytes(200), b"\x7fELF" + bytes(200), b"\x89PNG\r\n\x1a\n" + bytes(200)]
)
def test_g35_what_is_no_corpus_is_refused_in_a_sentence(data: bytes) -> None:
    with pytest.raises(CNRagError) as refused:
        read_bytes(data, "a.exe:$x.csv")
    assert "Traceback" not in str(refused.value)
    assert len(str(refused.value)) < 500


def test_g36_a_database_is_used_from_several_threads(tmp_path: Path) -> None:
    storage = SQLiteStorage(str(tmp_path / "x.db"))
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda i: storage.save_node(f"n{i}", f"text {i}", {"i": i}), range(40)))
        found = list(threads.map(lambda i: storage.get_node(f"n{i}"), range(40)))
    storage.close()
    assert all(found)


def test_g31_a_budget_beyond_what_a_box_takes_opens_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.chdir(ROOT)
    workspace = Workspace.of_sample("larkspur")
    spec = workspace.config.traversal.model_copy(update={"max_nodes": 9_000_000, "max_tokens": 99_999_999})
    config = workspace.config.model_copy(update={"traversal": spec})
    network = replace(workspace.network, config=config)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
    app.session_state["workspace"] = replace(workspace, config=config, network=network)
    app.run()
    app = app.switch_page("pages/7_Traversal.py").run()
    assert not app.exception
    assert not app.error
    assert app.number_input(key="walk_nodes").value == 1_000_000
